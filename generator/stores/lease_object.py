"""The object of a bucket that runs hold it by, for `lease`: each state of it has a mark that a put can be held to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, TypeVar

from generator.stores.bucket import Bucket

if TYPE_CHECKING:
    from obstore import PutResult, UpdateVersion

_T = TypeVar("_T")


class LeaseObject:
    """One object of a bucket, asked for from threads."""

    def __init__(self, bucket: Bucket, path: str, threads: Executor | None = None) -> None:
        """Use an object; nothing is asked yet.

        Args:
            bucket: that it lies in.
            path: of the object.
            threads: that ask; None for the event loop's own.
        """
        self.name = bucket.name
        self._bucket = bucket
        self._path = path
        self._threads = threads

    async def create(self, data: bytes) -> UpdateVersion | None:
        """Put it where it is not; return None where it is."""
        return _mark(await asked(lambda: self._bucket.create(self._path, data), self._threads))

    async def update(self, data: bytes, mark: UpdateVersion) -> UpdateVersion | None:
        """Put it in the place of that very state; return None where it is another one, or gone."""
        return _mark(await asked(lambda: self._bucket.update(self._path, data, mark), self._threads))

    async def read(self) -> tuple[bytes, UpdateVersion] | None:
        """Return its bytes and its mark; None where it is not there."""
        found = await asked(lambda: self._bucket.get(self._path), self._threads)
        return None if found is None else (found.data, _named(found.e_tag, found.version))

    async def remove(self) -> None:
        """Take it away."""
        await asked(lambda: self._bucket.remove(self._path), self._threads)


async def asked(request: Callable[[], _T], threads: Executor | None = None) -> _T:
    """Return what a request gives that is made in a thread; it is over when this returns or raises.

    Whoever is cancelled waits for what is under way.
    """
    done = asyncio.get_running_loop().run_in_executor(threads, request)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait([done])
        done.exception()  # Looked at, so that nobody is told of it.
        raise


def _mark(done: PutResult | None) -> UpdateVersion | None:
    return None if done is None else _named(done["e_tag"], done["version"])


def _named(e_tag: str | None, version: str | None) -> UpdateVersion:
    """Return what names a state of an object: some stores give a tag, some a version, some both."""
    mark: UpdateVersion = {}
    if e_tag is not None:
        mark["e_tag"] = e_tag
    if version is not None:
        mark["version"] = version
    return mark
