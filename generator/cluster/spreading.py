"""Which tasks a piece of work is, and what each waits for; results come in the order of one process alone.

A span is a week of windows. Each night is tallied once for the spans that need it; each (model, span) is one task; each
span's shares are put together by one more. A few spans are under way at a time, so that neither the workers nor
whoever asks ever holds more than those, however long the archive is.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from datetime import date
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from generator.archive.nights import KeptNight
from generator.cluster import tasks
from generator.cluster.connection import Client
from generator.cluster.likeness import place_of, require_alike
from generator.errors import BitdepthError, ClusterError
from generator.verification.findings import Findings
from generator.workflows.checking import WindowCheck, check_window, grades_place, window_check
from generator.workflows.issuing import Issuing, WindowPlan
from generator.workflows.spread import WindowFiles
from generator.workflows.windows import Windows
from generator.workflows.world import Progress, Root

SPAN = 7
"""Windows that one task makes for a model: a tally is then fetched for two spans at most."""
AHEAD = 2
"""Tasks that are under way for each thread of a worker, at least."""
PATIENCE_S = 30
"""How long nothing comes before it is said that no worker is there."""

Future: TypeAlias = Any
"""Dask's."""
_Result: TypeAlias = Any
"""Of whatever was submitted."""

_Plan = TypeVar("_Plan", WindowPlan, WindowCheck, date)
_Made = TypeVar("_Made")
_Submit = Callable[[Sequence[_Plan], int], Future]
"""Submits the tasks of a span with a priority, and returns the future of its results, one for each plan."""


class DaskSpread:
    """Spreads the windows and nights of one site root over the workers of a Dask client."""

    def __init__(self, client: Client, root: Root, progress: Progress) -> None:
        """Look whether every worker reads this root.

        Args:
            client: of Dask's.
            root: the site root; what is written to it is written by this process alone.
            progress: who is told when no worker is left.

        Raises:
            ClusterError: where one reads another, or none.
        """
        self._client = client
        self._root = root
        self._progress = progress
        self._place = place_of(root)
        self._models: dict[date, frozenset[str]] = {}
        require_alike(client, self._place)

    def issue(self, windows: Windows, shared: Issuing, plans: Sequence[WindowPlan]) -> Iterator[WindowFiles]:
        """Yield the files of each window, in the order of the plans."""
        submit, tallies = self._client.submit, _Tallies(self, windows)
        context = submit(_same, shared, pure=False)

        def span(some: Sequence[WindowPlan], priority: int) -> Future:
            nights = sorted(set(chain.from_iterable(plan.nights for plan in some)))
            counted = tallies.of(nights, priority)
            replaced = [submit(tasks.earlier, self._place, plan, pure=False, priority=priority) for plan in some]
            shares = [
                submit(
                    tasks.share,
                    self._place,
                    context,
                    some,
                    model,
                    counted,
                    replaced,
                    pure=False,
                    priority=priority,
                )
                for model in self._models_of(windows, nights)
            ]
            return submit(tasks.files, some, shares, pure=False, priority=priority)

        return self._in_order(plans, span)

    def check_nights(self, nights: Sequence[date]) -> Iterator[Findings]:
        """Yield what counting each night anew finds, in order."""

        def span(some: Sequence[date], priority: int) -> Future:
            found = [
                self._client.submit(tasks.night_findings, self._place, night, pure=False, priority=priority)
                for night in some
            ]
            return self._client.submit(_same, found, pure=False, priority=priority)

        return self._in_order(nights, span)

    def check_windows(self, windows: Windows, ends: Sequence[date]) -> Iterator[Findings]:
        """Yield what making the grades of each window anew finds, in order.

        One whose manifest cannot be read is looked at here, where that is what is found.
        """
        asked: dict[date, WindowCheck] = {}
        for end in ends:
            broken = Findings()
            with broken.reading(grades_place(windows.method.version, end)):
                asked[end] = window_check(self._root, windows, end)
        found = self._in_order(tuple(asked.values()), self._recount_span(windows))
        for end in ends:
            yield next(found) if end in asked else check_window(self._root, windows, end)

    def _recount_span(self, windows: Windows) -> _Submit[WindowCheck]:
        submit, tallies = self._client.submit, _Tallies(self, windows)
        context = submit(_same, windows.method, pure=False)
        recorded = submit(_same, windows.counting(()), pure=False)

        def span(some: Sequence[WindowCheck], priority: int) -> Future:
            nights = sorted(set(chain.from_iterable(each.nights for each in some)))
            counted = tallies.of(nights, priority)
            shares = [
                submit(tasks.recount, context, recorded, some, model, counted, pure=False, priority=priority)
                for model in self._models_of(windows, nights)
            ]
            return submit(tasks.window_findings, self._place, context, some, shares, pure=False, priority=priority)

        return span

    def submit_tally(self, windows: Windows, kept: KeptNight, priority: int) -> Future:
        """Return the future of a night's tally."""
        definition = windows.method.definition
        return self._client.submit(
            tasks.tally, self._place, kept, windows.hidden, definition, pure=False, priority=priority
        )

    def _models_of(self, windows: Windows, nights: Sequence[date]) -> list[str]:
        """Return every model that some nights list, sorted; each night's are read once while it is needed."""
        store = self._root.store.nights
        self._models = {
            night: self._models.get(night)
            or frozenset(store.table(windows.nights[night].record, "listings").column("model").to_pylist())
            for night in nights
        }
        return sorted(frozenset().union(*self._models.values()))

    def _in_order(self, plans: Sequence[_Plan], submit: _Submit[_Plan]) -> Iterator[_Result]:
        """Yield the result of each plan; so many spans are under way that no worker is idle."""
        spans = [plans[first : first + SPAN] for first in range(0, len(plans), SPAN)]
        under_way: deque[Future] = deque()
        for number, some in enumerate(spans):
            under_way.append(self._submitted(submit, some, -number))
            if len(under_way) > self._spans_ahead():
                yield from self._result(under_way.popleft())
        while under_way:
            yield from self._result(under_way.popleft())

    @staticmethod
    def _submitted(submit: _Submit[_Plan], some: Sequence[_Plan], priority: int) -> Future:
        """Return the future of a span.

        Raises:
            ClusterError: where there is no scheduler any more that would take it.
        """
        try:
            return submit(some, priority)
        except Exception as error:
            if type(error).__name__ != "ClosedClientError":
                raise
            raise _lost("a connection that was closed") from None

    def _spans_ahead(self) -> int:
        """Return how many spans are begun before the first of them is waited for."""
        tasks_of_a_span = max(1, len(frozenset().union(*self._models.values())))
        return max(1, math.ceil(AHEAD * self._threads() / tasks_of_a_span))

    def _threads(self) -> int:
        """Return how many tasks all workers can do at a time; 0 where there is no worker, or nobody to say so."""
        threads: int = self._client.scheduler_info().get("total_threads", 0)
        return threads

    def _result(self, future: Future) -> _Result:
        """Return what a future comes to.

        Raises:
            ClusterError: where it never will.
        """
        while True:
            try:
                return future.result(timeout=PATIENCE_S)
            except TimeoutError:
                if not self._threads():
                    self._progress.say("no worker is left: waiting for one to join the scheduler")
            except BitdepthError:
                raise
            except (CancelledError, OSError) as error:
                raise _lost(type(error).__name__) from None
            except Exception as error:
                if type(error).__name__ != "KilledWorker":
                    raise
                raise _lost("workers that ended, one after another, at the same task") from None


class _Tallies:
    """The tallies of the nights that spans need, each asked for once."""

    def __init__(self, spread: DaskSpread, windows: Windows) -> None:
        self._spread = spread
        self._windows = windows
        self._held: dict[date, Future] = {}

    def of(self, nights: Sequence[date], priority: int) -> list[Future]:
        """Return the future of each night's tally; those of other nights are let go."""
        self._held = {
            night: self._held.get(night)
            or self._spread.submit_tally(self._windows, self._windows.nights[night], priority)
            for night in nights
        }
        return list(self._held.values())


def _same(value: _Made) -> _Made:
    return value


def _lost(found: str) -> ClusterError:
    return ClusterError(
        f"expected what a worker was asked for, found {found}",
        where="the scheduler",
        do="Look at its log and at the workers' memory, and run the same command again: what was kept stays",
    )
