"""A root on a GitHub of a test's own, whose nightly workflow probes a router on loopback on dates that a test sets."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from actions_records import Run
from actions_world import REPOSITORY, WORKFLOWS, GitHub
from aiohttp import web
from lookup_router import LookupRouter, LookupSite

from generator.log.note import SigningKey
from generator.workflows.nightly import begin_archive
from generator.workflows.world import Root

NIGHTLY = WORKFLOWS / "nightly.yml"
ROUTER_KEY, BUCKET_KEY = "sk-canary-77d2", "bucket-canary-90aa"
SIGNING_KEY = SigningKey("t.example/log", bytes(range(32)))
SECRETS = {
    "probe": {"OPENROUTER_API_KEY": ROUTER_KEY},
    "publish": {
        "BITDEPTH_SIGNING_KEY": SIGNING_KEY.text,
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": BUCKET_KEY,
    },
}
FIRST = datetime(2026, 3, 27, 3, 17, tzinfo=UTC)
ASKS = 18
"""Graded requests of a night: six prompts to each of three providers."""

_IGNORED = "/site/\n/.venv/\n/.cache/\narchive/.lock\narchive/journal/\n.site.*\n.*.fresh/\n.*.views\n__pycache__/\n"
_PROGRAM = """\
#!{python}
import datetime, json, os, sys
from pathlib import Path

sys.path.insert(0, {repository!r})
desk = Path({desk!r})
keys = sorted(name for name in os.environ if name.endswith(("_KEY", "TOKEN")) and os.environ[name])
with (desk / "calls.jsonl").open("a") as said:
    said.write(json.dumps({{"argv": sys.argv[1:], "keys": keys}}) + "\\n")
fails = json.loads((desk / "fails.json").read_text())
if sys.argv[1] in fails:
    sys.exit(fails[sys.argv[1]])
if sys.argv[1] == "summary" and (desk / "damage").exists():
    Path("archive/FORMAT.md").unlink()
noise = (desk / "noise").read_text()
sys.stderr.write(noise)
if sys.argv[1] not in ("due", "summary"):
    print(noise, flush=True)
from generator import cli

now = datetime.datetime.fromisoformat((desk / "clock").read_text())


class Standing(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return now


cli.datetime = Standing
cli.main()
"""


class HaltingRouter(LookupRouter):
    """A router that can stop answering after so many answers."""

    def __init__(self) -> None:
        """Answer all."""
        super().__init__()
        self.halt_at: int | None = None
        self.waits = False
        """Whether a request is not answered: what was answered before it, its asker has kept."""

    async def _completion(self, request: web.Request) -> web.Response:
        halted = False
        while self.halt_at is not None and len(self.asked) >= self.halt_at:
            halted = self.waits = True
            await asyncio.sleep(0.01)
        # Whoever waited is gone by now.
        return web.Response(status=503) if halted else await super()._completion(request)


class NightGitHub(GitHub):
    """A repository that holds a root of one watched model."""

    def __init__(self, folder: Path, router: LookupRouter) -> None:
        """Make the root and its remote; the clock stands at the first night's first cron."""
        self.router = router
        self.desk = folder / "desk"
        self.desk.mkdir(parents=True)
        self.set_clock(FIRST)
        self.fail()
        self.make_noise("")
        site = LookupSite(folder / "root", router)
        site.write_settings(rungs="[]", probing="concurrency = 1\nconcurrency_per_endpoint = 1")
        settings = site.path / "content/site.toml"
        settings.write_text(
            settings.read_text().replace("[router]\n", '[router]\nkey_variable = "OPENROUTER_API_KEY"\n')
        )
        program = self.desk / "bitdepth"
        text = _PROGRAM.format(python=sys.executable, repository=str(REPOSITORY), desk=str(self.desk))
        program.write_text(text)
        program.chmod(0o755)
        (site.path / "Makefile").write_text(f"install:\n\tmkdir -p .venv/bin\n\tcp {program} .venv/bin/bitdepth\n")
        (site.path / ".gitignore").write_text(_IGNORED)
        begin_archive(site.root)
        super().__init__(folder, site.path, secrets=dict(SECRETS))

    def set_clock(self, now: datetime) -> None:
        """Say what time it is."""
        (self.desk / "clock").write_text(now.isoformat())

    def fail(self, **codes: int) -> None:
        """Let commands end at once with these exit codes; the others work."""
        (self.desk / "fails.json").write_text(json.dumps(codes))

    def make_noise(self, text: str) -> None:
        """Let every command print this on both streams, but on the one that carries an answer."""
        (self.desk / "noise").write_text(text)

    def calls(self) -> list[dict[str, Any]]:
        """Return every call of bitdepth, with the names of the secrets that it could read."""
        return [json.loads(line) for line in (self.desk / "calls.jsonl").read_text().splitlines()]

    def nightly(self, now: datetime | None = None, event: str = "schedule", **inputs: str) -> Run:
        """Run the nightly workflow."""
        if now is not None:
            self.set_clock(now)
        return self.run(NIGHTLY, event, **inputs)

    @contextmanager
    def lost_runner(self, answers: int) -> Iterator[None]:
        """Kill the probe, as with a runner that is lost, once its router has given so many answers."""
        assert isinstance(self.router, HaltingRouter)
        router = self.router
        router.halt_at, router.waits = answers, False
        self.watching = lambda step: step == "Probe" and router.waits
        try:
            yield
        finally:
            router.halt_at, self.watching = None, None

    def root(self, name: str = "looked-at") -> Root:
        """Return the root as the remote has it."""
        return Root(self.clone(name))

    def change_settings(self, old: str, new: str) -> None:
        """Change site.toml in the remote, as its owner would."""
        work = self.clone("owners")
        settings = work / "content/site.toml"
        text = settings.read_text()
        assert old in text
        settings.write_text(text.replace(old, new))
        self.commit(work, "Settings")

    def open_issues(self) -> list[dict[str, Any]]:
        """Return the issues that are open."""
        return [each for each in self.issues() if each["state"] == "open"]

    def asked_twice(self) -> int:
        """Return how many requests were asked before with the same words of the same provider."""
        asked = [(each.provider, each.prompt) for each in self.router.asked]
        return len(asked) - len(set(asked))


def missing_tools() -> str | None:
    """Return why the shell steps cannot be run here; None where they can."""
    if sys.platform != "linux":
        return "the workflows run on Linux"
    gone = [name for name in ("jq", "git", "make", "ps", "curl", "timeout") if shutil.which(name) is None]
    if gone:
        return f"not on the path: {', '.join(gone)}"
    version = subprocess.run(["sed", "--version"], capture_output=True, text=True, check=False).stdout
    return None if "GNU" in version else "no GNU sed"
