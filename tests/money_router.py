"""A router of money, simulated in the process: it keeps its own account, jumps its prices, and can kill who asks it."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from math import inf
from random import Random
from typing import Any

import msgspec

from generator.probing.budget import TEMPLATE_TOKENS
from generator.probing.interface import Ask, End, Reply
from generator.probing.prices import Prices, prices_of
from generator.probing.wire import request_body
from generator.settings import ProbingSettings
from tests.probing_makers import completion, error, reply

JUMPS = tuple(Decimal(text) for text in ("0", "0.5", "1", "1.5", "1.99", "2", "2.01", "3", "20"))
"""What prices are multiplied by when they change."""
MAX_PRICE = "No endpoints found that satisfy the max price for this request"
NO_COST = ("NaN", -1, True, {}, "free", 1e300, None)
"""What stands in the place of a cost and is none."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What a simulated router keeps to."""

    honours_max_price: bool = True
    """Refuses a request whose limit its price has passed; where false, it charges whatever its price has become."""
    always_says_the_cost: bool = False
    """No answer is without its cost."""


class MoneyRouter:
    """A `Router` that bills what arrives."""

    kind = "simulated"
    latency = "measured"

    def __init__(
        self, draws: Random, prices: dict[str, Prices], rules: Rules, settings: ProbingSettings, *, greedy: bool
    ) -> None:
        self._draws = draws
        self._greedy = greedy  # Charges the most that a request allows, at prices that never change again.
        self.prices = prices
        self._rules = rules
        self._settings = settings
        self.billed = Decimal(0)
        self.dearest = Decimal(0)
        """The most that it billed for one request."""
        self.seen: set[str] = set()
        """What happened at all, for tests that ask whether it did."""
        self.events_left: int | None = None
        """How many arrivals and replies until it kills the run; None for none."""
        self.killed = asyncio.Event()
        self.credit_left: int | None = None
        """How many requests until the account has no credit; None for no end."""
        self._said_402 = False

    def next_run(self, *, events: int | None, credit: int | None) -> None:
        """Begin another run of the same night."""
        self.events_left, self.credit_left = events, credit
        self.killed = asyncio.Event()
        self._said_402 = False

    async def listing(self, watch: object) -> tuple[()]:
        """Return no listing: what is asked was planned before."""
        del watch
        return ()

    async def checkup(self) -> tuple[()]:
        """Say nothing of the account."""
        return ()

    async def ask(self, ask: Ask) -> Reply:
        """Bill a request as it arrives, and return what comes back."""
        if self.killed.is_set():
            await asyncio.Event().wait()  # Nobody is there to ask any more.
        assert not self._said_402, "a request was sent after a 402"
        assert prices_of(ask) is not None, "an endpoint without a price was asked"
        self._maybe_jump()
        answer = self._answer(ask)
        await self._event()
        for _ in range(self._draws.randrange(4)):
            await asyncio.sleep(0)
        await self._event()
        self._said_402 = self._said_402 or answer.status == 402
        return answer

    async def _event(self) -> None:
        """Count an arrival or a reply; at the last one, everything on the other side ends."""
        if self.killed.is_set():
            await asyncio.Event().wait()
        if self.events_left is None:
            return
        self.events_left -= 1
        if self.events_left < 0:
            self.killed.set()
            await asyncio.Event().wait()

    def _maybe_jump(self) -> None:
        if not self._greedy and self._draws.random() < 0.1:
            name = self._draws.choice(sorted(self.prices))
            old, factor = self.prices[name], self._draws.choice(JUMPS)
            self.prices[name] = times(old, factor)
            self.seen.add("jump")

    def _answer(self, ask: Ask) -> Reply:
        if self.credit_left is not None:
            self.credit_left -= 1
            if self.credit_left < 0:
                self.seen.add("402")
                return reply(error(402), 402)
        body = request_body(ask, self._settings)
        if self._rules.honours_max_price and self._too_dear(ask, body["provider"].get("max_price")):
            self.seen.add("price_changed")
            return reply({"error": {"code": 404, "message": MAX_PRICE}}, 404)
        unreached = self._unreached()
        if unreached is not None:
            return unreached
        cost = self._bill(ask, body)
        if self._rules.always_says_the_cost:
            return reply(completion(usage={"cost": float(cost)}))
        return self._billed_reply(cost)

    def _unreached(self) -> Reply | None:
        """Return what comes back where no endpoint is reached, now and then: nothing is billed for it."""
        draws = self._draws
        chance = draws.random()
        if chance < 0.03:
            return Reply(end=End.NOT_CONNECTED)
        if chance < 0.06:
            return reply(error(draws.choice((500, 503))), draws.choice((500, 503)))
        return reply(error(429, limit_source="account"), 429) if chance < 0.08 else None

    def _billed_reply(self, cost: Decimal) -> Reply:
        """Return what comes back for a request that was billed: mostly its cost, sometimes none or too much."""
        draws = self._draws
        chance = draws.random()
        if chance < 0.05:
            return Reply(end=End.TIMED_OUT)
        if chance < 0.10:
            return Reply(end=End.BROKEN, status=200, body=b'{"id": "gen-1", "choi')
        if chance < 0.15:
            return reply(error(502, provider="Elm"), 502)
        if chance < 0.25:
            self.seen.add("missing usage")
            return reply(completion(usage=...))
        if chance < 0.35:
            self.seen.add("wrong usage")
            return reply(completion(usage={"prompt_tokens": -3, "cost": draws.choice(NO_COST)}))
        told = cost if chance < 0.95 else cost * 2
        tokens = draws.choice((0, 5, 10**9))
        # Rounded up, as twelve decimals are what is read.
        return reply(completion(usage={"prompt_tokens": tokens, "cost": float(told) * (1 + 1e-9) + 1e-12}))

    def _too_dear(self, ask: Ask, limit: dict[str, float] | None) -> bool:
        price = self.prices[ask.endpoint]
        if limit is None:
            return False
        return (
            float(price.prompt) * 1e6 > limit.get("prompt", inf) * (1 + 1e-12)
            or float(price.completion) * 1e6 > limit.get("completion", inf) * (1 + 1e-12)
            or float(price.request) > limit.get("request", inf) * (1 + 1e-12)
        )

    def _bill(self, ask: Ask, body: dict[str, Any]) -> Decimal:
        """Charge a request: mostly for some of what it allows, now and then for all of it."""
        price, draws = self.prices[ask.endpoint], self._draws
        most_prompt = len(body["messages"][0]["content"].encode()) + TEMPLATE_TOKENS
        most_made = int(body["max_tokens"])
        all_of_it = self._greedy or draws.random() < 0.3
        prompt_tokens = most_prompt if all_of_it else draws.randrange(most_prompt)
        made = most_made if all_of_it else draws.randrange(most_made + 1)
        cost = prompt_tokens * price.prompt + made * price.completion + price.request
        self.billed += cost
        self.dearest = max(self.dearest, cost)
        return cost


def times(price: Prices, factor: Decimal) -> Prices:
    """Return prices multiplied by a factor."""
    return Prices(prompt=price.prompt * factor, completion=price.completion * factor, request=price.request * factor)
