"""A site over HTTP, read as if whoever serves it were an enemy.

Bounded in every direction: what one answer may be (`fetching_once`), files at once, attempts, and failures in a row
before nothing more is asked.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx

from generator import __version__
from generator.errors import SiteError
from generator.workflows.fetching_once import Limits, TemporaryError, fetch_once
from generator.workflows.published import MOST_FILE, MOST_SMALL, FileDigest
from generator.workflows.site_address import site_address

_AT_ONCE = 8
"""Files asked for at a time: a reader is no load test."""
_ATTEMPTS = 3
_PAUSE_S = 0.25
"""Before the second attempt; the third waits four times as long."""
_IN_A_ROW = 8
"""Files that could not be had one after another: there is nobody to ask any more."""

_T = TypeVar("_T")


class WebSite:
    """A site at an address, open while its context is."""

    def __init__(self, address: str, limits: Limits | None = None) -> None:
        """Use an address; nothing is asked yet.

        Args:
            address: of the site's folder, http or https, with or without its closing slash.
            limits: for how long an answer may take.

        Raises:
            UsageError: where it is no address of a site.
        """
        self.where = site_address(address)
        self._limits = limits or Limits()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fetching", daemon=True)
        self._failed = 0

    def __enter__(self) -> Self:
        """Open the pool of connections."""
        self._thread.start()
        self._client = self._wait(self._opened())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every request and close the pool."""
        self._wait(self._closed())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def get(self, path: str) -> bytes | None:
        """Return a file's bytes; None where there is none.

        Raises:
            SiteError: where the site does not say, or says too much.
        """
        parts: list[bytes] = []
        found = self._wait(self._fetch(path, MOST_SMALL, parts.append, parts.clear))
        return b"".join(parts) if found else None

    def bodies(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | SiteError | None]]:
        """Yield each path with its file's bytes, None where there is none, or why that cannot be told.

        Raises:
            SiteError: where nothing could be had several times in a row.
        """
        return self._each(paths, self._body)

    def digests(self, paths: Iterable[str]) -> Iterator[tuple[str, FileDigest | SiteError | None]]:
        """Yield each path with its file's digest, None where there is none, or why that cannot be told.

        Raises:
            SiteError: where nothing could be had several times in a row.
        """
        return self._each(paths, self._digest)

    def listed(self) -> None:
        """Return None: a site over HTTP does not say what it holds."""
        return

    def _each(
        self, paths: Iterable[str], ask: Callable[[str], Coroutine[Any, Any, _T | SiteError | None]]
    ) -> Iterator[tuple[str, _T | SiteError | None]]:
        """Ask for some files at a time, and yield what came of each in their order."""
        waiting: deque[tuple[str, Any]] = deque()
        try:
            for path in paths:
                waiting.append((path, asyncio.run_coroutine_threadsafe(ask(path), self._loop)))
                if len(waiting) >= _AT_ONCE:
                    yield self._counted(*waiting.popleft())
            while waiting:
                yield self._counted(*waiting.popleft())
        finally:
            for _, future in waiting:
                future.cancel()

    def _counted(self, path: str, future: Any) -> tuple[str, Any]:  # noqa: ANN401 - a future's
        """Return one result, unless it is one failure too many."""
        found = future.result()
        self._failed = self._failed + 1 if isinstance(found, SiteError) else 0
        if isinstance(found, SiteError) and self._failed >= _IN_A_ROW:
            raise SiteError(
                f"{self._failed} files in a row could not be had; the last: {found.problem}",
                where=found.where,
                do="Try again later",
            )
        return path, found

    async def _body(self, path: str) -> bytes | SiteError | None:
        parts: list[bytes] = []
        try:
            found = await self._fetch(path, MOST_SMALL, parts.append, parts.clear)
        except SiteError as error:
            return error
        return b"".join(parts) if found else None

    async def _digest(self, path: str) -> FileDigest | SiteError | None:
        digest, length = hashlib.sha256(), 0

        def again() -> None:
            nonlocal digest, length
            digest, length = hashlib.sha256(), 0

        def take(part: bytes) -> None:
            nonlocal length
            digest.update(part)
            length += len(part)

        try:
            found = await self._fetch(path, MOST_FILE, take, again)
        except SiteError as error:
            return error
        return FileDigest(sha256=digest.hexdigest(), bytes=length) if found else None

    async def _fetch(self, path: str, most: int, take: Callable[[bytes], object], again: Callable[[], None]) -> bool:
        """Hand over a file's bytes as they come; return False where there is none.

        Args:
            path: within the site.
            most: bytes.
            take: called with each part.
            again: called before a further attempt, which begins anew.
        """
        url = self.where + quote(path)
        for attempt in range(_ATTEMPTS):
            try:
                return await fetch_once(self._client, url, most, take, self._limits)
            except TemporaryError as error:
                if attempt == _ATTEMPTS - 1:
                    raise SiteError(str(error), where=url, do="Try again later") from None
            again()
            await asyncio.sleep(_PAUSE_S * 4**attempt)
        raise AssertionError  # The last attempt returns or raises.

    async def _opened(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            follow_redirects=False,
            timeout=httpx.Timeout(self._limits.silence_s, pool=None),
            limits=httpx.Limits(max_connections=_AT_ONCE),
            headers={"Accept-Encoding": "identity", "User-Agent": f"bitdepth/{__version__} verify"},
        )

    async def _closed(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        if hasattr(self, "_client"):
            await self._client.aclose()

    def _wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
