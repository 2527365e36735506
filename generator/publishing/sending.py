"""A plan carried out: step after step, the files of one step side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from generator.errors import ArchiveError
from generator.publishing.interface import SiteFile, Target
from generator.publishing.plan import Plan, Put, other_bytes
from generator.publishing.published import PATH as LIST_PATH
from generator.publishing.published import Published, as_file, read_published
from generator.records.canonical import sha256

AT_ONCE = 16
"""Requests in flight at once: so many files are held in memory."""

_T = TypeVar("_T")


class Sender:
    """One site on its way to a target, which the caller holds."""

    def __init__(
        self,
        target: Target,
        *,
        read: Callable[[str], bytes],
        certain: Callable[[], None],
        count: Callable[[int], None],
    ) -> None:
        """Send nothing yet.

        Args:
            target: where to.
            read: a file's bytes by its path within the site.
            certain: raises LockedError once somebody else may hold the target.
            count: takes how many objects more were put or removed.
        """
        self._target = target
        self._read = read
        self._certain = certain
        self._count = count

    async def send(self, todo: Plan, published: Published) -> None:
        """Return once the target holds the site.

        Args:
            todo: what has to be done.
            published: the list that lies in the target.

        Raises:
            IntegrityError: naming a permanent object with other bytes. Nothing further is sent.
            ArchiveError: naming a file that is not what it was when the plan was made.
        """
        await self.compare(todo)
        await self._list(todo.before, published)
        for puts in todo.puts:
            await _each(puts, self._put)
        for removals in todo.removals:
            await _each(removals, self._remove)
        await self._list(todo.after, todo.before)

    async def compare(self, todo: Plan) -> None:
        """Return where every permanent object that only its bytes can tell is the site's; nothing is put.

        Raises:
            IntegrityError: naming one with other bytes.
        """
        await _each(todo.compare, self._compare)

    async def _compare(self, file: SiteFile) -> None:
        if await self._target.read(file.path) != await self._body(file):
            raise other_bytes(file.path)

    async def _put(self, put: Put) -> None:
        file, data = put.file, await self._body(put.file)
        self._certain()
        if not put.once:
            await self._target.replace(file, data)
        elif not await self._target.create(file, data) and await self._target.read(file.path) != data:
            raise other_bytes(file.path)
        self._count(1)

    async def _remove(self, path: str) -> None:
        self._certain()
        await self._target.remove(path)
        self._count(1)

    async def _list(self, published: Published, was: Published) -> None:
        if published != was:
            self._certain()
            await self._target.replace(*as_file(published))

    async def _body(self, file: SiteFile) -> bytes:
        data = await asyncio.to_thread(self._read, file.path)
        if len(data) != file.size or sha256(data) != file.sha256:
            raise ArchiveError(
                "expected the file that was verified, found it changed meanwhile",
                where=f"site/{file.path}",
                do="Let nothing else write to the site's folder, and run again",
            )
        return data


async def published_to(target: Target) -> tuple[Published, bytes | None]:
    """Return the list that lies in a target, and its bytes."""
    data = await target.read(LIST_PATH)
    return read_published(data), data


async def _each(work: Iterable[_T], do: Callable[[_T], Awaitable[None]]) -> None:
    """Do something with each, so many at once; the first failure ends all of it."""
    left = iter(work)

    async def some() -> None:
        for one in left:
            await do(one)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(some())
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
