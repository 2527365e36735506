"""A router of money, simulated in the process: it keeps its own account, jumps its prices, and can kill who asks it.

Whole nights run on it with the real budget and the real collecting; its account is what they are held against.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import msgspec

from generator.probing.budget import TEMPLATE_TOKENS, Budget
from generator.probing.carrying_on import carried_on
from generator.probing.collect import Collected, collect
from generator.probing.interface import Ask, End, Reply, Stop
from generator.probing.prices import Prices, prices_of
from generator.probing.sealing import undecided
from generator.probing.wire import request_body
from generator.records.account import Account, AccountState
from generator.records.observation import Observation
from generator.settings import BudgetSettings, ProbingSettings
from tests.probing_makers import ask, completion, error, prompt, reply

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


class Killed(msgspec.Struct, frozen=True):
    """What a run ended as that was killed."""


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
            self.prices[name] = _times(old, factor)
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
            float(price.prompt) * 1e6 > limit["prompt"] * (1 + 1e-12)
            or float(price.completion) * 1e6 > limit["completion"] * (1 + 1e-12)
            or float(price.request) > limit["request"] * (1 + 1e-12)
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


class Night:
    """One simulated night: its asks, its journal, and every run of it."""

    def __init__(self, seed: int, rules: Rules) -> None:
        draws = Random(seed)  # noqa: S311 - a simulation that can be repeated
        self._draws = draws
        self.settings = ProbingSettings(
            concurrency=draws.randint(1, 8),
            concurrency_per_endpoint=draws.randint(1, 3),
            attempts=draws.randint(1, 3),
            reasoning_budget_tokens=draws.choice((0, 64)),
        )
        listed = {name: _prices(draws) for name in ("ash", "elm", "fir")[: draws.randint(1, 3)]}
        thinks = draws.random() < 0.2
        self.asks = _asks(listed, draws.randint(1, 8), thinks=thinks, unpriced=draws.random() < 0.1)
        self.probes = _probes(listed, draws.choice((0, 1, 1)), thinks=thinks)
        worst = sum((_most(each, self.settings) for each in (*self.asks, *self.probes)), Decimal(0))
        self.cap = (worst * Decimal(draws.choice(("0.05", "0.3", "0.7", "1", "2", "3", "5", "9")))).quantize(
            Decimal("1e-12")
        )
        self._deadly = draws.choice((0.1, 0.4, 0.9))
        greedy = draws.random() < 0.4
        now = {name: _times(price, Decimal(2)) if greedy else _jumped(price, draws) for name, price in listed.items()}
        self.router = MoneyRouter(draws, now, rules, self.settings, greedy=greedy)
        self.rows: list[Observation] = []
        self.account: Account | None = None
        self.counted = 0
        self.kills = 0
        self.ends: list[Stop | Killed | None] = []

    async def pass_by(self) -> None:
        """Run the night, and again while it is not complete, up to six times."""
        for run in range(6):
            dies = self._draws.random() < self._deadly
            events = self._draws.randrange(2 * len(self.asks) + 4) if dies else None
            broke = self._draws.randrange(len(self.asks) + 2) if self._draws.random() < 0.15 else None
            self.router.next_run(events=events, credit=broke)
            ended = await self._run(begun=run > 0)
            self.ends.append(ended)
            self.kills += isinstance(ended, Killed)
            if ended is None and not undecided((*self.asks, *self.probes), self.rows):
                return

    async def _run(self, *, begun: bool) -> Stop | Killed | None:
        budget = carried_on(
            BudgetSettings(max_usd=f"{self.cap:f}"),
            (*self.asks, *self.probes),
            self.rows,
            self.account,
            counted=self.counted,
            settings=self.settings,
            begun=begun,
        )
        self._write(AccountState.BEGUN, budget)
        work = asyncio.create_task(self._work(budget))
        killed = asyncio.create_task(self.router.killed.wait())
        await asyncio.wait((work, killed), return_when=asyncio.FIRST_COMPLETED)
        if not self.router.killed.is_set():
            killed.cancel()
            stop = await work
            self._write(AccountState.ENDED, budget)
            return stop
        # What a kill ends, it ends at once: every task, and nothing is written down any more.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        while others:
            for task in others:
                task.cancel()
            await asyncio.wait(others)
            others = asyncio.all_tasks() - {asyncio.current_task()}
        return Killed()

    async def _work(self, budget: Budget) -> Stop | None:
        """Ask what is graded, then, where that is complete, the context probes: as the workflow does."""
        graded = await self._collect(self.asks, budget)
        if graded.stop is not None or graded.undecided:
            return graded.stop
        return (await self._collect(self.probes, budget)).stop

    async def _collect(self, asks: Sequence[Ask], budget: Budget) -> Collected:
        clock = [0.0]

        async def sleep(seconds: float) -> None:
            clock[0] += seconds
            await asyncio.sleep(0)

        priced = [each for each in undecided(asks, self.rows) if budget.hold(each, self.settings) is not None]
        return await collect(
            self.router,
            priced,
            settings=self.settings,
            budget=budget,
            sink=self._keep,
            progress=lambda _done, _total: None,
            monotonic=lambda: clock[0],
            sleep=sleep,
        )

    def _keep(self, row: Observation) -> None:
        if not self.router.killed.is_set():
            self.rows.append(row)

    def _write(self, state: AccountState, budget: Budget) -> None:
        self.account = Account(account=state, spent_usd=budget.spent)
        self.counted = len(self.rows)


def nights(seeds: Sequence[int], rules: Rules) -> list[Night]:
    """Return some nights after all their runs."""

    async def all_of_them() -> list[Night]:
        found = []
        for seed in seeds:
            night = Night(seed, rules)
            await night.pass_by()
            found.append(night)
        return found

    return asyncio.run(all_of_them())


def _prices(draws: Random) -> Prices:
    return Prices(
        prompt=Decimal(draws.choice(("0", "0.0000001", "0.00000027", "0.000003"))),
        completion=Decimal(draws.choice(("0", "0.0000004", "0.00000111", "0.000015"))),
        request=Decimal(draws.choice(("0", "0", "0.0005"))),
    )


def _jumped(price: Prices, draws: Random) -> Prices:
    """Return what a price has become between the listing and the asking."""
    return _times(price, draws.choice(JUMPS) if draws.random() < 0.4 else Decimal(1))


def _times(price: Prices, factor: Decimal) -> Prices:
    return Prices(prompt=price.prompt * factor, completion=price.completion * factor, request=price.request * factor)


def _asks(listed: dict[str, Prices], count: int, *, thinks: bool, unpriced: bool) -> tuple[Ask, ...]:
    first = next(iter(listed))
    return tuple(
        _ask(
            name, price, f"capital-f{number:02}", "Name it. " * number, thinks=thinks, hidden=unpriced and name == first
        )
        for number in range(count)
        for name, price in listed.items()
    )


def _probes(listed: dict[str, Prices], count: int, *, thinks: bool) -> tuple[Ask, ...]:
    return tuple(
        _ask(name, price, "context-1024", "The old river rested near the hill.\n" * 40, thinks=thinks, hidden=False)
        for name, price in list(listed.items()) * count
    )


def _ask(name: str, price: Prices, prompt_id: str, text: str, *, thinks: bool, hidden: bool) -> Ask:
    return ask(
        endpoint=name,
        tag=name,
        reasoning_mandatory=thinks,
        prompt=prompt(prompt_id=prompt_id, prompt=text or "?"),
        price_prompt=None if hidden else price.prompt,
        price_completion=price.completion,
        price_request=price.request,
    )


def _most(each: Ask, settings: ProbingSettings) -> Decimal:
    """Return a rough size of a request's cost, for caps that bite; a made-up one where it lists no price."""
    price = prices_of(each) or Prices(prompt=Decimal("0.000001"), completion=Decimal("0.000001"))
    return 1100 * price.prompt + (24 + settings.reasoning_budget_tokens) * price.completion + price.request
