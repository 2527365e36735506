"""What probing takes, yields and how it fails, on one page.

    router.listing(models)            -> tuple[ModelListing, ...]; RouterError where no listing can be read
    settle(listings, known, ...)      -> tuple[Endpoint, ...]      identity, once a night (pure)
    plan(endpoints, prompts, seed)    -> tuple[Ask, ...]           every prompt for every endpoint, seeded order (pure)
    collect(router, asks, ...)        -> one Observation for each Ask, handed to a sink as it is decided
    wire.observe(ask, reply)          -> Observation               pure and total: it never raises

A router is anything that lists and asks. What went wrong with a request is a Reply too, never an exception: only
what concerns the whole night (no listing, a refused key, no credit left, the budget) ends it, as a Stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

import msgspec

from generator.records.listing import ModelListing
from generator.records.prompt import Prompt

LATENCY_HEADER = "x-replayed-latency-ms"
"""Where the demo router says how long the recorded answer took, in whole milliseconds; nothing waits for it."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt for one endpoint: everything that a request is made from and an answer is judged by."""

    model: str
    model_id: str
    """What the request names as its model."""
    endpoint: str
    provider: str
    """The listing's display name: what an answer must name as who served it."""
    tag: str
    """What the request is pinned to."""
    quantization: str | None
    """Sent as a filter too where the tag alone also matches siblings; null where it is not needed."""
    parameters: tuple[str, ...]
    """Optional request parameters that the endpoint lists."""
    reasoning_mandatory: bool
    reasoning_supported: bool
    price_prompt: Decimal | None
    """USD per token, for the worst case that is reserved before sending."""
    price_completion: Decimal | None
    prompt: Prompt
    kind: str
    """The family module that normalises the answer."""


class End(StrEnum):
    """How the exchange of one request ended."""

    COMPLETE = "complete"
    """Status, headers and whole body read."""
    NOT_CONNECTED = "not_connected"
    """Failed before the connection was open: nothing was sent."""
    BROKEN = "broken"
    """The connection ended, or spoke no HTTP, after the request was sent."""
    TIMED_OUT = "timed_out"
    """The total or the idle deadline passed after the request was sent."""
    TOO_LARGE = "too_large"
    """The decoded body passed its cap."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came back for one request, before anybody has judged it."""

    end: End
    status: int | None = None
    """Null where no response line was read."""
    headers: Mapping[str, str] = {}
    """Lower-case names."""
    body: bytes = b""
    """Decoded; as much as was read."""
    latency_ms: int | None = None
    requested_at: datetime | None = None


class Stop(StrEnum):
    """Why sending ended before every ask was decided."""

    NO_CREDIT = "no_credit"
    """The router said 402."""
    BUDGET = "budget"
    """The next request's worst case would pass the cap."""
    KEY_REFUSED = "key_refused"
    """The router said 401."""
    INTERRUPTED = "interrupted"
    """The operator stopped the run."""


class Router(Protocol):
    """Anything that lists the endpoints of models and can be asked for one endpoint's answer."""

    kind: str
    """Recorded in night.json."""
    latency: str
    """'measured', or 'replayed'."""

    async def listing(self, models: tuple[str, ...]) -> tuple[ModelListing, ...]:
        """Return tonight's listing of the watched models.

        Raises:
            RouterError: where it cannot be read, or a watched model is not listed.
        """
        ...

    async def ask(self, ask: Ask) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does."""
        ...
