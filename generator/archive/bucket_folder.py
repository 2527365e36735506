"""The archive in a bucket: objects created once, which the store itself refuses to replace.

A folder of the bucket is listed once in a process, and what this run writes is added to that. Objects that are written
once are read once from the store, and from then on out of a copy that `read_cache` keeps while their marks stay the
same; what may be replaced is read from the store each time. Whoever uses what is read holds it against its digests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from generator.archive import layout
from generator.archive.folder import Folder
from generator.archive.read_cache import ReadCache
from generator.archive.refused import missing, other_bytes
from generator.errors import ArchiveError, LockedError
from generator.stores.bucket import Bucket
from generator.stores.holding import holding
from generator.stores.lease import Times
from generator.stores.lease_object import LeaseObject

if TYPE_CHECKING:
    from obstore import ObjectMeta, PutResult

OWN = ".bitdepth"
"""The folder of a bucket that is no part of the archive."""
LEASE = f"{OWN}/writing.json"
"""The object that a bucket is held by."""
_REPLACED = {layout.LOG_HEAD, layout.LOG_CHECKPOINT, layout.LOG_APPENDING}
_TOP = ""
"""Where objects lie that are in no folder."""


class BucketFolder(Folder):
    """A bucket, or what begins with a prefix in it."""

    def __init__(self, bucket: Bucket, cache: ReadCache, owner: Callable[[], str], times: Times) -> None:
        """Use a bucket; nothing is asked yet.

        Args:
            bucket: the bucket.
            cache: keeps what was read.
            owner: names runs of this site root, one of which is at work at most.
            times: of the lease.
        """
        self.name = bucket.name
        self._bucket = bucket
        self._cache = cache
        self._owner = owner
        self._times = times
        self._listed: dict[str, dict[str, tuple[int, str | None]]] = {}
        """By folder, the size and the ETag of each of its objects by name."""
        self._whole = False
        """Whether every folder has been listed."""
        self._read: set[str] | None = None
        """What this process has read from the store itself; None where copies of earlier runs are as good."""
        self._certain: Callable[[], None] | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the bucket by a lease that others can see."""
        with holding(LeaseObject(self._bucket, LEASE), self._owner(), self._times) as certain:
            self._certain = certain
            self._listed, self._whole = {}, False  # What another run has written meanwhile is not in it.
            try:
                yield
            finally:
                self._certain = None

    def distrust_copies(self) -> None:
        """Read every object from the store itself once from now on."""
        self._read = set()

    def exists(self, name: str) -> bool:
        """True where an object of that name is there."""
        return name in self._folder(name)

    def read(self, name: str) -> bytes:
        """Return an object's bytes."""
        copied = self._copied(name)
        if copied is not None:
            return copied
        found = self._bucket.get(name)
        if found is None:
            self._folder(name).pop(name, None)
            raise missing(name)
        mark = (len(found.data), _plain(found.e_tag))
        self._folder(name)[name] = mark
        if name not in _REPLACED and mark[1] is not None:
            self._cache.keep(name, _text(mark), found.data)
        if self._read is not None:
            self._read.add(name)
        return found.data

    def size(self, name: str) -> int:
        """Return how many bytes an object has."""
        found = self._folder(name).get(name)
        if found is None:
            raise missing(name)
        return found[0]

    def create(self, name: str, data: bytes) -> None:
        """Create an object; one with the same bytes may be there already. The store decides whether one is."""
        self._require_hold()
        done = self._bucket.create(name, data)
        if done is not None:
            self._wrote(name, data, done)
            return
        found = self._bucket.get(name)
        if found is None or found.data != data:
            raise other_bytes(name)
        self._folder(name)[name] = (len(data), _plain(found.e_tag))

    def replace(self, name: str, data: bytes) -> None:
        """Put an object in the place of whatever is there."""
        self._require_hold()
        self._wrote(name, data, self._bucket.replace(name, data))

    def remove(self, name: str) -> None:
        """Take an object away, and every copy of it on this machine."""
        self._require_hold()
        try:
            self._cache.drop(name)
        except OSError as error:
            raise ArchiveError(
                f"cannot delete a copy of an object that is removed: {error.strerror}",
                where=f".cache/archive/{name}",
                do="Delete it by hand, and run again",
            ) from None
        self._bucket.remove(name)
        self._folder(name).pop(name, None)

    def names(self) -> Iterator[str]:
        """Yield every object of the archive, folder by folder."""
        if not self._whole:
            self._take(self._bucket.listed())
            self._whole = True
        found = (name for names in self._listed.values() for name in names if layout.is_kept(name))
        yield from sorted(found, key=lambda name: name.split("/"))

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Return the names of the objects that a pattern finds, sorted."""
        fits = _compiled(pattern).fullmatch
        return tuple(sorted(name for name in self._folder(pattern) if fits(name)))

    def is_held(self) -> bool:
        """True where a run holds the bucket, or one was killed that did."""
        return self._bucket.get(LEASE) is not None

    def _folder(self, name: str) -> dict[str, tuple[int, str | None]]:
        """Return what is known of the objects of a name's folder."""
        top = name.split("/", 1)[0] if "/" in name else _TOP
        if top not in self._listed:
            self._listed[top] = {}
            if not self._whole:
                self._take([self._bucket.top()] if top == _TOP else self._bucket.listed(top))
        return self._listed[top]

    def _take(self, chunks: Iterable[Sequence[ObjectMeta]]) -> None:
        """Take in a listing; what it has not, no copy is kept of."""
        found: dict[str, dict[str, tuple[int, str | None]]] = {}
        for each in (each for chunk in chunks for each in chunk):
            folder, separated, _ = each["path"].partition("/")
            names = found.setdefault(folder if separated else _TOP, {})
            names[each["path"]] = (each["size"], _plain(each["e_tag"]))
        found.pop(OWN, None)
        for folder, names in found.items():
            self._listed[folder] = names
            self._cache.keep_only(folder, names)

    def _copied(self, name: str) -> bytes | None:
        """Return the copy of an object as it is in the bucket; None where it has to be fetched."""
        mark = self._folder(name).get(name)
        if mark is None or mark[1] is None or name in _REPLACED or (self._read is not None and name not in self._read):
            return None
        return self._cache.get(name, _text(mark))

    def _wrote(self, name: str, data: bytes, done: PutResult) -> None:
        self._folder(name)[name] = (len(data), _plain(done["e_tag"]))

    def _require_hold(self) -> None:
        """Return where this run certainly holds the bucket.

        Raises:
            LockedError: where somebody else may hold it by now, or nobody does.
        """
        if self._certain is None:
            raise LockedError(
                "expected to hold the archive before it is written to, found it not held", where=self.name
            )
        self._certain()


@lru_cache(256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return what a pattern finds, as a folder's own search would."""
    parts = re.split(r"(\*\*/|\*)", pattern)
    words = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
    return re.compile("".join(words.get(part) or re.escape(part) for part in parts))


def _plain(e_tag: str | None) -> str | None:
    return None if e_tag is None else e_tag.strip('"')


def _text(mark: tuple[int, str | None]) -> str:
    return f"{mark[0]} {mark[1]}"
