"""What a cron asks first: whether the night is complete, and if not, what it lacks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import kept_site
import msgspec
import pytest
from kept_site import FIRST, Silent
from typer.testing import CliRunner

from generator.archive import layout
from generator.cli import app
from generator.errors import UsageError
from generator.records.night import NightState
from generator.workflows.appending import append
from generator.workflows.due import Due, Standing, due
from generator.workflows.world import Root

SECOND = FIRST + timedelta(days=1)


def at(night: date, hour: int = 4) -> datetime:
    """Return an hour of a night; the site's is 3."""
    return datetime(night.year, night.month, night.day, hour, tzinfo=UTC)


def begin(root: Root, night: date) -> None:
    """Put a journal where a run that did not end has left one."""
    journal = root.store.local / layout.journal_file(night)
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(b"{}\n")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """Return a root with one night that is logged."""
    made = kept_site.make_root(tmp_path / "root", nights=1, graded=False, rendered=False)
    append(made, progress=Silent())
    return made


class TestTonight:
    def test_is_due_once_its_hour_has_come(self, root: Root):
        """Before it, a cron that came early ends green."""
        found = due(root, at(SECOND, 3))
        assert found == Due(night=SECOND, standing=Standing.NOT_BEGUN, due=True, probe=True, not_logged=0)
        early = due(root, at(SECOND, 2))
        assert (early.standing, early.due, early.probe) == (Standing.EARLY, False, False)

    def test_is_due_at_any_hour_where_it_is_named(self, root: Root):
        """Somebody asked for it."""
        assert due(root, at(SECOND, 0), SECOND).standing is Standing.NOT_BEGUN

    def test_is_due_while_its_journal_is_not_sealed(self, root: Root):
        """Before its hour, too: it was begun."""
        begin(root, SECOND)
        found = due(root, at(SECOND, 0))
        assert (found.standing, found.due, found.probe) == (Standing.UNSEALED, True, True)

    def test_is_due_without_asking_where_it_is_sealed_and_not_logged(self, root: Root):
        """It was paid for and not published."""
        kept_site.add_night(root, SECOND)
        found = due(root, at(SECOND))
        assert found == Due(night=SECOND, standing=Standing.NOT_LOGGED, due=True, probe=False, not_logged=1)

    @pytest.mark.parametrize(
        ("state", "standing"), [(NightState.RECORDED, Standing.SEALED), (NightState.VOID, Standing.VOID)]
    )
    def test_is_not_due_once_it_is_logged(self, root: Root, state: NightState, standing: Standing):
        """Recorded or void: no further run changes it."""
        kept_site.add_night(root, SECOND, state=state, sent_below=0 if state is NightState.VOID else None)
        append(root, progress=Silent())
        found = due(root, at(SECOND))
        assert found == Due(night=SECOND, standing=standing, due=False, probe=False, not_logged=0)

    def test_is_due_for_an_earlier_night_that_is_not_logged(self, root: Root):
        """Before tonight's hour nothing is asked, and what is sealed is published."""
        kept_site.add_night(root, SECOND)
        found = due(root, at(SECOND + timedelta(days=1), 1))
        assert (found.standing, found.due, found.probe, found.not_logged) == (Standing.EARLY, True, False, 1)

    def test_of_an_archive_without_a_log_is_due(self, tmp_path: Path):
        """Every night is still to be logged."""
        made = kept_site.make_root(tmp_path / "root", nights=2, graded=False, rendered=False)
        assert due(made, at(SECOND)).not_logged == 2


class TestANamedNight:
    def test_is_due_where_its_journal_is_not_sealed(self, root: Root):
        """After its date, by name alone."""
        begin(root, SECOND)
        found = due(root, at(SECOND + timedelta(days=1)), SECOND)
        assert (found.night, found.standing) == (SECOND, Standing.UNSEALED)

    def test_that_is_kept_says_how_it_stands(self, root: Root):
        """It is no mistake to ask."""
        assert due(root, at(SECOND), FIRST).standing is Standing.SEALED

    @pytest.mark.parametrize("night", [FIRST - timedelta(days=1), SECOND + timedelta(days=1)])
    def test_that_is_over_or_to_come_is_refused(self, root: Root, night: date):
        """It cannot be measured any more, or yet."""
        with pytest.raises(UsageError):
            due(root, at(SECOND), night)


class TestTheCommand:
    def test_prints_outputs_of_our_own_words(self, root: Root):
        """Name and value, a line each: a date, words of a list, numbers."""
        kept_site.add_night(root, datetime.now(UTC).date())
        done = CliRunner().invoke(app, ["due", "--github", "--root", str(root.path)])
        today = datetime.now(UTC).date()
        assert done.exit_code == 0
        assert done.stdout == f"night={today}\nstanding=not_logged\ndue=true\nprobe=false\nnot_logged=1\n"

    def test_tells_a_reader_and_a_machine(self, root: Root):
        """Both end with 0, whatever the answer is."""
        told = CliRunner().invoke(app, ["due", "--night", FIRST.isoformat(), "--root", str(root.path)])
        assert (told.exit_code, told.stdout) == (0, f"night {FIRST}: nothing to do, sealed and logged\n")
        kept_site.add_night(root, SECOND)
        told = CliRunner().invoke(app, ["due", "--night", SECOND.isoformat(), "--root", str(root.path)])
        assert told.stdout == f"night {SECOND}: due, sealed and not logged; 1 night sealed and not logged\n"
        asked = CliRunner().invoke(app, ["due", "--night", FIRST.isoformat(), "--json", "--root", str(root.path)])
        assert msgspec.json.decode(asked.stdout, type=Due).standing is Standing.SEALED

    def test_refuses_what_is_no_date(self, root: Root):
        """With the exit code of usage."""
        assert CliRunner().invoke(app, ["due", "--night", "tonight", "--root", str(root.path)]).exit_code == 2
