"""`explain` from the archive alone: it finds the grade, refuses what does not follow, and shows hostile text safely."""

from __future__ import annotations

import io
import shutil
from collections.abc import Collection
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from generator.archive.grades import GradesOrigin
from generator.errors import ExitCode, IntegrityError, UsageError
from generator.records.canonical import canonical_json, sealed
from generator.records.explanation import Explanation, Failure
from generator.records.grade import Column, Grade
from generator.records.night import VoidRecord
from generator.records.observation import Outcome
from generator.terminal.explanation import print_explanation
from generator.workflows.explaining import explain, explanations
from generator.workflows.world import Root
from tests.explain_makers import explained, of_fleet
from tests.golden_archive import RECORDED, golden_nights
from tests.kept_site import FIRST, MODEL, add_night, make_root
from tests.method_archive import Fleet
from tests.method_variants import METHOD, METHOD_0_2

LAST = date(2026, 3, 8)
HOSTILE = (
    "\x1b[31mred\x1b[0m \u202egnol\u202c \x00 [bold]b[/bold] :bomb: <script>x</script>\nsecond\r\x07\u200b"
    "\u0301\u0301\u0301"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded root of eight nights; nobody may write into it."""
    path = tmp_path_factory.mktemp("explain") / "site"
    make_root(path, rendered=False)
    return path


@pytest.fixture
def root(kept: Path, tmp_path: Path) -> Root:
    """Return a copy of that root."""
    shutil.copytree(kept, tmp_path / "copy")
    return Root(tmp_path / "copy")


@pytest.fixture(scope="module")
def hostile() -> Explanation:
    """Return an endpoint whose answers, key and prompt hold what could harm a terminal or a page."""
    fleet = Fleet(fixed={"tides": 10, "chess": 10}, keyed=["tides"])
    for n in fleet.nights:
        fleet.asked[n]["tides-1"]["prompt"] = HOSTILE
    fleet.put(1, "dune", "tides-1", HOSTILE)
    fleet.put(2, "dune", "tides-2", f"?{HOSTILE}")
    fleet.put((1, 2, 3), "dune", "chess-2", HOSTILE)
    fleet.list_as(fleet.nights, "dune", tag=HOSTILE, declared_precision=HOSTILE)
    return of_fleet(fleet, METHOD)


def shown(explanation: Explanation, columns: Collection[Column] = tuple(Column)) -> str:
    """Return what a terminal that takes every escape is sent."""
    out = io.StringIO()
    print_explanation(Console(file=out, force_terminal=True, width=100), explanation, columns)
    return out.getvalue()


def add_altered(root: Root, **changes: object) -> None:
    """Replace the last window's grades by others that are well kept and that do not follow from their nights."""
    store, folder = root.store.grades, root.path / "archive" / "grades" / "0.1"
    grades, manifest = store.get("0.1", LAST), store.manifest("0.1", LAST)
    altered: list[Grade] = [msgspec.structs.replace(grade, **changes) for grade in grades]
    for suffix in ("json", "parquet"):
        (folder / f"{LAST}.{suffix}").unlink()
    origin = GradesOrigin(
        nights={date.fromisoformat(night): digest for night, digest in manifest.nights.items()},
        voided={},
        role=manifest.role,
        regrade=manifest.regrade,
    )
    store.add(altered, root.content.method("0.1"), LAST, origin)


class TestWhatIsAskedForIsFound:
    def test_the_latest_window_is_explained_where_none_is_named(self, kept: Path) -> None:
        """Mill answers one prompt otherwise on every second night, and the last window ends on 8 March."""
        explanation = explain(Root(kept), MODEL, "mill")
        assert explanation.grade.window_end == LAST
        assert explanation.grade in Root(kept).store.grades.get("0.1", LAST)
        assert explanation.match is not None
        assert [(night.night.day, night.mismatches) for night in explanation.match.nights if night.mismatches] == [
            (2, 1),
            (4, 1),
            (6, 1),
            (8, 1),
        ]

    def test_an_earlier_window_has_its_own_nights(self, kept: Path) -> None:
        """The window of 3 March holds three nights, and the digest of each night stands beside it."""
        explanation = explain(Root(kept), MODEL, "kiln", date(2026, 3, 3), "0.1")
        assert [night.night.day for night in explanation.nights] == [1, 2, 3]
        assert explanation.nights[0].sha256 == Root(kept).store.nights.get(FIRST).sha256

    def test_a_window_is_explained_whole(self, kept: Path) -> None:
        """Every grade of a window, in order."""
        found = [each.grade.endpoint for each in explanations(Root(kept), "0.1", LAST)]
        assert found == ["kiln", "loom", "mill"]

    def test_a_night_declared_void_later_leaves_issued_grades_as_they_are(self, root: Root) -> None:
        """The window is the one that the manifest lists, and its figures still follow from it."""
        record = VoidRecord(
            format=1, night=date(2026, 3, 5), reason="r", declared_at=datetime(2026, 3, 9, tzinfo=UTC), seal=""
        )
        (root.path / "archive/nights/2026-03-05/void.json").write_bytes(canonical_json(sealed(record)))
        assert date(2026, 3, 5) in [night.night for night in explain(root, MODEL, "mill").nights]


class TestWhatIsNotThereIsAnsweredWithTheNearestNames:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (("aster/sphinx-8c", "mill"), "Did you mean 'aster/sphinx-8b'?"),
            ((MODEL, "mil"), "Did you mean 'mill'"),
            ((MODEL, "mill", date(2026, 3, 20)), "Did you mean '2026-03-06' or '2026-03-07' or '2026-03-08'?"),
            ((MODEL, "mill", None, "9.9"), "Did you mean '0.1'?"),
        ],
    )
    def test_it(self, kept: Path, arguments: tuple[str, str], expected: str) -> None:
        """A model, an endpoint, a date and a version that nothing is graded under."""
        with pytest.raises(UsageError, match="expected") as raised:
            explain(Root(kept), *arguments)
        assert expected in str(raised.value)

    def test_an_empty_archive(self, tmp_path: Path) -> None:
        """Where nothing is graded the message says what to run."""
        root = make_root(tmp_path / "site", nights=0, graded=False, rendered=False)
        with pytest.raises(UsageError, match="found none"):
            explain(root, MODEL, "mill")


class TestWhatDoesNotFollowIsNotExplained:
    @pytest.mark.parametrize(
        ("field", "value"),
        [("m_letter", "B"), ("letter", "B"), ("r_errors", 1), ("t_correct", 27), ("pairs", 55), ("nights_absent", 1)],
    )
    def test_a_grade_that_is_not_what_its_nights_say(self, root: Root, field: str, value: object) -> None:
        """The field is named, with what follows and what is recorded; the command ends with 6."""
        add_altered(root, **{field: value})
        with pytest.raises(IntegrityError, match=f"expected {field} ") as raised:
            explain(root, MODEL, "mill")
        assert raised.value.exit_code == ExitCode.INTEGRITY

    def test_a_night_that_is_not_the_one_that_was_graded(self, root: Root) -> None:
        """A night sealed anew under the same date is another night: its digest is not the one in the manifest."""
        for night in (7, 8):
            shutil.rmtree(root.path / "archive/nights" / f"2026-03-0{night}")
        add_night(root, date(2026, 3, 8))
        with pytest.raises(IntegrityError, match="expected the night that was graded"):
            explain(root, MODEL, "mill")


class TestHostileText:
    @pytest.mark.parametrize("columns", [tuple(Column), *((column,) for column in Column)])
    def test_the_terminal_gets_no_character_that_it_would_obey(
        self, hostile: Explanation, columns: tuple[Column, ...]
    ) -> None:
        """No escape, no direction mark, no null, no line of the stranger's own; markup stays text."""
        text = shown(hostile, columns)
        assert all(character == "\n" or character.isprintable() for character in text)
        assert "\\u001b[31mred" in text
        assert "\\u202egnol" in text
        assert "[bold]b[/bold] :bomb: <script>x</script>\\u000asecond" in text
        assert not any(line.strip().startswith("second") for line in text.splitlines())

    def test_json_holds_it_unchanged(self, hostile: Explanation) -> None:
        """The record goes through JSON and comes back the same, character for character, null and all."""
        assert msgspec.json.decode(msgspec.json.encode(hostile, enc_hook=str), type=Explanation) == hostile
        assert hostile.match is not None
        answers = [prompt.answer for prompt in hostile.match.nights[0].prompts if prompt.differs]
        assert answers == [HOSTILE, HOSTILE]
        assert canonical_json(hostile)


class TestTheTerminal:
    def test_every_golden_grade_and_column_is_told(self) -> None:
        """Whatever an archive holds is printed: reasons, absences, failures of each kind, changes, wrong answers."""
        found = {key[1]: each.explanation for key, each in explained(golden_nights(), METHOD, RECORDED).items()}
        told = {name: [shown(each, [column]) for column in Column] for name, each in found.items()}
        assert "2031-05-03: not listed\n" not in told["ember"][0]
        assert "2031-05-05: not listed\n" in told["ember"][0]
        assert "2031-05-08: nothing sent, 0 sent" in told["ember"][0]
        assert "\nunrated\n  too few nights: 6 recorded nights since " in told["ember"][0]
        assert "2031-05-02 tides-2, truncated\n    prompt: what is tides-2?\n    key: 4\n" in told["fjord"][1]
        assert "fp8, then absent, on 2031-05-08 (withdrawn)\n" in told["heath"][2]
        assert "2031-05-06 misrouted: 1 prompt, served by an unnamed provider, model not named\n" in told["fjord"][3]
        assert "riddle-1 (family not stable, not counted)\n" in told["cedar"][0]
        assert "not compared: tides-g6 (no reference, a tie for first place: 2 of 5 alike)\n" in told["birch"][0]

    def test_what_is_missing_is_said(self) -> None:
        """A family whose prompts are never sent twice has no floor; where nobody qualifies there is no best share."""
        fleet = Fleet(fixed={"chess": 2}, drawn={"tides": 1}, keyed=["tides"], days=3)
        text = shown(of_fleet(fleet, METHOD))
        assert "tides: no endpoint has a pair of nights to compare: no floor, not stable, no part of M\n" in text
        assert "no endpoint qualifies as best\n" in text
        assert "no floor: nothing reads as 0 for being small\n" in text

    def test_the_fleets_floor_and_a_failures_kind(self, kept: Path) -> None:
        """Under the fleet's rule its median is told; an error is told with its kind, status and finish."""
        text = shown(of_fleet(Fleet(fixed={"chess": 2}), METHOD_0_2))
        assert "never below the fleet's median mismatch, 0 %, of\n" in text
        whole = explain(Root(kept), MODEL, "mill")
        assert whole.reliability is not None
        failure = Failure(
            night=LAST,
            outcome=Outcome.ERROR,
            kind="upstream",
            http_status=502,
            finish_reason="error",
            served_provider=None,
            served_model=None,
            prompts=("tales-1", "tales-2"),
        )
        failed = msgspec.structs.replace(
            whole, reliability=msgspec.structs.replace(whole.reliability, failures=(failure,)), voided=(FIRST,)
        )
        text = shown(failed)
        assert (
            "2026-03-08 error: 2 prompts, kind upstream, HTTP 502, finish reason error\n    tales-1, tales-2\n" in text
        )
        assert "2026-03-01: declared void, in no window\n" in text

    def test_one_column_is_printed_prompt_by_prompt(self, kept: Path) -> None:
        """With M alone each prompt has its prompt text, reference, answer and arithmetic, and no other column."""
        text = shown(explain(Root(kept), MODEL, "mill"), [Column.M])
        assert "tales-1: the reference was given by 2 of 3: kiln, loom\n" in text
        assert "prompt: tales 1?\n" in text
        assert "answer: otherwise\n" in text
        assert "allowed together: " in text
        assert "\nM " in text
        assert not any(f"\n{column} " in text for column in "TDR")

    def test_all_columns_are_printed_in_short(self, kept: Path) -> None:
        """Letter, method version and four columns first; then what would have changed it, the nights, the columns."""
        text = shown(explain(Root(kept), MODEL, "mill"))
        assert text.startswith("aster/sphinx-8b mill: ")
        assert " 0.1 · M " in text.splitlines()[0]
        assert "prompt: " not in text
        positions = [text.index(f"\n{column} ") for column in Column]
        assert positions == sorted(positions)
