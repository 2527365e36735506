"""A real OpenRouter-shaped server on loopback that really looks codes up, and a site root that probes it.

Each provider has a context in words of its own, or a way to misbehave; the server runs in a thread, so that commands
in other processes can ask it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

from generator.archive.codec import records_of
from generator.records.context import ContextProbe
from generator.records.night import NightRecord, NightState
from generator.workflows.world import Root

MODEL = "aster/sphinx-8b"
PROVIDERS = ("Elm", "Fir", "Oak")

_BURIED = re.compile(r"What is the code of the (?P<thing>.+)\? Answer with the code only\.")
_TABLE = re.compile(r"Which code belongs to the (?P<colour>\w+) (?P<thing>\w+)\?")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request for an answer."""

    provider: str
    prompt: str

    @property
    def buried(self) -> bool:
        """True for a context probe."""
        return _BURIED.search(self.prompt) is not None


def looked_up(prompt: str) -> str:
    """Return the code that a prompt asks for, found in its text as a model would have to."""
    buried = _BURIED.search(prompt)
    if buried:
        (code,) = re.findall(rf"^The code of the {buried['thing']} is (\S+)\.$", prompt, re.MULTILINE)
        return code
    table = _TABLE.search(prompt)
    assert table is not None
    (code,) = re.findall(rf"^{table['colour']}, {table['thing']}, (\S+)$", prompt, re.MULTILINE)
    return code


class LookupRouter:
    """What is listed, what was asked, and how each provider answers."""

    def __init__(self) -> None:
        """List three providers with a context of 100,000 tokens that all answer."""
        self.address = ""
        self.asked: list[Asked] = []
        self.listed: dict[str, dict[str, Any]] = {name: {} for name in PROVIDERS}
        """By provider, members of its listing that differ."""
        self.buried: dict[str, Callable[[str], web.Response]] = {}
        """By provider, how it answers a context probe instead of looking the code up."""
        self.hold = threading.Event()
        """While set, context probes are not answered but where one is let through."""
        self.passes = threading.Semaphore(0)
        """Released to let one that waits through."""
        self.waiting = threading.Semaphore(0)
        """Released for each context probe that waits."""

    def probes(self) -> list[Asked]:
        """Return the context probes asked so far."""
        return [each for each in self.asked if each.buried]

    @contextmanager
    def running(self) -> Iterator[LookupRouter]:
        """Serve on a free port of loopback while inside."""
        loop = asyncio.new_event_loop()
        started, done = threading.Event(), asyncio.Event()

        async def serve() -> None:
            app = web.Application(client_max_size=10_000_000)
            app.router.add_get("/api/v1/models", self._models)
            app.router.add_get("/api/v1/models/{author}/{slug}/endpoints", self._endpoints)
            app.router.add_post("/api/v1/chat/completions", self._completion)
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.address = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v1"
            started.set()
            await done.wait()
            await runner.cleanup()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        assert started.wait(20)
        try:
            yield self
        finally:
            self.hold.clear()
            loop.call_soon_threadsafe(done.set)
            thread.join(20)
            loop.close()

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": MODEL, "canonical_slug": MODEL, "name": MODEL}]})

    async def _endpoints(self, _request: web.Request) -> web.Response:
        entries = [
            {
                "name": f"{name} | {MODEL}",
                "provider_name": name,
                "tag": f"{name.lower()}/fp8",
                "quantization": "fp8",
                "context_length": 100_000,
                "max_completion_tokens": None,
                "max_prompt_tokens": None,
                "pricing": {"prompt": "0.000001", "completion": "0.000002"},
                "supported_parameters": ["max_tokens", "temperature", "seed"],
                "status": 0,
                **changes,
            }
            for name, changes in self.listed.items()
        ]
        return web.json_response({"data": {"id": MODEL, "endpoints": entries}})

    async def _completion(self, request: web.Request) -> web.Response:
        body = await request.json()
        (tag,) = body["provider"]["only"]
        name = tag.partition("/")[0].title()
        prompt = body["messages"][0]["content"]
        asked = Asked(provider=name, prompt=prompt)
        self.asked.append(asked)
        if asked.buried:
            self.waiting.release()
            while self.hold.is_set() and not self.passes.acquire(blocking=False):  # noqa: ASYNC110 - a test's thread says
                await asyncio.sleep(0.01)
            if name in self.buried:
                return self.buried[name](prompt)
        return completion(name, looked_up(prompt), len(prompt.split()) + 9)


def completion(provider: str, content: object, prompt_tokens: object, **changes: Any) -> web.Response:
    """Return an answer as the router gives it; a token costs a millionth of a dollar."""
    cost = prompt_tokens / 1_000_000 if isinstance(prompt_tokens, int) else None
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 4, "cost": cost}
    body = {"id": "gen-1", "provider": provider, "model": MODEL, "choices": [choice], "usage": usage}
    return web.Response(body=json.dumps(body | changes), content_type="application/json")


def refused(status: int, provider: str | None = None) -> web.Response:
    """Return an error as the router gives it."""
    metadata = {} if provider is None else {"provider_name": provider}
    return web.json_response({"error": {"code": status, "message": "no", "metadata": metadata}}, status=status)


class LookupSite:
    """A root that watches the one model of a running router."""

    def __init__(self, path: Path, router: LookupRouter) -> None:
        """Make the root: six prompts, all of them look-ups."""
        self.path = path
        self.router = router
        folder = path / "content/prompts/tiny"
        folder.mkdir(parents=True)
        (folder / "set.toml").write_text(
            'format = 1\nname = "tiny"\n\n'
            '[families.lookup]\nkind = "lookup"\nfixed = 4\nnightly = 2\ndraw = "generator"\n'
        )
        lines = Path("content/prompts/p1/lookup.jsonl").read_text().splitlines()[:4]
        (folder / "lookup.jsonl").write_text("\n".join(lines) + "\n")
        self.write_settings()
        self.root = Root(path)

    def write_settings(self, rungs: str = "[256, 512, 1024]", max_usd: str = "1", probing: str = "") -> None:
        """Write site.toml."""
        (self.path / "content/site.toml").write_text(
            'format = 1\ntitle = "t"\naddress = "https://t.example/"\npublisher = "t"\ncontact = "mailto:t@t.example"\n'
            f'method = "0.1"\nprompt_set = "tiny"\nmodels = ["{MODEL}"]\n'
            f'[router]\nkind = "openrouter"\naddress = "{self.router.address}"\n'
            f"[probing]\n{probing}\n[context]\nrungs = {rungs}\n"
            f'[budget]\nmax_usd = "{max_usd}"\n'
        )

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of a bitdepth command on this root."""
        return [sys.executable, "-m", "generator", *arguments, "--root", str(self.path)]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command on this root to its end."""
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
        return subprocess.run(
            self.command(*arguments), env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    def start(self) -> subprocess.Popen[bytes]:
        """Start probing a night."""
        return subprocess.Popen(self.command("probe"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def probed(site: LookupSite) -> tuple[NightRecord, dict[str, ContextProbe]]:
    """Probe a night, which must be complete; return its record, and its context probes by endpoint."""
    done = site.run("probe")
    assert done.returncode == 0, done.stdout + done.stderr
    return sealed(site)


def sealed(site: LookupSite) -> tuple[NightRecord, dict[str, ContextProbe]]:
    """Return the last kept night's record, and its context probes by endpoint."""
    nights = site.root.store.nights
    record = nights.get(nights.kept()[-1]).record
    probes = records_of(nights.table(record, "context"), ContextProbe)
    assert len({probe.endpoint for probe in probes}) == len(probes)
    assert record.state is NightState.RECORDED
    assert record.counts.planned == record.counts.answered == 6 * len(site.router.listed)
    assert not site.root.store.nights.unsealed()
    return record, {probe.endpoint: probe for probe in probes}
