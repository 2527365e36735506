"""What a night would ask, and what it would cost at most: by model and endpoint, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum

import msgspec

from generator.records.figures import counted


class Pricing(StrEnum):
    """What an endpoint's listing says of its price, and so what becomes of it."""

    LISTED = "listed"
    """Asked; its worst case is known."""
    LEFT_OUT = "left_out"
    """It lists no price, and there is a cap: not asked."""
    UNKNOWN = "unknown"
    """It lists no price and is asked all the same: what it costs is not known beforehand."""


class EndpointCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one endpoint is asked, and costs at most at tonight's prices."""

    endpoint: str
    provider: str
    pricing: Pricing
    price_prompt: Decimal | None
    """USD per token: the highest that its listing names for any hour or length; null where one is unknown."""
    price_completion: Decimal | None
    """USD per token, likewise; thinking included."""
    price_request: Decimal | None
    """USD for each request, likewise."""
    requests: int
    """Graded; 0 where it is left out."""
    worst_usd: Decimal
    """Of these: every byte a token, every token allowed. Where the price is unknown, at the price that stands in."""
    context_requests: int
    """Context probes."""
    context_worst_usd: Decimal
    """Of these."""


class ModelCost(msgspec.Struct, frozen=True, kw_only=True):
    """One model's endpoints, and their sums."""

    model: str
    requests: int
    worst_usd: Decimal
    context_requests: int
    context_worst_usd: Decimal
    endpoints: tuple[EndpointCost, ...]


class CostPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole night's."""

    night: date
    router: str
    sealed: bool
    """True where the night is in the archive already: nothing is left to ask."""
    carried_on: bool
    """True where the night was begun: what is still missing is counted alone."""
    charges: bool
    """True for a router that takes money."""
    requests: int
    worst_usd: Decimal
    """Of the graded requests, at tonight's prices."""
    context_requests: int
    context_worst_usd: Decimal
    headroom: int
    """How many times its listed price a request may come to cost before it is refused, and so is held at."""
    spent_usd: Decimal
    """By earlier runs of the night, the most that was in flight when they were killed included."""
    costs_told: bool
    """Whether the router's answers say what they cost; where they do not, each counts as all that was held for it."""
    needed_usd: Decimal
    """A cap of so much stops nothing, as long as prices stay and answers say what they cost: spent, worst cases, and
    room for the headroom of what is in flight at once. Where answers do not say it, `most_usd`."""
    most_usd: Decimal
    """Spent, and every worst case at the headroom: no more, where the router keeps to the price limit of a request."""
    cap_usd: Decimal | None
    suffices: bool | None
    """Whether the cap is at least `needed_usd`; null without a cap."""
    left_out: int
    """Graded requests to endpoints that list no price, which the cap leaves out."""
    context_left_out: int
    """Context probes of these."""
    unknown: int
    """Graded requests to endpoints that list no price and are asked all the same."""
    context_unknown: int
    """Context probes of these."""
    models: tuple[ModelCost, ...]


def asked_words(graded: int, context: int) -> str:
    """Return how much is asked: '738 graded requests and 4 context probes', or the one kind that there is."""
    parts = (counted(graded, "graded request"), counted(context, "context probe"))
    return " and ".join(part for part, number in zip(parts, (graded, context), strict=True) if number) or "nothing"


def model_cost(model: str, endpoints: Sequence[EndpointCost]) -> ModelCost:
    """Return a model's costs with their sums."""
    return ModelCost(
        model=model,
        requests=sum(each.requests for each in endpoints),
        worst_usd=sum((each.worst_usd for each in endpoints), start=Decimal(0)),
        context_requests=sum(each.context_requests for each in endpoints),
        context_worst_usd=sum((each.context_worst_usd for each in endpoints), start=Decimal(0)),
        endpoints=tuple(endpoints),
    )
