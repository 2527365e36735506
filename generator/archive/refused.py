"""What the archive refuses, in the same words wherever it lies."""

from __future__ import annotations

from generator.errors import IntegrityError, MissingFileError


def other_bytes(name: str) -> IntegrityError:
    """Return what is raised where a file is to be created and another one is there."""
    return IntegrityError(
        "expected no such file or the same bytes, found others", where=name, do="Kept files are never replaced"
    )


def missing(name: str) -> MissingFileError:
    """Return what is raised where a kept file is to be read and is gone."""
    return MissingFileError("expected a file, found none", where=name, do="Restore it from another copy of the archive")
