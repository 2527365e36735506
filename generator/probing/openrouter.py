"""OpenRouter over HTTP: listings read and endpoints asked, one request an ask.

Source: https://openrouter.ai/docs/api-reference, as of 2026.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Self

import msgspec

from generator.errors import RouterError
from generator.probing.interface import Ask, Checkup, Reply, Watch
from generator.probing.service import Service, well
from generator.probing.watching import candidates, named, watched_by_rule
from generator.probing.wire_account import credit_left, key_limit_left
from generator.probing.wire_listing import ListedModel, parse_endpoints, parse_models
from generator.probing.wire_request import request_body, request_headers
from generator.records.listing import ModelListing
from generator.settings import Key, ProbingSettings

LISTING_CONCURRENCY = 8
"""Listings read at once: the rule reads one for each of some hundred models, of a service that others use too."""


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
        self._settings = settings
        self._service = Service(
            address, key, settings, clock=clock, monotonic=monotonic, headers=request_headers(), sleep=sleep
        )

    async def __aenter__(self) -> Self:
        """Open the connections."""
        await self._service.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._service.__aexit__(kind, error, trace)

    def latency_of(self, headers: Mapping[str, str], measured_ms: int) -> int | None:  # noqa: ARG002 - for routers that replay
        """Return the time of an answer in milliseconds: the measured one."""
        return measured_ms

    async def listing(self, watch: Watch) -> tuple[ModelListing, ...]:
        """Return tonight's listing of the watched models, each once: those named in their order, then by slug.

        A named model that the router does not list tonight is left out: it costs the others nothing. So is a model
        that the rule alone could find and whose listing cannot be read; of any other that is an error.

        Args:
            watch: which models.

        Raises:
            RouterError: where a listing cannot be read.
        """
        listed = parse_models(await self._service.listing("/models"))
        free = asyncio.Semaphore(LISTING_CONCURRENCY)
        by_name = named(watch, listed)
        by_rule = candidates(watch, listed)
        readings = [self._endpoints(model, free) for model in (*by_name, *by_rule)]
        # Each is awaited, so that none is left running behind the first that fails.
        read = await asyncio.gather(*readings, return_exceptions=True)
        found = [_settled(each, keep_on=False) for each in read[: len(by_name)]]
        for model, each in zip(by_rule, read[len(by_name) :], strict=True):
            listing = _settled(each, keep_on=model.model not in watch.stay)
            if listing is not None and watched_by_rule(watch, listing):
                found.append(listing)
        return tuple(listing for listing in found if listing is not None)

    async def ask(self, ask: Ask) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does."""
        reply = await self._service.post("/chat/completions", request_body(ask, self._settings))
        if reply.latency_ms is None:
            return reply
        return msgspec.structs.replace(reply, latency_ms=self.latency_of(reply.headers, reply.latency_ms))

    async def checkup(self) -> tuple[Checkup, ...]:
        """Return what the router says of key and credit. Asks no endpoint and never raises.

        Credit is told to management keys alone; for any other key it stays unknown.
        """
        reply, checkup = await self._service.look("/key")
        if not well(reply):
            return (checkup,)
        account, _ = await self._service.look("/credits")
        return (
            msgspec.structs.replace(
                checkup,
                key_accepted=True if self._service.has_key else None,
                key_limit_left_usd=key_limit_left(reply.body),
                credit_left_usd=credit_left(account.body) if well(account) else None,
            ),
        )

    async def _endpoints(self, model: ListedModel, free: asyncio.Semaphore) -> ModelListing | None:
        """Return the listing of one model, or None where it is gone since the list of models was read."""
        async with free:
            body = await self._service.listing(f"/models/{model.model_id}/endpoints", or_none=True)
        return None if body is None else parse_endpoints(body, model)


def _settled(read: ModelListing | BaseException | None, *, keep_on: bool) -> ModelListing | None:
    """Return what a reading gave; where it failed, None if the night can do without it, else what it raised."""
    if isinstance(read, RouterError) and keep_on:
        return None
    if isinstance(read, BaseException):
        raise read
    return read
