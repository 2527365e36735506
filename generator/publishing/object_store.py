"""A bucket of S3, Google Cloud Storage or Azure as a target, through obstore.

Each put is one request: an object is seen whole or not at all, and a create-only put (If-None-Match: *) is refused by
the store itself where an object is. What a store says in its errors is a stranger's text, and its library's may quote
the request: of both, only the status and a short code are ever told.

The store is asked from threads and not through its own coroutines: those call back from threads of the library's, which
abort the process where it ends at that moment. Whoever is cancelled waits for what is under way.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from obstore import exceptions

from generator.errors import BitdepthError, CredentialError, PartialPublishError, TargetError
from generator.publishing.interface import SiteFile, There
from generator.publishing.lease import PATH as LEASE_PATH
from generator.publishing.lease import Times, leased

if TYPE_CHECKING:
    from obstore import Attributes, PutMode, PutResult, UpdateVersion
    from obstore.store import AzureStore, GCSStore, S3Store

_T = TypeVar("_T")

_LISTED = 1000
"""Objects in one answer to a listing."""
_THREADS = 20
"""As many requests as are sent side by side, and the lease's."""
_STATUS = re.compile(r"status code: ([0-9]{3})")
_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")
_NO_BUCKET = {"NoSuchBucket", "ContainerNotFound", "InvalidBucketName"}
_MISSING, _REFUSED = 404, {401, 403}
_SERVER_ERROR, _NEVER = 500, 501
_LATER = {408, 409, 425, 429}
"""HTTP: what may go well another time, beside a server's own errors."""


class ObjectStore:
    """A bucket, or what begins with a prefix in it."""

    def __init__(self, store: S3Store | GCSStore | AzureStore, name: str, times: Times | None = None) -> None:
        """Use a store; nothing is asked yet.

        Args:
            store: the store, its prefix applied.
            name: its address, for messages.
            times: of the lease; others than usual only where nobody else publishes by the usual ones.
        """
        self.name = name
        self._store = store
        self._times = times or Times()
        self._threads = ThreadPoolExecutor(_THREADS)

    async def listed(self) -> AsyncIterator[list[tuple[str, There]]]:
        """Yield path and marks of every object."""
        with self.saying(None):
            chunks = iter(self._store.list(chunk_size=_LISTED))
            while (chunk := await self.ask(lambda: next(chunks, None))) is not None:
                yield [(each["path"], There(size=each["size"], e_tag=_plain(each["e_tag"]))) for each in chunk]

    async def read(self, path: str) -> bytes | None:
        """Return an object's bytes; None where there is none."""
        with self.saying(path):
            try:
                return await self.ask(lambda: bytes(self._store.get(path).bytes()))
            except FileNotFoundError as error:
                if _codes(str(error)) & _NO_BUCKET:
                    raise
                return None

    async def create(self, file: SiteFile, data: bytes) -> bool:
        """Put an object where none is; return False where the store has one."""
        with self.saying(file.path):
            try:
                await self.ask(
                    lambda: self._store.put(
                        file.path, data, mode="create", attributes=_attributes(file), use_multipart=False
                    )
                )
            except exceptions.AlreadyExistsError:
                return False
            return True

    async def replace(self, file: SiteFile, data: bytes) -> None:
        """Put an object in the place of whatever there is."""
        with self.saying(file.path):
            await self.ask(lambda: self._store.put(file.path, data, attributes=_attributes(file), use_multipart=False))

    async def remove(self, path: str) -> None:
        """Take an object away."""
        with self.saying(path), suppress(FileNotFoundError):
            await self.ask(lambda: self._store.delete(path))

    async def ask(self, request: Callable[[], _T]) -> _T:
        """Return what a request gives that is made in a thread; it is over when this returns or raises."""
        done = asyncio.get_running_loop().run_in_executor(self._threads, request)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            await asyncio.wait([done])
            done.exception()  # Looked at, so that nobody is told of it.
            raise

    def held(self, owner: str) -> AbstractAsyncContextManager[Callable[[], None]]:
        """Hold the bucket by a lease that others can see."""
        return leased(_LeaseObject(self._store, self), owner, time.monotonic, self._times)

    @contextmanager
    def saying(self, path: str | None) -> Iterator[None]:
        """Say in one message what the store refuses, or that it cannot be reached."""
        try:
            yield
        except NotImplementedError:
            raise self._cannot("no create-only put") from None
        except (exceptions.BaseError, FileNotFoundError) as error:
            raise self._told(str(error), path) from None

    def _told(self, text: str, path: str | None) -> BitdepthError:
        """Return the message for whoever can act."""
        status = int(found[1]) if (found := _STATUS.search(text)) else None
        code = min(_codes(text), default="")
        where = self.name if path is None else f"{self.name}, object {path}"
        said = f"HTTP {status}{f' {code}' if code else ''}" if status else "no answer"
        if code in _NO_BUCKET or status == _MISSING:  # Of a put: there is nothing to put into.
            return TargetError(
                f"expected a bucket or container, found none ({said})",
                where=self.name,
                do="Make it, or name another; the name stands after the scheme",
            )
        if status in _REFUSED:
            return CredentialError(
                f"expected the right to publish, found it refused ({said})",
                where=where,
                do="Set credentials in the environment that may list, read, put and delete there",
            )
        if (status is not None and not (status >= _SERVER_ERROR or status in _LATER)) or status == _NEVER:
            return self._cannot(said)
        return PartialPublishError(
            f"expected the store to take part, found {said}",
            where=where,
            do="What was sent stays, and every link of it leads somewhere: run the same command again to carry on",
        )

    def _cannot(self, said: str) -> TargetError:
        return TargetError(
            f"expected a store that takes create-only and conditional puts, found {said}",
            where=self.name,
            do="Check name, region and endpoint; permanent objects go only where the store refuses to replace them",
        )


class _LeaseObject:
    """The object that publishers hold a bucket by."""

    def __init__(self, store: S3Store | GCSStore | AzureStore, target: ObjectStore) -> None:
        self.name = target.name
        self._store = store
        self._target = target

    async def create(self, data: bytes) -> UpdateVersion | None:
        """Put it where it is not."""
        with self._target.saying(LEASE_PATH), suppress(exceptions.AlreadyExistsError):
            done = await self._put(data, "create")
            return _mark(done["e_tag"], done["version"])
        return None

    async def update(self, data: bytes, mark: UpdateVersion) -> UpdateVersion | None:
        """Put it in the place of that very state."""
        with self._target.saying(LEASE_PATH):
            try:
                done = await self._put(data, mark)
            except (exceptions.PreconditionError, FileNotFoundError):
                return None
            return _mark(done["e_tag"], done["version"])

    async def read(self) -> tuple[bytes, UpdateVersion] | None:
        """Return its bytes and its mark."""
        with self._target.saying(LEASE_PATH):
            try:
                found = await self._target.ask(lambda: self._store.get(LEASE_PATH))
                data = await self._target.ask(lambda: bytes(found.bytes()))
            except FileNotFoundError:
                return None
            return data, _mark(found.meta["e_tag"], found.meta["version"])

    async def remove(self) -> None:
        """Take it away."""
        await self._target.remove(LEASE_PATH)

    async def _put(self, data: bytes, mode: PutMode) -> PutResult:
        return await self._target.ask(lambda: self._store.put(LEASE_PATH, data, mode=mode, use_multipart=False))


def _mark(e_tag: str | None, version: str | None) -> UpdateVersion:
    """Return what names a state of an object: some stores give a tag, some a version, some both."""
    mark: UpdateVersion = {}
    if e_tag is not None:
        mark["e_tag"] = e_tag
    if version is not None:
        mark["version"] = version
    return mark


def _attributes(file: SiteFile) -> Attributes:
    return {"Content-Type": file.content_type, "Cache-Control": file.cache_control}


def _plain(e_tag: str | None) -> str | None:
    return None if e_tag is None else e_tag.strip('"')


def _codes(text: str) -> set[str]:
    return set(_CODE.findall(text))
