"""A lease held by a thread of its own, for whoever writes without an event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from generator.stores.lease import Register, Times, leased


@contextmanager
def holding(register: Register[Any], owner: str, times: Times) -> Iterator[Callable[[], None]]:
    """Hold a bucket while inside; what is given raises LockedError once that is not certain any more.

    Args:
        register: the object that it is held by.
        owner: names this run, by what no other at work can have.
        times: how long what takes.

    Raises:
        LockedError: where another run is at work.
    """
    holder = _Holder(register, owner, times)
    thread = threading.Thread(target=holder.run, name="lease")
    thread.start()
    try:
        yield holder.certain.result()
    finally:
        holder.end()
        thread.join()


class _Holder:
    """What the thread runs."""

    def __init__(self, register: Register[Any], owner: str, times: Times) -> None:
        self.certain: Future[Callable[[], None]] = Future()
        """Given once the bucket is held; raises why it is not."""
        self._register = register
        self._owner = owner
        self._times = times
        self._begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = Future()

    def run(self) -> None:
        """Take the bucket and renew the hold until the end."""
        with suppress(asyncio.CancelledError):
            asyncio.run(self._hold())

    def end(self) -> None:
        """Have the thread give the bucket back, or stop to wait for it."""
        loop, task = self._begun.result()
        with suppress(RuntimeError):  # The loop is closed: it has ended.
            loop.call_soon_threadsafe(task.cancel)

    async def _hold(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101 - this is one
        self._begun.set_result((loop, task))
        try:
            async with leased(self._register, self._owner, time.monotonic, self._times) as certain:
                self.certain.set_result(certain)
                await loop.create_future()
        except BaseException as error:  # Whoever waits is told of it, whatever it is.
            if self.certain.done():
                raise
            self.certain.set_exception(error)
