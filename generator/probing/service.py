"""One address of an API: its connections, its key, and requests to it within the night's bounds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from types import TracebackType
from typing import Any, Literal, Self, overload

from generator import __version__
from generator.errors import RouterError
from generator.probing.address import sendable, usable_address
from generator.probing.exchange import Exchanges
from generator.probing.interface import Checkup, End, Reply
from generator.probing.pauses import pause_s
from generator.probing.wire_account import date_of
from generator.settings import Key, ProbingSettings

MAX_LISTING_BYTES = 64_000_000
"""A listing of all models was 400 kB for 321 models in 2025, and grows."""

PLAIN_HEADERS: Mapping[str, str] = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
}
"""What every request says, to any address."""

_MISTAKES = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
)
"""What another attempt would be answered with too."""


class Service:
    """An address, open inside `async with`."""

    def __init__(  # noqa: PLR0913 - the address and its key, and the three ways in which it touches the world
        self,
        address: str,
        key: Key | None,
        settings: ProbingSettings,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        headers: Mapping[str, str] = PLAIN_HEADERS,
        field: str = "router.address",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Prepare the connections.

        Args:
            address: up to and without the closing slash.
            key: sent as a bearer token, and nowhere else; None where none is asked for.
            settings: deadlines and caps.
            clock: the time, UTC.
            monotonic: seconds that never run backwards.
            headers: of every request, but for the key's.
            field: of site.toml that the address stands in, for messages.
            sleep: waits between two attempts to read a listing.

        Raises:
            RouterError: where the address is none, or the key cannot stand in a header.
        """
        self.address = usable_address(address, field)
        self.has_key = key is not None
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        sent = {**headers, "User-Agent": f"bitdepth/{__version__}"}
        if key is not None:
            sent["Authorization"] = f"Bearer {sendable(key)}"
        self._exchanges = Exchanges(sent, clock=clock, monotonic=monotonic)

    async def __aenter__(self) -> Self:
        """Open the connections."""
        await self._exchanges.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._exchanges.__aexit__(kind, error, trace)

    async def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does."""
        return await self._exchanges.exchange(
            "POST",
            f"{self.address}{path}",
            # Escaped to ASCII, so that a prompt with half a surrogate pair can be sent too.
            content=json.dumps(body).encode("ascii"),
            total_s=self._settings.total_deadline_s,
            idle_s=self._settings.idle_deadline_s,
            max_bytes=self._settings.max_body_bytes,
        )

    async def get(self, path: str) -> Reply:
        """Return what came back for one reading, once tried; its body may be as long as a listing is."""
        return await self._exchanges.exchange(
            "GET",
            f"{self.address}{path}",
            content=None,
            total_s=self._settings.total_deadline_s,
            idle_s=self._settings.idle_deadline_s,
            max_bytes=MAX_LISTING_BYTES,
        )

    @overload
    async def listing(self, path: str) -> bytes: ...

    @overload
    async def listing(self, path: str, *, or_none: Literal[True]) -> bytes | None: ...

    async def listing(self, path: str, *, or_none: bool = False) -> bytes | None:
        """Return the body of a listing, tried as often as an ask is; None for a 404 where that may be.

        Raises:
            RouterError: where it cannot be read.
        """
        reply = await self.read(path)
        if well(reply):
            return reply.body
        if or_none and reply.end is End.COMPLETE and reply.status == HTTPStatus.NOT_FOUND:
            return None
        raise RouterError(
            f"expected a listing, found {problem_of(reply)}",
            where=f"{self.address}{path}",
            do="Check the address, the key and the network",
        )

    async def read(self, path: str) -> Reply:
        """Return what came back for a reading, tried as often as an ask is. Never raises for the far end's doing."""
        reply = await self.get(path)
        for attempt in range(self._settings.attempts - 1):
            if well(reply) or reply.status in _MISTAKES:
                break
            await self._sleep(pause_s(attempt, reply.headers, 0))
            reply = await self.get(path)
        return reply

    async def look(self, path: str) -> tuple[Reply, Checkup]:
        """Return what came back for one reading, and what it tells of the address by itself. Never raises.

        A 401 is a refused key, and no other problem; what else is no 200 is one.
        """
        before = self._clock()
        reply = await self.get(path)
        refused = reply.end is End.COMPLETE and reply.status == HTTPStatus.UNAUTHORIZED
        return reply, Checkup(
            address=self.address,
            problem=None if well(reply) or refused else problem_of(reply),
            key_accepted=False if refused else None,
            date=date_of(reply.headers),
            asked_at=_middle(reply.requested_at or before, self._clock()),
        )


def well(reply: Reply) -> bool:
    """True for a whole reply with status 200."""
    return reply.end is End.COMPLETE and reply.status == HTTPStatus.OK


def _middle(start: datetime, end: datetime) -> datetime:
    return start + (end - start) / 2


def problem_of(reply: Reply) -> str:
    """Return in few words what a reply is that is no answer to a reading."""
    return f"status {reply.status}" if reply.status is not None else reply.end.replace("_", " ")
