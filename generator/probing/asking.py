"""One ask to its deciding observation: within the budget, sent again only where the endpoint was never reached.

A server that is asked directly and refuses its key decides nothing: its operator can mend the key and run again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal

import msgspec

from generator.probing.budget import Budget, Held
from generator.probing.giving_up import Patience
from generator.probing.interface import Ask, Reply, Router, Stop
from generator.probing.pauses import pause_s
from generator.probing.wire import ErrorKind, Family, decisive, observe, own_key_refused, retryable, stop
from generator.records.observation import Observation, Outcome
from generator.settings import ProbingSettings


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one ask in this run."""

    observation: Observation | None
    """The deciding one, or the last of the attempts; None where nothing was sent."""
    decided: bool


class Asking:
    """Everything that the requests of one run share: budget, the router's hold, and whether sending has ended."""

    def __init__(  # noqa: PLR0913 - the router, the rules, and the two ways in which waiting touches the world
        self,
        router: Router,
        families: Mapping[str, Family],
        settings: ProbingSettings,
        budget: Budget,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        """Start with nothing sent; the arguments are those of `collect`."""
        self.stop: Stop | None = None
        self.cost_usd = Decimal(0)
        """What the router says that the requests so far cost."""
        self.patience = Patience()
        self._router = router
        self._families = families
        self._settings = settings
        self._budget = budget
        self._monotonic = monotonic
        self._sleep = sleep
        self._held_until = monotonic()
        self._in_flight = 0
        self._stopped = asyncio.Event()
        self._settled = asyncio.Event()

    def end(self, why: Stop) -> None:
        """Send nothing more; the first reason stays."""
        self.stop = self.stop or why
        self._stopped.set()
        self._settled.set()

    async def decide(self, ask: Ask, spread: float) -> Judged:
        """Ask until an observation is decided, the attempts are used up, the endpoint is given up or the run ends.

        Args:
            ask: what to ask of whom.
            spread: from 0 to 1; sets this ask's pauses apart from others'.
        """
        kinds: list[str] = []
        last: Observation | None = None
        for attempt in range(self._settings.attempts):
            await self._hold(ask)
            reserved = await self._reserve(ask)
            if reserved is None:
                break
            reply, last = await self._ask(ask, reserved)
            why = stop(reply)
            if why is not None:
                self.end(why)
                break
            refused = own_key_refused(reply)
            if refused is not None:
                self.patience.give_up(ask, refused)
                break
            if not retryable(last):
                decided = decisive(last)
                if decided:
                    self.patience.decided(ask)
                return Judged(observation=last, decided=decided)
            kinds.append(last.error_kind or "")
            pause = pause_s(attempt, reply.headers, spread)
            if last.error_kind == ErrorKind.ROUTER_RATE_LIMIT:
                self._held_until = max(self._held_until, self._monotonic() + pause)
            elif attempt + 1 < self._settings.attempts:
                await self._pause(pause)
        else:
            self.patience.refused(ask, kinds)
        return Judged(observation=last, decided=False)

    async def _ask(self, ask: Ask, reserved: Held) -> tuple[Reply, Observation]:
        """Send one request, judge what came back and settle its cost."""
        cost: Decimal | None = None
        self._in_flight += 1
        try:
            reply = await self._router.ask(ask)
            observation = observe(ask, reply, self._families[ask.kind])
            cost = observation.cost_usd
            self.cost_usd += cost or Decimal(0)
            if observation.outcome is Outcome.UNSENT:
                # What never reached the endpoint made no tokens.
                cost = cost or Decimal(0)
            return reply, observation
        finally:
            self._in_flight -= 1
            self._budget.settle(reserved, cost)
            self._settled.set()

    async def _reserve(self, ask: Ask) -> Held | None:
        """Hold the worst case of a request; None where nothing more is sent, or the cap would be passed."""
        while self._sends(ask):
            reserved = self._budget.reserve(ask, self._settings)
            if reserved is not None:
                return reserved
            if not self._in_flight:
                self.end(Stop.BUDGET)
                break
            # Requests in flight mostly cost less than was held for them.
            self._settled.clear()
            await self._settled.wait()
        return None

    def _sends(self, ask: Ask) -> bool:
        """True while the run goes on and has not given up an ask's endpoint."""
        return self.stop is None and self.patience.kind(ask) is None

    async def _hold(self, ask: Ask) -> None:
        """Wait while the router holds back every request."""
        seen: float | None = None
        while self._sends(ask) and self._held_until != seen:
            seen = self._held_until
            left = seen - self._monotonic()
            if left > 0:
                await self._pause(left)

    async def _pause(self, seconds: float) -> None:
        """Wait, or until the run ends."""
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        ending = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((sleeping, ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            ending.cancel()
            await asyncio.gather(sleeping, ending, return_exceptions=True)
