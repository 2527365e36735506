"""Whole nights of `probe` on a router that keeps its own account: killed and carried on with, none passes its cap.

The workflow, the journal on disk, the sealing and the context probes are the real ones; the router and the clock are
simulated. A kill leaves the journal as it lay at that instant.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from random import Random

import kept_site
import pytest

from generator.errors import BudgetError, PartialNightError
from generator.probing.interface import Router, Watch
from generator.probing.prices import Prices
from generator.records.listing import ModelListing
from generator.settings import BudgetSettings, ProbingSettings, Settings
from generator.workflows.costing import cost_plan
from generator.workflows.probing import probe
from generator.workflows.world import Root, World
from tests.money_router import MoneyRouter, Rules, times
from tests.probing_makers import listed, listing

NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
PRICES = {
    "elm": Prices(prompt=Decimal("0.000001"), completion=Decimal("0.000002")),
    "oak": Prices(prompt=Decimal("0.000003"), completion=Decimal("0.000015")),
}
RUNS = 5


class ListingRouter(MoneyRouter):
    """Lists one model at two endpoints, at the prices that it begins with."""

    kind = "openrouter"

    async def listing(self, watch: Watch) -> tuple[ModelListing, ...]:  # type: ignore[override]
        """Return the listing."""
        del watch
        entries = [
            listed(name, price_prompt=price.prompt, price_completion=price.completion, context_length=200_000)
            for name, price in PRICES.items()
        ]
        return (listing(*entries, model=kept_site.MODEL),)


class Probed:
    """One night in a root of its own."""

    def __init__(self, path: Path, seed: int, share: str, rules: Rules = Rules()) -> None:  # noqa: B008 - frozen
        self.draws = Random(seed)  # noqa: S311 - repeatable, not secret
        self.root: Root = kept_site.make_root(path, nights=0, graded=False, rendered=False)
        greedy = self.draws.random() < 0.5
        # Between listing and asking, prices rise to the most that requests allow.
        now = {name: times(price, Decimal(2)) if greedy else price for name, price in PRICES.items()}
        self.router = ListingRouter(self.draws, now, rules, ProbingSettings(), greedy=greedy)
        self.world = World(now=lambda: NOW, monotonic=self._time, sleep=self._sleep, entropy=lambda count: b"s" * count)
        self._passed = 0.0
        most = asyncio.run(
            cost_plan(self.root, self.world, self._opened, progress=kept_site.Silent(), budget=BudgetSettings())
        ).most_usd
        self.cap = (most * Decimal(share)).quantize(Decimal("1e-12"))
        self.ends: list[str] = []

    def pass_by(self) -> None:
        """Run the night, and again while it is not complete."""
        for _ in range(RUNS):
            dies_after = self.draws.randrange(self.draws.choice((30, 90, 600)))
            self.router.next_run(events=dies_after if self.draws.random() < 0.7 else None, credit=None)
            self.ends.append(asyncio.run(self._run()))
            assert self.router.billed <= self.cap
            if self.ends[-1] == "sealed":
                return

    async def _run(self) -> str:
        budget = BudgetSettings(max_usd=f"{self.cap:f}")
        work = asyncio.create_task(
            probe(self.root, self.world, self._opened, progress=kept_site.Silent(), budget=budget)
        )
        killed = asyncio.create_task(self.router.killed.wait())
        await asyncio.wait((work, killed), return_when=asyncio.FIRST_COMPLETED)
        if not self.router.killed.is_set():
            killed.cancel()
            try:
                await work
            except (BudgetError, PartialNightError) as error:
                return type(error).__name__
            return "sealed"
        journal = self.root.path / f"archive/journal/{NOW.date()}.jsonl"
        as_it_lay = journal.read_bytes()
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.wait(others)
        if not work.cancelled():
            work.exception()
        journal.write_bytes(as_it_lay)
        return "killed"

    @asynccontextmanager
    async def _opened(self, settings: Settings, world: World) -> AsyncIterator[Router]:
        del settings, world
        yield self.router  # type: ignore[misc]

    def _time(self) -> float:
        return self._passed

    async def _sleep(self, seconds: float) -> None:
        self._passed += seconds
        await asyncio.sleep(0)


def nights(path: Path, seeds: range) -> Iterator[Probed]:
    """Yield some nights after all their runs, each under another share of what its plan says that it costs at most."""
    for seed in seeds:
        (path / str(seed)).mkdir()
        night = Probed(path / str(seed), seed, ("0.05", "0.1", "0.2", "0.5", "2")[seed % 5])
        night.pass_by()
        yield night


class TestProbeNeverPassesItsCap:
    def test_in_ten_nights(self, tmp_path: Path):
        """Killed, carried on with, stopped and sealed: after every run the router's account is within the cap."""
        ends = {end for night in nights(tmp_path, range(10)) for end in night.ends}
        assert ends >= {"killed", "BudgetError", "sealed"}

    @pytest.mark.ci
    def test_in_a_hundred_nights(self, tmp_path: Path):
        """The same over 100 nights."""
        ends = {end for night in nights(tmp_path, range(100)) for end in night.ends}
        assert ends >= {"killed", "BudgetError", "sealed"}

    @pytest.mark.parametrize("seed", range(4))
    def test_a_cap_of_what_the_plan_says_at_most_stops_nothing(self, tmp_path: Path, seed: int):
        """Where answers say what they cost, a night under such a cap is asked to its end and sealed."""
        night = Probed(tmp_path, seed, "1", Rules(always_says_the_cost=True))
        for _ in range(RUNS):  # What never reached its endpoint in one run is asked in the next.
            night.router.next_run(events=None, credit=None)
            night.ends.append(asyncio.run(night._run()))
            if night.ends[-1] == "sealed":
                break
        assert set(night.ends) <= {"PartialNightError", "sealed"}
        assert night.ends[-1] == "sealed"
        assert night.router.billed <= night.cap
