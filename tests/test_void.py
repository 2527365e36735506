"""A recorded night declared void after the fact: what it leaves alone, what it changes, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sound_worlds
import typer
from click.testing import Result
from typer.testing import CliRunner

from generator.archive import layout
from generator.records.canonical import sha256
from generator.records.night import NightState, VoidRecord
from generator.terminal.corrections import add_correction_commands
from generator.workflows.grading import grade
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.world import Root
from tests.kept_site import FIRST, Silent, add_night, make_root
from tests.two_versions import NIGHTS, grades_of, index_page, kept, settle

NIGHT = FIRST + timedelta(days=4)
LAST = FIRST + timedelta(days=NIGHTS - 1)
NOW = datetime(2026, 3, 9, 12, 30, 15, 999, tzinfo=UTC)
REASON = "the probing host sent an earlier night's prompts"
SILENT = Silent()

COMMANDS = typer.Typer()
add_correction_commands(COMMANDS, now=lambda: NOW)

sound, root = sound_worlds.laid_out, sound_worlds.opened_root


def void(root: Root, *arguments: str, night: date = NIGHT, reason: str = REASON) -> Result:
    """Run the command."""
    command = ["void", night.isoformat(), "--reason", reason, "--root", str(root.path), *arguments]
    return CliRunner().invoke(COMMANDS, command)


def held(root: Root) -> dict[str, str]:
    """Return the digest of every file of the archive."""
    return {name: sha256(root.store.folder.read(name)) for name in root.store.folder.names()}


class TestTheWholeWay:
    def test_grades_stay_later_windows_leave_it_out_and_a_new_version_replaces_them(self, root: Root) -> None:
        """From the declaration to the re-grade no byte that was published changes, and `verify` agrees at each step."""
        before = kept(root, "0.1")
        assert void(root).exit_code == 0
        record = root.store.nights.get(NIGHT).void
        assert record is not None
        assert (record.night, record.reason, record.declared_at) == (NIGHT, REASON, NOW.replace(microsecond=0))

        # The site is the one from before, and what to do about it is said.
        report = verify(root, progress=SILENT)
        assert report.findings
        assert any("'bitdepth render' mends what was found: after void" in note for note in report.notes)

        # Nothing is graded again under the version that graded the night.
        assert grade(root, today=NOW.date(), progress=SILENT).windows == 0
        render(root, progress=SILENT)
        assert verify(root, progress=SILENT).findings == ()
        said = index_page(root)
        assert f"declared void afterwards: {NIGHT}, on 2026-03-09: {REASON}." in said
        assert "declared void afterwards" not in index_page(root, end=FIRST)

        # The next window leaves it out, and reaches back one night further.
        tonight = LAST + timedelta(days=1)
        add_night(root, tonight)
        assert grade(root, today=tonight, progress=SILENT).windows == 1
        (nights,) = {each.nights for each in root.store.grades.get("0.1", tonight)}
        assert nights == tuple(FIRST + timedelta(days=day) for day in (1, 2, 3, 5, 6, 7, 8))
        render(root, progress=SILENT)
        assert "declared void afterwards" not in index_page(root, end=tonight)
        assert verify(root, progress=SILENT).findings == ()
        assert kept(root, "0.1").items() >= before.items()

        # A new current version grades every other night's window again, without the night.
        issued = kept(root, "0.1")
        settle(root, "0.2")
        assert grade(root, today=date(2026, 5, 1), progress=SILENT).windows == NIGHTS
        assert NIGHT not in root.store.grades.windows("0.2")
        assert not [each for each in grades_of(root, "0.2") if NIGHT in each.nights]
        assert all(each.supersedes[0].method_version == "0.1" for each in grades_of(root, "0.2"))
        render(root, progress=SILENT)
        said = index_page(root)
        assert said.index("Method version 0.2, current") < said.index("Method version 0.1, superseded")
        assert verify(root, progress=SILENT).findings == ()
        assert kept(root, "0.1").items() >= issued.items()

    def test_the_nights_page_and_its_files_say_so(self, root: Root) -> None:
        """The night's page gives the reason and the declaration's digest; the declaration can be downloaded."""
        void(root)
        render(root, progress=SILENT)
        page = (root.site / f"nights/{NIGHT}/index.html").read_text()
        digest = root.store.nights.get(NIGHT).void_sha256
        assert digest is not None
        assert "prompts" in page
        assert REASON.replace("'", "&#39;") in page
        assert digest in page
        assert (root.site / f"data/nights/{NIGHT}/void.json").read_bytes() == root.store.folder.read(
            layout.void_file(NIGHT)
        )


class TestDryRun:
    def test_shows_which_grades_used_the_night_and_writes_nothing(self, root: Root) -> None:
        """Each graded window that holds the night, with its grades; the archive is left as it was."""
        before = held(root)
        done = void(root, "--dry-run", "--json")
        assert done.exit_code == 0
        shown = json.loads(done.stdout)
        assert shown["declared"] is None
        assert shown["graded"] == [
            {"method_version": "0.1", "window_end": end.isoformat(), "role": "current", "grades": 3}
            for end in (NIGHT, *(NIGHT + timedelta(days=day) for day in (1, 2, 3)))
        ]
        said = void(root, "--dry-run").stdout
        assert f"{NIGHT} would be declared void: {REASON}" in said
        assert "2026-03-08" in said
        assert held(root) == before

    def test_says_where_no_grade_used_it(self, tmp_path: Path) -> None:
        """A night that nothing was graded with is declared void all the same."""
        root = make_root(tmp_path / "root", 2, graded=False, rendered=False)
        done = void(root, night=FIRST)
        assert done.exit_code == 0
        assert "no grade used it" in done.stdout
        assert not root.store.nights.get(FIRST).counts


class TestWhatIsRefused:
    def test_a_night_that_is_not_sealed(self, root: Root) -> None:
        """A usage error that names the nearest nights."""
        done = void(root, night=LAST + timedelta(days=30))
        assert done.exit_code == 2
        assert "found 2026-04-07 in archive/nights. The nearest are 2026-03-06, 2026-03-07, 2026-03-08" in done.stderr

    def test_an_archive_without_a_night(self, tmp_path: Path) -> None:
        """Nothing is near."""
        root = make_root(tmp_path / "root", 0, rendered=False)
        assert "None is sealed yet" in void(root).stderr

    def test_a_night_that_was_sealed_void(self, root: Root) -> None:
        """It is in no window already."""
        tonight = LAST + timedelta(days=1)
        add_night(root, tonight, state=NightState.VOID, sent_below=0)
        done = void(root, night=tonight)
        assert done.exit_code == 2
        assert "found one that was sealed void: 0 of 24" in done.stderr
        assert root.store.nights.get(tonight).void is None

    def test_a_night_that_is_declared_void_already(self, root: Root) -> None:
        """The first declaration stands, whatever a second one says."""
        void(root)
        before = held(root)
        done = void(root, reason="another")
        assert done.exit_code == 2
        assert f"found one that was declared void on 2026-03-09: {REASON}" in done.stderr
        assert held(root) == before

    @pytest.mark.parametrize(
        ("reason", "said"),
        [
            ("", "found none in --reason"),
            (" \t ", "found none in --reason"),
            ("x" * 301, "at most 300 characters, found 301"),
            ("the clock\u202e", "characters that can be seen"),
            ("one line\nand another", "characters that can be seen"),
        ],
    )
    def test_what_is_no_reason(self, root: Root, reason: str, said: str) -> None:
        """Empty, endless, or with what no page shows as it is: nothing is written."""
        before = held(root)
        done = void(root, reason=reason)
        assert done.exit_code == 2
        assert said in done.stderr
        assert held(root) == before

    def test_while_another_run_is_at_work(self, root: Root) -> None:
        """The command waits for nobody: exit code 5."""
        with root.store.lock():
            assert void(root).exit_code == 5
        assert root.store.nights.get(NIGHT).void is None


def test_a_declaration_is_sealed(root: Root) -> None:
    """What void.json holds is read back by its seal alone."""
    void(root)
    kept_record = root.store.nights.get(NIGHT).void
    assert isinstance(kept_record, VoidRecord)
    assert len(kept_record.seal) == 64
