"""Where the log's leaves come from and lie, and an append that has not ended: the small files beside the tiles."""

from __future__ import annotations

from typing import Annotated

import msgspec

from generator.records.night import Count, Sha256


class LogIndex(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which leaves of the log one file of the archive gave: all of it follows from the log and the archive."""

    format: int
    first: Count
    """Index of the first leaf, from 0."""
    count: Annotated[int, msgspec.Meta(ge=1)]
    """Leaves, one after another."""
    sha256: Sha256
    """Of the file that gave them: night.json, void.json, the manifest of grades, ..."""
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""


class LogAppending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an append sets out to write: written before anything else, removed once the new head is in place."""

    format: int
    head: str
    """The new head. Until log/head says this, none of the files counts."""
    files: tuple[str, ...]
    """Every file to be made but the head, by its path within the archive, sorted."""
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""
