"""Ask a night's context probes, after everything that is graded: no trouble with them is any trouble of the night."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from generator.archive.journal import Journal
from generator.probing.budget import Budget
from generator.probing.collect import collect
from generator.probing.interface import Ask, Router, Stop
from generator.probing.sealing import undecided
from generator.probing.wire import ErrorKind, unsent
from generator.records.night import NightPlan
from generator.records.observation import Observation
from generator.settings import ProbingSettings
from generator.workflows.planning import planned_context_asks
from generator.workflows.world import Progress, World


async def ask_context(  # noqa: PLR0913 - the night, both of its ends, and the world
    planned: NightPlan,
    decided: Sequence[Observation],
    journal: Journal,
    *,
    router: Router,
    settings: ProbingSettings,
    budget: Budget,
    world: World,
    progress: Progress,
) -> None:
    """Journal one observation for each context probe that has none: what came of it, or unsent with the reason.

    One whose endpoint lists no price is left out under a cap, and has none.

    A probe is given up where the money left does not reach for its worst case, the others are asked all the same;
    and where the key, the credit, the network or the operator ends the sending, the rest are given up. As in
    `collect`, cancelling once awaits what is in flight, cancelling again gives that up too.

    Args:
        planned: the night.
        decided: what its journal held when this run began.
        journal: open.
        router: open.
        settings: as the night was begun with.
        budget: what is left of it after the graded requests.
        world: clocks.
        progress: who is told.

    Raises:
        ArchiveError: where the journal cannot take an observation.
    """
    probes = undecided(planned_context_asks(planned), decided)
    missing = tuple(ask for ask in probes if budget.hold(ask, settings) is not None)
    if not missing:
        return
    with progress.bar(f"context probes, night {planned.night}", len(missing)) as advance:

        def keep(row: Observation) -> None:
            journal.add(row)
            advance(1)

        # Each round ends with nothing in flight. One that the budget ended leaves an ask that does not fit any more,
        # which the next round gives up.
        while True:
            within, given_up = _within(missing, settings, budget)
            for row in given_up:
                keep(row)
            collected = await collect(
                router,
                within,
                settings=settings,
                budget=budget,
                sink=keep,
                progress=lambda _done, _total: None,
                monotonic=world.monotonic,
                sleep=world.sleep,
            )
            if collected.stop is Stop.BUDGET:
                missing = tuple(each.ask for each in collected.undecided)
                continue
            for each in collected.undecided:
                keep(each.observation)
            return


def _within(asks: Iterable[Ask], settings: ProbingSettings, budget: Budget) -> tuple[list[Ask], list[Observation]]:
    """Return the asks that the budget reaches for while nothing is in flight, and the others as unsent."""
    within: list[Ask] = []
    given_up: list[Observation] = []
    for ask in asks:
        if (reserved := budget.reserve(ask, settings)) is None:
            given_up.append(unsent(ask, ErrorKind.BUDGET))
        else:
            budget.settle(reserved, Decimal(0))
            within.append(ask)
    return within, given_up
