"""Manifests: what lies beside a kept file and says what it must be."""

from __future__ import annotations

from datetime import date

import msgspec

from generator.records.night import Count, Sha256


class GradesManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Beside `grades/<version>/<window end>.parquet`: the file exists once its manifest does."""

    format: int
    file: str
    """The file's path within the archive."""
    sha256: Sha256
    rows: Count
    method_version: str
    method_digest: Sha256
    window_end: date
    nights: dict[str, Sha256]
    """By night of the window, the SHA-256 of its night.json: what the grades were made from."""
    voided: dict[str, Sha256]
    """By recorded night that had been declared void by then, the SHA-256 of its void.json: it counts for nothing."""
    role: str
    """'current', or 'candidate' for a version that replaces nothing."""
    regrade: bool
    """True where another version had graded the window before."""
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""


class PagesManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Beside `pages/<version>/<window end>.parquet`, and beside a kept method page."""

    format: int
    file: str
    sha256: Sha256
    rows: Count
    """Pages in the file; 1 for a method page, which is the file itself."""
    method_version: str
    method_digest: Sha256
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""
