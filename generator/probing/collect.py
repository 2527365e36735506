"""Every ask becomes one observation, or stays undecided with the reason: nothing is lost and nothing decided twice.

The first reply that is the endpoint's decides. What never reached the endpoint is sent again, up to
`settings.attempts` times in all, with a growing pause or the router's `Retry-After`; a 429 of the router's own holds
back every request. An endpoint that nobody gets through to is given up for this run (`giving_up`): what is left of it
stays undecided. A Stop ends the sending at once; what is in flight is awaited and kept.

A fixed number of workers take the asks in the plan's order, but for endpoints that already have their share of
requests in flight (`sending_order`); each ask is asked until it is decided (`asking`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

import msgspec

from generator.errors import UsageError
from generator.probing.asking import Asking, Judged
from generator.probing.budget import Budget
from generator.probing.families import FAMILIES
from generator.probing.giving_up import GivenUp
from generator.probing.interface import Ask, Router, Stop
from generator.probing.sending_order import SendingOrder
from generator.probing.wire import ErrorKind, Family, unsent
from generator.records.observation import Observation
from generator.settings import ProbingSettings

Sink: TypeAlias = Callable[[Observation], None]
"""Takes each decided observation as it is decided: the journal."""
Progress: TypeAlias = Callable[[int, int], None]
"""Told how many asks are decided, and of how many."""

_STOPPED_AS = {
    Stop.NO_CREDIT: ErrorKind.NO_CREDIT,
    Stop.BUDGET: ErrorKind.BUDGET,
    Stop.KEY_REFUSED: ErrorKind.KEY_REFUSED,
    Stop.INTERRUPTED: ErrorKind.INTERRUPTED,
}


class Undecided(msgspec.Struct, frozen=True, kw_only=True):
    """An ask that a later run of the same night can still decide."""

    ask: Ask
    observation: Observation
    """Unsent: what came of the last attempt, or why there was none. Sealed where no later run comes."""


class Collected(msgspec.Struct, frozen=True, kw_only=True):
    """How a collection ended."""

    decided: int
    """Observations handed to the sink."""
    stop: Stop | None
    """Why sending ended early; None where every ask was tried."""
    undecided: tuple[Undecided, ...]
    """In the plan's order."""
    given_up: tuple[GivenUp, ...] = ()
    """Endpoints to which this run sent nothing more; by model and endpoint."""
    cost_usd: Decimal
    """What the router says that this run's requests cost, undecided ones included."""


async def collect(  # noqa: PLR0913 - the two ends, the rules, and each way in which the loop touches the world
    router: Router,
    asks: Sequence[Ask],
    *,
    settings: ProbingSettings,
    budget: Budget,
    sink: Sink,
    progress: Progress,
    monotonic: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]],
    families: Mapping[str, Family] = FAMILIES,
) -> Collected:
    """Return how the collection of some asks ended; each decided observation has gone to the sink by then.

    Cancelling the task once is Stop.INTERRUPTED: requests in flight are awaited and kept. Cancelling it again gives
    them up too, undecided.

    Args:
        router: open.
        asks: in the plan's order.
        settings: concurrency and attempts.
        budget: the night's.
        sink: takes decided observations.
        progress: told after each.
        monotonic: seconds that never run backwards.
        sleep: waits so many seconds.
        families: by kind, how answers are normalised.

    Raises:
        BudgetError: before anything is sent, where there is a cap and an endpoint has no price.
        UsageError: before anything is sent, where a kind has no family.
    """
    missing = {ask.kind for ask in asks} - families.keys()
    if missing:
        raise UsageError(f"expected a family for each kind, found none for {', '.join(sorted(missing))}")
    budget.check(asks)
    asking = Asking(router, families, settings, budget, monotonic=monotonic, sleep=sleep)
    run = _Run(asks, asking, settings.concurrency_per_endpoint, sink, progress)
    workers = [asyncio.create_task(run.work()) for _ in range(min(settings.concurrency, len(asks)))]
    await _finish(run, workers)
    return run.collected()


async def _finish(run: _Run, workers: list[asyncio.Task[None]]) -> None:
    """Wait for every worker, through the first cancellation; raise what one of them was stopped by."""
    interrupted = False
    pending = set(workers)
    while pending:
        try:
            _, pending = await asyncio.wait(pending)
        except asyncio.CancelledError:
            run.asking.end(Stop.INTERRUPTED)
            if interrupted:
                for worker in pending:
                    worker.cancel()
            interrupted = True
            current = asyncio.current_task()
            if current is not None:
                current.uncancel()
    if run.defect is not None:
        raise run.defect


class _Run:
    """One collection under way."""

    def __init__(self, asks: Sequence[Ask], asking: Asking, per_endpoint: int, sink: Sink, progress: Progress) -> None:
        self.asking = asking
        self.defect: BaseException | None = None
        """What the sink, the progress or this program itself raised: it ends the run."""
        self._asks = asks
        self._order = SendingOrder(asks, per_endpoint)
        self._sink = sink
        self._progress = progress
        self._decided = bytearray(len(asks))
        self._last: dict[int, Observation] = {}
        self._count = 0

    async def work(self) -> None:
        """Decide one ask after another until none is left to start, or the run ends."""
        while self.asking.stop is None and (item := self._order.take()) is not None:
            place, ask = item
            try:
                self._keep(place, await self.asking.decide(ask, _spread(place)))
            except KeyboardInterrupt:
                self.asking.end(Stop.INTERRUPTED)
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 - raised again by `_finish`, once what is in flight is kept
                self.defect = self.defect or error
                self.asking.end(Stop.INTERRUPTED)
            finally:
                self._order.done(ask)

    def _keep(self, place: int, judged: Judged) -> None:
        """Hand a decided observation on; remember why another ask is undecided."""
        if judged.decided and judged.observation is not None:
            self._sink(judged.observation)
            self._decided[place] = True
            self._count += 1
            self._progress(self._count, len(self._asks))
        elif judged.observation is not None:
            self._last[place] = judged.observation

    def collected(self) -> Collected:
        """Return how it ended."""
        why = _STOPPED_AS[self.asking.stop or Stop.INTERRUPTED]
        undecided = [
            Undecided(ask=ask, observation=self._last.get(place) or unsent(ask, self.asking.patience.kind(ask) or why))
            for place, ask in enumerate(self._asks)
            if not self._decided[place]
        ]
        return Collected(
            decided=self._count,
            stop=self.asking.stop,
            undecided=tuple(undecided),
            given_up=self.asking.patience.all(),
            cost_usd=self.asking.cost_usd,
        )


def _spread(place: int) -> float:
    """Return a share from 0 to 1 that neighbours in the plan do not share (Fibonacci hashing)."""
    return place * 2_654_435_769 % 2**32 / 2**32
