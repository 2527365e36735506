"""Which night a run is: named by the UTC date on which it began, marked where it was late, and never another's.

Where the clock must stand somewhere, the workflow runs with a world of its own; the router is real, over loopback, and
counts what it served.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Self

import msgspec
import pytest
from demo_site import DemoSite, clear_of_midnight, journal_bytes, journal_lines, kept_files
from kept_site import Silent

from generator.archive.codec import records_of
from generator.errors import PartialNightError, UsageError
from generator.probing.demo.process import running_router
from generator.records.night import NightPlan, NightRecord, NightState
from generator.records.observation import Observation
from generator.terminal.routers import demo_at
from generator.workflows.nightly import begin_archive
from generator.workflows.nightly import nightly as whole_night
from generator.workflows.probing import Probed, probe
from generator.workflows.verifying import verify
from generator.workflows.world import World

DAY = date(2026, 3, 10)
MODEL = '["huggingfacetb/smollm2-135m-instruct"]'
PLANNED = 600
"""Observations of the one model on the router's first night: five endpoints, 96 + 24 prompts each."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Yield the address of a router that all tests ask."""
    with running_router() as running:
        yield running


@pytest.fixture
def site(tmp_path: Path, address: str) -> DemoSite:
    """Return a root that watches one model."""
    made = DemoSite(tmp_path / "root", address)
    made.write_settings(models=MODEL)
    begin_archive(made.root)
    return made


class Interrupting(Silent):
    """Progress that interrupts the run, as Ctrl-C does, once so many observations are decided."""

    def __init__(self, after: int) -> None:
        """Interrupt after so many."""
        self._left = after
        self._task: asyncio.Task[object] | None = None

    def bar(self, label: str, total: int) -> Self:
        """Note whose progress it is."""
        self._task = asyncio.current_task()
        return super().bar(label, total)

    def __call__(self, more: int) -> None:
        """Count."""
        self._left -= more
        if self._left == 0 and self._task is not None:
            self._task.cancel()


def world_at(start: datetime, step: timedelta = timedelta(0)) -> World:
    """Return a world whose clock stands at a moment, or goes on by a step each time that it is read."""
    times = count()
    return World(
        now=lambda: start + next(times) * step,
        monotonic=time.monotonic,
        sleep=asyncio.sleep,
        entropy=lambda length: bytes(range(length)),
    )


def at(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """Return a moment, UTC."""
    return datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=UTC)


def run(
    site: DemoSite,
    start: datetime,
    *,
    night: date | None = None,
    step: timedelta = timedelta(0),
    stop_after: int | None = None,
) -> Probed:
    """Probe at a moment; interrupted after so many observations, where asked for."""
    progress = Silent() if stop_after is None else Interrupting(stop_after)
    world = world_at(start, step)
    return asyncio.run(probe(site.root, world, demo_at(site.address), progress=progress, night=night))


def interrupted(site: DemoSite, start: datetime, after: int, *, night: date | None = None) -> NightPlan:
    """Begin a night at a moment, or carry on with one, interrupt it, and return what it set out to do."""
    with pytest.raises(PartialNightError):
        run(site, start, night=night, stop_after=after)
    path = site.path / f"archive/journal/{night or start.date()}.jsonl"
    return msgspec.json.decode(path.read_bytes().splitlines()[0], type=NightPlan)


def record(site: DemoSite, night: date) -> NightRecord:
    """Return what night.json says."""
    return site.root.store.nights.get(night).record


def rows(site: DemoSite, night: date) -> list[Observation]:
    """Return a night's observations."""
    return records_of(site.root.store.nights.table(record(site, night), "observations"), Observation)


def next_day(days: int = 1) -> date:
    """Return the date so many days after the night that the tests are about."""
    return DAY + timedelta(days=days)


class TestANightBegunBeforeMidnightStaysThatNight:
    def test_it_ends_after_midnight_under_the_date_on_which_it_began(self, site: DemoSite):
        """Half a minute before midnight it begins, and half of it is asked on the next day."""
        done = run(site, at(DAY, 23, 59, 30), step=timedelta(milliseconds=100))
        assert done.record is not None
        assert done.record.night == DAY
        assert done.record.started_at.date() == DAY
        assert done.record.finished_at.date() == next_day()
        dates = {row.requested_at.date() for row in rows(site, DAY) if row.requested_at}
        assert dates == {DAY, next_day()}
        assert done.record.counts.sent == PLANNED
        assert site.root.store.nights.kept() == (DAY,)

    def test_carried_on_with_by_name_after_midnight(self, site: DemoSite):
        """`--night` asks what is missing, and only that; the night keeps its date, its seed and its beginning."""
        before = site.served().requests
        plan = interrupted(site, at(DAY, 23, 59, 30), 200)
        done = run(site, at(next_day(), 0, 5), night=DAY)
        assert done.record is not None
        assert done.record.night == DAY
        assert done.record.seed == plan.seed
        assert done.record.started_at == plan.started_at
        assert done.record.finished_at.date() == next_day()
        assert done.record.counts.sent == PLANNED
        assert site.served().requests - before == PLANNED
        assert site.root.store.nights.kept() == (DAY,)

    @pytest.mark.parametrize("start", [at(DAY, 23, 59, 0), at(next_day(), 0, 5)])
    def test_its_stop_says_how_to_name_it(self, site: DemoSite, start: datetime):
        """Before midnight the same command carries on, after it only one that names the night."""
        with pytest.raises(PartialNightError) as stopped:
            run(site, start, stop_after=50)
        assert f"after midnight UTC add --night {start.date()}" in str(stopped.value)
        with pytest.raises(PartialNightError) as stopped:
            run(site, at(start.date() + timedelta(days=1), 0, 5), night=start.date(), stop_after=50)
        assert f"with --night {start.date()} to carry on: without it the night is sealed" in str(stopped.value)

    @pytest.mark.parametrize(("asked", "state"), [(200, NightState.VOID), (400, NightState.RECORDED)])
    def test_without_its_name_it_is_sealed_first_and_todays_night_begins(
        self, site: DemoSite, asked: int, state: NightState
    ):
        """Nothing more of it is asked; the night after it is chained to it, and no date is missed."""
        interrupted(site, at(DAY, 23, 59, 30), asked)
        before = site.served().requests
        done = run(site, at(next_day(), 0, 5))
        assert [each.night for each in done.overdue] == [DAY]
        assert done.overdue[0].state == state
        assert asked <= done.overdue[0].counts.sent < PLANNED
        assert site.served().requests - before == PLANNED
        assert done.record is not None
        assert done.record.night == next_day()
        assert done.record.previous is not None
        assert done.record.previous.night == DAY
        assert done.record.missed == ()

    def test_it_is_carried_on_with_on_its_own_day_without_a_name(self, site: DemoSite):
        """The same command on the same date is the same night."""
        interrupted(site, at(DAY, 3), 100)
        done = run(site, at(DAY, 23, 59, 0))
        assert done.record is not None
        assert (done.night, done.record.counts.sent, done.record.late) == (DAY, PLANNED, False)


class TestALateNightIsMarkedAndNeverBackDated:
    @pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])
    @pytest.mark.parametrize(
        ("start", "late"), [(at(DAY, 9), False), (at(DAY, 9, 0, 1), True), (at(DAY, 23, 59, 59), True)]
    )
    def test_late_is_more_than_six_hours_after_the_hour_set(
        self, site: DemoSite, zone_of: Callable[[str], None], zone: str, start: datetime, *, late: bool
    ):
        """At exactly six hours it is in time, a second more is late, wherever in the world the machine stands."""
        zone_of(zone)
        plan = interrupted(site, start, 1)
        assert (plan.night, plan.late) == (DAY, late)

    @pytest.mark.parametrize(
        ("hour", "start", "late"),
        [
            (0, at(DAY, 6), False),
            (0, at(DAY, 6, 0, 1), True),
            (20, at(DAY, 2), False),
            (20, at(DAY, 23, 59, 59), False),
            (17, at(DAY, 23, 0, 1), True),
        ],
    )
    def test_the_hour_is_the_one_of_the_settings(self, site: DemoSite, hour: int, start: datetime, *, late: bool):
        """Before its hour a night is not late; and one that begins after midnight is the new date's, not the old's."""
        path = site.path / "content/site.toml"
        path.write_text(f"{path.read_text()}[probing]\nhour_utc = {hour}\n")
        plan = interrupted(site, start, 1)
        assert (plan.night, plan.late) == (DAY, late)

    def test_late_is_sealed_as_it_began_whenever_it_ends(self, site: DemoSite):
        """What began in time and ends in the evening is not late; what began late says so in night.json."""
        interrupted(site, at(DAY, 4), 1)
        run(site, at(DAY, 22))
        interrupted(site, at(next_day(), 10), 1)
        run(site, at(next_day(), 10, 30))
        assert [record(site, night).late for night in (DAY, next_day())] == [False, True]

    def test_a_date_that_has_passed_cannot_be_measured(self, site: DemoSite):
        """However short after midnight: nothing is asked and nothing written under yesterday's date."""
        before, files = site.served().requests, kept_files(site)
        with pytest.raises(UsageError, match="2026-03-10"):
            run(site, at(next_day(), 0, 0, 1), night=DAY)
        assert site.served().requests == before
        assert kept_files(site) == files

    @pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
    def test_the_command_names_a_night_by_the_date_in_utc(
        self, site: DemoSite, monkeypatch: pytest.MonkeyPatch, zone: str
    ):
        """At every hour one of the two zones has another date."""
        clear_of_midnight()
        monkeypatch.setenv("TZ", zone)
        done = site.run("probe", "--json")
        assert done.returncode == 0, done.stderr
        today = datetime.now(UTC).date()
        assert msgspec.json.decode(done.stdout)["night"]["night"] == today.isoformat()
        assert record(site, today).started_at.date() == today


class TestAClockThatWasSetBack:
    def test_a_night_before_the_last_one_kept_is_refused(self, site: DemoSite):
        """Nothing is asked and nothing written; the message names both dates and the clock."""
        run(site, at(DAY, 3))
        before, files = site.served().requests, kept_files(site)
        with pytest.raises(UsageError, match=r"2026-03-10.*2026-03-09.*clock"):
            run(site, at(next_day(-1), 3))
        assert site.served().requests == before
        assert kept_files(site) == files

    def test_a_night_ahead_of_the_clock_waits_for_its_date(self, site: DemoSite):
        """What a clock that ran ahead has begun is not carried on with before its date, and then is."""
        interrupted(site, at(next_day(2), 3), 400)
        with pytest.raises(UsageError, match=r"2026-03-12.*clock"):
            run(site, at(DAY, 3), night=next_day(2))
        for days in range(3):
            run(site, at(next_day(days), 3))
        assert site.root.store.nights.kept() == (DAY, next_day(), next_day(2))
        assert archive_findings(site) == []
        assert record(site, next_day(2)).counts.sent == PLANNED

    def test_a_journal_from_before_the_last_night_kept_is_never_sealed(self, site: DemoSite):
        """A night that a later one states as missed stays missed, also where its journal was put back."""
        interrupted(site, at(DAY, 3), 400)
        journal = site.path / f"archive/journal/{DAY}.jsonl"
        aside = journal.rename(site.path / "aside.jsonl")
        run(site, at(next_day(), 3))
        aside.rename(journal)
        before = site.served().requests
        with pytest.raises(UsageError, match="2026-03-11"):
            run(site, at(next_day(2), 3), night=DAY)
        assert site.served().requests == before
        done = run(site, at(next_day(2), 3))
        assert done.overdue == ()
        assert site.root.store.nights.kept() == (next_day(), next_day(2))
        assert archive_findings(site) == []
        assert journal.exists()


class TestAMissedNightIsAFactThatTheArchiveStates:
    def test_the_night_after_a_gap_states_each_date(self, site: DemoSite):
        """The archive verifies with it, and the site says it."""
        run(site, at(DAY, 3))
        progress = Silent()
        world = world_at(at(next_day(4), 3))
        done = asyncio.run(whole_night(site.root, world, demo_at(site.address), progress=progress))
        assert record(site, next_day(4)).missed == (next_day(1), next_day(2), next_day(3))
        assert done.report.findings == ()
        page = (site.path / f"site/nights/{next_day(4)}/index.html").read_text()
        assert "No night was begun" in page
        assert next_day().isoformat() in page

    def test_a_night_that_was_begun_is_not_missed(self, site: DemoSite):
        """Void it is kept, and only the date on which nothing was begun is stated."""
        run(site, at(DAY, 3))
        interrupted(site, at(next_day(), 3), 10)
        run(site, at(next_day(3), 3))
        assert record(site, next_day()).state == NightState.VOID
        assert record(site, next_day()).missed == ()
        assert record(site, next_day(3)).missed == (next_day(2),)


class TestTwoRunsAtOnce:
    def test_one_works_and_the_other_exits_5_having_sent_and_written_nothing(self, site: DemoSite):
        """The first is held still meanwhile, so that every request and every byte would be the second's."""
        clear_of_midnight()
        before = site.served().requests
        first = site.start("nightly")
        try:
            deadline = time.monotonic() + 60
            while len(journal_lines(site)) < 20 and time.monotonic() < deadline:
                time.sleep(0.001)
            first.send_signal(signal.SIGSTOP)
            assert first.poll() is None
            time.sleep(0.2)
            asked, size, files = site.served().requests, journal_bytes(site), kept_files(site)
            for second in [site.start(command) for command in ("nightly", "probe", "render")]:
                _, said = second.communicate(timeout=60)
                assert second.returncode == 5, said
                assert b"another run" in said
            assert site.served().requests == asked
            assert (journal_bytes(site), kept_files(site)) == (size, files)
        finally:
            first.send_signal(signal.SIGCONT)
        _, said = first.communicate(timeout=60)
        assert first.returncode == 0, said
        assert site.served().requests - before == PLANNED


@pytest.fixture
def zone_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Yield what moves this process to another time zone for a test."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def archive_findings(site: DemoSite) -> list[str]:
    """Return what verification finds wrong with the archive."""
    found = verify(site.root, progress=Silent()).findings
    return [f"{each.where}: expected {each.expected}, found {each.found}" for each in found]
