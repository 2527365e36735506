"""Hugging Face's router over HTTP: one listing of all models, each ask pinned to one provider of one model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from types import TracebackType
from typing import Self

import httpx
import msgspec

from generator.probing.interface import Ask, Checkup, Reply, Watch
from generator.probing.service import Service, well
from generator.probing.watching import candidates, named, watched_by_rule
from generator.probing.wire_huggingface import parse_listing, told
from generator.probing.wire_listing import ListedModel
from generator.probing.wire_plain import chat_body
from generator.records.listing import ModelListing
from generator.settings import Key, ProbingSettings

WHOAMI = "/api/whoami-v2"
"""Answers who a token belongs to, 401 where it is refused."""

_ROUTER_HOST = "router."


class HuggingFace:
    """A `Router`, open inside `async with`."""

    kind = "huggingface"
    latency = "measured"

    def __init__(  # noqa: PLR0913, PLR0917 - the router's address and key, and the three ways in which it touches the world
        self,
        address: str,
        key: Key | None,
        settings: ProbingSettings,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Prepare a client.

        Args:
            address: of the API, up to and without the closing slash, e.g. https://router.huggingface.co/v1.
            key: a token that may call inference providers.
            settings: deadlines and caps, and what a request asks for.
            clock: the time, UTC.
            monotonic: seconds that never run backwards.
            sleep: waits between two attempts to read a listing.

        Raises:
            RouterError: where the address is none, or the key cannot stand in a header.
        """
        self._settings = settings
        self._service = Service(address, key, settings, clock=clock, monotonic=monotonic, sleep=sleep)
        self._account = Service(account_address(self._service.address), key, settings, clock=clock, monotonic=monotonic)

    async def __aenter__(self) -> Self:
        """Open the connections."""
        await self._service.__aenter__()
        await self._account.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._service.__aexit__(kind, error, trace)
        await self._account.__aexit__(kind, error, trace)

    async def listing(self, watch: Watch) -> tuple[ModelListing, ...]:
        """Return tonight's listing of the watched models, each once: those named in their order, then by id.

        A provider who is not live tonight is left out, and so is a named model that is not listed.

        Args:
            watch: which models.

        Raises:
            RouterError: where the listing cannot be read.
        """
        listings = {listing.model: listing for listing in parse_listing(await self._service.listing("/models"))}
        listed = [_listed(listing) for listing in listings.values()]
        by_rule = [listings[model.model] for model in candidates(watch, listed)]
        return (
            *(listings[model.model] for model in named(watch, listed)),
            *(listing for listing in by_rule if watched_by_rule(watch, listing)),
        )

    async def ask(self, ask: Ask) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does."""
        body = chat_body(f"{ask.model_id}:{ask.tag}", ask, self._settings)
        return told(await self._service.post("/chat/completions", body))

    async def checkup(self) -> tuple[Checkup, ...]:
        """Return what the router and the account's host say. Asks no endpoint and never raises.

        The router's listing is open to all, so that only the host of accounts tells whether the key is accepted.
        Neither tells what credit is left.
        """
        _, router = await self._service.look("/models")
        if not self._account.has_key:
            return (router,)
        reply, account = await self._account.look(WHOAMI)
        return router, msgspec.structs.replace(account, key_accepted=True) if well(reply) else account


def account_address(address: str) -> str:
    """Return where the accounts of a router's users are asked for: its host without 'router.' in front, no path.

    Args:
        address: of the router, as `usable_address` gives it.
    """
    url = httpx.URL(address)
    return str(url.copy_with(host=url.host.removeprefix(_ROUTER_HOST), path="/")).rstrip("/")


def _listed(listing: ModelListing) -> ListedModel:
    return ListedModel(
        model=listing.model, model_id=listing.model_id, reasoning_mandatory=False, reasoning_supported=False
    )
