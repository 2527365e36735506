"""A whole night on one's own servers, without a router between: from site.toml to the sealed archive."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import kept_site
import pytest

from generator.archive import codec
from generator.errors import ContentError, RouterError
from generator.records.endpoint import Endpoint
from generator.records.night import NightState
from generator.terminal.routers import router_of
from generator.workflows.nightly import begin_archive
from generator.workflows.planning import plan_night
from generator.workflows.probing import probe
from generator.workflows.world import Root, World
from tests.fault_server import FaultServer, answer, run

T = TypeVar("T")
NOW = datetime(2026, 11, 29, 3, 5, tzinfo=UTC)
MODEL = "aster/sphinx-8b"
KEY = "sk-canary-50b2"
HEAD = """
format = 1
title = "own"
address = "https://own.example/"
publisher = "own"
contact = "mailto:own@own.example"
method = "0.1"
prompt_set = "p1"

[router]
kind = "direct"

[context]
rungs = []
"""


class Rack:
    """Two servers of one model: the first is vLLM as it comes, the second Ollama behind a key."""

    def __init__(self, path: Path) -> None:
        """Prepare both, and the folder of the root."""
        self.path = path
        self.servers: dict[str, FaultServer] = {}
        for name, model_id in (("Rack One", "sphinx"), ("Rack Two", "sphinx:latest")):
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Paris"}}
            usage = {"prompt_tokens": 9, "completion_tokens": 2}
            server = FaultServer(answer({"id": "1", "model": model_id, "choices": [choice], "usage": usage}))
            server.paths["/models"] = answer({"object": "list", "data": [{"id": model_id}]})
            self.servers[name] = server

    def write_settings(self, *names: str) -> Root:
        """Write site.toml with some of the servers."""
        tables = [
            f'[[servers]]\nname = "{name}"\naddress = "{self.servers[name].address}"\nmodel = "{MODEL}"\n'
            'key_variable = "RACK_KEY"\ndeclared_precision = "fp8"\n'
            for name in names
        ]
        (self.path / "content").mkdir(parents=True, exist_ok=True)
        (self.path / "content/site.toml").write_text(HEAD + "\n".join(tables))
        return Root(self.path)

    async def serve(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what some work returns that is done while both serve."""
        async with AsyncExitStack() as stack:
            for server in self.servers.values():
                await stack.enter_async_context(server.open())
            return await work()


def world() -> World:
    """Return a world whose clock stands still and in which nobody waits."""

    async def no_wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    clock = asyncio.get_running_loop().time
    return World(now=lambda: NOW, monotonic=clock, sleep=no_wait, entropy=lambda count: bytes(range(count)))


@pytest.fixture
def rack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rack:
    """Two servers whose key stands in the environment."""
    monkeypatch.setenv("RACK_KEY", KEY)
    return Rack(tmp_path)


def test_a_night(rack: Rack):
    """Every prompt is asked of each server once, under the id that it lists, and sealed."""

    async def night() -> Root:
        root = rack.write_settings("Rack One", "Rack Two")
        begin_archive(root)
        await probe(root, world(), router_of, progress=kept_site.Silent())
        return root

    root = run(rack.serve(night), 60)
    kept = root.store.nights.get(NOW.date())
    record = kept.record
    assert (record.router, record.state, record.settings.latency) == ("direct", NightState.RECORDED, "measured")
    assert record.counts.answered + record.counts.truncated == record.counts.planned > 0
    assert record.cost_usd == "0"
    endpoints = codec.records_of(root.store.nights.table(record, "listings"), Endpoint)
    assert [(each.endpoint, each.provider, each.tag, each.model_id) for each in endpoints] == [
        ("rack-one", "Rack One", "rack-one/fp8", "sphinx"),
        ("rack-two", "Rack Two", "rack-two/fp8", "sphinx:latest"),
    ]
    for name, server in rack.servers.items():
        asked = [json.loads(request.body) for request in server.requests if request.method == "POST"]
        assert 2 * len(asked) == record.counts.planned
        assert {chat["model"] for chat in asked} == {"sphinx" if name == "Rack One" else "sphinx:latest"}
    written = b"".join(file.read_bytes() for file in rack.path.rglob("*") if file.is_file())
    assert KEY.encode() not in written


def test_a_server_that_is_away_is_said_to_be(rack: Rack):
    """A server that does not answer tonight is named, and the night is the others'."""
    said: list[str] = []

    class Listening(kept_site.Silent):
        def say(self, line: str) -> None:
            said.append(line)

    async def night() -> Root:
        root = rack.write_settings("Rack One", "Rack Two")
        begin_archive(root)
        await probe(root, world(), router_of, progress=Listening())
        return root

    rack.servers["Rack Two"].paths["/models"] = answer(b"", 503)
    root = run(rack.serve(night), 60)
    assert (
        "server Rack Two of aster/sphinx-8b is left out tonight: HTTP status 503. Check that it runs, and its address "
        "in content/site.toml"
    ) in said
    record = root.store.nights.get(NOW.date()).record
    endpoints = codec.records_of(root.store.nights.table(record, "listings"), Endpoint)
    assert [each.provider for each in endpoints] == ["Rack One"]


def test_a_night_on_which_no_server_answers(rack: Rack):
    """Nothing is begun, and the message says of each server why, not that models should be corrected."""

    async def night() -> None:
        root = rack.write_settings("Rack One", "Rack Two")
        begin_archive(root)
        await probe(root, world(), router_of, progress=kept_site.Silent())

    rack.servers["Rack One"].paths["/models"] = answer(b"<html>")
    rack.servers["Rack Two"].paths["/models"] = answer(b"", 503)
    with pytest.raises(RouterError) as caught:
        run(rack.serve(night), 60)
    message = str(caught.value)
    assert "server Rack One of aster/sphinx-8b is left out tonight: its answer is no list of models" in message
    assert "server Rack Two of aster/sphinx-8b is left out tonight: HTTP status 503" in message
    assert "min_providers" not in message
    assert Root(rack.path).store.nights.unsealed() == ()


def test_a_night_goes_on_with_the_servers_that_it_was_begun_with(rack: Rack):
    """Where settings no longer hold a server of the night, the message says which one to put back."""

    async def resumed() -> None:
        root = rack.write_settings("Rack One", "Rack Two")
        begin_archive(root)
        settings = root.content.settings()
        async with router_of(settings, world()) as router:
            planned = await plan_night(root, settings, NOW, "00" * 16, router, NOW.date(), kept_site.Silent())
        root.store.nights.start_journal(planned)
        root = rack.write_settings("Rack One")
        await probe(root, world(), router_of, progress=kept_site.Silent())

    with pytest.raises(ContentError, match="server 'Rack Two' of aster/sphinx-8b with tag 'rack-two/fp8'"):
        run(rack.serve(resumed), 60)
    assert [request for request in rack.servers["Rack Two"].requests if request.method == "POST"] == []
