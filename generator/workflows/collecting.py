"""Ask what a night's journal does not hold yet, and journal each observation as it is decided.

Endpoints without a price are left out under a cap and stay undecided, so that a later run of the night may ask them;
they keep it from nothing. So do, on a night that an earlier run began, a few requests that a router refused again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from generator.archive.journal import Journal
from generator.probing.budget import Budget
from generator.probing.collect import Collected, collect
from generator.probing.giving_up import ASKS_IN_A_ROW, ROUTERS, GivenUp, complete_without
from generator.probing.interface import Router
from generator.probing.sealing import kinds_text, undecided
from generator.records.account import AccountState
from generator.records.figures import counted
from generator.settings import Settings
from generator.workflows.context import ask_context
from generator.workflows.planning import planned_asks, planned_context_asks
from generator.workflows.spending import budget_of, say_unpriced, write_account
from generator.workflows.world import Progress, Root, World

_SHOWN = 5


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """How a run's asking ended, and how far the night is."""

    collected: Collected
    """Of this run; nothing is undecided where the night is complete."""
    kept: int
    """Graded observations in the journal, of this run and those before it."""
    planned: int
    """Graded observations that the night set out for."""
    budget: Budget
    """After it."""


async def ask_missing(  # noqa: PLR0913, PLR0917 - one night between its two ends
    root: Root, settings: Settings, world: World, router: Router, night: date, progress: Progress, *, resumed: bool
) -> Asked:
    """Return how the asking of what is missing of a night ended; its context probes follow where it is complete."""
    store = root.store.nights
    loaded = store.read_journal(night, mend=True)
    asks = planned_asks(loaded.plan)
    budget = budget_of(settings, loaded, begun=resumed)
    missing = undecided(asks, loaded.observations)
    priced = [ask for ask in missing if budget.hold(ask, settings.probing) is not None]
    probes = undecided(planned_context_asks(loaded.plan), loaded.observations)
    say_unpriced((*missing, *probes), budget, settings.probing, progress)
    before = len(asks) - len(missing)
    with store.open_journal(night) as journal:
        write_account(journal, budget, AccountState.BEGUN)
        with progress.bar(f"asking, night {night}", len(priced)) as advance:
            collected = await collect(
                router,
                priced,
                settings=settings.probing,
                budget=budget,
                sink=journal.add,
                progress=lambda _done, _total: advance(1),
                monotonic=world.monotonic,
                sleep=world.sleep,
            )
        _say_given_up([each for each in collected.given_up if each.kind in ROUTERS], progress)
        if resumed and collected.stop is None:
            collected = _without_refused(collected, before, journal, progress)
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
    return Asked(collected=collected, kept=before + collected.decided, planned=len(asks), budget=budget)


def _say_given_up(given_up: Sequence[GivenUp], progress: Progress) -> None:
    """Say which endpoints a router let nobody through to."""
    if given_up:
        names = ", ".join(f"{each.endpoint} of {each.model} ({each.kind})" for each in given_up[:_SHOWN])
        more = f" and {len(given_up) - _SHOWN:,} more" if len(given_up) > _SHOWN else ""
        why = f"after {ASKS_IN_A_ROW} requests in a row that the router did not pass on"
        progress.say(f"given up for this run, {why}: {names}{more}")


def _without_refused(collected: Collected, before: int, journal: Journal, progress: Progress) -> Collected:
    """Return a collection with what the router refused again journalled as unsent, where so little is left of it."""
    rows = [each.observation for each in collected.undecided]
    decided = before + collected.decided
    if not rows or not complete_without(rows, decided=decided):
        return collected
    for row in rows:
        journal.add(row)
    progress.say(
        f"{counted(len(rows), 'request')} of {decided + len(rows):,} did not get past the router in this run either "
        f"({kinds_text(rows)}): unsent, and the night is complete without them"
    )
    return msgspec.structs.replace(collected, decided=collected.decided + len(rows), undecided=())
