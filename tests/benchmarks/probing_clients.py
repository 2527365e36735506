"""Three clients that ask one router the same number of times over the same number of connections.

raw asyncio   streams, one connection a worker, a status line and a Content-Length read and nothing else
aiohttp       its session without a limit of connections, the body read
ours          what a night does: `collect` with OpenRouter's client, answers judged, each in a journal on disk
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from generator.archive.journal import Journal, load, start
from generator.probing.budget import Budget
from generator.probing.collect import collect
from generator.probing.interface import Ask
from generator.probing.openrouter import OpenRouter
from generator.probing.wire import request_body, request_headers
from generator.records.night import PLAN_FORMAT, NightPlan, NightSettings
from generator.records.observation import Observation, Outcome
from generator.settings import Key, ProbingSettings
from tests.probing_makers import ask, prompt

KEY = "sk-benchmark"
DEADLINE_S = 30


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What a client is to do."""

    port: int
    connections: int
    requests: int


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What that took."""

    seconds: float
    cpu_s: float
    latencies_ms: list[float]
    """As the client sees them."""


def asks(run: Run) -> tuple[Ask, ...]:
    """Return what is asked: four requests in flight to an endpoint make up the connections."""
    endpoints = max(1, run.connections // 4)
    return tuple(
        ask(endpoint=f"elm-{number % endpoints}", prompt=prompt(prompt_id=f"capital-f{number:06}"))
        for number in range(run.requests)
    )


def settings(run: Run) -> ProbingSettings:
    """Return a night's settings for so many connections."""
    return ProbingSettings(
        concurrency=run.connections,
        concurrency_per_endpoint=5,
        total_deadline_s=DEADLINE_S,
        idle_deadline_s=DEADLINE_S,
        attempts=1,
    )


def _request(run: Run) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body that all clients send."""
    headers = {**request_headers(), "User-Agent": "bitdepth/0", "Authorization": f"Bearer {KEY}"}
    return headers, json.dumps(request_body(asks(run)[0], settings(run))).encode()


async def _raw(run: Run) -> list[float]:
    headers, body = _request(run)
    lines = [f"{name}: {value}\r\n" for name, value in {**headers, "Content-Length": str(len(body))}.items()]
    request = f"POST /api/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n{''.join(lines)}\r\n".encode() + body
    left = iter(range(run.requests))
    taken: list[float] = []

    async def worker() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", run.port)
        for _ in left:
            began = time.monotonic()
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            at = head.index(b"content-length:") + len(b"content-length:")
            await reader.readexactly(int(head[at : head.index(b"\r", at)]))
            taken.append(1000 * (time.monotonic() - began))
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(worker() for _ in range(run.connections)))
    return taken


async def _aiohttp(run: Run) -> list[float]:
    headers, body = _request(run)
    left = iter(range(run.requests))
    taken: list[float] = []

    async def worker(session: aiohttp.ClientSession) -> None:
        for _ in left:
            began = time.monotonic()
            async with session.post(
                f"http://127.0.0.1:{run.port}/api/v1/chat/completions", data=body, headers=headers
            ) as response:
                await response.read()
            taken.append(1000 * (time.monotonic() - began))

    timeout = aiohttp.ClientTimeout(total=DEADLINE_S, sock_read=DEADLINE_S)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        await asyncio.gather(*(worker(session) for _ in range(run.connections)))
    return taken


async def _ours(run: Run, path: Path, planned: tuple[Ask, ...]) -> list[float]:
    taken: list[float] = []
    address = f"http://127.0.0.1:{run.port}/api/v1"
    clients = OpenRouter(address, Key(KEY), settings(run), lambda: datetime.now(UTC), time.monotonic)
    async with clients as router:
        with Journal(path, path.name) as journal:

            def sink(observation: Observation) -> None:
                journal.add(observation)
                taken.append(observation.latency_ms or 0)

            await collect(
                router,
                planned,
                settings=settings(run),
                budget=Budget(None),
                sink=sink,
                progress=lambda _done, _total: None,
                monotonic=time.monotonic,
                sleep=asyncio.sleep,
            )
    return taken


def _plan() -> NightPlan:
    """Return the plan that a journal begins with."""
    rules = NightSettings(
        concurrency=1,
        concurrency_per_endpoint=1,
        total_deadline_ms=1000 * DEADLINE_S,
        idle_deadline_ms=1000 * DEADLINE_S,
        max_body_bytes=1,
        temperature=0.0,
        attempts=1,
        reasoning_budget_tokens=0,
        sampling_seed=None,
        latency="measured",
    )
    return NightPlan(
        format=PLAN_FORMAT,
        night=date(2026, 11, 29),
        late=False,
        seed="5eed",
        prompt_set="p1",
        prompt_set_sha256="0" * 64,
        router="benchmark",
        started_at=datetime(2026, 11, 29, 3, tzinfo=UTC),
        settings=rules,
        kinds={},
        listings=(),
        endpoints=(),
        prompts=(),
        tool_version="0",
    )


def _timed(client: Callable[[], Coroutine[Any, Any, list[float]]]) -> Spent:
    before, cpu_before = time.monotonic(), time.process_time()
    latencies_ms = asyncio.run(client())
    return Spent(seconds=time.monotonic() - before, cpu_s=time.process_time() - cpu_before, latencies_ms=latencies_ms)


def measured(client: str, run: Run) -> Spent:
    """Return what a run of a client took; connecting is part of it, making the asks is not.

    Raises:
        AssertionError: where a request was not answered, or is not in the journal.
    """
    if client != "ours":
        spent = _timed(lambda: _raw(run) if client == "raw asyncio" else _aiohttp(run))
    else:
        planned = asks(run)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "2026-11-29.jsonl"
            start(path, path.name, _plan())
            spent = _timed(lambda: _ours(run, path, planned))
            kept = load(path, path.name, mend=False).observations
        assert len(kept) == run.requests
        assert {each.outcome for each in kept} == {Outcome.ANSWERED}
    assert len(spent.latencies_ms) == run.requests
    return spent
