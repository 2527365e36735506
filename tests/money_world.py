"""Whole nights on the simulated router of money, with the real budget and the real collecting.

The router's own account is what they are held against.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from random import Random

import msgspec

from generator.probing.budget import Budget
from generator.probing.carrying_on import carried_on
from generator.probing.collect import Collected, collect
from generator.probing.interface import Ask, Stop
from generator.probing.prices import Prices, prices_of
from generator.probing.sealing import undecided
from generator.records.account import Account, AccountState
from generator.records.observation import Observation
from generator.settings import BudgetSettings, ProbingSettings
from tests.money_router import JUMPS, MoneyRouter, Rules, times
from tests.probing_makers import ask, prompt


class Killed(msgspec.Struct, frozen=True):
    """What a run ended as that was killed."""


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
        now = {name: times(price, Decimal(2)) if greedy else _jumped(price, draws) for name, price in listed.items()}
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
    return times(price, draws.choice(JUMPS) if draws.random() < 0.4 else Decimal(1))


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
