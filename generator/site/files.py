"""Files of the site's folder: each appears under its name whole and on the disk, or not at all.

A page is written under another name. `settle` has the disk take all that was written so far in one go, then gives every
page its name, then has the disk take the names: a site of many thousand pages waits for its disk a few times.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from generator.errors import IntegrityError
from generator.stores.durable import sync, write_all

_SAFE_PATH = re.compile(r"(?!/)[^\x00-\x1f\\:]+(?<!/)")
_FEW = 100
"""So many files or folders are written through one by one; more, by one call that also writes what others wrote."""
_MOST = 20_000
"""So many pages wait for their names at most."""
_CAN_SYNC = hasattr(os, "sync")


class Files:
    """The files that one build writes; where it fails, no page that still waits for its name is left behind."""

    def __init__(self, site_dir: Path) -> None:
        """Write below a folder, or beside it."""
        self._root = str(site_dir)
        self._waiting: dict[str, str] = {}
        """By the name that it will have, where each page was written."""
        self._put: list[str] = []
        self._above: set[str] = set()
        """Folders of the site that are there and have folders in them."""
        self._folders: dict[str, None] = {}
        """Those with names that the disk may not have."""

    def __enter__(self) -> Self:
        """Return the files."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take away what was not given its name."""
        for half in self._waiting.values():
            with suppress(OSError):
                os.unlink(half)  # noqa: PTH108 - see settle

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
        return self._make(f"{self._root}/{folder}" if folder else self._root)

    def read(self, target: str) -> bytes | None:
        """Return a file's bytes, or None where there is none."""
        if target in self._waiting:
            self.settle()
        return read(target)

    def lay(self, target: str, data: bytes) -> None:
        """Write a whole file that `settle` puts under its name."""
        folder, _, name = target.rpartition("/")
        # The same name each time: what a killed run left is written over by the next.
        self._waiting[target] = half = f"{folder}/.{name}.half"
        self._write(half, data)
        if len(self._waiting) >= _MOST:
            self.settle()

    def put(self, target: str, data: bytes) -> None:
        """Write a file that nobody looks for yet."""
        self._put.append(target)
        self._write(target, data)

    def move(self, source: str, target: str) -> None:
        """Give a file that is on the disk its name."""
        self._make(target.rpartition("/")[0])
        self._rename(source, target)

    def remove(self, target: str) -> None:
        """Take a file away, and the folders of the site that it leaves empty."""
        folder = target.rpartition("/")[0]
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(target)  # noqa: PTH108 - see settle
            self._folders[folder] = None
        while folder != self._root and os.path.isdir(folder) and not os.listdir(folder):  # noqa: PTH112, PTH208
            os.rmdir(folder)  # noqa: PTH106 - see settle
            self._folders.pop(folder, None)
            self._above.discard(folder)
            folder = folder.rpartition("/")[0]
            self._folders[folder] = None

    def settle(self) -> None:
        """Have everything on the disk that was written since the last time, under its name."""
        _sync_all([*self._waiting.values(), *self._put], os.O_RDWR)
        while self._waiting:
            target = next(iter(self._waiting))
            self._rename(self._waiting[target], target)  # Path objects of so many cost as much as writing them.
            del self._waiting[target]
        if os.name == "posix":  # Elsewhere a folder cannot be opened.
            _sync_all(self._folders, os.O_RDONLY)
        self._put, self._above, self._folders = [], set(), {}

    def _rename(self, source: str, target: str) -> None:
        os.replace(source, target)  # noqa: PTH105 - see settle
        self._folders[target.rpartition("/")[0]] = None

    def _write(self, target: str, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        folder = target.rpartition("/")[0]
        try:
            handle = os.open(target, flags, 0o666)
        except FileNotFoundError:
            self._make(folder)
            handle = os.open(target, flags, 0o666)
        self._folders[folder] = None
        try:
            write_all(handle, data)
        finally:
            os.close(handle)

    def _make(self, folder: str) -> bool:
        above = folder.rpartition("/")[0]
        if len(above) > len(self._root) and above not in self._above:  # From the top: to fail costs more than to ask.
            self._make(above)
            self._above.add(above)
        try:
            os.mkdir(folder)  # noqa: PTH102 - see settle
        except FileExistsError:
            return False
        except FileNotFoundError:
            self._make(above)
            return self._make(folder)
        self._folders[above or "."] = None
        return True


def read(target: str) -> bytes | None:
    """Return a file's bytes, or None where there is none."""
    try:
        with open(target, "rb") as file:  # noqa: PTH123 - see Files.settle
            return file.read()
    except FileNotFoundError:
        return None


def is_safe(path: str) -> bool:
    """True for a plain path below the site's folder, with no part that leads elsewhere."""
    parts = path.split("/")
    return _SAFE_PATH.fullmatch(path) is not None and not {"", ".", ".."} & set(parts)


def _sync_all(targets: Collection[str], flags: int) -> None:
    if len(targets) > _FEW and _CAN_SYNC:
        os.sync()
        return
    for target in targets:
        sync(target, flags)
