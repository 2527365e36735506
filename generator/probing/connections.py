"""The pool of connections under an exchange: each is as its last answer left it, and says when it stands open.

aiohttp 3.14 hands a kept connection out again although something has come meanwhile that nobody asked for, and reads
that as the next answer; or although the far end has hung up, which then looks like a fault of the next request's. What
comes only after a request is sent cannot be told from its answer: HTTP/1.1 has no name for either.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import aiohttp


class Connector(aiohttp.TCPConnector):
    """A pool that says when a connection stands open, and that hands out none on which anything came unasked."""

    def __init__(self, connected: Callable[[], None], **options: Any) -> None:
        """Prepare a pool.

        Args:
            connected: called in the task that asks, when its connection stands open and nothing is sent yet.
            options: aiohttp's own.
        """
        super().__init__(**options)
        self._say_connected = connected
        self._used: WeakSet[asyncio.BaseProtocol] = WeakSet()

    async def connect(self, *arguments: Any, **named: Any) -> aiohttp.connector.Connection:
        """Return an open connection: a new one, or a kept one that is still as its last answer left it."""
        while True:
            connection = await super().connect(*arguments, **named)
            protocol = connection.protocol
            if protocol is None or protocol not in self._used:
                break
            # Asked of the socket, because to let the loop read first would let every other request go before.
            if not protocol.should_close and not _has_arrived(connection.transport):
                break
            connection.close()
        if protocol is not None:
            self._used.add(protocol)
        self._say_connected()
        return connection


def _has_arrived(transport: asyncio.BaseTransport | None) -> bool:
    """True where something waits to be read on a connection, the end of it included."""
    socket = transport.get_extra_info("socket") if transport is not None else None
    if socket is None:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([socket], [], [], 0)[0])
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
