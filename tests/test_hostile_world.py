"""Whatever a server on the other end does ends in time, is judged as the method says, and costs no other ask."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tiers import few

from generator.probing.budget import Budget
from generator.probing.collect import Collected, collect
from generator.probing.interface import Ask, End, Reply
from generator.probing.openrouter import OpenRouter
from generator.records.observation import Observation
from generator.settings import Key
from tests.fault_server import FaultServer, answer, followed, head, run
from tests.hostile_client import AT_ONCE
from tests.hostile_faults import FAULTS, GOOD, Fault, faults
from tests.probing_makers import ask, completion, prompt, with_settings

LIMIT_S = 1.6
SETTINGS = with_settings(
    total_deadline_s=LIMIT_S, idle_deadline_s=1.2, max_body_bytes=1_000_000, attempts=1, concurrency=4
)
NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
OTHERS = 12
MEMORY_MB = 64
WRONG = json.dumps(completion("London")).encode()
ROOT = Path(__file__).parents[1]


def asked(tag: str, number: int = 0) -> Ask:
    """Return an ask that is pinned to a tag."""
    return ask(endpoint=tag, tag=tag, prompt=prompt(prompt_id=f"capital-f{number:03}"))


async def collected(server: FaultServer, asks: list[Ask]) -> tuple[Collected, list[Observation]]:
    """Collect asks from a server, through the client that a night uses."""
    seen: list[Observation] = []
    loop = asyncio.get_running_loop()
    async with OpenRouter(server.address, Key("sk-hostile-world"), SETTINGS, lambda: NOW, loop.time) as router:
        done = await collect(
            router,
            asks,
            settings=SETTINGS,
            budget=Budget(None),
            sink=seen.append,
            progress=lambda _done, _total: None,
            monotonic=loop.time,
            sleep=asyncio.sleep,
        )
    return done, seen


class TestEachFault:
    """Each ends within a second of its limit, is judged as the method says, and the night goes on."""

    @pytest.mark.parametrize("name", few([fault.name for fault in FAULTS], 5))
    def test_it_ends_in_time_and_costs_the_others_nothing(self, name: str):
        """The fault has its own outcome, within two seconds of the deadline; every other ask is answered."""

        async def night() -> tuple[Fault, Collected, list[Observation], float, FaultServer]:
            elsewhere = FaultServer(answer(completion()))
            async with elsewhere.open():
                (fault,) = (each for each in faults(elsewhere.address) if each.name == name)
                server = FaultServer(answer(completion()))
                server.tags = {"hostile": fault.script}
                asks = [asked("elm", number) for number in range(OTHERS)]
                async with server.open():
                    began = time.monotonic()
                    done, seen = await collected(server, [*asks[:3], asked("hostile"), *asks[3:]])
                    return fault, done, seen, time.monotonic() - began, elsewhere

        fault, done, seen, seconds, elsewhere = run(night())
        assert seconds < LIMIT_S + 2
        outcomes = Counter((each.outcome, each.error_kind) for each in seen if each.endpoint == "elm")
        assert outcomes == {("answered", None): OTHERS}
        left = [each.observation for each in done.undecided]
        (found,) = [each for each in (*seen, *left) if each.endpoint == "hostile"]
        assert (found.outcome, found.error_kind) == (fault.outcome, fault.kind)
        assert elsewhere.connections == 0


class TestMemory:
    def test_it_grows_by_less_than_64_mb(self):
        """A process that is sent everything that could fill it, four times at once, holds little more than before."""
        greedy = {fault.name: fault for fault in FAULTS if fault.greedy}

        async def asked_apart() -> list[dict[str, Any]]:
            server = FaultServer(answer(completion()))
            server.tags = {name: fault.script for name, fault in greedy.items()}
            async with server.open():
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "tests.hostile_client", server.address, *greedy,
                    cwd=ROOT, stdout=asyncio.subprocess.PIPE,
                )  # fmt: skip
                printed, _ = await process.communicate()
            assert process.returncode == 0
            return [json.loads(line) for line in printed.splitlines()]

        found = run(asked_apart(), within_s=100)
        assert [each["tag"] for each in found] == list(greedy)
        for each in found:
            fault = greedy[each["tag"]]
            assert each["seen"] == [[fault.outcome, fault.kind]] * AT_ONCE, each["tag"]
        assert found[-1]["grown_kb"] < MEMORY_MB * 1024, found


class TestAnAnswerBelongsToItsOwnRequest:
    @pytest.mark.parametrize("after_s", [0, 0.001, 0.05])
    def test_what_comes_unasked_is_nobodys_answer(self, after_s: float):
        """A second response on a connection, sent with the first or while nothing is asked, is thrown away with it."""

        async def asked_in_turn() -> tuple[list[Reply], int]:
            first, unasked = (head(200, content_length=len(body)) + body for body in (GOOD, WRONG))
            server = FaultServer(followed(first, unasked, after_s))
            loop = asyncio.get_running_loop()
            async with (
                server.open(),
                OpenRouter(server.address, None, SETTINGS, lambda: NOW, loop.time) as router,
            ):
                replies = []
                for number in range(4):
                    replies.append(await router.ask(asked("elm", number)))
                    await asyncio.sleep(2 * after_s)
                return replies, server.connections

        replies, connections = run(asked_in_turn())
        assert [reply.body for reply in replies] == [GOOD] * 4
        assert connections == 4

    def test_a_hang_up_in_the_pause_costs_nothing(self):
        """A kept connection that the server closed meanwhile is not asked on: that would look like its error."""

        async def closing(writer: asyncio.StreamWriter) -> bool:
            writer.write(head(200, content_length=len(GOOD)) + GOOD)
            return False

        async def asked_in_turn() -> list[Reply]:
            server = FaultServer(closing)
            loop = asyncio.get_running_loop()
            async with server.open(), OpenRouter(server.address, None, SETTINGS, lambda: NOW, loop.time) as router:
                replies = []
                for number in range(20):
                    replies.append(await router.ask(asked("elm", number)))
                    # The server hangs up now; this client has had no turn to hear of it.
                    time.sleep(0.001 * (number % 3))  # noqa: ASYNC251 - as said
                return replies

        assert {reply.end for reply in run(asked_in_turn())} == {End.COMPLETE}


class TestTheWayThere:
    def test_no_proxy_of_the_environment_is_used(self, monkeypatch: pytest.MonkeyPatch):
        """What the environment says of proxies sends no key anywhere else."""

        async def asked_past() -> tuple[Reply, int]:
            proxy, server = FaultServer(answer(completion("London"))), FaultServer(answer(completion()))
            loop = asyncio.get_running_loop()
            async with proxy.open(), server.open():
                for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                    monkeypatch.setenv(name, proxy.address.removesuffix("/api/v1"))
                async with OpenRouter(server.address, None, SETTINGS, lambda: NOW, loop.time) as router:
                    return await router.ask(asked("elm")), proxy.connections

        reply, connections = run(asked_past())
        assert (reply.body, connections) == (GOOD, 0)
