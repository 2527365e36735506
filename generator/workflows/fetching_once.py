"""One answer of a site over HTTP, read as if whoever serves it were an enemy.

Bounded in bytes, in time and in redirects, which never leave the origin. Nothing that was sent is decompressed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx

from generator.errors import SiteError

_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_OK = 200


class TemporaryError(Exception):
    """An attempt failed in a way that the next one may not."""


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


async def fetch_once(
    client: httpx.AsyncClient, url: str, most: int, take: Callable[[bytes], object], limits: Limits
) -> bool:
    """Hand over a file's bytes as they come, following redirects within the origin; return False where there is none.

    Args:
        client: asks; follows no redirect and decompresses nothing by itself.
        url: the file's.
        most: bytes.
        take: called with each part.
        limits: for how long it may take.

    Raises:
        TemporaryError: where another attempt may do.
        SiteError: where none would.
    """
    asked = url
    try:
        async with asyncio.timeout(limits.whole_s) as limit:
            for _ in range(_MOST_REDIRECTS + 1):
                async with client.stream("GET", asked) as response:
                    if response.status_code in _REDIRECTS:
                        asked = _redirected(asked, response.headers.get("location", ""))
                        continue
                    if response.status_code in _GONE:
                        return False
                    _refuse(response, most, url)
                    await _read(response, most, take, limits, limit, url)
                    return True
    except TimeoutError:
        raise TemporaryError("expected an answer in time, found none") from None
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise TemporaryError(f"expected an answer, found {type(error).__name__}") from None
    raise SiteError(f"expected at most {_MOST_REDIRECTS} redirects, found more", where=url)


def _refuse(response: httpx.Response, most: int, url: str) -> None:
    """Refuse what is no file, or none that may be read."""
    status = response.status_code
    if status >= 500 or status == 429:  # noqa: PLR2004 - the server's own trouble
        raise TemporaryError(f"expected a file, found HTTP status {status}")
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


async def _read(  # noqa: PLR0913, PLR0917 - an answer and its bounds
    response: httpx.Response,
    most: int,
    take: Callable[[bytes], object],
    limits: Limits,
    limit: asyncio.Timeout,
    url: str,
) -> None:
    started, received = asyncio.get_running_loop().time(), 0
    async for part in response.aiter_raw():
        received += len(part)
        if received > most:
            raise SiteError(f"expected at most {most} bytes, found more", where=url)
        limit.reschedule(started + limits.whole_s + received / limits.bytes_per_s)
        take(part)


def _redirected(url: str, location: str) -> str:
    """Return where a redirect leads, which must be at the same origin."""
    before = httpx.URL(url)
    after = before.join(location)
    if (after.scheme, after.host, after.port) != (before.scheme, before.host, before.port):
        raise SiteError(f"expected an answer from {before.host}, found a redirect to another origin", where=url)
    return str(after)
