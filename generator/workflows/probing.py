"""One night: read the listing, settle identities, ask everything that is not decided yet, and seal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date
from decimal import Decimal

import msgspec

from generator.errors import BudgetError, PartialNightError, RouterError, UsageError
from generator.probing.budget import Budget, worst_case
from generator.probing.collect import Collected, collect
from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, Router, Stop
from generator.probing.sealing import ask_key, row_key, undecided
from generator.records.night import NightRecord
from generator.records.observation import Observation, Outcome
from generator.settings import ProbingSettings, Settings
from generator.workflows.planning import plan_night, planned_asks
from generator.workflows.sealing import seal
from generator.workflows.world import Progress, Root, World

RouterOf = Callable[[Settings, World], AbstractAsyncContextManager[Router]]
"""Makes the router that settings name, with the clocks of a world; its connections end with the context."""


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe did."""

    night: date
    record: NightRecord | None
    """The night as sealed; None where it was sealed before this run."""
    overdue: tuple[NightRecord, ...]
    """Earlier nights that this run sealed."""


async def probe(
    root: Root, world: World, open_router: RouterOf, *, progress: Progress, night: date | None = None
) -> Probed:
    """Probe today's night, or carry on with one whose journal is not sealed; the caller holds the lock.

    Args:
        root: the site root.
        world: clocks and entropy.
        open_router: makes the router.
        progress: who is told.
        night: an unsealed night to carry on with, instead of today's.

    Raises:
        PartialNightError: where something could not be sent yet; the journal is kept.
        BudgetError: where the cap or the router's credit stopped it; the journal is kept.
        RouterError: where no listing can be read, or the key is refused.
    """
    settings = root.content.settings()
    today = world.now().date()
    chosen = night or today
    store = root.store.nights
    if chosen != today and chosen not in store.unsealed():
        raise UsageError(
            f"expected today's night ({today}) or one with an unsealed journal, found {chosen}",
            do="A night that is over cannot be measured any more",
        )
    if store.kept() and chosen not in store.kept() and chosen < store.kept()[-1]:
        raise UsageError(
            f"expected a night after the last one kept ({store.kept()[-1]}), found {chosen}",
            do="Check this machine's clock",
        )
    for each in set(store.unsealed()) & set(store.kept()):
        store.end_journal(each)  # A run that was killed between the seal and this left it behind.
    overdue = tuple(seal(root, each, progress) for each in store.unsealed() if each < min(chosen, today))
    if chosen in store.kept():
        progress.say(f"night {chosen} is sealed already: nothing to ask")
        return Probed(night=chosen, record=None, overdue=overdue)
    async with open_router(settings, world) as router:
        if chosen not in store.unsealed():
            store.start_journal(await plan_night(root, settings, world, router, chosen))
        collected = await _collect(root, settings, world, router, chosen, progress)
    _require_complete(chosen, collected)
    return Probed(night=chosen, record=seal(root, chosen, progress), overdue=overdue)


async def _collect(  # noqa: PLR0913, PLR0917 - one night between its two ends
    root: Root, settings: Settings, world: World, router: Router, night: date, progress: Progress
) -> Collected:
    """Ask what the journal does not hold yet, and journal each observation as it is decided."""
    store = root.store.nights
    planned, decided = store.load_journal(night)
    asks = planned_asks(planned)
    missing = undecided(asks, decided)
    with store.open_journal(night) as journal, progress.bar(f"asking, night {night}", len(missing)) as advance:
        return await collect(
            router,
            missing,
            families=FAMILIES,
            settings=settings.probing,
            budget=Budget(settings.budget.max_usd, spent=_spent(asks, decided, settings.probing)),
            sink=journal.add,
            progress=lambda _done, _total: advance(1),
            monotonic=world.monotonic,
            sleep=world.sleep,
        )


def _spent(asks: Sequence[Ask], decided: Sequence[Observation], settings: ProbingSettings) -> Decimal:
    """Return what an earlier run of the night spent: by the answers' own account, else each one's worst case."""
    worst = {ask_key(ask): worst_case(ask, settings) for ask in asks}
    costs = (
        row.cost_usd if row.cost_usd is not None else worst[row_key(row)]
        for row in decided
        if row.outcome != Outcome.UNSENT
    )
    return sum((cost for cost in costs if cost is not None), start=Decimal(0))


def _require_complete(night: date, collected: Collected) -> None:
    """Raise what ended the asking, where anything is left to ask; the journal keeps what was decided."""
    left = f"{collected.decided} observations are kept, {len(collected.undecided)} are missing"
    again = "Run the same command again to carry on"
    match collected.stop:
        case Stop.NO_CREDIT:
            raise BudgetError(
                f"the router reports no credit: {left}", where=f"night {night}", do=f"Add credit. {again}"
            )
        case Stop.BUDGET:
            raise BudgetError(
                f"the next request could pass the budget's cap: {left}",
                where=f"night {night}",
                do=f"Raise 'budget.max_usd' in content/site.toml. {again}",
            )
        case Stop.KEY_REFUSED:
            raise RouterError(
                f"the router refused the key: {left}", where=f"night {night}", do=f"Mend the key. {again}"
            )
        case Stop.INTERRUPTED:
            raise PartialNightError(f"interrupted: {left}", where=f"night {night}", do=again)
        case None if collected.undecided:
            raise PartialNightError(
                f"some requests never reached their endpoint: {left}", where=f"night {night}", do=again
            )
        case None:
            return
