"""A router that gives the key back wherever it can: the demo router's replies with the key of each request in them."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from itertools import count
from typing import Any

import aiohttp

from tests.fault_server import FaultServer, Script, head, reset_after

Echo = Callable[[dict[str, Any], str], None]
"""Writes the key into the body of an answer."""


def _choice(**changes: Any) -> Echo:
    return lambda body, key: body["choices"][0].update({name: value(key) for name, value in changes.items()})


def _top(**changes: Any) -> Echo:
    return lambda body, key: body.update({name: value(key) for name, value in changes.items()})


def _said(wording: Callable[[str], str]) -> Echo:
    return lambda body, key: body["choices"][0]["message"].update(content=wording(key))


def encoded(key: str, before: str = "") -> str:
    """Return base64 of the key after some other text."""
    return base64.b64encode(f"{before}{key}".encode()).decode()


def _plain(key: str) -> str:
    return key


ECHOES: tuple[Echo, ...] = (
    lambda _body, _key: None,
    _said(lambda key: f"You sent Bearer {key} to me"),
    _said(lambda key: f"ESCAPED{key}"),
    _said(encoded),
    _said(lambda key: encoded(key, "Bearer ")),
    _said(lambda key: encoded(key, "Authorization: Bearer ")),
    _top(error=lambda key: {"code": 500, "message": key, "metadata": {"raw": key, "provider_name": key}}),
    _top(id=_plain, system_fingerprint=_plain),
    _choice(native_finish_reason=_plain),
    _choice(finish_reason=_plain),
    _top(provider=_plain),
    _top(model=_plain),
)


class EchoRouter:
    """What the server plays; `script` answers every request."""

    def __init__(self, behind: str) -> None:
        """Stand in front of a router.

        Args:
            behind: its address, up to /api/v1.
        """
        self._behind = behind
        self._turn = count()
        self.server = FaultServer(self.script)

    async def script(self, writer: asyncio.StreamWriter) -> bool | None:
        """Pass one request on, and its key back."""
        request = self.server.requests[-1]
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        path = request.path.removeprefix("/api/v1")
        async with (
            aiohttp.ClientSession() as session,
            session.request(
                request.method,
                self._behind + path,
                data=request.body or None,
                headers={"Authorization": f"Bearer {key}"},
            ) as response,
        ):
            status, body = response.status, json.loads(await response.read())
        if not path.endswith("/chat/completions"):
            return await _whole(status, _in_listing(body, key), key)(writer)
        turn = next(self._turn) % (len(ECHOES) + 2)
        if turn == len(ECHOES):
            # No HTTP: the error of whoever parses it quotes the line.
            return await reset_after(f"HTTP/1.1 200 OK\r\nBearer {key}\r\n\r\n".encode())(writer)
        if turn == len(ECHOES) + 1:
            writer.write(f"HTTP/1.1 502 {key}\r\nContent-Type: application/json\r\n".encode())
            named = json.dumps({"error": {"code": 502, "message": key, "metadata": {"provider_name": key}}})
            writer.write(f"X-Echo: {key}\r\nContent-Length: {len(named)}\r\n\r\n{named}".encode())
            return None
        if "choices" in body:
            ECHOES[turn](body, key)
        return await _whole(status, body, key)(writer)


def _in_listing(body: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a listing whose endpoints hold the key in members that are kept as they are."""
    data = body.get("data")
    for entry in data.get("endpoints", []) if isinstance(data, dict) else []:
        entry.update(name=f"{entry.get('name')} {key}", debug={"Authorization": f"Bearer {key}", "twice": encoded(key)})
    return body


def _whole(status: int, body: object, key: str) -> Script:
    # A text that says so is written with every character of the key escaped.
    escaped = "".join(f"\\u{ord(one):04X}" for one in key)
    data = json.dumps(body).replace(f"ESCAPED{key}", escaped).encode()

    async def script(writer: asyncio.StreamWriter) -> None:
        echoed = {"x_debug_authorization": f"Bearer {key}", "set_cookie": key, "location": f"/{key}"}
        writer.write(head(status, content_length=len(data), **echoed) + data)

    return script
