"""Durable files: made under another name, fsynced, renamed into place, the folder fsynced; never replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from generator.archive.layout import UNFINISHED
from generator.errors import ArchiveError, IntegrityError, MissingFileError


def create(root: Path, name: str, data: bytes) -> None:
    """Create a file with these bytes, whole or not at all.

    A file that is there already with the same bytes is left as it is, so that a rerun may repeat a step.

    Args:
        root: the folder that names are relative to.
        name: relative path with '/'.
        data: the whole file.

    Raises:
        IntegrityError: where the file is there with other bytes: it is never replaced.
        ArchiveError: where the folder or disk cannot take it.
    """
    path = root / name
    with writing(name):
        if path.exists():
            if path.read_bytes() == data:
                return
            raise IntegrityError(
                "expected no such file or the same bytes, found others", where=name, do="Kept files are never replaced"
            )
        make_folder(path.parent)
        temporary = path.with_name(path.name + UNFINISHED)
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each fsynced into its parent."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make a folder's entries durable; a no-op where folders cannot be opened (Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read(root: Path, name: str) -> bytes:
    """Return a file's bytes.

    Raises:
        IntegrityError: where it is missing.
        ArchiveError: where it cannot be read.
    """
    with _reading(name):
        return (root / name).read_bytes()


def size(root: Path, name: str) -> int:
    """Return how many bytes a file has.

    Raises:
        IntegrityError: where it is missing.
        ArchiveError: where it cannot be looked at.
    """
    with _reading(name):
        return (root / name).stat().st_size


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn what the operating system refuses into a message that names the file within the archive."""
    try:
        yield
    except FileNotFoundError:
        raise MissingFileError(
            "expected a file, found none", where=name, do="Restore it from another copy of the archive"
        ) from None
    except OSError as error:
        raise ArchiveError(f"cannot read: {error.strerror}", where=name, do="Check the disk and its rights") from None


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turn what the operating system refuses into a message that names the file within the archive."""
    try:
        yield
    except OSError as error:
        raise ArchiveError(
            f"cannot write: {error.strerror}", where=name, do="Make room or give the right to write, and run again"
        ) from None
