"""A night's money: what a request can cost at worst is held before it is sent, so that the cap is never passed.

A request's worst case is every byte of its prompt as a token, with room for what a chat template adds, and every
token that it allows, at `PRICE_HEADROOM` times the highest price that the listing names: the most that the request
lets the router charge. Once it is decided, what it did cost takes the place of what was held; where the router does
not say, what was held stays spent.

That the cap is never passed rests on what only the router can keep: it charges no more than the limit that a request
sets and nothing where it lists a price of nothing, lets no more tokens be made than a request allows, charges nothing
for what never reached an endpoint, and what it says that an answer cost is what it charges. Where an answer costs more
than was held all the same, later requests to its endpoint are held for at that scale, and no more is overspent than by
the requests that were in flight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType

import msgspec

from generator.errors import BudgetError
from generator.probing.interface import Ask
from generator.probing.prices import PRICE_HEADROOM, Prices, highest, prices_of
from generator.probing.wire_request import token_limit
from generator.settings import BudgetSettings, ProbingSettings

TEMPLATE_TOKENS = 1024
"""Room for what chat templates and default system prompts add; the most seen on a short prompt is under 700."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What is held for one request, from before it is sent until it is decided."""

    ask: Ask
    worst: Decimal
    """Its worst case as the listing has it, in USD."""
    usd: Decimal
    """What is held."""


def worst_case(ask: Ask, settings: ProbingSettings, prices: Prices | None = None) -> Decimal | None:
    """Return the most that one request can cost in USD, or None where the listing gives no price.

    Args:
        ask: what is asked.
        settings: how many tokens it allows.
        prices: in place of the ask's own, where it has none.
    """
    known = prices_of(ask) or prices
    if known is None:
        return None
    prompt_tokens = len(ask.prompt.prompt.encode("utf-8", "surrogatepass")) + TEMPLATE_TOKENS
    listed = prompt_tokens * known.prompt + token_limit(ask, settings) * known.completion + known.request
    return PRICE_HEADROOM * listed


def stand_ins(asks: Iterable[Ask]) -> dict[str, Prices]:
    """Return, by model, prices for its endpoints without any: the highest listed for it tonight, else for any model.

    Empty where the listing gives no price at all.
    """
    found: dict[str, list[Prices]] = defaultdict(list)
    models: set[str] = set()
    for ask in asks:
        models.add(ask.model)
        prices = prices_of(ask)
        if prices is not None:
            found[ask.model].append(prices)
    of_any = highest(each for prices in found.values() for each in prices)
    by_model = {model: highest(found.get(model, ())) or of_any for model in models}
    return {model: prices for model, prices in by_model.items() if prices is not None}


def unspent(limits: BudgetSettings, asks: Iterable[Ask]) -> Budget:
    """Return a night's budget with nothing spent of it.

    Args:
        limits: the cap, and whether endpoints without a price may be asked.
        asks: every one of the night, context probes included.
    """
    return Budget(limits.cap, unpriced=stand_ins(asks) if limits.allow_unpriced else {})


class Budget:
    """The cap of one night, what is spent of it and what is held for requests in flight."""

    def __init__(
        self,
        cap: Decimal | None,
        spent: Decimal = Decimal(0),
        *,
        unpriced: Mapping[str, Prices] = MappingProxyType({}),
    ) -> None:
        """Start a night.

        Args:
            cap: in USD; None for a router that charges nothing.
            spent: in USD, by an earlier run of the same night.
            unpriced: by model, what is held for endpoints that list no price; those of other models are refused.
        """
        self.cap = cap
        self.spent = spent
        self.held = Decimal(0)
        self._unpriced = unpriced
        self._scale: dict[tuple[str, str], Decimal] = {}
        self._least: dict[tuple[str, str], Decimal] = {}

    def hold(self, ask: Ask, settings: ProbingSettings) -> Held | None:
        """Return what must be held for a request: its worst case, at the scale that its endpoint has shown.

        None where there is a cap and nothing is known of what it could cost: it must not be sent.
        """
        worst = worst_case(ask, settings, self._unpriced.get(ask.model))
        if worst is None:
            return Held(ask=ask, worst=Decimal(0), usd=Decimal(0)) if self.cap is None else None
        endpoint = (ask.model, ask.endpoint)
        scaled = worst * self._scale.get(endpoint, Decimal(1))
        return Held(ask=ask, worst=worst, usd=max(scaled, self._least.get(endpoint, Decimal(0))))

    def check(self, asks: Iterable[Ask]) -> None:
        """Refuse a plan that holds an endpoint without a price under a cap: its worst case cannot be known.

        Raises:
            BudgetError: naming the endpoint.
        """
        for ask in asks:
            if self.cap is not None and prices_of(ask) is None and ask.model not in self._unpriced:
                raise _unpriced(ask)

    def reserve(self, ask: Ask, settings: ProbingSettings) -> Held | None:
        """Hold what a request may cost and return it, or return None where it would pass the cap.

        Raises:
            BudgetError: where there is a cap and the endpoint has no price.
        """
        held = self.hold(ask, settings)
        if held is None:
            raise _unpriced(ask)
        if self.cap is not None and self.spent + self.held + held.usd > self.cap:
            return None
        self.held += held.usd
        return held

    def settle(self, held: Held, cost: Decimal | None) -> None:
        """Put a decided request's own cost in the place of what was held; without a cost, what was held is spent.

        Args:
            held: what `reserve` returned.
            cost: in USD, as the router says it.
        """
        self.held -= held.usd
        self.spent += held.usd if cost is None else cost
        if cost is not None:
            self.learn(held, cost)

    def learn(self, held: Held, cost: Decimal) -> None:
        """Hold more for an endpoint from now on, where a request to it cost more than was held.

        Args:
            held: what was held for the request.
            cost: in USD, as the router says it.
        """
        if cost <= held.usd:
            return
        endpoint = (held.ask.model, held.ask.endpoint)
        self._least[endpoint] = max(cost, self._least.get(endpoint, Decimal(0)))
        if held.worst:
            self._scale[endpoint] = max(cost / held.worst, self._scale.get(endpoint, Decimal(1)))


def _unpriced(ask: Ask) -> BudgetError:
    return BudgetError(
        "expected a price per token, found none",
        where=f"the listing of {ask.model} at {ask.endpoint}",
        do="Take the model off the list in site.toml, or allow it with 'budget.allow_unpriced'",
    )
