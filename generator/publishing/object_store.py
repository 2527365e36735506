"""A bucket as a target; it is asked from threads, many requests side by side."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from generator.publishing.interface import LEASE, SiteFile, There
from generator.stores.bucket import Bucket
from generator.stores.lease import Times, leased
from generator.stores.lease_object import LeaseObject, asked

if TYPE_CHECKING:
    from obstore import Attributes

_THREADS = 20
"""As many requests as are sent side by side, and the lease's."""


class ObjectStore:
    """A bucket, or what begins with a prefix in it."""

    def __init__(self, bucket: Bucket, times: Times | None = None) -> None:
        """Use a bucket; nothing is asked yet.

        Args:
            bucket: the bucket.
            times: of the lease; others than usual only where nobody else publishes by the usual ones.
        """
        self.name = bucket.name
        self._bucket = bucket
        self._times = times or Times()
        self._threads = ThreadPoolExecutor(_THREADS)

    async def listed(self) -> AsyncIterator[list[tuple[str, There]]]:
        """Yield path and marks of every object."""
        chunks = self._bucket.listed()
        while (chunk := await asked(lambda: next(chunks, None), self._threads)) is not None:
            yield [(each["path"], There(size=each["size"], e_tag=_plain(each["e_tag"]))) for each in chunk]

    async def read(self, path: str) -> bytes | None:
        """Return an object's bytes; None where there is none."""
        found = await asked(lambda: self._bucket.get(path), self._threads)
        return None if found is None else found.data

    async def create(self, file: SiteFile, data: bytes) -> bool:
        """Put an object where none is; return False where the store has one."""
        done = await asked(lambda: self._bucket.create(file.path, data, _attributes(file)), self._threads)
        return done is not None

    async def replace(self, file: SiteFile, data: bytes) -> None:
        """Put an object in the place of whatever there is."""
        await asked(lambda: self._bucket.replace(file.path, data, _attributes(file)), self._threads)

    async def remove(self, path: str) -> None:
        """Take an object away."""
        await asked(lambda: self._bucket.remove(path), self._threads)

    def held(self, owner: str) -> AbstractAsyncContextManager[Callable[[], None]]:
        """Hold the bucket by a lease that others can see."""
        return leased(LeaseObject(self._bucket, LEASE, self._threads), owner, time.monotonic, self._times)


def _attributes(file: SiteFile) -> Attributes:
    return {"Content-Type": file.content_type, "Cache-Control": file.cache_control}


def _plain(e_tag: str | None) -> str | None:
    return None if e_tag is None else e_tag.strip('"')
