"""One HTTP exchange over a pool of connections, with every end of it told apart and nothing believed.

Bounds: a total and an idle deadline on the monotonic clock, a cap on decoded bytes, no proxy from the environment,
nothing decoded but plain gzip and deflate (a stack of encodings can grow a small body beyond any memory before a cap
is seen). httpx's transport is used without its client, which would read cookies, redirects and encodings on its own
before anything here could look at them: a Location that is no address would cost the whole reply.

Traps of httpx-aiohttp 0.2 that this module is built around: its own pool caps at 100 connections; `timeout` bounds
idleness only; a hang-up after the request is mapped to `httpx.ConnectTimeout`, so that only the pool itself tells
whether anything was sent; malformed responses raise bare `aiohttp.ClientError`.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from types import TracebackType
from typing import Self, cast

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from generator.errors import RouterError
from generator.probing.connections import Connector
from generator.probing.interface import End, Reply
from generator.probing.redaction import Redaction

_FAILURES = (TimeoutError, OSError, ValueError, EOFError, zlib.error, httpx.HTTPError, aiohttp.ClientError)
"""What the far end or the network can make the client raise."""

_ZLIB_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class _Passage:
    """What is known of one request under way."""

    def __init__(self) -> None:
        self.sent_at: float | None = None
        self.requested_at: datetime | None = None
        self.status: int | None = None
        self.headers: dict[str, bytes] = {}
        self.body = bytearray()


_passage: ContextVar[_Passage] = ContextVar("passage")


_address = lru_cache(maxsize=64)(httpx.URL)
"""Nearly all requests of a night go to one address."""


class Exchanges:
    """A pool of connections to one router."""

    def __init__(
        self, headers: Mapping[str, str], *, clock: Callable[[], datetime], monotonic: Callable[[], float]
    ) -> None:
        """Prepare a pool; entering it opens it.

        Args:
            headers: sent with every request. The key in `Authorization` is found in no reply.
            clock: the time, UTC.
            monotonic: seconds that never run backwards.
        """
        self._headers = httpx.Headers(dict(headers))
        self._redact = Redaction(self._headers.get("authorization", "").rpartition(" ")[2] or None)
        self._clock = clock
        self._monotonic = monotonic
        self._transport: AiohttpTransport | None = None

    async def __aenter__(self) -> Self:
        """Open the pool."""
        context = httpx.create_ssl_context()
        session = aiohttp.ClientSession(
            # No limit: how many requests are in flight is decided by the loop that asks.
            connector=Connector(self._connected, limit=0, ssl=context),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        self._transport = AiohttpTransport(verify=context, client=session)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None

    async def exchange(  # noqa: PLR0913 - the request and its three bounds
        self, method: str, url: str, *, content: bytes | None, total_s: float, idle_s: float, max_bytes: int
    ) -> Reply:
        """Return what came back for one request; never raises for anything that the far end or the network does.

        Args:
            method: of HTTP.
            url: absolute.
            content: the request's body.
            total_s: deadline for everything, connecting included.
            idle_s: deadline for every pause.
            max_bytes: cap of the decoded body.

        Raises:
            RouterError: outside the pool's `async with`.
        """
        if self._transport is None:
            raise RouterError("expected an open connection pool, found a closed one", do="Enter it with 'async with'")
        pauses = dict.fromkeys(("connect", "read", "write", "pool"), idle_s)
        request = httpx.Request(
            method, _address(url), headers=self._headers, content=content, extensions={"timeout": pauses}
        )
        passage = _Passage()
        token = _passage.set(passage)
        try:
            async with asyncio.timeout(total_s):
                response = await self._transport.handle_async_request(request)
                end = await _read(response, passage, max_bytes)
        except _FAILURES as error:
            end = _end(error, connected=passage.sent_at is not None)
        finally:
            _passage.reset(token)
        return Reply(
            end=end,
            status=passage.status,
            headers={name: self._redact(value).decode("latin-1") for name, value in passage.headers.items()},
            body=self._redact(bytes(passage.body)),
            latency_ms=self._measured(passage) if end is End.COMPLETE else None,
            requested_at=passage.requested_at,
        )

    def _measured(self, passage: _Passage) -> int:
        sent_at = passage.sent_at if passage.sent_at is not None else self._monotonic()
        return max(0, round(1000 * (self._monotonic() - sent_at)))

    def _connected(self) -> None:
        # Called in the task that asks, whose own passage this is.
        passage = _passage.get()
        passage.sent_at = self._monotonic()
        passage.requested_at = self._clock()


async def _read(response: httpx.Response, passage: _Passage, max_bytes: int) -> End:
    stream = cast("httpx.AsyncByteStream", response.stream)  # The transport makes no other.
    try:
        passage.status = response.status_code
        for raw_name, value in response.headers.raw:
            name = raw_name.lower().decode("latin-1")
            before = passage.headers.get(name)
            passage.headers[name] = value if before is None else before + b", " + value
        decode = _Decoder(passage.headers.get("content-encoding", b"").decode("latin-1"), max_bytes)
        async for chunk in stream:
            passage.body += decode(chunk)
            if decode.full:
                return End.TOO_LARGE
        return End.COMPLETE if decode.whole else End.BROKEN
    finally:
        await stream.aclose()


class _Decoder:
    """Takes a body's bytes as sent and gives them decoded, never more than a cap."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        self._left = max_bytes
        self.full = False
        """The body is longer than the cap."""
        name = encoding.strip().lower()
        # An encoding that was not asked for and is none of these stays as it is, and will be no JSON.
        self._zlib = zlib.decompressobj(_ZLIB_WINDOW[name]) if name in _ZLIB_WINDOW else None

    @property
    def whole(self) -> bool:
        """True where no encoded byte is missing at the end."""
        return self._zlib is None or self._zlib.eof

    def __call__(self, chunk: bytes) -> bytes:
        """Return decoded bytes; what passes the cap is left out."""
        decoded = chunk if self._zlib is None else self._zlib.decompress(chunk, self._left + 1)
        self.full = len(decoded) > self._left
        decoded = decoded[: self._left]
        self._left -= len(decoded)
        return decoded


def _end(error: BaseException, *, connected: bool) -> End:
    """Return which end an error is."""
    if not connected:
        return End.NOT_CONNECTED
    # The error of the layer below is the one to ask: its mapping calls a hang-up a timeout.
    cause = error.__cause__ if isinstance(error, httpx.HTTPError) else error
    return End.TIMED_OUT if isinstance(cause, TimeoutError) else End.BROKEN
