"""Endpoints that a run gives up, so that one that nobody gets through to holds up neither the others nor the night.

A server that refuses the key which is its own would refuse every request. Requests that a router refuses, or answers
from its cache, attempt after attempt hold back all others too: after some of them in a row the rest wait for a later
run. Where that one ends as the first did, and little is missing, the night is complete with what it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from generator.probing.interface import Ask
from generator.probing.wire_kinds import ErrorKind
from generator.records.observation import Observation

ASKS_IN_A_ROW = 5
"""Refused on every attempt, with nothing decided between. At the four attempts of the settings that is twenty requests
whose pauses double: a limit that passes by itself has passed by then, and at a few requests a minute, which is as fast
as a refused endpoint is asked, a whole night's prompts would take hours."""
ENOUGH_PERCENT = 90
"""Of what a night asks, so much must be decided before it is sealed without the rest. One pool that refuses is less
than a tenth of a night that watches several models; where more is refused, it is the account, which its operator can
mend on the same day."""

ROUTERS = frozenset({ErrorKind.ROUTER_RATE_LIMIT, ErrorKind.CACHE_HIT})
"""What a router does with the requests to one endpoint alone, and may do every night."""


class GivenUp(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint that a run sends nothing more to."""

    model: str
    endpoint: str
    provider: str
    """As listed; of a server that is asked directly, its name in the settings."""
    kind: ErrorKind
    """Of the refusals."""


class Patience:
    """Which endpoints one run has given up, and how near it is to giving up others."""

    def __init__(self) -> None:
        """Start with every endpoint asked."""
        self._in_a_row: Counter[tuple[str, str]] = Counter()
        self._given_up: dict[tuple[str, str], GivenUp] = {}

    def kind(self, ask: Ask) -> ErrorKind | None:
        """Return why an ask's endpoint is given up; None where it is not."""
        given_up = self._given_up.get(_endpoint(ask))
        return None if given_up is None else given_up.kind

    def decided(self, ask: Ask) -> None:
        """Take note that an ask was decided."""
        self._in_a_row.pop(_endpoint(ask), None)

    def refused(self, ask: Ask, kinds: Sequence[str]) -> None:
        """Take note of an ask that is undecided after all its attempts.

        Args:
            ask: what was asked of whom.
            kinds: what came of each attempt, the last one last.
        """
        if any(kind not in ROUTERS for kind in kinds):
            return
        self._in_a_row[_endpoint(ask)] += 1
        if self._in_a_row[_endpoint(ask)] == ASKS_IN_A_ROW:
            self.give_up(ask, ErrorKind(kinds[-1]))

    def give_up(self, ask: Ask, kind: ErrorKind) -> None:
        """Send nothing more to an ask's endpoint in this run; the first reason stays."""
        found = GivenUp(model=ask.model, endpoint=ask.endpoint, provider=ask.provider, kind=kind)
        self._given_up.setdefault(_endpoint(ask), found)

    def all(self) -> tuple[GivenUp, ...]:
        """Return the endpoints that were given up, by model and endpoint."""
        return tuple(self._given_up[key] for key in sorted(self._given_up))


def complete_without(left: Iterable[Observation], *, decided: int) -> bool:
    """True where a night that an earlier run began may be sealed without what is left of it.

    Args:
        left: what came in this run of each ask that is undecided.
        decided: how many are decided, by any run.
    """
    kinds = [row.error_kind for row in left]
    enough = 100 * decided >= ENOUGH_PERCENT * (decided + len(kinds))
    return enough and all(kind in ROUTERS for kind in kinds)


def _endpoint(ask: Ask) -> tuple[str, str]:
    return (ask.model, ask.endpoint)
