"""One file of the archive as it can be downloaded: where it lies below data/, its digest and its size."""

from __future__ import annotations

from datetime import date
from typing import Literal

import msgspec

from generator.records.night import Count, Sha256

DATA = "data/"
"""The folder of the site that holds these files, each under the path that it has in the archive."""

DataKind = Literal["night", "void", "observations", "listings", "prompts", "context", "grades", "manifest"]
"""'night' and 'void' are night.json and void.json; 'manifest' lies beside grades and holds their digest."""


class DataFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One file, which never changes."""

    path: str
    """Below data/, and in the archive."""
    kind: DataKind
    night: date
    """The night that the file is of; for grades and their manifest, the last night of their window."""
    method_version: str | None = None
    """Of grades and their manifest."""
    bytes: Count
    sha256: Sha256
