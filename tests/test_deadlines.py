"""Deadlines run on the monotonic clock: each ends a request by itself, whatever the clock on the wall does."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest

from generator.probing.interface import End, Reply
from generator.probing.openrouter import OpenRouter
from generator.settings import ProbingSettings
from tests.fault_server import FaultServer, Script, answer, drip, head, held_open, run, silence
from tests.probing_makers import ask, completion

NEVER_S = 15
SOON_S = 0.3


def replied(script: Script, *, total_s: float = NEVER_S, idle_s: float = NEVER_S) -> tuple[Reply, float]:
    """Return what one ask gives, and after how many seconds."""

    async def asked() -> tuple[Reply, float]:
        server = FaultServer(script)
        settings = ProbingSettings(total_deadline_s=total_s, idle_deadline_s=idle_s)
        loop = asyncio.get_running_loop()
        async with (
            server.open(),
            OpenRouter(server.address, None, settings, lambda: datetime.now(UTC), loop.time) as router,
        ):
            began = time.monotonic()
            reply = await router.ask(ask())
            return reply, time.monotonic() - began

    return run(asked())


class TestEachDeadlineAlone:
    @pytest.mark.parametrize("script", [silence(), held_open(head(200, content_length=9)), drip(b" ", 5)])
    def test_idle(self, script: Script):
        """A pause that is too long ends a request, before headers, before a body and within one."""
        reply, seconds = replied(script, idle_s=SOON_S)
        assert reply.end is End.TIMED_OUT
        assert SOON_S <= seconds < SOON_S + 1

    @pytest.mark.parametrize("script", [silence(), drip(b" ", 0.05)])
    def test_total(self, script: Script):
        """A request that takes too long is ended although it never pauses for long."""
        reply, seconds = replied(script, total_s=SOON_S)
        assert reply.end is End.TIMED_OUT
        assert SOON_S <= seconds < SOON_S + 1

    def test_a_slow_answer_in_time(self):
        """What comes bit by bit within both deadlines is whole."""
        body = b'{"choices": []}'

        async def slowly(writer: asyncio.StreamWriter) -> None:
            writer.write(head(200, content_length=len(body)))
            for at in range(len(body)):
                await asyncio.sleep(0.03)
                writer.write(body[at : at + 1])

        reply, seconds = replied(slowly, total_s=5, idle_s=SOON_S)
        assert (reply.end, reply.body) == (End.COMPLETE, body)
        assert seconds > SOON_S


class TestTheClockOnTheWall:
    @pytest.mark.parametrize("step", [timedelta(days=-400), timedelta(days=400)])
    def test_setting_it_moves_no_deadline_and_no_latency(self, step: timedelta):
        """A clock that is set by a year while a request is under way changes nothing but the date of the next."""
        now = [datetime(2026, 11, 29, 3, tzinfo=UTC)]

        async def asked() -> list[Reply]:
            async def later(writer: asyncio.StreamWriter) -> None:
                now[0] += step
                await asyncio.sleep(0.05)
                await answer(completion())(writer)

            server = FaultServer(later)
            settings = ProbingSettings(total_deadline_s=5, idle_deadline_s=5)
            loop = asyncio.get_running_loop()
            async with server.open(), OpenRouter(server.address, None, settings, lambda: now[0], loop.time) as router:
                return [await router.ask(ask()) for _ in range(2)]

        first, second = run(asked())
        assert (first.end, second.end) == (End.COMPLETE, End.COMPLETE)
        assert first.requested_at == datetime(2026, 11, 29, 3, tzinfo=UTC)
        assert second.requested_at == datetime(2026, 11, 29, 3, tzinfo=UTC) + step
        assert all(50 <= (reply.latency_ms or 0) < 2000 for reply in (first, second))
