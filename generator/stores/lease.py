"""One writer at a time, by an object that the bucket itself lets only one of them write.

Whoever writes into a bucket creates an object there (create-only), renews it every few seconds by a put that holds only
while nobody else has put it (If-Match), and removes it at the end. No clock is compared with another machine's: a
second writer watches the object. If it changes, somebody is at work. If it does not change for `dead_s`, whoever put it
was killed or cut off, and the watcher takes it over by the same conditional put, which one alone can win. The last one
with the same owner's name is known to be dead, and is followed at once.

A writer begins no put later than `certain_s` after it began its last renewal, and a put is over after `put_s`, which
`addresses` sees to. Both together are less than `dead_s`: what a cut-off one does late is over before another begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Generic, Protocol, TypeVar

import msgspec

from generator.errors import BitdepthError, LockedError, TargetError

_Mark = TypeVar("_Mark")


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """How long what takes, in seconds."""

    renew_s: float = 5
    certain_s: float = 20
    put_s: float = 60
    look_s: float = 1
    """Between two looks at somebody else's object."""
    dead_s: float = 90

    def __post_init__(self) -> None:
        """Refuse times that would let two runs write at once."""
        if self.certain_s + self.put_s >= self.dead_s or self.renew_s >= self.certain_s:
            raise ValueError("expected renew_s < certain_s and certain_s + put_s < dead_s")


class Register(Protocol[_Mark]):
    """One object of a store that takes conditional puts; a mark names one state of it."""

    name: str

    async def create(self, data: bytes) -> _Mark | None:
        """Put it where it is not; return None where it is."""
        ...

    async def update(self, data: bytes, mark: _Mark) -> _Mark | None:
        """Put it in the place of that very state; return None where it is another one, or gone."""
        ...

    async def read(self) -> tuple[bytes, _Mark] | None:
        """Return its bytes and its mark; None where it is not there."""
        ...

    async def remove(self) -> None:
        """Take it away."""
        ...


@asynccontextmanager
async def leased(
    register: Register[_Mark], owner: str, monotonic: Callable[[], float], times: Times
) -> AsyncIterator[Callable[[], None]]:
    """Hold a bucket while inside; what is given raises LockedError once that is not certain any more.

    Raises:
        LockedError: where another run is at work.
    """
    lease = _Lease(register, owner, monotonic, times)
    await lease.take()
    renewing = asyncio.create_task(lease.renew_for_ever())
    try:
        yield lease.check
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        await lease.give_back()


class _Lease(Generic[_Mark]):
    """One run's hold on a bucket."""

    def __init__(self, register: Register[_Mark], owner: str, monotonic: Callable[[], float], times: Times) -> None:
        self._register = register
        self._owner = owner
        self._monotonic = monotonic
        self._times = times
        self._mark: _Mark | None = None
        self._renewals = 0
        self._certain_until = monotonic()

    async def take(self) -> None:
        """Take the bucket, once nobody else has it."""
        while True:
            began = self._monotonic()
            self._mark = await self._register.create(self._body())
            if self._mark is None:
                found = await self._register.read()
                if found is None:  # Given back in between.
                    continue
                if _owner(found[0]) != self._owner:
                    await self._watch(found[0])
                began = self._monotonic()
                self._mark = await self._register.update(self._body(), found[1])
            if self._mark is None:
                raise at_work(self._register.name)
            self._certain_until = began + self._times.certain_s
            break
        await self._refuse_careless()

    async def renew_for_ever(self) -> None:
        """Renew now and then, until the hold is lost. A bucket that cannot be reached is tried again."""
        while self._mark is not None:
            await asyncio.sleep(self._times.renew_s)
            began = self._monotonic()
            with suppress(BitdepthError):
                self._mark = await self._register.update(self._body(), self._mark)
                if self._mark is not None:
                    self._certain_until = began + self._times.certain_s

    def check(self) -> None:
        """Raise LockedError where somebody else may have the bucket by now."""
        if self._mark is None or self._monotonic() > self._certain_until:
            raise at_work(self._register.name)

    async def give_back(self) -> None:
        """Take the object away, where it is certainly one's own; otherwise others find out by watching."""
        if self._mark is not None and self._monotonic() <= self._certain_until:
            with suppress(BitdepthError):
                await self._register.remove()

    async def _refuse_careless(self) -> None:
        """Refuse a store that replaces an object where it is asked to create one: nothing in it would be permanent."""
        replaced = await self._register.create(self._body())
        if replaced is not None:
            with suppress(BitdepthError):
                await self._register.remove()
            raise TargetError(
                "expected a store that refuses to replace an object by a create-only put, found one that does not",
                where=self._register.name,
                do="Use a store that honours If-None-Match: permanent objects are safe in no other",
            )

    async def _watch(self, first: bytes) -> None:
        """Return once somebody else's object has not changed for so long that its run is dead."""
        until = self._monotonic() + self._times.dead_s
        while self._monotonic() < until:
            await asyncio.sleep(self._times.look_s)
            found = await self._register.read()
            if found is None or found[0] != first:
                raise at_work(self._register.name)

    def _body(self) -> bytes:
        """Return the object's bytes, each time others: whoever watches sees that somebody is alive."""
        self._renewals += 1
        return msgspec.json.encode(_Body(owner=self._owner, renewals=self._renewals))


class _Body(msgspec.Struct, frozen=True, kw_only=True):
    owner: str
    renewals: int


def _owner(data: bytes) -> str | None:
    """Return who put the object; None for one that says nothing of the kind."""
    try:
        return msgspec.json.decode(data, type=_Body).owner
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def at_work(name: str) -> LockedError:
    """Return what is raised where another run is at work on a place."""
    return LockedError(
        "expected to be alone, found another run at work",
        where=name,
        do="Wait until it has ended, and run again: what was sent stays, and nothing more is sent by this run",
    )
