"""The only opener of archive/: nights, grades, pages and the log's tiles are added once and read back checked.

What a store returns has been held against the digests recorded with it; what it writes is whole or not there. The
archive lies in a folder of this machine, or in a bucket; lock and journals are of this machine in either case.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import filelock

from generator.archive import files, layout
from generator.archive.bucket_folder import BucketFolder
from generator.archive.disk_folder import DiskFolder
from generator.archive.folder import Folder
from generator.archive.grades import Grades
from generator.archive.log import Log
from generator.archive.nights import Nights
from generator.archive.pages import Pages
from generator.archive.read_cache import ReadCache
from generator.errors import ArchiveError, LockedError
from generator.records.store_address import FOLDER, StoreAddress
from generator.stores.addresses import folder_at, open_bucket
from generator.stores.durable import make_folder
from generator.stores.lease import Times
from generator.stores.owner import owner_of

_LOOK_S = 0.05
"""Longer than `condition.is_locked` holds the lock while it looks: a look turns no run away."""
_WHERE = "content/site.toml, field 'archive'"


def believed(_: str) -> bool:
    """Believe that an environment variable holds what is needed; the store itself refuses where it does not."""
    return True


class Store:
    """The archive of one site root."""

    def __init__(
        self,
        root: Path,
        address: StoreAddress | None = None,
        is_set: Callable[[str], bool] = believed,
        times: Times | None = None,
    ) -> None:
        """Use an archive; nothing is opened or asked yet.

        Args:
            root: the site root.
            address: where the archive lies; None for the folder archive/ of the root.
            is_set: whether an environment variable holds anything: a bucket's credentials stand there.
            times: of a bucket's lease, instead of the usual.

        Raises:
            CredentialError: where it lies in a bucket, and no variable holds a credential.
        """
        self.local = root / "archive"
        """The folder of this machine that lock and journals lie in; the archive too, where it lies in a folder."""
        self.bucket: BucketFolder | None = None
        """Where the archive lies, unless in a folder."""
        if address is not None and address.scheme != FOLDER:
            bucket, cache = open_bucket(address, is_set, where=_WHERE), ReadCache(root / ".cache" / "archive")
            self.bucket = BucketFolder(bucket, cache, partial(owner_of, root, os.urandom), times or Times())
        elif address is not None:
            self.local = folder_at(address)
        self.folder: Folder = self.bucket or DiskFolder(self.local)
        self.nights = Nights(self.folder, self.local)
        self.grades = Grades(self.folder)
        self.pages = Pages(self.folder)
        self.log = Log(self.folder)

    @property
    def is_begun(self) -> bool:
        """Whether there is something that another run may be at work in."""
        return self.bucket is not None or self.local.is_dir()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the archive against a second run, on this machine or another.

        Raises:
            LockedError: where another run holds it: within a tenth of a second on this machine, and for a bucket once
                it was seen to be alive.
            ArchiveError: where the folder cannot be written.
        """
        with self._alone(), self.folder.held():
            yield

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold this machine's lock."""
        where = f"archive/{layout.LOCK}"
        with files.writing(where):
            make_folder(self.local)
        lock = filelock.FileLock(self.local / layout.LOCK)
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
