"""The key in the environment is found nowhere else, whatever a router gives back and whatever goes wrong here."""

from __future__ import annotations

import asyncio
import base64
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generator.log.merkle import EMPTY_ROOT
from generator.log.note import open_note
from generator.probing.demo.process import running_router
from tests.demo_site import KEY, DemoSite
from tests.echo_router import EchoRouter, encoded
from tests.fault_server import run
from tests.log_makers import key_of

SIGNING = key_of("t.example/log", "canary")
"""Signs the log of every run."""

SECRET = SIGNING.text.split("+", 4)[4]
SEED = base64.b64decode(SECRET)[1:]

FORMS = {
    *(KEY, encoded(KEY)[:-2], encoded(KEY, "Bearer ")[10:-2], encoded(KEY, "Authorization: Bearer ")[30:-2]),
    *(SECRET[4:], encoded(SIGNING.text)[:-4], SEED.hex(), repr(SEED)[2:-1]),
}
"""The key, and what it is in base64 at each of the three places in a group that it can begin at; and the other one."""

KEPT_WORDS = ("text", "generation_id", "finish_reason", "native_finish_reason", "served_provider", "served_model")
"""Columns whose words are the router's."""

DEFECTIVE = """
import logging
logging.basicConfig(level=1)
from generator.{stage} import {module}
def defect(*arguments, **_):
    raise RuntimeError(f"defect with {{arguments!r}}")
{module}.{name} = defect
from generator.cli import main
main()
"""
"""The command with one function of it broken, and with every library telling all that it does."""


@pytest.fixture(scope="module")
def router() -> Iterator[str]:
    """Return the address of a demo router."""
    with running_router() as address:
        yield address


@pytest.fixture
def site(tmp_path: Path, router: str, monkeypatch: pytest.MonkeyPatch) -> DemoSite:
    """Return a fresh root on it, whose commands find a signing key in their environment."""
    monkeypatch.setenv("BITDEPTH_SIGNING_KEY", SIGNING.text)
    made = DemoSite(tmp_path / "root", router)
    made.write_settings(models=ONE_MODEL)
    return made


ONE_MODEL = '["huggingfacetb/smollm2-135m-instruct"]'


def echoed(site: DemoSite, *command: str) -> subprocess.CompletedProcess[str]:
    """Return a command's run on a root whose router gives the key back."""

    async def night() -> subprocess.CompletedProcess[str]:
        echo = EchoRouter(site.address)
        async with echo.server.open():
            site.write_settings(address=echo.server.address, models=ONE_MODEL)
            return await asyncio.to_thread(
                subprocess.run, command, env=site.environment(), capture_output=True, text=True, timeout=90, check=False
            )

    return run(night(), within_s=100)


def words(path: Path) -> str:
    """Return every text of a Parquet file, unpacked."""
    return "\n".join(
        str(value) for column in pq.read_table(path).columns for value in column.to_pylist() if value is not None
    )


def leaks(site: DemoSite, done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return where a form of the key stands in what a run printed, or in any file under its root."""
    said = {"stdout": done.stdout, "stderr": done.stderr}
    for path in sorted(site.path.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            said[path.name] = data.decode("latin-1")
            said[f"{path.name}, unpacked"] = words(path) if data.startswith(b"PAR1") else ""
    return [place for place, text in said.items() if any(form in text for form in FORMS)]


class TestTheKeyStandsNowhere:
    @pytest.mark.parametrize("options", [(), pytest.param(("--json",), marks=pytest.mark.ci)])
    def test_on_an_honest_router(self, site: DemoSite, options: tuple[str, ...]):
        """Neither output, journal, archive nor site holds it, nor the one that signed the log."""
        done = site.run("nightly", *options)
        assert done.returncode == 0, done.stderr
        assert open_note((site.path / "archive/log/checkpoint").read_bytes(), [SIGNING.verifier])
        assert leaks(site, done) == []

    def test_on_a_router_that_gives_it_back(self, site: DemoSite):
        """Each kind of reply is kept with a mark in its place: listings, answers, names, ids and reasons."""
        done = echoed(site, *site.command("nightly", "--json"))
        assert done.returncode == 0, done.stderr
        assert leaks(site, done) == []
        (night,) = (site.path / "archive/nights").iterdir()
        rows = pq.read_table(night / "observations.parquet")
        for column in KEPT_WORDS:
            assert any("[key]" in (value or "") for value in rows[column].to_pylist()), column
        assert "You sent Bearer [key] to me" in rows["text"].to_pylist()
        assert "[key]" in words(night / "listings.parquet")
        assert set(rows["error_kind"].to_pylist()) >= {"broken", "server_error", "error_object", "other_provider"}

    @pytest.mark.parametrize(
        ("module", "name"),
        [
            ("asking", "observe"),
            pytest.param("exchange", "_read", marks=pytest.mark.ci),
            pytest.param("exchange.AiohttpTransport", "handle_async_request", marks=pytest.mark.ci),
        ],
    )
    def test_in_no_traceback(self, site: DemoSite, module: str, name: str):
        """A defect that prints all that it was handed, and logs at their loudest, show the key to nobody."""
        source = DEFECTIVE.format(stage="probing", module=module.partition(".")[0], name=name)
        if "." in module:
            source = source.replace("exchange.handle", f"{module}.handle")
        done = echoed(site, sys.executable, "-X", "dev", "-c", source, "nightly", "--root", str(site.path))
        assert done.returncode == 1
        assert "RuntimeError: defect with" in done.stderr
        assert leaks(site, done) == []

    @pytest.mark.parametrize(
        ("stage", "place", "command"),
        [
            ("terminal", "log_commands.sign_tree", "sign"),
            ("terminal", "log_commands.append_leaves", "append"),
            ("workflows", "signing.require_name", "sign"),
        ],
    )
    def test_in_no_traceback_of_the_log(self, site: DemoSite, stage: str, place: str, command: str):
        """So it is where whoever signs is broken: what holds the key prints without it."""
        module, _, name = place.partition(".")
        if command == "sign":
            site.root.store.log.append({}, {}, f"t.example/log\n0\n{base64.b64encode(EMPTY_ROOT).decode()}\n")
        source = DEFECTIVE.format(stage=stage, module=module, name=name)
        script = [sys.executable, "-X", "dev", "-c", source, "log", command, "--root", str(site.path)]
        done = subprocess.run(script, env=site.environment(), capture_output=True, text=True, timeout=90, check=False)
        assert done.returncode == 1
        assert "Error" in done.stderr
        assert leaks(site, done) == []

    @pytest.mark.parametrize("text", [SIGNING.text[:-1], SIGNING.text.replace("t.example", "u.example")])
    def test_in_no_message_about_a_key_that_is_none(self, site: DemoSite, monkeypatch: pytest.MonkeyPatch, text: str):
        """A key cut short, or under another name, is not quoted, and nothing is asked and paid for."""
        monkeypatch.setenv("BITDEPTH_SIGNING_KEY", text)
        done = site.run("nightly")
        assert done.returncode == 2
        assert "expected an Ed25519 signing key" in done.stderr
        assert SECRET[4:-1] not in done.stdout + done.stderr
        assert site.root.store.nights.unsealed() == ()
        assert leaks(site, done) == []
