"""One night: read the listing, settle identities, ask everything that is not decided yet, and seal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import date

import msgspec

from generator.errors import BudgetError, ContentError, PartialNightError, RouterError, UsageError
from generator.probing.collect import Collected, collect
from generator.probing.families import FAMILIES
from generator.probing.interface import Router, Stop
from generator.probing.sealing import undecided
from generator.probing.wire import ErrorKind, unsent
from generator.records.account import AccountState
from generator.records.night import NightRecord
from generator.settings import BudgetSettings, Settings
from generator.workflows.context import ask_context
from generator.workflows.planning import SEED_BYTES, as_begun, plan_night, planned_asks
from generator.workflows.sealing import seal
from generator.workflows.spending import budget_of, say_unpriced, write_account
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


async def probe(  # noqa: PLR0913 - one night, from both of its ends
    root: Root,
    world: World,
    open_router: RouterOf,
    *,
    progress: Progress,
    night: date | None = None,
    budget: BudgetSettings | None = None,
) -> Probed:
    """Probe today's night, or carry on with one whose journal is not sealed; the caller holds the lock.

    Args:
        root: the site root.
        world: clocks and entropy.
        open_router: makes the router.
        progress: who is told.
        night: an unsealed night to carry on with, instead of today's.
        budget: in place of site.toml's.

    Raises:
        PartialNightError: where something could not be sent yet; the journal is kept.
        BudgetError: where the cap or the router's credit stopped it; the journal is kept.
        RouterError: where no listing can be read, or the key is refused.
    """
    settings = limited(root.content.settings(), budget)
    if settings.router.charges and settings.budget.cap is None:
        raise ContentError(
            "expected a cap for a router that charges, found none",
            where="content/site.toml, field 'budget.max_usd'",
            do="Set the most that one night may cost, in US dollars, or give it with --max-usd",
        )
    started_at = world.now()
    today = started_at.date()
    store = root.store.nights
    chosen = chosen_night(root, today, night)
    for each in set(store.unsealed()) & set(store.kept()):
        store.end_journal(each)  # A run that was killed between the seal and this left it behind.
    last = store.kept()[-1] if store.kept() else date.min
    for each in store.unsealed():
        if each < last:
            progress.say(f"the journal of night {each} is left alone: night {last}, after it, is sealed without it")
    overdue = tuple(seal(root, each, progress) for each in store.unsealed() if last < each < chosen)
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


def limited(settings: Settings, budget: BudgetSettings | None) -> Settings:
    """Return settings with another budget, where there is one."""
    return settings if budget is None else msgspec.structs.replace(settings, budget=budget)


def chosen_night(root: Root, today: date, night: date | None) -> date:
    """Return the night to probe: today's, or one named that is not sealed yet.

    Raises:
        UsageError: where that night is over, lies ahead of the clock, or lies before the last one kept.
    """
    chosen = night or today
    store = root.store.nights
    if chosen != today and chosen not in store.unsealed():
        raise UsageError(
            f"expected today's night ({today}) or one with an unsealed journal, found {chosen}",
            do="A night that is over cannot be measured any more",
        )
    if chosen > today:
        raise UsageError(
            f"expected a night that has begun by now ({today}), found {chosen}",
            do="Check this machine's clock; the journal is kept until that date",
        )
    if store.kept() and chosen not in store.kept() and chosen < store.kept()[-1]:
        raise UsageError(
            f"expected a night after the last one kept ({store.kept()[-1]}), found {chosen}",
            do="Check this machine's clock",
        )
    return chosen


async def _collect(  # noqa: PLR0913, PLR0917 - one night between its two ends
    root: Root, settings: Settings, world: World, router: Router, night: date, progress: Progress, *, resumed: bool
) -> Collected:
    """Ask what the journal does not hold yet, and journal each observation as it is decided."""
    store = root.store.nights
    loaded = store.read_journal(night, mend=True)
    asks = planned_asks(loaded.plan)
    budget = budget_of(settings, loaded, begun=resumed)
    missing = undecided(asks, loaded.observations)
    priced = [ask for ask in missing if budget.hold(ask, settings.probing) is not None]
    say_unpriced(missing, len(missing) - len(priced), budget, progress)
    with store.open_journal(night) as journal:
        write_account(journal, budget, AccountState.BEGUN)
        with progress.bar(f"asking, night {night}", len(missing)) as advance:
            for ask in missing:
                if budget.hold(ask, settings.probing) is None:
                    journal.add(unsent(ask, ErrorKind.UNPRICED))
                    advance(1)
            collected = await collect(
                router,
                priced,
                families=FAMILIES,
                settings=settings.probing,
                budget=budget,
                sink=journal.add,
                progress=lambda _done, _total: advance(1),
                monotonic=world.monotonic,
                sleep=world.sleep,
            )
        if collected.stop is None and not collected.undecided:
            await ask_context(
                loaded.plan,
                loaded.observations,
                journal,
                router=router,
                settings=settings.probing,
                budget=budget,
                world=world,
                progress=progress,
            )
        write_account(journal, budget, AccountState.ENDED)
    return collected


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
                do=f"Raise 'budget.max_usd' in content/site.toml, or give --max-usd. {again}",
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
