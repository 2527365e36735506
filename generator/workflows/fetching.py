"""A site over HTTP, read as if whoever serves it were an enemy.

Bounded in every direction: bytes of a file, time for a file, redirects, which never leave the origin, files at once,
and failures in a row before nothing more is asked. Nothing that was sent is decompressed.
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
from generator.workflows.published import MOST_FILE, MOST_SMALL, FileDigest
from generator.workflows.site_address import site_address

_AT_ONCE = 8
"""Files asked for at a time: a reader is no load test."""
_MOST_REDIRECTS = 5
_ATTEMPTS = 3
_PAUSE_S = 0.25
"""Before the second attempt; the third waits four times as long."""
_IN_A_ROW = 8
"""Files that could not be had one after another: there is nobody to ask any more."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_OK = 200

_T = TypeVar("_T")


class Limits:
    """How long an answer may take."""

    def __init__(self, *, silence_s: float = 20, whole_s: float = 60, bytes_per_s: int = 16 * 1024) -> None:
        """Set limits.

        Args:
            silence_s: between two reads.
            whole_s: for a whole answer, to which each received byte adds a little.
            bytes_per_s: what a reader may expect at least, once the answer has begun.
        """
        self.silence_s = silence_s
        self.whole_s = whole_s
        self.bytes_per_s = bytes_per_s


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
                return await self._once(url, most, take)
            except _Temporary as error:
                if attempt == _ATTEMPTS - 1:
                    raise SiteError(str(error), where=url, do="Try again later") from None
            again()
            await asyncio.sleep(_PAUSE_S * 4**attempt)
        raise AssertionError  # The last attempt returns or raises.

    async def _once(self, url: str, most: int, take: Callable[[bytes], object]) -> bool:
        """Ask once, and follow redirects within the origin."""
        asked = url
        try:
            async with asyncio.timeout(self._limits.whole_s) as limit:
                for _ in range(_MOST_REDIRECTS + 1):
                    async with self._client.stream("GET", asked) as response:
                        if response.status_code in _REDIRECTS:
                            asked = self._redirected(asked, response.headers.get("location", ""))
                            continue
                        if response.status_code in _GONE:
                            return False
                        self._refuse(response, most, url)
                        await self._read(response, most, take, limit, url)
                        return True
        except TimeoutError:
            raise _Temporary("expected an answer in time, found none") from None
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise _Temporary(f"expected an answer, found {type(error).__name__}") from None
        raise SiteError(f"expected at most {_MOST_REDIRECTS} redirects, found more", where=url)

    def _refuse(self, response: httpx.Response, most: int, url: str) -> None:
        """Refuse what is no file, or none that may be read."""
        status = response.status_code
        if status >= 500 or status == 429:  # noqa: PLR2004 - the server's own trouble
            raise _Temporary(f"expected a file, found HTTP status {status}")
        if status != _OK:
            raise SiteError(f"expected a file, found HTTP status {status}", where=url)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise SiteError(
                "expected the file as it is, which was asked for, found a compressed one",
                where=url,
                do="Have the host answer 'Accept-Encoding: identity'",
            )
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > most:
            raise SiteError(f"expected at most {most} bytes, found {length[:20]}", where=url)

    async def _read(
        self,
        response: httpx.Response,
        most: int,
        take: Callable[[bytes], object],
        limit: asyncio.Timeout,
        url: str,
    ) -> None:
        started, received = self._loop.time(), 0
        async for part in response.aiter_raw():
            received += len(part)
            if received > most:
                raise SiteError(f"expected at most {most} bytes, found more", where=url)
            limit.reschedule(started + self._limits.whole_s + received / self._limits.bytes_per_s)
            take(part)

    def _redirected(self, url: str, location: str) -> str:
        """Return where a redirect leads, which must be at the same origin."""
        before = httpx.URL(url)
        after = before.join(location)
        if (after.scheme, after.host, after.port) != (before.scheme, before.host, before.port):
            raise SiteError(f"expected an answer from {before.host}, found a redirect to another origin", where=url)
        return str(after)

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


class _Temporary(Exception):  # noqa: N818 - what it says is that another attempt may do
    """An attempt failed in a way that the next one may not."""
