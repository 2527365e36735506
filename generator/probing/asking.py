"""One ask to its deciding observation: within the budget, sent again only where the endpoint was never reached."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal

import msgspec

from generator.probing.budget import Budget, Held
from generator.probing.interface import Ask, Reply, Router, Stop
from generator.probing.pauses import pause_s
from generator.probing.wire import ErrorKind, Family, decisive, observe, retryable, stop
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
        """Ask until an observation is decided, the attempts are used up or the run ends.

        Args:
            ask: what to ask of whom.
            spread: from 0 to 1; sets this ask's pauses apart from others'.
        """
        last: Observation | None = None
        for attempt in range(self._settings.attempts):
            await self._hold()
            reserved = await self._reserve(ask)
            if reserved is None:
                break
            reply, last = await self._ask(ask, reserved)
            why = stop(reply)
            if why is not None:
                self.end(why)
                break
            if not retryable(last):
                return Judged(observation=last, decided=decisive(last))
            pause = pause_s(attempt, reply.headers, spread)
            if last.error_kind == ErrorKind.ROUTER_RATE_LIMIT:
                self._held_until = max(self._held_until, self._monotonic() + pause)
            elif attempt + 1 < self._settings.attempts:
                await self._pause(pause)
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
        """Hold the worst case of a request; None where the run has ended, or ends because the cap would be passed."""
        while self.stop is None:
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

    async def _hold(self) -> None:
        """Wait while the router holds back every request."""
        seen: float | None = None
        while self.stop is None and self._held_until != seen:
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
