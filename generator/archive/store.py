"""The only opener of archive/: nights, grades, pages and the log's tiles are added once and read back checked.

What a store returns has been held against the digests recorded with it; what it writes is whole or not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from generator.archive import files, layout
from generator.archive.folder import Folder
from generator.archive.grades import Grades
from generator.archive.log import Log
from generator.archive.nights import Nights
from generator.archive.pages import Pages
from generator.errors import ArchiveError, LockedError

_LOOK_S = 0.05
"""Longer than `condition.is_locked` holds the lock while it looks: a look turns no run away."""


class Store:
    """The archive of one site root."""

    def __init__(self, root: Path) -> None:
        """Use the archive/ folder of a site root; nothing is opened yet."""
        self.folder = Folder(root / "archive")
        self.nights = Nights(self.folder)
        self.grades = Grades(self.folder)
        self.pages = Pages(self.folder)
        self.log = Log(self.folder)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the archive against a second run.

        Raises:
            LockedError: within a tenth of a second, where another run holds it.
            ArchiveError: where the folder cannot be written.
        """
        where = f"archive/{layout.LOCK}"
        with files.writing(where):
            files.make_folder(self.folder.path)
        lock = filelock.FileLock(self.folder.path / layout.LOCK)
        try:
            lock.acquire(timeout=_LOOK_S, poll_interval=_LOOK_S / 5)
        except filelock.Timeout:
            raise LockedError(
                "expected to be alone, found another run at work",
                where=where,
                do="Wait until it has ended; this run sent and wrote nothing",
            ) from None
        except OSError as error:
            raise ArchiveError(f"cannot lock: {error.strerror}", where=where, do="Give the right to write") from None
        try:
            yield
        finally:
            lock.release()
