"""Files of the site's folder: each appears under its name whole or not at all, and all are written through together.

A built site can be built again from the archive, so no file of it is worth a wait of its own for the disk: `settle` is
called once, before anything is recorded as laid out. What a power cut before that leaves of a file, `is_torn` knows.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from generator.errors import IntegrityError

_SAFE_PATH = re.compile(r"(?!/)[^\x00-\x1f\\:]+(?<!/)")
_FEW = 100
"""So many files are written through one by one; more, by one call that also writes what others have written."""
_CAN_SYNC = hasattr(os, "sync")


class Files:
    """The files that one build writes."""

    def __init__(self, site_dir: Path) -> None:
        """Write below a folder, or beside it."""
        self._root = str(site_dir)
        self._unsettled: list[str] = []
        self._many = False

    def target(self, path: str) -> str:
        """Return where a file of the site lies.

        Raises:
            IntegrityError: where the path is no plain one below the site's folder.
        """
        if not is_safe(path):
            raise IntegrityError("expected a path relative to the site's folder", where=repr(path))
        return f"{self._root}/{path}"

    def make(self, folder: str) -> bool:
        """Make a folder of the site and those above it; return whether it was not there."""
        return _make(f"{self._root}/{folder}")

    def lay(self, target: str, data: bytes) -> None:
        """Put a whole file under its name; a half-written one is only ever seen under another."""
        folder, _, name = target.rpartition("/")
        # The same name each time: what a killed run left is written over by the next.
        half = f"{folder}/.{name}.half"
        _write(half, data)
        os.replace(half, target)  # noqa: PTH105 - path objects of so many files cost as much as writing them
        self._remember(target)

    def put(self, target: str, data: bytes) -> None:
        """Write a file that nobody looks for yet."""
        _write(target, data)
        self._remember(target)

    def settle(self) -> None:
        """Have everything on the disk that was written since the last time."""
        if self._many:
            os.sync()
        folders = dict.fromkeys(target.rpartition("/")[0] for target in self._unsettled)
        for target in self._unsettled:
            _sync(target, os.O_RDWR)
        for folder in folders if os.name == "posix" else ():  # Elsewhere a folder cannot be opened.
            _sync(folder, os.O_RDONLY)
        self._unsettled, self._many = [], False

    def _remember(self, target: str) -> None:
        if len(self._unsettled) < _FEW or not _CAN_SYNC:
            self._unsettled.append(target)
        else:
            self._many = True


def read(target: str) -> bytes | None:
    """Return a file's bytes, or None where there is none."""
    try:
        with open(target, "rb") as file:  # noqa: PTH123 - see Files.lay
            return file.read()
    except FileNotFoundError:
        return None


def is_torn(found: bytes, whole: bytes) -> bool:
    """True for what a power cut can leave of a file that was not written through: its bytes, or zeros, or fewer."""
    return len(found) <= len(whole) and all(byte in {0, kept} for byte, kept in zip(found, whole, strict=False))


def is_safe(path: str) -> bool:
    """True for a plain path below the site's folder, with no part that leads elsewhere."""
    parts = path.split("/")
    return _SAFE_PATH.fullmatch(path) is not None and not {"", ".", ".."} & set(parts)


def _write(target: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(target, flags, 0o666)
    except FileNotFoundError:
        _make(target.rpartition("/")[0])
        handle = os.open(target, flags, 0o666)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(handle, left) :]
    finally:
        os.close(handle)


def _make(folder: str) -> bool:
    try:
        os.mkdir(folder)  # noqa: PTH102 - see Files.lay
    except FileExistsError:
        return False
    except FileNotFoundError:
        _make(folder.rpartition("/")[0])
        return _make(folder)
    return True


def _sync(target: str, flags: int) -> None:
    handle = os.open(target, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
