"""A night end to end against the embedded router: run, killed and resumed, stopped, locked out, overdue."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import demo_site
import msgspec
import pytest
from demo_site import KEY, DemoSite, journal_lines, write_journal
from tiers import few

from generator.archive import layout
from generator.archive.codec import records_of
from generator.archive.store import Store
from generator.probing.demo.process import running_router
from generator.records.endpoint import Endpoint
from generator.records.night import NightPlan, NightState
from generator.records.observation import Observation, Outcome

MEASURED = ("requested_at",)
"""What differs between two runs of one night against the embedded router, which replays everything else."""

ONE_MODEL = '["huggingfacetb/smollm2-135m-instruct"]'
PLANNED = 6 * 120 - 120
"""Observations of the one model on the first night: five of its six endpoints are listed, 96 + 24 prompts each."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DemoSite]:
    """Yield a root that watches one model on a router of its own."""
    with running_router() as address:
        made = DemoSite(tmp_path / "root", address)
        made.write_settings(models=ONE_MODEL)
        yield made


def observations(site: DemoSite) -> list[Observation]:
    """Return the last kept night's observations without what was measured."""
    nights = site.root.store.nights
    record = nights.get(nights.kept()[-1]).record
    rows = records_of(nights.table(record, "observations"), Observation)
    return [msgspec.structs.replace(row, **dict.fromkeys(MEASURED)) for row in rows]


def wait_for_lines(site: DemoSite, lines: int) -> None:
    """Wait until a night's journal holds so many lines."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        paths = list((site.path / "archive" / layout.JOURNAL).glob("*.jsonl"))
        if paths and paths[0].read_bytes().count(b"\n") > lines:
            return
        time.sleep(0.005)
    pytest.fail("the journal did not grow")


class TestANightEndToEnd:
    def test_it_is_probed_graded_rendered_and_verified_in_one_command(self, site: DemoSite):
        """`nightly` seals the night, keeps grades and pages, and leaves a site without findings."""
        done = site.run("nightly", "--json")
        assert done.returncode == 0, done.stderr
        result = msgspec.json.decode(done.stdout)
        assert result["night"]["counts"]["planned"] == PLANNED
        assert result["night"]["state"] == "recorded"
        assert result["graded"] == {"windows": 1, "grades": 5}
        assert result["log"]["appended"] == {"leaves": 7, "size": 7, "signed": 0}
        assert result["verification"]["findings"] == []
        assert (site.path / "site/index.html").is_file()

    @pytest.mark.ci
    def test_a_second_run_on_the_same_night_asks_nothing(self, site: DemoSite):
        """A night that is complete is left alone, and nothing changes a byte."""
        site.run("nightly")
        served, folder = site.served().requests, site.root.store.folder
        before = {name: folder.read(name) for name in folder.names()}
        done = site.run("nightly")
        assert done.returncode == 0, done.stderr
        assert "sealed already" in done.stderr
        assert site.served().requests == served
        assert {name: folder.read(name) for name in folder.names()} == before

    @pytest.mark.ci
    def test_each_stage_alone_comes_to_the_same(self, site: DemoSite):
        """probe, grade, log append, render and verify in turn end where `nightly` does."""
        for stage in (("probe",), ("grade",), ("log", "append"), ("render",), ("verify",)):
            done = site.run(*stage)
            assert done.returncode == 0, done.stderr
        assert site.run("nightly").returncode == 0

    @pytest.mark.ci
    def test_the_key_stands_nowhere(self, site: DemoSite):
        """Neither archive, site, journal nor output holds the key."""
        done = site.run("nightly", "--json")
        assert KEY not in done.stdout + done.stderr
        for path in site.path.rglob("*"):
            assert not path.is_file() or KEY.encode() not in path.read_bytes()


class TestKilledAtAnyPointTheSameCommandCarriesOn:
    @pytest.mark.parametrize(
        "lines",
        [
            pytest.param(1, marks=pytest.mark.ci),
            pytest.param(150, marks=pytest.mark.ci),
            pytest.param(400, marks=pytest.mark.ci),
        ],
    )
    def test_a_killed_and_resumed_night_is_the_undisturbed_one(self, site: DemoSite, lines: int):
        """No answer is lost, none is asked twice but those in flight, and the observations are the same."""
        plan = _killed(site, lines)[0]
        assert site.root.store.nights.kept() == ()
        done = site.run("nightly")
        assert done.returncode == 0, done.stderr
        assert list((site.path / "archive/journal").iterdir()) == []
        disturbed, asked = observations(site), site.served().requests
        assert PLANNED <= asked <= PLANNED + 60

        # The same night without the kill: the same plan, from its beginning.
        again = DemoSite(site.path.parent / "again", site.address)
        again.write_settings(models=ONE_MODEL)
        write_journal(again, [plan])
        assert again.run("nightly").returncode == 0
        assert observations(again) == disturbed

    @pytest.mark.parametrize(
        "step",
        [*(pytest.param(step, marks=pytest.mark.ci) for step in ("tables", "night.json", "grades", "site")), "pages"],
    )
    def test_a_run_killed_after_the_seal_ends_with_the_bytes_of_one_that_was_not(self, site: DemoSite, step: str):
        """Whichever file a killed run got to, the next run completes it byte for byte."""
        plan = _killed(site, 0)[0]
        site.run("nightly")
        nights = site.root.store.nights
        night = nights.kept()[0]
        record = nights.get(night).record
        whole = _whole(site.path)
        if step in {"tables", "night.json"}:
            # Sealing had written some tables, or all of them but not night.json; the journal is still there.
            rows = records_of(nights.table(record, "observations"), Observation)
            write_journal(site, [plan, *(msgspec.json.encode(row) for row in rows)])
            (site.path / "archive" / layout.night_file(night)).unlink()
            if step == "tables":
                (site.path / "archive" / layout.table_file(night, "prompts")).unlink()
        if step in {"tables", "night.json", "grades"}:
            (site.path / f"archive/grades/0.1/{night}.json").unlink()
        if step != "site":
            (site.path / f"archive/pages/0.1/{night}.json").unlink()
        shutil.rmtree(site.path / "site")
        served = site.served().requests
        done = site.run("nightly")
        assert done.returncode == 0, done.stderr
        assert _whole(site.path) == whole
        assert site.served().requests == served


class TestEachStopHasItsExitCode:
    def test_the_budget_stops_at_the_cap_and_a_higher_cap_carries_on(self, site: DemoSite):
        """Exit code 4; nothing that was paid for is lost; spend stays under the cap."""
        site.write_settings(models=ONE_MODEL, max_usd='"0.0003"')
        stopped = site.run("nightly")
        assert stopped.returncode == 4
        assert "max_usd" in stopped.stderr
        assert "may have cost" in stopped.stderr
        assert "Traceback" not in stopped.stderr
        asked = site.served().requests
        assert 0 < asked < PLANNED
        site.write_settings(models=ONE_MODEL, max_usd='"1"')
        done = site.run("nightly")
        assert done.returncode == 0, done.stderr
        assert site.served().requests == PLANNED

    @pytest.mark.ci
    def test_a_stop_is_told_once_and_last_and_of_the_whole_night(self, site: DemoSite):
        """One message, after the lines of the later stages; a run that asks nothing counts what others kept."""
        site.write_settings(models=ONE_MODEL, max_usd='"0.0003"')
        for runs in (1, 2):
            each = site.run("nightly").stderr
            # The plan, and an account at either end of each run. The second may ask a few more: what was reserved for
            # requests in flight when the first stopped was more than they came to.
            kept = len(journal_lines(site)) - 1 - 2 * runs
            assert 0 < kept < PLANNED
            assert each.count("are kept") == 1
            assert each.splitlines()[-1].startswith("error: the next request could pass the cap of 0.0003 USD")
            assert f"{kept} of {PLANNED} observations are kept" in each
            assert f"after midnight UTC add --night {datetime.now(UTC).date()}" in each

    @pytest.mark.ci
    def test_an_interrupt_is_a_partial_night(self, site: DemoSite):
        """Exit code 3; the same command carries on and asks only what is missing."""
        process = site.start("nightly")
        wait_for_lines(site, 20)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert process.returncode == 3, error
        assert b"Traceback" not in error
        assert site.run("nightly").returncode == 0
        assert site.served().requests == PLANNED

    @pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.ci)])
    def test_a_service_that_is_ended_is_a_partial_night(self, site: DemoSite, name: str):
        """What ends a service or closes a terminal interrupts as Ctrl-C does."""
        process = site.start("nightly")
        wait_for_lines(site, 20)
        process.send_signal(getattr(signal, name))
        _, error = process.communicate(timeout=60)
        assert process.returncode == 3, error
        assert site.run("probe").returncode == 0
        assert site.served().requests == PLANNED

    def test_a_router_that_charges_needs_a_cap(self, site: DemoSite):
        """Without a cap nothing is asked, and the field is named."""
        path = site.path / "content/site.toml"
        path.write_text(path.read_text().replace('kind = "demo"', 'kind = "openrouter"'))
        done = site.run("probe")
        assert done.returncode == 1
        assert "budget.max_usd" in done.stderr
        assert site.served().requests == 0

    def test_an_endpoint_without_a_price_is_left_out_and_the_others_have_their_night(self, site: DemoSite):
        """Under a cap its requests are unsent, by name; everything else is asked."""
        site.write_settings(models=ONE_MODEL, max_usd='"1"')
        first = _unpriced(site, 1)[0]
        done = site.run("probe")
        assert done.returncode == 0, done.stderr
        assert "no price" in done.stderr
        rows = observations(site)
        unsent = [row for row in rows if row.outcome == Outcome.UNSENT]
        assert {(row.endpoint, row.error_kind) for row in unsent} == {(first.endpoint, "unpriced")}
        assert len(rows) - len(unsent) == PLANNED - 120

    @pytest.mark.ci
    def test_an_unpriced_endpoint_is_asked_by_a_later_run_that_may(self, site: DemoSite):
        """Left out it is not decided: `plan` counts it before and while, and --allow-unpriced asks it."""
        site.write_settings(models=ONE_MODEL, max_usd='"0.0003"')
        _unpriced(site, 1)
        left_out = [msgspec.json.decode(site.run("plan", "--json").stdout)["left_out"]]
        stopped = site.run("probe")
        assert stopped.returncode == 4
        assert "120 graded requests left out" in stopped.stderr
        assert "on the run that completes the night" in stopped.stderr
        left_out.append(msgspec.json.decode(site.run("plan", "--json").stdout)["left_out"])
        assert left_out == [120, 120]
        done = site.run("probe", "--allow-unpriced", "--max-usd", "1")
        assert done.returncode == 0, done.stderr
        assert not [row for row in observations(site) if row.outcome == Outcome.UNSENT]
        assert site.served().requests == PLANNED

    @pytest.mark.ci
    def test_a_void_night_is_no_partial_one(self, site: DemoSite):
        """Exit code 1, with what was unsent by kind and what to do; the next run leaves it and is done."""
        site.write_settings(models=ONE_MODEL, max_usd='"1"')
        _unpriced(site, 5)
        before = site.served().requests  # By the run that was killed.
        done = site.run("nightly")
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"error: the night is sealed and void: 0 of {PLANNED} planned observations were sent")
        assert f"unsent: unpriced {PLANNED}" in last
        assert "--allow-unpriced" in last
        assert site.run("nightly").returncode == 0
        assert site.served().requests == before

    def test_a_night_is_carried_on_with_as_it_was_begun(self, site: DemoSite):
        """What can move a result is the plan's, whatever site.toml says by then; another router is refused."""
        write_journal(site, _killed(site, 50))
        path = site.path / "content/site.toml"
        path.write_text(path.read_text() + "[probing]\ntemperature = 1.5\nattempts = 2\n")
        assert site.run("probe").returncode == 0
        night = site.root.store.nights.kept()[0]
        assert site.root.store.nights.get(night).record.settings.temperature == 0.0
        assert site.served().requests <= PLANNED + 60

    def test_json_is_one_document_whatever_happens(self, site: DemoSite):
        """A stopped night prints its result and its error as one JSON object."""
        site.write_settings(models=ONE_MODEL, max_usd='"0.0003"')
        done = site.run("nightly", "--json")
        assert done.returncode == 4
        result = msgspec.json.decode(done.stdout)
        assert result["exit_code"] == 4
        assert "max_usd" in result["error"]

    def test_a_second_run_at_once_sends_nothing(self, site: DemoSite):
        """Exit code 5 while another run holds the lock."""
        with Store(site.path).lock():
            done = site.run("nightly")
        assert done.returncode == 5
        assert "another run" in done.stderr
        assert site.served().requests == 0

    @pytest.mark.ci
    def test_a_router_that_is_not_there_is_one_message(self, site: DemoSite):
        """Exit code 1, no traceback, nothing written but the archive's beginning."""
        site.write_settings(models=ONE_MODEL, address="http://127.0.0.1:9/api/v1")
        done = site.run("nightly")
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert site.root.store.nights.unsealed() == ()

    def test_a_missing_key_names_its_variable(self, site: DemoSite, monkeypatch: pytest.MonkeyPatch):
        """Exit code 1; the message says which variable to set."""
        monkeypatch.setattr(demo_site, "KEY", "")
        done = site.run("probe")
        assert done.returncode == 1
        assert "DEMO_KEY" in done.stderr

    def test_an_unknown_model_is_named(self, site: DemoSite):
        """A watched model that the router does not list stops before anything is asked."""
        site.write_settings(models='["nobody/nothing-7b"]')
        done = site.run("probe")
        assert done.returncode == 1
        assert "nobody/nothing-7b" in done.stderr
        assert site.root.store.nights.unsealed() == ()


class TestAJournalWhoseDateHasPassedIsSealedByTheNextRun:
    @pytest.mark.parametrize(
        ("kept", "state"), few([(PLANNED // 2, NightState.RECORDED), (PLANNED // 2 - 1, NightState.VOID)])
    )
    def test_recorded_if_at_least_half_was_sent_otherwise_void(self, site: DemoSite, kept: int, state: NightState):
        """Half of the planned observations is enough; one fewer is not, and a void night is in no window."""
        _interrupted(site, kept)
        done = site.run("nightly")
        assert done.returncode == 0, done.stderr
        nights = site.root.store.nights
        yesterday, today = nights.kept()
        record = nights.get(yesterday).record
        assert record.state == state
        assert record.counts.planned == PLANNED
        assert record.counts.sent == kept
        rows = records_of(nights.table(record, "observations"), Observation)
        assert sum(row.outcome == Outcome.UNSENT for row in rows) == PLANNED - kept
        window = site.root.store.grades.get("0.1", today)[0].nights
        assert window == ((yesterday, today) if state == NightState.RECORDED else (today,))
        # An endpoint first seen on a void night was first listed on its first recorded one.
        listed = nights.table(nights.get(today).record, "listings").column("first_listed").to_pylist()
        assert set(listed) == {yesterday if state == NightState.RECORDED else today}

    @pytest.mark.ci
    def test_an_unsealed_night_can_be_carried_on_with_by_name(self, site: DemoSite):
        """`--night` asks what an earlier night still misses, and nothing of today."""
        yesterday = _interrupted(site, 300)
        done = site.run("probe", "--night", yesterday.isoformat())
        assert done.returncode == 0, done.stderr
        assert site.root.store.nights.kept() == (yesterday,)
        assert site.root.store.nights.get(yesterday).record.counts.sent == PLANNED

    def test_a_night_that_is_over_cannot_be_measured(self, site: DemoSite):
        """Only today's night or an unsealed journal can be probed: usage, exit code 2."""
        done = site.run("probe", "--night", "2020-01-01")
        assert done.returncode == 2
        assert "2020-01-01" in done.stderr

    @pytest.mark.ci
    def test_a_night_ahead_of_the_clock_is_not_carried_on_with(self, site: DemoSite):
        """What a wrong clock began waits for its date: usage, exit code 2, and its journal stays as it is."""
        ahead = _interrupted(site, 300, days=2)
        before = journal_lines(site)
        done = site.run("probe", "--night", ahead.isoformat())
        assert done.returncode == 2
        assert "clock" in done.stderr
        assert journal_lines(site) == before

    @pytest.mark.ci
    def test_an_archive_of_a_void_night_alone_has_its_site(self, site: DemoSite):
        """An overdue night is sealed and shown although today's finds no router: exit code 1, one message."""
        yesterday = _interrupted(site, 10)
        site.write_settings(models=ONE_MODEL, address="http://127.0.0.1:9/api/v1")
        done = site.run("nightly")
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        nights = site.root.store.nights
        assert [nights.get(night).record.state for night in nights.kept()] == [NightState.VOID]
        assert (site.path / f"site/nights/{yesterday}/index.html").is_file()
        assert site.run("verify").returncode == 0


def _whole(root: Path) -> dict[Path, bytes]:
    """Return every file of a root, but for the note of when the site's files were laid out: their times differ."""
    times = {".site.permanent", ".site.rendered", ".site.settled"}
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and times.isdisjoint(path.parts)}


def _killed(site: DemoSite, lines: int) -> list[bytes]:
    """Kill a probe once its journal holds so many observations, and return the journal's whole lines."""
    process = site.start("probe")
    wait_for_lines(site, lines)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    data = next((site.path / "archive/journal").glob("*.jsonl")).read_bytes()
    return data[: data.rfind(b"\n") + 1].splitlines()


def _unpriced(site: DemoSite, endpoints: int) -> tuple[Endpoint, ...]:
    """Begin tonight's journal with so many endpoints that list no price, and return these."""
    plan = msgspec.json.decode(_killed(site, 0)[0], type=NightPlan)
    changed = tuple(msgspec.structs.replace(each, price_prompt=None) for each in plan.endpoints[:endpoints])
    tags = {each.tag for each in changed}
    listings = tuple(
        msgspec.structs.replace(
            each,
            endpoints=tuple(
                msgspec.structs.replace(entry, price_prompt=None) if entry.tag in tags else entry
                for entry in each.endpoints
            ),
        )
        for each in plan.listings
    )
    begun = msgspec.structs.replace(plan, endpoints=(*changed, *plan.endpoints[endpoints:]), listings=listings)
    write_journal(site, [msgspec.json.encode(begun)])
    site.set_night(1, "5eed")
    return changed


def _interrupted(site: DemoSite, kept: int, *, days: int = -1) -> date:
    """Leave the journal of a night, yesterday's or another, that was stopped after so many observations."""
    lines = _killed(site, kept + 1)
    plan = msgspec.json.decode(lines[0], type=NightPlan)
    night = plan.night + timedelta(days=days)
    moved = msgspec.structs.replace(plan, night=night, started_at=plan.started_at + timedelta(days=days))
    write_journal(site, [msgspec.json.encode(moved), *lines[1 : kept + 1]])
    return night
