"""OpenRouter over HTTP: listings read and endpoints asked, one request an ask.

Source: https://openrouter.ai/docs/api-reference, as of 2026.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from types import TracebackType
from typing import Literal, Self, overload

import httpx
import msgspec

from generator import __version__
from generator.errors import RouterError
from generator.probing.exchange import Exchanges
from generator.probing.interface import Ask, End, Reply
from generator.probing.wire_listing import ListedModel, parse_endpoints, parse_models
from generator.probing.wire_request import request_body, request_headers
from generator.records.listing import ModelListing
from generator.settings import Key, ProbingSettings

MAX_LISTING_BYTES = 64_000_000
"""A listing of all models was 400 kB for 321 models in 2025, and grows."""

_RETRY_S = 2.0
_MISTAKES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)


class OpenRouter:
    """A `Router`, open inside `async with`."""

    def __init__(  # noqa: PLR0913, PLR0917 - the router's address and key, and the three ways in which it touches the world
        self,
        address: str,
        key: Key | None,
        settings: ProbingSettings,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        kind: str = "openrouter",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Prepare a client.

        Args:
            address: of the API, up to and without the closing slash.
            key: sent as a bearer token; None for a router that asks for none.
            settings: deadlines and caps, and what a request asks for.
            clock: the time, UTC.
            monotonic: seconds that never run backwards.
            kind: what night.json calls this router.
            sleep: waits between two attempts to read a listing.

        Raises:
            RouterError: where the address is none, or the key cannot stand in a header.
        """
        self.kind = kind
        self.latency = "measured"
        self._address = _usable(address)
        self._settings = settings
        self._sleep = sleep
        headers = {**request_headers(), "User-Agent": f"bitdepth/{__version__}"}
        if key is not None:
            headers["Authorization"] = f"Bearer {_sendable(key)}"
        self._exchanges = Exchanges(headers, clock=clock, monotonic=monotonic)

    async def __aenter__(self) -> Self:
        """Open the connections."""
        await self._exchanges.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._exchanges.__aexit__(kind, error, trace)

    def latency_of(self, headers: Mapping[str, str], measured_ms: int) -> int | None:  # noqa: ARG002 - for routers that replay
        """Return the time of an answer in milliseconds: the measured one."""
        return measured_ms

    async def listing(self, models: tuple[str, ...]) -> tuple[ModelListing, ...]:
        """Return tonight's listing of the watched models, each once, in their order.

        A watched model that the router does not list tonight is left out: it costs the others nothing.

        Args:
            models: permanent slugs, or ids.

        Raises:
            RouterError: where a listing cannot be read.
        """
        listed = parse_models(await self._get("/models"))
        found = (_find(name, listed) for name in models)
        wanted = {model.model: model for model in found if model is not None}
        bodies = [
            (model, await self._get(f"/models/{model.model_id}/endpoints", or_none=True)) for model in wanted.values()
        ]
        return tuple(parse_endpoints(body, model) for model, body in bodies if body is not None)

    async def ask(self, ask: Ask) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does."""
        reply = await self._exchanges.exchange(
            "POST",
            f"{self._address}/chat/completions",
            # Escaped to ASCII, so that a prompt with half a surrogate pair can be sent too.
            content=json.dumps(request_body(ask, self._settings)).encode("ascii"),
            total_s=self._settings.total_deadline_s,
            idle_s=self._settings.idle_deadline_s,
            max_bytes=self._settings.max_body_bytes,
        )
        if reply.latency_ms is None:
            return reply
        return msgspec.structs.replace(reply, latency_ms=self.latency_of(reply.headers, reply.latency_ms))

    @overload
    async def _get(self, path: str) -> bytes: ...

    @overload
    async def _get(self, path: str, *, or_none: Literal[True]) -> bytes | None: ...

    async def _get(self, path: str, *, or_none: bool = False) -> bytes | None:
        """Return the body of a listing, tried as often as an ask is; None for a 404 where that may be."""
        url = f"{self._address}{path}"
        problem = ""
        for attempt in range(self._settings.attempts):
            if attempt:
                await self._sleep(_RETRY_S * 2 ** (attempt - 1))
            reply = await self._exchanges.exchange(
                "GET",
                url,
                content=None,
                total_s=self._settings.total_deadline_s,
                idle_s=self._settings.idle_deadline_s,
                max_bytes=MAX_LISTING_BYTES,
            )
            if reply.end is End.COMPLETE and reply.status == HTTPStatus.OK:
                return reply.body
            problem = f"status {reply.status}" if reply.status is not None else reply.end.replace("_", " ")
            if or_none and reply.end is End.COMPLETE and reply.status == HTTPStatus.NOT_FOUND:
                return None
            if reply.status in _MISTAKES:
                break
        raise RouterError(
            f"expected a listing, found {problem}", where=path, do="Check the address, the key and the network"
        )


def _find(name: str, listed: tuple[ListedModel, ...]) -> ListedModel | None:
    """Return the model of a slug or, failing that, of an id; of several with one slug, the one without a variant.

    None where the router lists no such model tonight.
    """
    by_slug = sorted(
        (model for model in listed if model.model == name), key=lambda model: (":" in model.model_id, model.model_id)
    )
    found = by_slug or [model for model in listed if model.model_id == name]
    return found[0] if found else None


def _usable(address: str) -> str:
    try:
        url = httpx.URL(address.rstrip("/"))
    except httpx.InvalidURL as error:
        raise RouterError(f"expected an address, found {error}", where="site.toml, field 'router.address'") from None
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise RouterError(
            "expected http(s)://host/path without user, query or fragment",
            where="site.toml, field 'router.address'",
        )
    return str(url)


def _sendable(key: Key) -> str:
    value = key.reveal().strip()
    if not value or not value.isascii() or not value.isprintable():
        raise RouterError("expected a key of printable ASCII characters", do="Set the variable of the key anew")
    return value
