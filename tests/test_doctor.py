"""`bitdepth doctor`: what each check finds, and that looking hurts nothing."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import kept_site
import msgspec
import pytest
from click.testing import Result
from fault_server import FaultServer, Script, answer, drip, endless, raw, silence
from typer.testing import CliRunner

from generator import cli
from generator.archive import condition, layout
from generator.archive.disk_folder import DiskFolder
from generator.content import Content
from generator.probing.condition import FarEnd, far_end_checks, money_checks, together
from generator.probing.interface import Checkup
from generator.records.canonical import canonical_json, sealed
from generator.records.check import Check, CheckState
from generator.records.night import NightState
from generator.settings import BudgetSettings
from generator.site import templates
from generator.workflows import doctor_router
from generator.workflows.world import Root

NOW = datetime(2026, 3, 3, 5, 0, 0, tzinfo=UTC)
KEY = "sk-canary-doctor-91d7"
CREDITS = {"data": {"total_credits": 30, "total_usage": 5.5}}
ACCEPTED = {"data": {"limit_remaining": 20, "is_free_tier": False}}


def dated(body: object, status: int = 200, when: datetime = NOW) -> Script:
    """Play a body under the far clock's date."""
    return answer(body, status, date=f"{when:%a, %d %b %Y %H:%M:%S} GMT")


@contextmanager
def serving(key: Script | None = None, account: Script | None = None) -> Iterator[FaultServer]:
    """Run a router on loopback, beside the command, that says what it is told to of key and credit."""
    server = FaultServer(dated({}, 404), key=key or dated(ACCEPTED), credits=account or dated(CREDITS))
    loop, opened, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with server.open():
            opened.set()
            await ended.wait()

    def work() -> None:
        loop.run_until_complete(serve())

    thread = threading.Thread(target=work)
    thread.start()
    assert opened.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


def write_settings(path: Path, address: str, *, more: str = "", budget: str = '[budget]\nmax_usd = "10"\n') -> None:
    """Write a site.toml for a router."""
    text = kept_site.SITE_TOML.replace("http://127.0.0.1:9/api/v1", address)
    (path / "content").mkdir(exist_ok=True)
    (path / "content/site.toml").write_text(
        f'{text}key_variable = "DOCTOR_KEY"\n{budget}[probing]\ntotal_deadline_s = 0.5\nidle_deadline_s = 0.4\n{more}'
    )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root of two graded nights that were asked with the prompt set as it is."""
    path = tmp_path_factory.mktemp("doctor") / "root"
    (path / "content").mkdir(parents=True)
    (path / "content/site.toml").write_text(kept_site.SITE_TOML)
    root = Root(path)
    kept_site.begin_archive(root)
    for day in (1, 2):
        kept_site.add_night(root, date(2026, 3, day))
        asked_with(root, date(2026, 3, day), Content(path).prompt_set("p1").sha256)
    kept_site.grade(root, today=date(2026, 3, 3), progress=kept_site.Silent())
    return path


@pytest.fixture
def root(sound: Path, tmp_path: Path) -> Path:
    """Return a copy that may be damaged."""
    shutil.copytree(sound, tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture(scope="module")
def packaged_templates(sound: Path) -> templates.Templates:
    """Return the program's own templates, compiled once for all tests."""
    return templates.load(Root(sound).templates)


@pytest.fixture(autouse=True)
def world(monkeypatch: pytest.MonkeyPatch, packaged_templates: templates.Templates) -> None:
    """Set this machine's clock to 05:00, and its key; compile templates again only where a root has its own."""
    load = templates.load
    monkeypatch.setattr(cli, "_now", lambda: NOW)
    monkeypatch.setenv("DOCTOR_KEY", KEY)
    monkeypatch.setattr(templates, "load", lambda folders: load(folders) if folders[0].is_dir() else packaged_templates)


def asked_with(root: Root, night: date, sha256: str) -> None:
    """Seal a night anew, as asked with a prompt set of this digest."""
    record = root.store.nights.get(night).record
    path = root.store.folder.path / layout.night_file(night)
    path.write_bytes(canonical_json(sealed(msgspec.structs.replace(record, prompt_set_sha256=sha256, previous=None))))


def run(root: Path, *options: str) -> Result:
    """Run the command and require that whatever it finds is told."""
    result = CliRunner().invoke(cli.app, ["doctor", "--root", str(root), *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def examined(root: Path) -> dict[str, dict[str, Any]]:
    """Return the checks of a root by name; the exit code is 1 exactly where one failed."""
    result = run(root, "--json")
    said = json.loads(result.stdout)
    states = {check["state"] for check in said["checks"]}
    assert result.exit_code == said["exit_code"] == int("failed" in states)
    return {check["name"]: check for check in said["checks"]}


def look(root: Path, **served: Script) -> dict[str, dict[str, Any]]:
    """Return the checks of a root beside a router that says what it is told to."""
    with serving(**served) as server:
        write_settings(root, server.address)
        return examined(root)


def files(root: Path) -> list[tuple[str, int, int]]:
    """Return every file and folder of a root, with when it was written."""
    return sorted((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in (root, *root.rglob("*")))


class TestASoundRoot:
    def test_everything_is_ok_and_nothing_is_left_behind(self, root: Path):
        """Exit code 0, each check told on lines of at most 80 columns, and every file as it was."""
        with serving() as server:
            write_settings(root, server.address)
            before = files(root)
            result = run(root)
        assert result.exit_code == 0
        assert files(root) == before
        assert re.search(r"\n17 checks: 17 ok\n$", result.stdout), result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 80
        assert "\x1b" not in result.stdout
        assert {request.method for request in server.requests} == {"GET"}
        assert not [request.path for request in server.requests if "completions" in request.path]

    def test_digests_are_told_whole(self, root: Path):
        """The prompt set's and the method's digest can be compared with those published."""
        checks = look(root)
        assert Content(root).prompt_set("p1").sha256 in checks["prompt set"]["found"]
        assert Content(root).method("0.1").digest in checks["method 0.1"]["found"]
        assert "as on night 2026-03-02" in checks["prompt set"]["found"]
        assert "as grades were published under it" in checks["method 0.1"]["found"]

    def test_a_root_without_an_archive(self, tmp_path: Path):
        """Nothing recorded yet is in order, and no archive is made by looking."""
        checks = look(tmp_path)
        assert {check["state"] for check in checks.values()} == {"ok"}
        assert "new" in checks["last night"]["found"]
        assert checks["disk"]["expected"].startswith("2,500.0 MB free")
        assert "roughly needs; no night is kept" in checks["disk"]["expected"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["content"]

    def test_a_folder_that_is_none(self, tmp_path: Path):
        """A root that is not there fails with what to do, and is not made."""
        checks = examined(tmp_path / "nowhere")
        assert checks["settings"]["state"] == checks["folders"]["state"] == "failed"
        assert checks["disk"]["state"] == "not checked"
        assert "--root" in checks["settings"]["do"]
        assert not (tmp_path / "nowhere").exists()


class TestContent:
    def test_a_broken_settings_file_stops_only_what_hangs_on_it(self, root: Path):
        """The archive, the templates and the published methods are checked all the same."""
        (root / "content/site.toml").write_text("format = ")
        checks = examined(root)
        assert checks["settings"]["state"] == "failed"
        assert "content/site.toml" in checks["settings"]["found"]
        names = ("method 0.1", "templates", "folders", "disk", "lock", "journals", "last night")
        assert {checks[name]["state"] for name in names} == {"ok"}
        assert {checks[name]["state"] for name in ("prompt set", "tonight", "router", "key", "clock")} == {
            "not checked"
        }

    def test_a_prompt_set_that_changed_under_its_name(self, root: Path):
        """A set of another digest than the last night's fails, and both digests are told."""
        asked_with(Root(root), date(2026, 3, 2), "a" * 64)
        found = look(root)["prompt set"]
        assert found["state"] == "failed"
        assert "a" * 64 in found["found"]
        assert Content(root).prompt_set("p1").sha256 in found["found"]
        assert "new name" in found["do"]

    def test_a_prompt_set_that_no_night_could_be_drawn_from(self, root: Path):
        """A set that is not whole is named with its file."""
        shutil.copytree(Path(__file__).parent.parent / "content/prompts/p1", root / "content/prompts/p1")
        path = root / "content/prompts/p1/copy.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
        found = look(root)["prompt set"]
        assert found["state"] == "failed"
        assert "content/prompts/p1/copy.jsonl" in found["found"]

    def test_a_set_that_no_night_was_asked_with(self, root: Path):
        """Another set under another name is in order: nothing is kept that it must equal."""
        shutil.copytree(Path(__file__).parent.parent / "content/prompts/p1", root / "content/prompts/p9")
        described = root / "content/prompts/p9/set.toml"
        described.write_text(described.read_text().replace('name = "p1"', 'name = "p9"'))
        with serving() as server:
            write_settings(root, server.address)
            site = root / "content/site.toml"
            site.write_text(site.read_text().replace('prompt_set = "p1"', 'prompt_set = "p9"'))
            found = examined(root)["prompt set"]
        assert found["state"] == "ok"
        assert "no kept night" in found["found"]

    def test_a_method_that_changed_since_it_graded(self, root: Path):
        """A definition other than the one published under fails."""
        (root / "content/methods").mkdir()
        for suffix in (".toml", ".md"):
            text = (Path(__file__).parent.parent / f"content/methods/0.1{suffix}").read_text()
            (root / f"content/methods/0.1{suffix}").write_text(text + "\n")
        found = look(root)["method 0.1"]
        assert found["state"] == "failed"
        assert "new version" in found["do"]

    def test_a_template_that_is_none(self, root: Path):
        """A root's own template with an error in it is named with its line."""
        (root / "templates").mkdir()
        (root / "templates/grade.html").write_text("ok\n{% if %}\n")
        found = look(root)["templates"]
        assert found["state"] == "failed"
        assert "grade.html, line 2" in found["found"]

    def test_what_cannot_be_read_is_told(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """A right that is missing, or a disk that fails, is a failed check like any other."""

        def refused(_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Content, "settings", refused)
        found = examined(root)["settings"]
        assert found["state"] == "failed"
        assert found["found"] == "cannot read: Permission denied"


class TestKeyAndMoney:
    def test_the_key_is_told_nowhere(self, root: Path):
        """Its variable is named; the value stands in no output, whatever the router echoes."""
        echo = {"data": {"limit_remaining": KEY, "label": KEY, "total_credits": KEY}, "error": {"message": KEY}}
        for script in (dated(echo), dated(echo, 401), dated(echo, 500)):
            with serving(key=script, account=script) as server:
                write_settings(root, server.address)
                for options in ((), ("--json",)):
                    result = run(root, *options)
                    assert "DOCTOR_KEY" in result.output or "set and accepted" in result.output
                    assert KEY not in result.output
                    assert "sk-" not in result.output

    def test_a_missing_key_leaves_the_rest_checked(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """Without the variable the key fails; router and clock are checked without it."""
        monkeypatch.delenv("DOCTOR_KEY")
        with serving(key=dated({"error": {"code": 401}}, 401)) as server:
            write_settings(root, server.address)
            checks = examined(root)
        assert checks["key"]["state"] == "failed"
        assert "DOCTOR_KEY" in checks["key"]["do"]
        assert checks["router"]["state"] == checks["clock"]["state"] == "ok"
        assert not [request for request in server.requests if "authorization" in request.headers]

    def test_a_refused_key(self, root: Path):
        """A 401 is the key's failure and not the router's."""
        checks = look(root, key=dated({"error": {"code": 401}}, 401))
        assert checks["router"]["state"] == "ok"
        assert checks["key"]["state"] == "failed"
        assert "refused" in checks["key"]["found"]
        assert checks["credit and key limit"]["state"] == "not checked"
        assert "the key is refused" in checks["credit and key limit"]["found"]
        assert not checks.keys() & {"credit", "key limit"}

    @pytest.mark.parametrize("left", ["10", "9.99", "0", None])
    def test_what_is_left_is_held_against_the_cap(self, left: str | None):
        """Below what one night may cost is worth a look, nothing left fails: of the credit as of the key's limit."""
        state = {"10": CheckState.OK, "9.99": CheckState.ATTENTION, "0": CheckState.FAILED}
        amount = None if left is None else Decimal(left)
        checkup = Checkup(address="a", credit_left_usd=amount, key_limit_left_usd=amount)
        for check in money_checks(BudgetSettings(max_usd="10"), checkup):
            assert check.state is state.get(left or "", CheckState.NOT_CHECKED)
            assert (check.do is None) is (check.state is CheckState.OK)

    def test_what_the_router_says_is_left(self, root: Path):
        """Credit is what was bought less what was used; a key whose limit is used up fails."""
        checks = look(root, key=dated({"data": {"limit_remaining": 0}}))
        assert checks["credit"]["found"] == "24.5000 USD"
        assert checks["key limit"]["state"] == "failed"

    def test_a_router_that_charges_needs_a_cap(self, root: Path):
        """Without a cap no night is begun, and credit is only held against nothing."""
        with serving() as server:
            write_settings(root, server.address, budget="")
            checks = examined(root)
        assert checks["budget cap"]["state"] == "failed"
        assert "budget.max_usd" in checks["budget cap"]["do"]
        assert checks["credit"]["state"] == "ok"


class TestTheFarEnd:
    @pytest.mark.parametrize(
        ("skew_s", "state"),
        [(0, "ok"), (60, "ok"), (-60, "ok"), (61, "attention"), (-61, "attention"), (600, "attention"),
         (601, "failed"), (-601, "failed")],
    )  # fmt: skip
    def test_the_clock_is_held_against_the_date_header(self, skew_s: int, state: str):
        """A minute is in order, more is worth a look, more than ten fail."""
        end = FarEnd(name="router", key_variable=None, key_set=False, key_needed=False)
        checkup = Checkup(address="a", date=NOW - timedelta(seconds=skew_s), asked_at=NOW)
        clock = far_end_checks(end, checkup)[2]
        assert clock.state == state
        if state != "ok":
            assert ("ahead" if skew_s > 0 else "behind") in clock.found
            assert "midnight" in (clock.do or "")

    def test_the_clock_is_this_machines(self, root: Path):
        """The router's date is held against the clock that names the night."""
        found = look(root, key=dated(ACCEPTED, when=NOW - timedelta(seconds=700)))["clock"]
        assert (found["state"], found["found"]) == ("failed", "this machine 700 s ahead")

    def test_a_clock_on_another_day_fails_though_it_is_only_minutes_off(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """Just before midnight two minutes make it another night."""
        monkeypatch.setattr(cli, "_now", lambda: datetime(2026, 3, 2, 23, 59, 0, tzinfo=UTC))
        found = look(root, key=dated(ACCEPTED, when=datetime(2026, 3, 3, 0, 1, 0, tzinfo=UTC)))["clock"]
        assert found["state"] == "failed"
        assert "2026-03-02 here and 2026-03-03 there" in found["found"]

    @pytest.mark.parametrize(
        ("script", "problem"),
        [
            (silence(), "timed out"),
            (drip(b" ", 0.05), "status 200"),
            (endless(), "status 200"),
            (raw(b"SSH-2.0-\x1b[31mred\r\n"), "broken"),
            (answer(b"\x1b]0;gone\x07" * 9, 503), "status 503"),
            (answer(b"", 302, location="http://127.0.0.1:9/\x1b[31m"), "status 302"),
        ],
    )
    def test_a_hostile_router_ends_in_one_message_within_the_deadline(self, root: Path, script: Script, problem: str):
        """Silence, an endless body, no HTTP, an error page and a redirect each fail; nothing of a body is told."""
        before = datetime.now(UTC)
        with serving(key=script, account=script) as server:
            write_settings(root, server.address)
            result = run(root)
        assert datetime.now(UTC) - before < timedelta(seconds=4)
        assert result.exit_code == 1
        assert re.search(rf"^failed +router: .*{problem}", re.sub(r"\n {13}", " ", result.stdout), re.MULTILINE)
        assert "\x1b" not in result.output
        assert "gone" not in result.output

    @pytest.mark.parametrize(
        "body",
        [b"[" * 100_000, b"\xff\xfe", b'{"data": {"limit_remaining": 1e999999999}}', b'{"data": [7]}',
         b"<html>\x1b[31m", b'{"data": {"limit_remaining": NaN}}', b'{"data": {"limit_remaining": 1e300}}',
         b'{"data": {}}'],
    )  # fmt: skip
    def test_a_body_that_makes_no_sense_tells_nothing(self, root: Path, body: bytes):
        """Whatever stands in a body, the credit reads 'not checked' or a short figure."""
        checks = look(root, key=dated(body), account=dated(body))
        assert checks["key limit"]["state"] in {"not checked", "ok"}
        assert max(len(check["found"]) for check in checks.values()) < 300

    def test_a_date_that_is_none(self, root: Path):
        """Without a date that can be read, the clock reads 'not checked'."""
        assert look(root, key=answer(ACCEPTED, date="tomorrow"))["clock"]["state"] == "not checked"

    def test_nobody_listens(self, root: Path):
        """A refused connection is the router's failure, and the key is not judged by it."""
        write_settings(root, "http://127.0.0.1:9/api/v1")
        checks = examined(root)
        assert checks["router"]["state"] == "failed"
        assert "not connected" in checks["router"]["found"]
        assert checks["clock"]["found"] == "no answer to go by"
        assert "no answer that can be read" in checks["credit and key limit"]["found"]
        assert checks["key"]["state"] == "not checked"

    def test_an_address_that_is_none(self, root: Path):
        """An address with a user in it is refused before anything is sent."""
        write_settings(root, "http://127.0.0.1:9/api/v1?x=1")
        assert "without user" in examined(root)["router"]["expected"]
        assert examined(root)["router"]["found"].startswith("a query")


class TestManyAddresses:
    def servers(self, root: Path, *entries: str) -> dict[str, dict[str, Any]]:
        """Return the checks of a root that asks some servers directly."""
        text = re.sub(r"(?m)^models = .*$", "", kept_site.SITE_TOML)
        text = text[: text.index("[router]")] + '[router]\nkind = "direct"\n'
        (root / "content/site.toml").write_text(text + "".join(f"[[servers]]\n{entry}\n" for entry in entries))
        return examined(root)

    def test_each_server_has_checks_of_its_own(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """One server answers, one refuses its key, one needs a key that is not set, one is not there."""
        monkeypatch.delenv("SPARE_KEY", raising=False)
        base = 'model = "aster/sphinx-8b"\nmodel_id = "m"'
        with serving() as server:
            server.paths["one/models"] = dated({"data": [{"id": "m"}]})
            server.paths["two/models"] = server.paths["three/models"] = dated({}, 401)
            checks = self.servers(
                root,
                f'name = "one"\naddress = "{server.address}/one"\n{base}',
                f'name = "two"\naddress = "{server.address}/two"\nkey_variable = "DOCTOR_KEY"\n{base}',
                f'name = "three"\naddress = "{server.address}/three"\nkey_variable = "SPARE_KEY"\n{base}',
                f'name = "four"\naddress = "http://127.0.0.1:9/v1"\n{base}',
            )
        state = {name: check["state"] for name, check in checks.items()}
        assert [state[f"server {name}"] for name in ("one", "two", "three", "four")] == ["ok", "ok", "ok", "failed"]
        assert [state[f"key, server {name}"] for name in ("one", "two", "three", "four")] == [
            "ok", "failed", "failed", "ok"]  # fmt: skip
        assert "SPARE_KEY" in checks["key, server three"]["do"]
        assert state["clock, server one"] == "ok"
        assert state["clock, server four"] == "not checked"
        assert checks["budget cap"]["found"] == "none; this router charges nothing"
        assert "credit" not in checks

    def test_a_server_that_names_no_key_and_asks_for_one(self, root: Path):
        """A 401 without a key says which setting is missing."""
        with serving() as server:
            server.paths["models"] = dated({}, 401)
            entry = f'name = "one"\naddress = "{server.address}"\nmodel = "aster/sphinx-8b"'
            found = self.servers(root, entry)["key, server one"]
        assert found["state"] == "failed"
        assert "key_variable" in found["do"]

    def test_the_names_of_a_servers_models_are_escaped_and_cut(self, root: Path):
        """What a server lists in place of the model asked for cannot draw on a terminal, nor fill it."""
        with serving() as server:
            server.paths["models"] = dated({"data": [{"id": "\x1b[31m" + "x" * 100_000}, {"id": "n"}]})
            entry = f'name = "one"\naddress = "{server.address}"\nmodel = "aster/sphinx-8b"\nmodel_id = "m"'
            assert self.servers(root, entry)["server one"]["state"] == "failed"
            result = run(root)
        assert "\x1b" not in result.output
        assert len(result.output) < 4000

    def test_settings_that_no_router_can_be_made_of(self, root: Path):
        """Two servers that cannot be told apart are one message, and the rest is checked."""
        entry = 'address = "http://127.0.0.1:9/v1"\nmodel = "aster/sphinx-8b"'
        checks = self.servers(root, f'name = "a b"\n{entry}', f'name = "a-b"\n{entry}')
        assert checks["router"]["state"] == "failed"
        assert "Rename" in checks["router"]["do"]
        assert checks["folders"]["state"] == "ok"

    @pytest.mark.parametrize(
        ("account", "accounts", "key"),
        [
            (dated({"name": "us"}), "ok", "ok"),
            (dated({}, 401), "ok", "failed"),
            (raw(b"?"), "attention", "not checked"),
        ],
    )
    def test_a_router_whose_accounts_have_another_address(self, root: Path, account: Script, accounts: str, key: str):
        """Hugging Face's key is judged by the host of accounts, without which a night can do."""
        with serving() as server:
            server.paths["models"] = dated({"data": []})
            server.paths["whoami-v2"] = account
            write_settings(root, server.address)
            site = root / "content/site.toml"
            site.write_text(site.read_text().replace('kind = "openrouter"', 'kind = "huggingface"'))
            checks = examined(root)
        assert checks["router"]["state"] == "ok"
        assert checks["accounts"]["state"] == accounts
        assert checks["key"]["state"] == key
        assert checks["credit and key limit" if key == "failed" else "credit"]["state"] == "not checked"

    def test_a_router_that_never_ends_is_given_up(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """Whatever a router's own deadlines do, doctor ends."""
        monkeypatch.setattr(doctor_router, "ALL_S", 0.2)
        assert "no answer within 0.2 s" in look(root, key=silence())["router"]["found"]
        with serving() as server:
            server.paths["models"] = silence()
            entry = f'name = "one"\naddress = "{server.address}"\nmodel = "aster/sphinx-8b"'
            assert "no answer within 0.2 s" in self.servers(root, entry)["server one"]["found"]

    def test_a_router_that_charges_nothing_is_not_asked_for_money(self, root: Path):
        """On the demo router there is no cap to set and no credit to look at."""
        with serving() as server:
            write_settings(root, server.address, budget="")
            site = root / "content/site.toml"
            site.write_text(site.read_text().replace('kind = "openrouter"', 'kind = "demo"'))
            checks = examined(root)
        assert checks["budget cap"]["state"] == "ok"
        assert not {"credit", "key limit"} & set(checks)


class TestFigures:
    """What a checkup may hold that no body of a known router gives."""

    def money(self, credit: str) -> Check:
        """Return the check of a credit, with no cap."""
        checkup = Checkup(address="http://router.example", credit_left_usd=Decimal(credit))
        return money_checks(BudgetSettings(), checkup)[0]

    @pytest.mark.parametrize("credit", ["NaN", "sNaN", "Infinity", "-Infinity"])
    def test_what_is_no_amount(self, credit: str):
        """It is worth a look, and is not repeated."""
        assert (self.money(credit).state, self.money(credit).found) == (CheckState.ATTENTION, "no amount")

    @pytest.mark.parametrize(
        ("credit", "told"),
        [
            ("1E+999999", "over 1,000,000,000 USD"),
            ("-1E+999999", "under -1,000,000,000 USD"),
            ("1E-999999", "0.0000 USD"),
        ],
    )
    def test_an_amount_is_told_in_a_few_digits(self, credit: str, told: str):
        """A decimal of a million digits is not."""
        assert self.money(credit).found == told

    def test_an_own_address_wins_over_another(self):
        """What a router's own address says is not replaced; what it leaves out is taken from the others."""
        own = Checkup(address="a", key_accepted=False, credit_left_usd=Decimal(1))
        other = Checkup(address="b", key_accepted=True, credit_left_usd=Decimal(2), key_limit_left_usd=Decimal(3))
        assert together(own, [other]) == msgspec.structs.replace(own, key_limit_left_usd=Decimal(3))
        assert together(Checkup(address="a"), [other]) == msgspec.structs.replace(other, address="a")
        assert together(other, [own]) == other

    @pytest.mark.parametrize(
        ("ms", "told"),
        [
            (0, "no difference that the Date header could show"),
            (1999, "no difference that the Date header could show"),
            (-1999, "no difference that the Date header could show"),
            (2000, "this machine 2 s ahead"),
            (-2000, "this machine 2 s behind"),
        ],
    )
    def test_a_date_header_has_whole_seconds(self, ms: int, told: str):
        """What it cannot show is told as no difference."""
        end = FarEnd(name="router", key_variable=None, key_set=False, key_needed=False)
        checkup = Checkup(address="a", date=NOW, asked_at=NOW + timedelta(milliseconds=ms))
        assert far_end_checks(end, checkup)[2].found == told

    def test_a_server_that_says_nothing_of_its_key(self):
        """An open list of models, or none at all, proves no key; a server without a list is worth a look."""
        end = FarEnd(name="server a", key_variable="A_KEY", key_set=True, key_needed=False, direct=True)
        reached, key, _ = far_end_checks(end, Checkup(address="http://a"))
        assert (reached.state, key.state) == (CheckState.OK, CheckState.NOT_CHECKED)
        assert "open to anybody" in key.found
        reached, key, _ = far_end_checks(end, Checkup(address="http://a", lists_nothing=404))
        assert (reached.state, key.state) == (CheckState.ATTENTION, CheckState.NOT_CHECKED)
        assert "HTTP status 404" in reached.found
        assert "wrong one is answered so too" in (reached.do or "")
        refused = far_end_checks(end, Checkup(address="http://a", key_accepted=False))[1]
        assert refused.do == "Set A_KEY to a key that the server takes"

    @pytest.mark.parametrize(
        ("checkup", "key_set", "why"),
        [
            (Checkup(address="a", key_accepted=False), True, "the key is refused"),
            (Checkup(address="a", key_accepted=False), False, "no key is set"),
            (Checkup(address="a", problem="status 500"), True, "no answer that can be read"),
        ],
    )
    def test_money_that_nobody_could_tell_of(self, checkup: Checkup, key_set: bool, why: str):  # noqa: FBT001 - a case
        """One check says why, and blames no key without a limit."""
        (check,) = money_checks(BudgetSettings(), checkup, key_set=key_set)
        assert (check.state, check.do) == (CheckState.NOT_CHECKED, None)
        assert why in check.found

    def test_a_router_that_charges_is_never_asked_without_a_key(self):
        """No key's variable in the settings fails, whatever the router says."""
        end = FarEnd(name="router", key_variable=None, key_set=False, key_needed=True)
        key = far_end_checks(end, Checkup(address="a"))[1]
        assert key.state is CheckState.FAILED
        assert "key_variable" in (key.do or "")


class TestPerModel:
    def test_only_the_rule_can_find_it(self, root: Path):
        """A model that settings of its own name and nothing else is said to be seen when a night is planned."""
        own = '[per_model."nobody/unknown"]\nmax_tokens = 64\n'
        with serving() as server:
            write_settings(root, server.address, more=own)
            site = root / "content/site.toml"
            assert "found" in examined(root)["settings"]
            assert examined(root)["settings"]["state"] == "failed"
            site.write_text(f"min_providers = 4\n{site.read_text()}")
            check = examined(root)["per_model"]
        assert check["state"] == "not checked"
        assert "nobody/unknown" in check["found"]
        assert "bitdepth plan" in check["do"]


class TestArchive:
    def test_a_lock_that_is_held_stays_held(self, root: Path):
        """Another process's lock is seen at once, is still held after, and no night's files are touched."""
        code = "import sys;from pathlib import Path;from generator.archive.store import Store\n"
        code += f"with Store(Path({str(root)!r})).lock(): print('held', flush=True); sys.stdin.read()"
        with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1) as other:
            assert other.stdin is not None
            assert other.stdout is not None
            assert other.stdout.readline() == b"held\n"
            assert look(root)["lock"]["state"] == "attention"
            assert condition.is_locked(root / "archive") is True
            other.stdin.close()
        assert condition.is_locked(root / "archive") is False

    def test_looking_turns_no_run_away(self, root: Path):
        """While one thread looks again and again, a run takes the lock each of 200 times."""
        store, over = Root(root).store, threading.Event()
        with store.lock():
            pass

        def keep_looking() -> None:
            while not over.wait(0.001):
                condition.is_locked(root / "archive")

        looking = threading.Thread(target=keep_looking)
        looking.start()
        try:
            for _ in range(200):
                with store.lock():
                    pass
        finally:
            over.set()
            looking.join()

    def test_no_lock_file_is_free_and_none_is_made(self, root: Path):
        """A lock that nobody ever took is free, and looking makes no file."""
        assert condition.is_locked(root / "archive") is False
        assert not (root / "archive/.lock").exists()

    def test_a_lock_that_cannot_be_looked_at(self, root: Path):
        """A lock file that cannot be opened is neither free nor held."""
        (root / "archive/.lock").symlink_to(".lock")
        checks = look(root)
        assert checks["lock"]["state"] == "not checked"
        assert "a run" in checks["lock"]["do"]

    def test_a_file_system_without_locks(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """Where the system cannot tell, nobody is said to be at work or not."""

        def no_locks(*_: object) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        (root / "archive/.lock").touch()
        monkeypatch.setattr(condition.fcntl, "flock", no_locks)
        assert condition.is_locked(root / "archive") is None

    @pytest.mark.parametrize(("folder", "named"), [("archive/nights", "archive/nights"), ("site", "site")])
    def test_a_file_where_a_folder_should_be(self, root: Path, folder: str, named: str):
        """What cannot take a file is named by its path in the root."""
        shutil.rmtree(root / folder, ignore_errors=True)
        (root / folder).write_text("in the way")
        found = look(root)["folders"]
        assert found["state"] == "failed"
        assert found["found"] == f"{named}: Not a directory"

    def test_a_read_only_disk(self, root: Path, tmp_path: Path):
        """A root on a file system that refuses writing fails before a night is paid for."""
        mounted = tmp_path / "mounted"
        mounted.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "none", str(mounted)], check=False).returncode:
            pytest.skip("mounting a small file system needs root")
        try:
            shutil.copytree(root, mounted / "root")
            write_settings(mounted / "root", "http://127.0.0.1:9/api/v1")
            subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
            found = examined(mounted / "root")["folders"]
            assert found["state"] == "failed"
            assert "the site root: Read-only file system" in found["found"]
        finally:
            subprocess.run(["umount", str(mounted)], check=True)

    @pytest.mark.parametrize(("times", "state"), [(0.9, "failed"), (1, "attention"), (9.9, "attention"), (10, "ok")])
    def test_the_disk_is_held_against_what_a_night_needs(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, times: float, state: str
    ):
        """Twenty times what is kept of the largest night is what one needs; ten times that is comfortable."""
        kept = max(condition.kept_bytes(DiskFolder(root / "archive"), date(2026, 3, day)) for day in (1, 2))
        assert kept > sum(path.stat().st_size for path in (root / "archive/nights/2026-03-02").iterdir())
        monkeypatch.setattr(condition, "free_bytes", lambda _: int(times * 20 * kept))
        assert look(root)["disk"]["state"] == state

    @pytest.mark.parametrize(("free", "state"), [(49, "failed"), (51, "attention"), (2499, "attention"), (2501, "ok")])
    def test_a_disk_for_a_first_night(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, state: str):
        """Before a night is kept its need is a rough guess, which fails nothing where there is room for a small one."""
        monkeypatch.setattr(condition, "free_bytes", lambda _: free * 1_000_000)
        assert look(tmp_path)["disk"]["state"] == state

    def test_free_space_is_what_the_system_says(self, root: Path):
        """The figure is the disk's own, and a folder that is not there is passed over."""
        free = condition.free_bytes((root, root / "nowhere"))
        assert free is not None
        assert abs(free - shutil.disk_usage(root).free) < 500_000_000

    def test_a_journal_of_today_says_how_to_carry_on(self, root: Path):
        """A night begun and not sealed is worth a look; its journal is left as it is."""
        journal = root / "archive/journal/2026-03-03.jsonl"
        journal.parent.mkdir()
        journal.write_bytes(b'{"cut')
        checks = look(root)
        assert checks["journals"]["state"] == "attention"
        assert "again today" in checks["journals"]["do"]
        assert "after midnight UTC add --night 2026-03-03" in checks["journals"]["do"]
        assert "begun" in checks["tonight"]["found"]
        assert journal.read_bytes() == b'{"cut'

    def test_a_journal_whose_day_is_over(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """It is sealed by the next run, and its night is not called missed."""
        (root / "archive/journal").mkdir()
        (root / "archive/journal/2026-03-03.jsonl").write_bytes(b"")
        monkeypatch.setattr(cli, "_now", lambda: NOW + timedelta(days=1))
        checks = look(root)
        assert "seals" in checks["journals"]["do"]
        assert "--night 2026-03-03" in checks["journals"]["do"]
        assert checks["last night"]["state"] == "ok"

    def test_a_run_at_work_explains_its_journal(self, root: Path):
        """While the lock is held, an unsealed journal is nobody's worry."""
        (root / "archive/journal").mkdir()
        (root / "archive/journal/2026-03-03.jsonl").write_bytes(b"")
        with Root(root).store.lock():
            assert look(root)["journals"]["state"] == "ok"

    @pytest.mark.parametrize(
        ("days", "said"), [(1, "1 night has been missed since, 2026-03-03"),
                           (3, "3 nights have been missed since, 2026-03-03 to 2026-03-05")],
    )  # fmt: skip
    def test_missed_nights_are_named(self, root: Path, monkeypatch: pytest.MonkeyPatch, days: int, said: str):
        """Every date between the last kept night and today is a missed night."""
        monkeypatch.setattr(cli, "_now", lambda: NOW + timedelta(days=days))
        found = look(root)["last night"]
        assert found["state"] == "attention"
        assert said in found["found"]

    def test_a_night_in_the_future_is_the_clocks_fault(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """A clock that was set back would let no night follow."""
        monkeypatch.setattr(cli, "_now", lambda: NOW - timedelta(days=2))
        found = look(root)["last night"]
        assert found["state"] == "failed"
        assert "clock" in found["do"]

    def test_a_void_night_is_worth_a_look(self, root: Path):
        """The last night's state is told."""
        kept_site.add_night(Root(root), date(2026, 3, 3), state=NightState.VOID, sent_below=0)
        found = look(root)["last night"]
        assert found["state"] == "attention"
        assert found["found"] == "2026-03-03, void"

    def test_a_damaged_night_is_named(self, root: Path):
        """A night.json that is not what was sealed fails with its name."""
        path = root / "archive/nights/2026-03-02/night.json"
        path.write_bytes(path.read_bytes().replace(b'"late":false', b'"late":true '))
        found = look(root)["last night"]
        assert found["state"] == "failed"
        assert "nights/2026-03-02/night.json" in found["found"]


class TestTonight:
    @pytest.mark.parametrize(
        ("hour", "state", "said"),
        [(2, "ok", "to begin at 03:00"), (3, "ok", "due"), (9, "ok", "due"), (10, "attention", "no such night")],
    )
    def test_the_hour_is_held_against_the_clock(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, hour: int, state: str, said: str
    ):
        """A night meant for 03:00 is to come before, due until 09:00, and marked late after."""
        monkeypatch.setattr(cli, "_now", lambda: NOW.replace(hour=hour))
        found = look(root)["tonight"]
        assert found["state"] == state
        assert said in found["found"]

    def test_a_night_before_its_hour_is_said_to_be(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """Whoever runs it now is told by how much it begins too early."""
        monkeypatch.setattr(cli, "_now", lambda: NOW.replace(hour=1))
        assert "Begun now, night 2026-03-03 begins 2 h before its hour (03:00 UTC)" in look(root)["tonight"]["found"]

    def test_a_sealed_night_asks_nothing_more(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """Once tonight is sealed, a run would ask nothing."""
        monkeypatch.setattr(cli, "_now", lambda: NOW - timedelta(days=1))
        assert "sealed" in look(root)["tonight"]["found"]

    def test_the_last_hour_of_the_day_is_a_bad_one(self, root: Path):
        """A start at 23:00 that comes an hour late bears the next day's date."""
        with serving() as server:
            write_settings(root, server.address, more="hour_utc = 23\n")
            found = examined(root)["tonight"]
        assert found["state"] == "attention"
        assert "next day" in found["do"]
