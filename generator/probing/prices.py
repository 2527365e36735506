"""Prices as a night counts with them: the highest that a listing names, and the limit that a request sets the router.

Source: https://openrouter.ai/docs, as of 2026 (`pricing` of an endpoint, provider routing: `max_price`). Prices can
change between the listing and the asking. A request therefore names the most that it may be charged, `PRICE_HEADROOM`
times the highest listed price: the router refuses what has come to cost more, and what is held for a request is held
at that limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec

from generator.probing.interface import Ask
from generator.probing.wire_entries import members, table
from generator.probing.wire_values import usd
from generator.records.endpoint import Endpoint
from generator.records.listing import ListedEndpoint

PRICE_HEADROOM = 2
"""How many times its listed price a request may come to cost."""

_PROMPT = ("prompt", "input_cache_write")
"""What a token of the prompt may be charged as; some providers charge for keeping it, unasked."""
_COMPLETION = ("completion", "internal_reasoning")
"""What a token that the model makes may be charged as."""
_REQUEST = ("request",)
_PER_MILLION = 10**6


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint charges at most, as listed."""

    prompt: Decimal
    """USD per token."""
    completion: Decimal
    """USD per token."""
    request: Decimal = Decimal(0)
    """USD for each request, whatever its length."""


def listed_prices(endpoint: Endpoint, entries: Iterable[ListedEndpoint]) -> Prices | None:
    """Return the highest prices that an endpoint's entries name for any hour or length; None where one is unknown.

    A price that is missing or negative is unknown. A fee for each request that is missing is none.

    Args:
        endpoint: with the prices that its entries list plainly.
        entries: those that stand behind it.
    """
    if endpoint.price_prompt is None or endpoint.price_completion is None:
        return None
    prompt, completion, request = [endpoint.price_prompt], [endpoint.price_completion], [Decimal(0)]
    for entry in entries:
        tables = _tables(entry.raw)
        fee = tables[0].get("request")
        if fee is not None and usd(fee) is None:
            return None
        prompt += _named(_PROMPT, tables)
        completion += _named(_COMPLETION, tables)
        request += _named(_REQUEST, tables)
    return Prices(prompt=max(prompt), completion=max(completion), request=max(request))


def prices_of(ask: Ask) -> Prices | None:
    """Return what an ask's endpoint charges at most, as listed; None where that is unknown."""
    if ask.price_prompt is None or ask.price_completion is None:
        return None
    return Prices(prompt=ask.price_prompt, completion=ask.price_completion, request=ask.price_request)


def highest(prices: Iterable[Prices]) -> Prices | None:
    """Return the highest of some prices, each by itself; None of none."""
    known = tuple(prices)
    if not known:
        return None
    return Prices(
        prompt=max(each.prompt for each in known),
        completion=max(each.completion for each in known),
        request=max(each.request for each in known),
    )


def price_limit(ask: Ask) -> dict[str, float] | None:
    """Return the `max_price` of a request, in USD per million tokens and USD per request; None where none is known.

    A price of nothing is left out: a router that asks for less than the limit, and not for as much at most, would
    find no free endpoint, and most endpoints take no fee for a request. One that begins to charge is found out by
    its first answer, and held for from then on.
    """
    prices = prices_of(ask)
    if prices is None:
        return None
    limits = {
        "prompt": prices.prompt * PRICE_HEADROOM * _PER_MILLION,
        "completion": prices.completion * PRICE_HEADROOM * _PER_MILLION,
        "request": prices.request * PRICE_HEADROOM,
    }
    return {name: float(limit) for name, limit in limits.items() if limit} or None


def _tables(raw: str) -> list[dict[str, Any]]:
    """Return an entry's table of prices, then those for some hours of the day or long prompts."""
    pricing = table(members(raw.encode()).get("pricing"))
    overrides = pricing.get("overrides")
    return [pricing, *(table(item) for item in (overrides if isinstance(overrides, list) else []))]


def _named(names: Iterable[str], tables: list[dict[str, Any]]) -> list[Decimal]:
    """Return every price that the tables name under some names. A discount may end: it lowers none of them."""
    found = (usd(each.get(name)) for each in tables for name in names)
    return [price for price in found if price is not None]
