"""What probing takes, yields and how it fails, on one page.

    router.listing(watch)             -> tuple[ModelListing, ...]; RouterError where no listing can be read
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
from typing import Protocol, runtime_checkable

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
    price_request: Decimal = Decimal(0)
    """USD for each request, whatever its length."""
    reasoning_budget_tokens: int | None = None
    """In place of the night's own; null where the model has none of its own."""
    max_tokens: int | None = None
    """In place of the prompt's own cut; null where the model has none of its own."""
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
    speaker: str | None = None
    """The provider who must have spoken, where the connection tells: a server asked directly, or a router's header."""
    alone: bool = False
    """Nobody stands between: the key that was sent is that of the server which was asked, and of nobody else."""
    model_is_providers: bool = False
    """The body names the model as its provider does, which no listing tells: it cannot be compared with the asked."""


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


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """Which models a night is about: those named, and those that a rule finds in the router's listing."""

    models: tuple[str, ...] = ()
    """Permanent slugs, or ids."""
    min_providers: int | None = None
    """Every model that so many providers serve; null for no rule."""
    stay: frozenset[str] = frozenset()
    """Models of the last recorded night, by slug: the rule keeps one while two providers serve it, because a model
    at the edge of the rule would else miss nights by its neighbours' doing."""
    exclude: frozenset[str] = frozenset()
    """Models that the rule leaves out, by slug or id."""


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """What one address says when it is asked whether a night could be probed there; null where it does not say."""

    address: str
    """The router's, or a server's."""
    problem: str | None = None
    """Why it could not be reached or understood; null where it could."""
    key_accepted: bool | None = None
    credit_left_usd: Decimal | None = None
    """Of the account."""
    key_limit_left_usd: Decimal | None = None
    """Of the key, which may have a limit of its own."""
    lists_nothing: int | None = None
    """The HTTP status with which a server says that it has no list of its models; null where it has one."""
    date: datetime | None = None
    """The far clock, as its `Date` header says it, UTC."""
    asked_at: datetime | None = None
    """This machine's clock at the middle of the exchange, UTC."""


@runtime_checkable
class Remarks(Protocol):
    """A router that has something to say of its last listing beside it."""

    remarks: tuple[str, ...]
    """A line each: whom it left out, why and what to do, in our own words."""


class Router(Protocol):
    """Anything that lists the endpoints of models and can be asked for one endpoint's answer."""

    kind: str
    """Recorded in night.json."""
    latency: str
    """'measured', or 'replayed'."""

    async def listing(self, watch: Watch) -> tuple[ModelListing, ...]:
        """Return tonight's listing of the watched models; one that is not listed tonight is left out.

        Raises:
            RouterError: where it cannot be read.
        """
        ...

    async def ask(self, ask: Ask) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does."""
        ...

    async def checkup(self) -> tuple[Checkup, ...]:
        """Return what each address of this router says of key and credit. Asks no endpoint and never raises."""
        ...
