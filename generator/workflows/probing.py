"""One night: read the listing, settle identities, ask everything that is not decided yet, and seal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date
from decimal import Decimal

import msgspec

from generator.errors import BudgetError, ContentError, PartialNightError, RouterError, UsageError
from generator.probing.budget import Budget, worst_case
from generator.probing.collect import Collected, collect
from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, Router, Stop
from generator.probing.sealing import ask_key, row_key, undecided
from generator.probing.wire import ErrorKind, unsent
from generator.records.night import NightRecord
from generator.records.observation import Observation, Outcome
from generator.settings import ProbingSettings, Settings
from generator.workflows.planning import SEED_BYTES, as_begun, plan_night, planned_asks
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
    if settings.router.charges and settings.budget.cap is None:
        raise ContentError(
            "expected a cap for a router that charges, found none",
            where="content/site.toml, field 'budget.max_usd'",
            do="Set the most that one night may cost, in US dollars",
        )
    started_at = world.now()
    today = started_at.date()
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
    resumed = chosen in store.unsealed()
    if resumed:
        settings = as_begun(settings, store.load_journal(chosen)[0])
    async with open_router(settings, world) as router:
        if not resumed:
            seed = world.entropy(SEED_BYTES).hex()
            store.start_journal(await plan_night(root, settings, started_at, seed, router, chosen, progress))
        collected = await _collect(root, settings, world, router, chosen, progress, resumed=resumed)
    _require_complete(chosen, collected)
    return Probed(night=chosen, record=seal(root, chosen, progress), overdue=overdue)


async def _collect(  # noqa: PLR0913, PLR0917 - one night between its two ends
    root: Root, settings: Settings, world: World, router: Router, night: date, progress: Progress, *, resumed: bool
) -> Collected:
    """Ask what the journal does not hold yet, and journal each observation as it is decided."""
    store = root.store.nights
    planned, decided = store.load_journal(night)
    asks = planned_asks(planned)
    missing = undecided(asks, decided)
    cap = settings.budget.cap
    unpriced = [ask for ask in missing if cap is not None and worst_case(ask, settings.probing) is None]
    spent = _spent(asks, decided, settings.probing) + (_in_flight(asks, settings.probing) if resumed else Decimal(0))
    with store.open_journal(night) as journal, progress.bar(f"asking, night {night}", len(missing)) as advance:
        for ask in unpriced:
            journal.add(unsent(ask, ErrorKind.UNPRICED))
            advance(1)
        if unpriced:
            progress.say(f"{len(unpriced)} requests are left out: their endpoints list no price, and there is a cap")
        return await collect(
            router,
            [ask for ask in missing if cap is None or worst_case(ask, settings.probing) is not None],
            families=FAMILIES,
            settings=settings.probing,
            budget=Budget(cap, spent=spent),
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


def _in_flight(asks: Sequence[Ask], settings: ProbingSettings) -> Decimal:
    """Return the most that the requests cost which an earlier run had sent when it ended and that nobody heard of."""
    costs = (cost for ask in asks if (cost := worst_case(ask, settings)) is not None)
    return settings.concurrency * max(costs, default=Decimal(0))


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
