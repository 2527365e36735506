"""One night: read the listing, settle identities, ask everything that is not decided yet, and seal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import date

import msgspec

from generator.errors import ContentError, UsageError, VoidNightError
from generator.probing.interface import Router
from generator.records.night import NightRecord, NightState
from generator.settings import BudgetSettings, Settings
from generator.workflows.collecting import ask_missing
from generator.workflows.planning import SEED_BYTES, as_begun, plan_night
from generator.workflows.room import require_room
from generator.workflows.sealing import seal
from generator.workflows.spending import limited
from generator.workflows.stopping import require_complete, void_night
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
    void: VoidNightError | None = None
    """What is to be said of a night that this run sealed void."""


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
        ArchiveError: where the disk has not the room that the night needs; nothing is asked.
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
    past = [each for each in store.unsealed() if last < each < chosen]
    overdue = tuple(seal(root, each, progress, settings.budget).record for each in past)
    if chosen in store.kept():
        progress.say(f"night {chosen} is sealed already: nothing to ask")
        return Probed(night=chosen, record=None, overdue=overdue)
    resumed = chosen in store.unsealed()
    planned = store.load_journal(chosen)[0] if resumed else None
    if planned is not None:
        settings = as_begun(settings, planned)
    require_room(root, planned)
    async with open_router(settings, world) as router:
        if planned is None:
            seed = world.entropy(SEED_BYTES).hex()
            planned = await plan_night(root, settings, started_at, seed, router, chosen, progress)
            require_room(root, planned)
            store.start_journal(planned)
        asked = await ask_missing(root, settings, world, router, chosen, progress, resumed=resumed)
    require_complete(chosen, asked, world.now().date())
    sealed = seal(root, chosen, progress, settings.budget)
    record = sealed.record
    void = void_night(record.reason, sealed.unsent) if record.state is NightState.VOID else None
    return Probed(night=chosen, record=record, overdue=overdue, void=void)


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
