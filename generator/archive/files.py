"""Durable files: made under another name, fsynced, renamed into place, the folder fsynced; never replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from generator.archive.layout import UNFINISHED
from generator.archive.refused import missing, other_bytes
from generator.errors import ArchiveError
from generator.stores.durable import make_folder, sync_folder, write_all


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
        if not path.exists():
            place(path, data)
        elif path.read_bytes() != data:
            raise other_bytes(name)
        # Of a file that is there, too: whoever put it there may have ended before its name was on the disk.
        sync_folder(path.parent)
        above = path.parent.parents
        for folder in above[: len(path.parent.relative_to(root).parts) + 1]:
            _sync_once(folder)


def replace(root: Path, name: str, data: bytes) -> None:
    """Put a file in the place of whatever is there: a reader meets the one or the other, whole.

    Args:
        root: the folder that names are relative to.
        name: relative path with '/'.
        data: the whole file.

    Raises:
        ArchiveError: where the folder or disk cannot take it; what was there is as it was.
    """
    path = root / name
    with writing(name):
        if not path.exists() or path.read_bytes() != data:
            place(path, data)
        sync_folder(path.parent)


def place(path: Path, data: bytes) -> None:
    """Put a file under a name, whole and on the disk; its folder is made where it is missing.

    Whoever calls fsyncs the folder. Where the disk refuses, what was written of the file is taken away again.
    """
    make_folder(path.parent)
    temporary = path.with_name(path.name + UNFINISHED)
    temporary.unlink(missing_ok=True)
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@cache
def _sync_once(folder: Path) -> None:
    """Make durable what earlier runs left in a folder; what this one makes there later, it fsyncs by itself."""
    sync_folder(folder)


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
        raise missing(name) from None
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
