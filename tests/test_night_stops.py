"""Whole nights that something keeps back: a refusing pool, a cache, refused keys. Real servers on loopback.

A router's endpoint that nobody gets through to is given up for a run and keeps no night open on its own; a server that
refuses its key loses nothing by it.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import kept_site
import pytest

from generator.archive.codec import records_of
from generator.errors import ExitCode, PartialNightError
from generator.probing.giving_up import ASKS_IN_A_ROW
from generator.records.night import NightState
from generator.records.observation import Observation
from generator.terminal.routers import router_of
from generator.workflows.demo import make_root
from generator.workflows.nightly import begin_archive
from generator.workflows.probing import Probed, probe
from generator.workflows.world import Root, World
from tests.fault_server import FaultServer, Script, answer, run
from tests.probing_makers import completion, error

T = TypeVar("T")
NOW = datetime(2026, 11, 29, 3, 5, tzinfo=UTC)
NIGHT = NOW.date()
MODEL = "author/model"
PROMPTS = 120
"""Of the demo's prompt set, at each endpoint."""
SETTINGS = f"""
format = 1
title = "t"
address = "https://t.example/"
publisher = "t"
contact = "mailto:t@t.example"
method = "0.1"
prompt_set = "recorded-1"
models = ["{MODEL}"]
[budget]
max_usd = "100"
[context]
rungs = []
[router]
kind = "openrouter"
key_variable = "TEST_KEY"
address = """
MOST_REFUSED = 4 * (ASKS_IN_A_ROW + 3)
"""Requests to a refusing endpoint before it is given up: four attempts of each ask in the row, and of the three others
that may be in flight to it by then."""

POOL = answer(error(429, limit_source="shared_pool"), 429)
CACHED = answer(completion(), X_OpenRouter_Cache_Status="HIT")


class Said(kept_site.Silent):
    """Progress that keeps its lines."""

    def __init__(self) -> None:
        """Begin with none."""
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)


class Pools:
    """A router with one model at some endpoints, each of which can be made to refuse."""

    def __init__(self, path: Path, endpoints: int, refusing: dict[int, Script]) -> None:
        """List so many endpoints; those with a script play it instead of an answer."""
        self.path = path
        self.names = [f"pool{number}" for number in range(endpoints)]
        self.server = FaultServer(answer(completion()))
        entries = [
            {
                "name": name,
                "provider_name": name,
                "tag": name,
                "quantization": None,
                "context_length": 100_000,
                "pricing": {"prompt": "0.0000001", "completion": "0.0000001"},
                "status": 0,
                "supported_parameters": ["max_tokens", "temperature"],
            }
            for name in self.names
        ]
        self.server.paths = {
            "/endpoints": answer({"data": {"endpoints": entries}}),
            "/models": answer({"data": [{"id": MODEL, "canonical_slug": MODEL}]}),
        }
        self.server.tags = {
            name: refusing.get(number, answer(completion(provider=name))) for number, name in enumerate(self.names)
        }
        self.progress = Said()

    def asked(self) -> Counter[str]:
        """Return how many requests each endpoint has been sent."""
        posts = (json.loads(each.body) for each in self.server.requests if each.method == "POST")
        return Counter(body["provider"]["only"][0] for body in posts)

    async def night(self) -> Probed:
        """Probe, or carry on; time passes only while somebody waits."""
        root = self.root()
        passed = 0.0

        async def sleep(seconds: float) -> None:
            nonlocal passed
            passed += seconds
            await asyncio.sleep(0)

        world = World(now=lambda: NOW, monotonic=lambda: passed, sleep=sleep, entropy=lambda count: bytes(range(count)))
        return await probe(root, world, router_of, progress=self.progress)

    def root(self) -> Root:
        """Return the site root, made where there is none."""
        if not (self.path / "root").exists():
            made = make_root(self.path / "root")
            (made.path / "content/site.toml").write_text(f'{SETTINGS}"{self.server.address}"\n')
            begin_archive(made)
        return Root(self.path / "root")

    async def serve(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what some work returns that is done while the router serves."""
        async with self.server.open():
            return await work()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-canary-91ac")


def rows_of(root: Root) -> list[Observation]:
    """Return the observations of the night as sealed."""
    record = root.store.nights.get(NIGHT).record
    return records_of(root.store.nights.table(record, "observations"), Observation)


class TestARouterThatLetsNobodyThroughToOneEndpoint:
    @pytest.mark.parametrize(
        ("script", "kind"), [(POOL, "router_rate_limit"), (CACHED, "cache_hit")], ids=["pool", "cache"]
    )
    def test_the_second_run_seals_the_night_without_it(self, tmp_path: Path, script: Script, kind: str):
        """Each run gives it up after a few asks and says so; the first leaves the night open, the second seals it."""
        pools = Pools(tmp_path, 10, {3: script})

        async def both() -> tuple[PartialNightError, Counter[str], Probed]:
            with pytest.raises(PartialNightError) as stopped:
                await pools.night()
            return stopped.value, pools.asked(), await pools.night()

        stopped, first, second = run(pools.serve(both), 100)
        assert f"{9 * PROMPTS:,} of {10 * PROMPTS:,} observations are kept" in str(stopped)
        assert f"({kind} {PROMPTS})" in str(stopped)
        assert {name: count for name, count in first.items() if name != "pool3"} == {
            name: PROMPTS for name in pools.names if name != "pool3"
        }
        assert 4 * ASKS_IN_A_ROW <= first["pool3"] <= MOST_REFUSED
        again = pools.asked() - first
        assert again.keys() == {"pool3"}
        assert 4 * ASKS_IN_A_ROW <= again["pool3"] <= MOST_REFUSED
        assert second.record is not None
        assert (second.record.state, second.record.counts.sent) == (NightState.RECORDED, 9 * PROMPTS)
        unsent = {(row.endpoint, row.error_kind) for row in rows_of(pools.root()) if row.outcome == "unsent"}
        assert unsent == {("pool3", kind)}
        given_up = [line for line in pools.progress.lines if line.startswith("given up for this run")]
        assert len(given_up) == 2
        assert f"pool3 of {MODEL} ({kind})" in given_up[0]
        assert any(
            line.startswith(f"{PROMPTS} requests of {10 * PROMPTS:,} did not get past the router in this run either")
            for line in pools.progress.lines
        )

    def test_where_more_than_a_tenth_is_missing_the_night_stays_open(self, tmp_path: Path):
        """One of three endpoints is too much to be without: every run asks again."""
        pools = Pools(tmp_path, 3, {0: POOL})

        async def twice() -> list[str]:
            said = []
            for _ in range(2):
                with pytest.raises(PartialNightError) as stopped:
                    await pools.night()
                said.append(str(stopped.value))
            return said

        assert all("240 of 360 observations are kept" in each for each in run(pools.serve(twice), 60))
        assert pools.root().store.nights.unsealed() == (NIGHT,)

    def test_an_outage_of_the_routers_gives_up_nobody(self, tmp_path: Path):
        """Its 5xx passes by itself: every ask is tried, and no run seals the night without them."""
        pools = Pools(tmp_path, 10, {3: answer(b"", 503)})

        async def twice() -> None:
            for _ in range(2):
                with pytest.raises(PartialNightError):
                    await pools.night()

        run(pools.serve(twice), 100)
        assert pools.asked()["pool3"] == 2 * 4 * PROMPTS
        assert pools.root().store.nights.unsealed() == (NIGHT,)


class TestServersThatRefuseTheirKey:
    """A direct server's 401 or 403 is about its key alone: nothing is lost, and it is asked again once it is mended."""

    @pytest.fixture
    def servers(self) -> dict[str, FaultServer]:
        """Return two servers of one model; what they say to a chat is set by path."""
        made = {}
        for name in ("Rack One", "Rack Two"):
            made[name] = FaultServer(answer(completion(provider=...)))
            made[name].paths["/models"] = answer({"object": "list", "data": [{"id": MODEL}]})
        return made

    async def night(self, path: Path, servers: dict[str, FaultServer]) -> Probed:
        """Probe, or carry on."""
        if not (path / "root").exists():
            tables = [
                f'[[servers]]\nname = "{name}"\naddress = "{server.address}"\nmodel = "{MODEL}"\n'
                'key_variable = "TEST_KEY"\n'
                for name, server in servers.items()
            ]
            head = SETTINGS.partition("[budget]")[0].replace(f'models = ["{MODEL}"]\n', "")
            made = make_root(path / "root")
            text = f'{head}[router]\nkind = "direct"\n[context]\nrungs = []\n' + "\n".join(tables)
            (made.path / "content/site.toml").write_text(text)
            begin_archive(made)

        async def sleep(_: float) -> None:
            await asyncio.sleep(0)

        clock = asyncio.get_running_loop().time
        world = World(now=lambda: NOW, monotonic=clock, sleep=sleep, entropy=lambda count: bytes(range(count)))
        return await probe(Root(path / "root"), world, router_of, progress=kept_site.Silent())

    @pytest.mark.parametrize("status", [401, 403])
    def test_one_of_two(self, tmp_path: Path, servers: dict[str, FaultServer], status: int):
        """It is named, asked no more than what was in flight, and nothing of it is decided; the other has its night."""
        refusing = servers["Rack Two"]
        refusing.paths["/chat/completions"] = answer(error(status), status)

        async def work() -> tuple[PartialNightError, int, Probed]:
            async with servers["Rack One"].open(), refusing.open():
                with pytest.raises(PartialNightError) as stopped:
                    await self.night(tmp_path, servers)
                before = chats(refusing)
                del refusing.paths["/chat/completions"]
                return stopped.value, before, await self.night(tmp_path, servers)

        stopped, before, done = run(work(), 60)
        assert f"server Rack Two of {MODEL} refused its key: {PROMPTS} of {2 * PROMPTS} observations" in str(stopped)
        assert "Mend the key" in str(stopped)
        assert stopped.exit_code == ExitCode.PARTIAL
        assert 1 <= before <= 4
        assert done.record is not None
        assert (done.record.state, done.record.counts.sent) == (NightState.RECORDED, 2 * PROMPTS)
        assert chats(servers["Rack One"]) == PROMPTS

    def test_all_of_them(self, tmp_path: Path, servers: dict[str, FaultServer]):
        """The night is not sealed void: it waits for the keys, however often it is run."""
        for server in servers.values():
            server.paths["/chat/completions"] = answer(error(401), 401)

        async def work() -> list[str]:
            said = []
            async with servers["Rack One"].open(), servers["Rack Two"].open():
                for _ in range(2):
                    with pytest.raises(PartialNightError) as stopped:
                        await self.night(tmp_path, servers)
                    said.append(str(stopped.value))
            return said

        for said in run(work(), 60):
            assert f"server Rack One of {MODEL}, server Rack Two of {MODEL} refused their keys: 0 of" in said
        assert Root(tmp_path / "root").store.nights.unsealed() == (NIGHT,)

    def test_without_credit_the_night_is_decided_and_void(self, tmp_path: Path, servers: dict[str, FaultServer]):
        """What is sealed void is no partial night: exit code 1, with what was unsent by kind and what to do."""
        for server in servers.values():
            server.paths["/chat/completions"] = answer(error(402), 402)

        async def work() -> Probed:
            async with servers["Rack One"].open(), servers["Rack Two"].open():
                return await self.night(tmp_path, servers)

        void = run(work(), 60).void
        assert void is not None
        assert void.exit_code == ExitCode.FAILED
        assert f"unsent: no_credit {2 * PROMPTS}" in str(void)
        assert "look at the credit" in str(void)


def chats(server: FaultServer) -> int:
    """Return how many prompts a server was sent."""
    return sum(request.method == "POST" for request in server.requests)
