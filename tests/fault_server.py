"""A real HTTP server on loopback that plays whatever a router or the way to it can do, byte by byte.

A script is a coroutine function that is handed the connection for one request and writes what it likes; a script
that returns False has ended the connection. The server answers each path with its script, each tag that a request is
pinned to with its own, or else each request with the next of a list.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
Script = Callable[[asyncio.StreamWriter], Awaitable[bool | None]]
REASONS = {200: "OK", 302: "Found", 401: "Unauthorized", 402: "Payment Required", 429: "Too Many Requests"}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    """Lower-case names."""
    body: bytes


def run(coroutine: Coroutine[Any, Any, T], within_s: float = 20) -> T:
    """Return what a coroutine returns, and fail rather than hang."""

    async def bounded() -> T:
        return await asyncio.wait_for(coroutine, within_s)

    return asyncio.run(bounded())


def head(status: int, **headers: object) -> bytes:
    """Return a response's head; header names take - for _."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def answer(body: object, status: int = 200, **headers: object) -> Script:
    """Play a whole response; a body that is no bytes is written as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, content_length=len(data), **headers) + data)

    return script


def raw(data: bytes) -> Script:
    """Play some bytes, HTTP or not, and hang up."""

    async def script(writer: asyncio.StreamWriter) -> bool:
        writer.write(data)
        return False

    return script


def reset_after(data: bytes) -> Script:
    """Play some bytes and reset the connection."""

    async def script(writer: asyncio.StreamWriter) -> bool:
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.transport.abort()
        return False

    return script


def silence() -> Script:
    """Say nothing until the client gives up."""

    async def script(_writer: asyncio.StreamWriter) -> bool:
        await asyncio.sleep(10)
        return False

    return script


def drip(data: bytes, every_s: float) -> Script:
    """Play a head, then one byte of the body again and again."""

    async def script(writer: asyncio.StreamWriter) -> bool:
        writer.write(head(200, content_length=1_000_000))
        while True:
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(every_s)

    return script


def endless(piece: bytes = b" " * 65_536) -> Script:
    """Play a body without end, as fast as it is read."""

    async def script(writer: asyncio.StreamWriter) -> bool:
        writer.write(head(200, transfer_encoding="chunked"))
        while True:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()

    return script


def streamed(first: bytes, again: bytes) -> Script:
    """Play some bytes, then others without end, as fast as they are read."""

    async def script(writer: asyncio.StreamWriter) -> bool:
        writer.write(first)
        while True:
            writer.write(again)
            await writer.drain()

    return script


def held_open(data: bytes) -> Script:
    """Play some bytes and keep the connection, saying nothing more."""

    async def script(writer: asyncio.StreamWriter) -> bool:
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(10)
        return False

    return script


def followed(data: bytes, extra: bytes, after_s: float) -> Script:
    """Play some bytes and, so much later, others that nobody asked for; the connection stays."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if after_s:
            asyncio.get_running_loop().call_later(after_s, writer.write, extra)
        else:
            writer.write(extra)

    return script


def bomb(megabytes: int) -> Script:
    """Play a small gzip body that decodes to so many megabytes."""
    return answer(gzip.compress(bytes(megabytes * 1_000_000)), content_encoding="gzip")


class FaultServer:
    """What is played, and what was asked."""

    def __init__(self, *scripts: Script, **paths: Script) -> None:
        """Play scripts in turn, the last one for ever; a path's own script goes before."""
        self.requests: list[Request] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections = 0
        self.address = ""
        self.paths: dict[str, Script] = dict(paths)
        self.tags: Mapping[str, Script] = {}
        self._scripts = deque(scripts)
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self):
        """Serve on a free port of loopback while inside."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api/v1"
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        # A client that hangs up, or a test that ends, ends the script.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._request(reader, writer):
                pass
        writer.transport.abort()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:-2])}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Request(method=method, path=path, headers=headers, body=body))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            going_on = await self._next(path, body)(writer)
            await writer.drain()
        finally:
            self.in_flight -= 1
        if going_on is False:
            writer.write_eof()
            await asyncio.sleep(0.05)
        return going_on is not False

    def _next(self, path: str, body: bytes) -> Script:
        for suffix, script in self.paths.items():
            if path.endswith(suffix):
                return script
        if self.tags:
            (tag,) = json.loads(body)["provider"]["only"]
            if tag in self.tags:
                return self.tags[tag]
        return self._scripts.popleft() if len(self._scripts) > 1 else self._scripts[0]
