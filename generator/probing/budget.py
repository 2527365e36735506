"""A night's money: what a request can cost at worst is held before it is sent, so that the cap is never passed.

A request's worst case is every byte of its prompt as a token, with room for what a chat template adds, and every
token that it allows, at the highest price that the listing names. Once it is decided, what it did cost takes the
place of what was held; where the router does not say, what was held stays spent.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from generator.errors import BudgetError
from generator.probing.interface import Ask
from generator.probing.wire_request import token_limit
from generator.settings import ProbingSettings

TEMPLATE_TOKENS = 1024
"""Room for what chat templates and default system prompts add; the most seen on a short prompt is under 700."""


def worst_case(ask: Ask, settings: ProbingSettings) -> Decimal | None:
    """Return the most that one request can cost in USD, or None where the listing gives no price."""
    if ask.price_prompt is None or ask.price_completion is None:
        return None
    prompt_tokens = len(ask.prompt.prompt.encode("utf-8", "surrogatepass")) + TEMPLATE_TOKENS
    return prompt_tokens * ask.price_prompt + token_limit(ask, settings) * ask.price_completion


class Budget:
    """The cap of one night, what is spent of it and what is held for requests in flight."""

    def __init__(self, cap: Decimal | None, spent: Decimal = Decimal(0)) -> None:
        """Start a night.

        Args:
            cap: in USD; None for a router that charges nothing.
            spent: in USD, by an earlier run of the same night.
        """
        self.cap = cap
        self.spent = spent
        self.held = Decimal(0)

    def check(self, asks: Iterable[Ask]) -> None:
        """Refuse a plan that holds an endpoint without a price under a cap: its worst case cannot be known.

        Raises:
            BudgetError: naming the endpoint.
        """
        if self.cap is None:
            return
        for ask in asks:
            if ask.price_prompt is None or ask.price_completion is None:
                raise BudgetError(
                    "expected a price per token, found none",
                    where=f"the listing of {ask.model} at {ask.endpoint}",
                    do="Take the model off the list in site.toml, or probe without a cap",
                )

    def reserve(self, ask: Ask, settings: ProbingSettings) -> Decimal | None:
        """Hold a request's worst case and return it, or return None where it would pass the cap.

        Raises:
            BudgetError: where there is a cap and the endpoint has no price.
        """
        self.check((ask,))
        worst = worst_case(ask, settings) or Decimal(0)
        if self.cap is not None and self.spent + self.held + worst > self.cap:
            return None
        self.held += worst
        return worst

    def settle(self, reserved: Decimal, cost: Decimal | None) -> None:
        """Put a decided request's own cost in the place of what was held; without a cost, what was held is spent.

        Args:
            reserved: what `reserve` returned.
            cost: in USD, as the router says it.
        """
        self.held -= reserved
        self.spent += reserved if cost is None else cost
