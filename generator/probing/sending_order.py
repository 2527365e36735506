"""Which ask starts next: the plan's order, but for endpoints that have their share of requests in flight."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence

from generator.probing.interface import Ask


class SendingOrder:
    """The asks still to start, each with its place in the plan, and how many each endpoint has in flight.

    An ask whose endpoint is full waits aside and is handed on by the request that makes room, so that every ask is
    moved twice at most.
    """

    def __init__(self, asks: Sequence[Ask], per_endpoint: int) -> None:
        """Start with everything to do.

        Args:
            asks: in the plan's order.
            per_endpoint: requests in flight at once to one endpoint.
        """
        self._rest: Iterator[tuple[int, Ask]] = iter(enumerate(asks))
        self._per_endpoint = per_endpoint
        self._in_flight: Counter[tuple[str, str]] = Counter()
        self._aside: dict[tuple[str, str], deque[tuple[int, Ask]]] = {}
        self._ready: deque[tuple[int, Ask]] = deque()

    def take(self) -> tuple[int, Ask] | None:
        """Return the next ask whose endpoint has room, with its place, or None.

        None is final for the worker that gets it: whatever still waits aside is handed to the workers that make
        room for it.
        """
        if self._ready:
            return self._ready.popleft()
        for place, ask in self._rest:
            endpoint = (ask.model, ask.endpoint)
            if self._in_flight[endpoint] < self._per_endpoint:
                self._in_flight[endpoint] += 1
                return place, ask
            self._aside.setdefault(endpoint, deque()).append((place, ask))
        return None

    def done(self, ask: Ask) -> None:
        """Make room: hand it to the next ask of the endpoint, if one waits."""
        endpoint = (ask.model, ask.endpoint)
        aside = self._aside.get(endpoint)
        if aside:
            self._ready.append(aside.popleft())
        else:
            self._in_flight[endpoint] -= 1
