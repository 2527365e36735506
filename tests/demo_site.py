"""A site root that probes the embedded router over loopback, for tests that run whole nights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import msgspec

from generator.archive import layout
from generator.content import Content
from generator.probing.demo.server import Served
from generator.records.night import NightPlan
from generator.workflows.demo import make_root
from generator.workflows.world import Root

KEY = "sk-canary-4f1d9b77"
"""The key in the environment of every run: no test may find it anywhere else."""


class DemoSite:
    """A root, and the running router that its settings name."""

    def __init__(self, path: Path, address: str, *, seed: str = "5eed", night_index: int = 1) -> None:
        """Make the root and set the router's night."""
        self.path = path
        self.address = address
        self.root: Root = make_root(path)
        self.write_settings()
        self.set_night(night_index, seed)

    def write_settings(self, **changes: str) -> None:
        """Write site.toml for this router; `max_usd` and `models` may be given as TOML."""
        settings = Content(self.path).settings()
        models = changes.get("models", msgspec.json.encode(settings.models).decode())
        budget = f"[budget]\nmax_usd = {changes['max_usd']}\n" if "max_usd" in changes else ""
        (self.path / "content/site.toml").write_text(
            f'format = 1\ntitle = "t"\naddress = "https://t.example/"\npublisher = "t"\n'
            f'contact = "mailto:t@t.example"\n'
            f'method = "0.1"\nprompt_set = "recorded-1"\nmodels = {models}\n'
            f'[router]\nkind = "demo"\naddress = "{changes.get("address", self.address)}"\nkey_variable = "DEMO_KEY"\n'
            f"{budget}"
            "[context]\nrungs = []\n"
        )

    def set_night(self, night_index: int, seed: str) -> None:
        """Tell the router which scripted night it is."""
        origin = self.address.removesuffix("/api/v1")
        response = httpx.put(f"{origin}/demo/night", json={"night_index": night_index, "seed": seed}, trust_env=False)
        response.raise_for_status()

    def served(self) -> Served:
        """Return what the router has served since it started."""
        response = httpx.get(f"{self.address.removesuffix('/api/v1')}/demo/served", trust_env=False)
        return msgspec.json.decode(response.content, type=Served)

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of a bitdepth command on this root."""
        return [sys.executable, "-m", "generator", *arguments, "--root", str(self.path)]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command on this root to its end."""
        return subprocess.run(
            self.command(*arguments), env=self.environment(), capture_output=True, text=True, timeout=200, check=False
        )

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command on this root."""
        return subprocess.Popen(
            self.command(*arguments), env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def environment(self) -> dict[str, str]:
        """Return the environment of a run: the key, and nothing that makes output differ."""
        return {**os.environ, "DEMO_KEY": KEY, "NO_COLOR": "1", "COLUMNS": "200"}


def journal_lines(site: DemoSite) -> list[bytes]:
    """Return the whole lines of the one journal, the plan first; empty where there is none."""
    data = b"".join(path.read_bytes() for path in _journals(site))
    return data[: data.rfind(b"\n") + 1].splitlines()


def journal_bytes(site: DemoSite) -> int:
    """Return how long the one journal is; 0 where there is none."""
    try:
        return sum(path.stat().st_size for path in _journals(site))
    except FileNotFoundError:  # Its night was sealed in between.
        return 0


def write_journal(site: DemoSite, lines: list[bytes]) -> None:
    """Write a journal in the place of whatever there is."""
    folder = site.path / "archive" / layout.JOURNAL
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    night = msgspec.json.decode(lines[0], type=NightPlan).night
    (folder / f"{night.isoformat()}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def kept_files(site: DemoSite) -> dict[str, bytes]:
    """Return every file of archive and site, by its path within the root."""
    return {
        path.relative_to(site.path).as_posix(): path.read_bytes()
        for folder in ("archive", "site")
        for path in (site.path / folder).rglob("*")
        if path.is_file()
    }


def clear_of_midnight(seconds: int = 90) -> None:
    """Wait until the date will not change for so many seconds: what begins now is one night to the end."""
    now = datetime.now(UTC)
    left = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0) - now
    if left < timedelta(seconds=seconds):
        time.sleep(left.total_seconds() + 1)


def _journals(site: DemoSite) -> list[Path]:
    return sorted((site.path / "archive" / layout.JOURNAL).glob("*.jsonl"))
