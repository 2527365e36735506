"""A text that must not be shown is taken out: nothing else changes, every figure stays, `verify` accepts just that."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
import sound_worlds
import typer
from click.testing import Result
from typer.testing import CliRunner

from generator.archive import codec, layout
from generator.archive.withheld_rows import in_words, require_withheld
from generator.errors import IntegrityError
from generator.method.interface import Issue
from generator.method.tally import tally_night
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.grade import Grade
from generator.records.withheld import (
    OBSERVATIONS,
    WithheldRecord,
    WithheldRow,
    answer_word,
    declaration_name,
    kept_observations,
    replaced_tables,
    table_name,
    withheld_word,
)
from generator.terminal.corrections import add_correction_commands
from generator.workflows.explaining import explanations
from generator.workflows.grading import grade
from generator.workflows.rendering import render
from generator.workflows.tally_cache import TallyCache
from generator.workflows.verifying import verify
from generator.workflows.windows import Windows, night_tables
from generator.workflows.world import Root
from tests import publish_world
from tests import site_material as made
from tests.kept_site import ENDPOINTS, FIRST, MODEL, PROMPTS, SITE_TOML, Silent, add_night, make_root, observations
from tests.method_variants import METHOD, METHOD_0_2

NIGHTS = 8
NIGHT = FIRST + timedelta(days=3)
"""An even day: mill answers one prompt otherwise."""
LAST = FIRST + timedelta(days=NIGHTS - 1)
PROMPT = "tales-1"
REASON = "the answer names a private person"
NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
SILENT = Silent()
FOLDER = f"archive/nights/{NIGHT}"
AFTER = f"{FOLDER}/observations.withheld-1.parquet"
DECLARED = f"{FOLDER}/withheld-1.json"

COMMANDS = typer.Typer()
add_correction_commands(COMMANDS, now=lambda: NOW)

sound, root = sound_worlds.laid_out, sound_worlds.opened_root


def withhold(root: Root, *arguments: str, **named: str) -> Result:
    """Run the command, by default on one answer of kiln's."""
    given = {"model": MODEL, "endpoint": "kiln", "prompt": PROMPT, "reason": REASON, "root": str(root.path)}
    night = named.pop("night", NIGHT.isoformat())
    options = [part for name, value in (given | named).items() for part in (f"--{name}", value)]
    return CliRunner().invoke(COMMANDS, ["withhold", night, *options, *arguments])


def rows(root: Root, night: date = NIGHT) -> list[dict[str, Any]]:
    """Return a night's observations as its reader gives them."""
    found: list[dict[str, Any]] = root.store.nights.table(
        root.store.nights.get(night).record, "observations"
    ).to_pylist()
    return found


def row_of(root: Root, endpoint: str = "kiln", prompt: str = PROMPT) -> dict[str, Any]:
    """Return one observation."""
    (found,) = [row for row in rows(root) if (row["endpoint"], row["prompt_id"]) == (endpoint, prompt)]
    return found


def figures(root: Root, *, cached: bool = False) -> list[tuple[Grade, ...]]:
    """Return the grades of every window under two versions, graded now."""
    found = []
    for method in (METHOD, METHOD_0_2):
        windows = Windows(root, method, TallyCache(root.path) if cached else None)
        found += [
            windows.grade(windows.of(end), windows.voided, Issue(issued=end, supersedes={})) for end in windows.recorded
        ]
    return found


def held(root: Root) -> dict[str, str]:
    """Return the digest of every file of the archive."""
    return {f"archive/{name}": sha256(root.store.folder.read(name)) for name in root.store.folder.names()}


def findings(root: Root) -> list[str]:
    """Return where something was found that is not what it was."""
    return [finding.where for finding in verify(root, progress=SILENT).findings]


class TestTheText:
    def test_is_taken_out_and_nothing_else_changes(self, root: Root) -> None:
        """The one text is null; every other value, night.json and every other file are what they were."""
        before, files = rows(root), held(root)
        done = withhold(root)
        assert done.exit_code == 0
        (place,) = [at for at, row in enumerate(before) if (row["endpoint"], row["prompt_id"]) == ("kiln", PROMPT)]
        assert before[place]["text"] == PROMPT
        before[place]["text"] = None
        assert rows(root) == before
        after = held(root)
        gone = {f"{FOLDER}/{OBSERVATIONS}"}
        assert {name: each for name, each in files.items() if name not in gone} == {
            name: each for name, each in after.items() if name not in {AFTER, DECLARED}
        }

    def test_is_declared_with_both_digests_and_the_reason(self, root: Root) -> None:
        """The declaration leads from the digest of night.json to the file that lies there."""
        sealed_as = root.store.nights.get(NIGHT).record.files[OBSERVATIONS]
        withhold(root)
        (kept_record,) = root.store.nights.withheld(NIGHT)
        found = kept_record.record
        lies = (root.path / AFTER).read_bytes()
        assert (found.before_sha256, found.after_sha256) == (sealed_as, sha256(lies))
        assert (found.night, found.file, found.reason) == (NIGHT, table_name(1), REASON)
        assert found.declared_at == NOW
        assert found.rows == (WithheldRow(model=MODEL, endpoint="kiln", prompt_id=PROMPT, answer_sha256=None),)
        assert kept_record.sha256 == sha256((root.path / DECLARED).read_bytes())
        assert root.store.nights.get(NIGHT).withheld == (kept_record,)

    def test_others_who_gave_the_same_are_named(self, root: Root) -> None:
        """Each is withheld apart: the command says who, and that copies made before still hold it."""
        said = withhold(root, endpoint="mill", prompt="tales-2").stdout
        assert f"by {MODEL} kiln tales-2" in said
        assert f"by {MODEL} loom tales-2" in said
        assert "by aster/sphinx-8b mill" not in said
        assert "copies made before still hold it" in said

    def test_the_site_says_so_and_holds_it_no_more(self, root: Root) -> None:
        """The table that is kept is laid out and listed; the earlier one is taken away; the night's page says why."""
        old = root.site / f"data/nights/{NIGHT}/{OBSERVATIONS}"
        assert old.exists()
        withhold(root)
        withhold(root, "--answer", endpoint="mill")
        report = verify(root, progress=SILENT)
        assert f"site/data/nights/{NIGHT}/{OBSERVATIONS}" in [each.where for each in report.findings]
        assert any("'bitdepth render' mends what was found" in note for note in report.notes)
        laid = render(root, progress=SILENT)
        assert not old.exists()
        assert not (old.parent / table_name(1)).exists()
        names = {f"nights/{NIGHT}/{name}" for name in (table_name(2), declaration_name(1), declaration_name(2))}
        assert laid.permanent_new == len(names)
        listed = json.loads((root.site / "data/files.json").read_text())["files"]
        of_night = {file["path"]: file for file in listed if file.get("night") == NIGHT.isoformat()}
        assert names <= set(of_night)
        assert f"nights/{NIGHT}/{OBSERVATIONS}" not in of_night
        for name in names:
            assert sha256((root.site / "data" / name).read_bytes()) == of_night[name]["sha256"]
        said = made.page_text((root.site / f"nights/{NIGHT}/index.html").read_bytes())
        assert f"{PROMPT} {MODEL} kiln text 2026-03-09 12:00:00 UTC {REASON}" in said
        assert f"{PROMPT} {MODEL} mill text and answer 2026-03-09 12:00:00 UTC {REASON}" in said
        for name in names:
            assert f"{name.rpartition('/')[2]} {of_night[name]['sha256']}" in said
        assert "withheld" not in made.page_text((root.site / f"nights/{LAST}/index.html").read_bytes()).lower()
        assert findings(root) == []
        assert render(root, progress=SILENT).permanent_new == 0

    def test_a_published_site_holds_it_no_more(self, root: Root, tmp_path: Path) -> None:
        """Publishing again puts the new table and takes the earlier one away; a site from before is refused then."""
        target, folder = f"file://{tmp_path / 'target'}", tmp_path / "target" / "data" / "nights" / str(NIGHT)
        shutil.copytree(root.path, tmp_path / "before")
        publish_world.sent(root, target)
        assert (folder / OBSERVATIONS).exists()
        withhold(root, "--answer")
        render(root, progress=SILENT)
        publish_world.sent(root, target)
        assert sorted(path.name for path in folder.glob("*withheld*")) == [table_name(1), declaration_name(1)]
        assert not (folder / OBSERVATIONS).exists()
        with pytest.raises(IntegrityError, match="one that the site has not"):
            publish_world.sent(Root(tmp_path / "before"), target)
        assert not (folder / OBSERVATIONS).exists()

    def test_printed_examples_are_about_nights_from_which_nothing_is_withheld(self, root: Root) -> None:
        """What a reader counts again from raw answers is counted where none of them is withheld."""
        page = root.site / "data/index.html"
        assert f"nights/{LAST}/{OBSERVATIONS}" in page.read_text()
        withhold(root, night=LAST.isoformat())
        render(root, progress=SILENT)
        assert f"nights/{LAST - timedelta(days=1)}/{OBSERVATIONS}" in page.read_text()
        assert f"nights/{LAST}/{OBSERVATIONS}" not in page.read_text()


class TestTheAnswer:
    def test_stands_as_its_digest(self, root: Root) -> None:
        """The kept table holds neither text nor answer, in no row's value and in no page of its bytes."""
        withhold(root, "--answer", endpoint="mill")
        found = row_of(root, "mill")
        assert (found["text"], found["answer"]) == (None, withheld_word(sha256(b"otherwise")))
        assert b"otherwise" not in (root.path / AFTER).read_bytes()
        assert row_of(root, "kiln")["answer"] == PROMPT

    @pytest.mark.parametrize("cached", [False, True])
    def test_every_figure_stays_what_it_was(self, root: Root, *, cached: bool) -> None:
        """Grades of every window come out equal, where nights are counted anew and where tallies are kept."""
        before = figures(root, cached=cached)
        # What most gave, what one gave otherwise, on a night between two others and on the last one.
        withhold(root, "--answer")
        withhold(root, "--answer", endpoint="mill")
        withhold(root, "--answer", night=LAST.isoformat(), endpoint="loom", prompt="riddles-2")
        assert figures(root, cached=cached) == before
        render(root, progress=SILENT)
        assert findings(root) == []
        assert len(list(explanations(root, "0.1", LAST))) == len(ENDPOINTS)

    def test_figures_would_not_stay_without_the_word(self, root: Root) -> None:
        """Were a withheld answer compared as it lies, it would equal no other: the rule is what keeps figures."""
        before = tally_night(night_tables(root, root.store.nights.get(NIGHT), frozenset()), METHOD.definition)
        withhold(root, "--answer")
        kept_night = root.store.nights.get(NIGHT)
        plain = tally_night(night_tables(root, kept_night, frozenset()), METHOD.definition)
        hidden = frozenset({sha256(PROMPT.encode())})
        read = tally_night(night_tables(root, kept_night, hidden), METHOD.definition)
        assert (read.counts == before.counts).all()
        assert not (plain.counts == before.counts).all()

    def test_later_nights_are_compared_with_it_too(self, root: Root, tmp_path: Path) -> None:
        """A window that is graded after the withholding reads as if nothing had been withheld."""
        shutil.copytree(root.path, tmp_path / "other")
        other = Root(tmp_path / "other")
        withhold(root, "--answer")
        for each in (root, other):
            add_night(each, LAST + timedelta(days=1))
            grade(each, today=LAST, progress=SILENT)
        end = LAST + timedelta(days=1)
        assert root.store.grades.get("0.1", end) == other.store.grades.get("0.1", end)

    def test_is_in_no_tally_that_is_kept(self, root: Root) -> None:
        """The cache is emptied: it held the answers of nights."""
        cached = root.path / ".cache" / "tallies"
        figures(root, cached=True)
        assert any(b"otherwise" in path.read_bytes() for path in cached.iterdir())
        withhold(root, "--answer", endpoint="mill")
        assert list(cached.iterdir()) == []

    def test_may_follow_the_text(self, root: Root) -> None:
        """A second declaration leads on from the first, and only the last table lies there."""
        withhold(root)
        before = figures(root)
        done = withhold(root, "--answer", reason="the digest alone may stay")
        assert done.exit_code == 0
        first, second = (each.record for each in root.store.nights.withheld(NIGHT))
        assert second.before_sha256 == first.after_sha256
        assert sorted(path.name for path in (root.path / FOLDER).glob("observations*")) == [table_name(2)]
        assert row_of(root)["answer"] == withheld_word(sha256(PROMPT.encode()))
        assert figures(root) == before
        render(root, progress=SILENT)
        assert findings(root) == []


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def killing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], list[str]]]:
    """Yield what ends the next run before its n-th call that changes the disk, and returns the list of those made."""
    calls: list[str] = []
    limit = [0]

    def counted(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - stands in for any of them
            if len(calls) == limit[0]:
                raise Killed
            calls.append(name)
            return real(*arguments, **named)

        return call

    def start(before: int) -> list[str]:
        calls.clear()
        limit[0] = before
        return calls

    for name in ("write", "fsync", "rename", "replace", "unlink", "mkdir"):
        monkeypatch.setattr(os, name, counted(name))
    start(-1)
    yield start
    monkeypatch.undo()


class TestInterrupted:
    def test_killed_anywhere_a_rerun_completes(
        self, sound: Path, tmp_path: Path, killing: Callable[[int], list[str]]
    ) -> None:
        """Before each write, fsync, rename and removal: the night reads as before or after, and a rerun ends alike."""

        def fresh(name: str) -> Root:
            shutil.copytree(sound / "archive", tmp_path / name / "archive")
            (tmp_path / name / "content").mkdir()
            (tmp_path / name / "content" / "site.toml").write_text(SITE_TOML)
            return Root(tmp_path / name)

        undisturbed = fresh("undisturbed")
        calls = killing(-1)
        assert withhold(undisturbed, "--answer").exit_code == 0
        whole, length = held(undisturbed), len(calls)
        assert calls.count("rename") + calls.count("replace") >= 2
        assert calls.count("unlink") >= 1
        for at in range(length):
            killing(-1)
            root = fresh(f"killed-{at}")
            killing(at)
            with pytest.raises(Killed):
                withhold(root, "--answer")
            killing(-1)
            answer = row_of(root)["answer"]
            assert answer in {PROMPT, withheld_word(sha256(PROMPT.encode()))}
            assert withhold(root, "--answer").exit_code == 0
            assert held(root) == whole
            shutil.rmtree(root.path)

    def test_a_table_that_was_not_taken_away_is_found_and_taken_away(self, root: Root) -> None:
        """`verify` says what to do, and the same command does it."""
        earlier = root.path / FOLDER / OBSERVATIONS
        data = earlier.read_bytes()
        withhold(root)
        earlier.write_bytes(data)
        (finding,) = [
            each for each in verify(root, progress=SILENT).findings if each.where == f"{FOLDER}/{OBSERVATIONS}"
        ]
        assert "run the same 'bitdepth withhold' again" in finding.found
        assert withhold(root).exit_code == 0
        assert not earlier.exists()

    def test_a_journal_that_was_left_behind_goes_too(self, root: Root) -> None:
        """A run killed after the seal leaves the night's journal, which holds every text."""
        journal = root.path / "archive" / layout.journal_file(NIGHT)
        journal.parent.mkdir(exist_ok=True)
        journal.write_bytes(b"{}\n")
        assert withhold(root).exit_code == 0
        assert not journal.exists()

    def test_the_earlier_table_stays_while_the_new_one_is_not_what_was_declared(self, root: Root) -> None:
        """Nothing is removed on the word of a table that cannot be read."""
        earlier = root.path / FOLDER / OBSERVATIONS
        data = earlier.read_bytes()
        withhold(root)
        earlier.write_bytes(data)
        (root.path / AFTER).write_bytes(b"torn")
        assert withhold(root).exit_code == 6
        assert earlier.read_bytes() == data


def reseal(root: Root, **changes: object) -> None:
    """Put another declaration in the place of the night's first one, with a seal that fits."""
    record = root.store.nights.withheld(NIGHT)[0].record
    (root.path / DECLARED).write_bytes(canonical_json(sealed(msgspec.structs.replace(record, **changes))))


def another_table(root: Root, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Put another table in the place of the one that is kept, and a declaration that names it."""
    record = root.store.nights.get(NIGHT).record
    table = root.store.nights.table(record, "observations")
    found = table.to_pylist()
    change(found)
    data = codec.parquet_bytes(pa.Table.from_pylist(found, schema=table.schema))
    (root.path / AFTER).write_bytes(data)
    reseal(root, after_sha256=sha256(data))


def _other_answer(found: list[dict[str, Any]]) -> None:
    next(row for row in found if row["endpoint"] == "loom" and row["prompt_id"] == "tales-2")["answer"] = "another"


def _text_again(found: list[dict[str, Any]]) -> None:
    next(row for row in found if row["text"] is None)["text"] = PROMPT


def _row_less(found: list[dict[str, Any]]) -> None:
    found.remove(next(row for row in found if row["text"] is None))


class TestVerify:
    """'`verify` accepts exactly that'."""

    def test_accepts_a_withheld_text(self, root: Root) -> None:
        """No finding, and nothing left unchecked."""
        withhold(root)
        render(root, progress=SILENT)
        report = verify(root, progress=SILENT)
        assert report.findings == ()
        assert report.complete

    @pytest.mark.parametrize(
        ("where", "damage"),
        [
            pytest.param(AFTER, lambda root: (root.path / AFTER).unlink(), id="table gone"),
            pytest.param(AFTER, lambda root: (root.path / AFTER).write_bytes(b"PAR1"), id="table changed"),
            pytest.param(DECLARED, lambda root: (root.path / DECLARED).write_bytes(b"{}"), id="declaration changed"),
            pytest.param(AFTER, lambda root: (root.path / DECLARED).unlink(), id="declaration gone"),
            pytest.param(DECLARED, lambda root: reseal(root, before_sha256="0" * 64), id="from another table"),
            pytest.param(DECLARED, lambda root: reseal(root, night=LAST), id="of another night"),
            pytest.param(DECLARED, lambda root: reseal(root, file=table_name(2)), id="to another file"),
            pytest.param(AFTER, lambda root: reseal(root, after_sha256="0" * 64), id="to another table"),
            pytest.param(f"{FOLDER}/night.json", lambda root: another_table(root, _text_again), id="text still there"),
            pytest.param(f"{FOLDER}/night.json", lambda root: another_table(root, _row_less), id="row gone"),
            pytest.param(
                "archive/grades/0.1/2026-03-08.parquet",
                lambda root: another_table(root, _other_answer),
                id="other answer",
            ),
        ],
    )
    def test_finds_any_other_difference(self, root: Root, where: str, damage: Callable[[Root], object]) -> None:
        """In the table, in the declaration, or in both at once where figures no longer follow."""
        withhold(root)
        damage(root)
        assert any(found.startswith(where) for found in findings(root)), findings(root)

    def test_a_declaration_beside_the_table_that_was_sealed_is_none(self, root: Root) -> None:
        """Without the declarations before it, a declaration is a file that nothing names."""
        before = (root.path / FOLDER / OBSERVATIONS).read_bytes()
        withhold(root)
        (root.path / DECLARED).rename(root.path / FOLDER / declaration_name(2))
        (root.path / FOLDER / OBSERVATIONS).write_bytes(before)
        assert {AFTER, f"{FOLDER}/{declaration_name(2)}"} <= set(findings(root))


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("named", "said"),
        [
            ({"night": "2026-04-01"}, "expected the date of a sealed night, found 2026-04-01"),
            ({"model": "aster/other"}, "found 'aster/other' in --model. Did you mean 'aster/sphinx-8b'?"),
            ({"endpoint": "oak"}, "found 'oak' in --endpoint. Did you mean 'kiln' or 'loom' or 'mill'?"),
            ({"prompt": "tales-9"}, "found 'tales-9' in --prompt. Did you mean 'tales-3' or "),
            ({"reason": "  "}, "expected a reason, found none"),
            ({"reason": "a\u2066b"}, "characters that can be seen"),
        ],
    )
    def test_what_is_not_there(self, root: Root, named: dict[str, str], said: str) -> None:
        """A usage error that says what there is; nothing is written."""
        before = held(root)
        done = withhold(root, **named)
        assert done.exit_code == 2
        assert said in done.stderr
        assert held(root) == before

    @pytest.mark.parametrize(("first", "do"), [((), "Give --answer to withhold"), (("--answer",), "found one that is")])
    def test_what_is_withheld_already(self, root: Root, first: tuple[str, ...], do: str) -> None:
        """A declaration with another reason adds nothing; the same command again is a rerun that is done."""
        withhold(root, *first)
        before = held(root)
        done = withhold(root, *first, reason="another reason")
        assert done.exit_code == 2
        assert do in done.stderr
        assert withhold(root, *first).exit_code == 0
        assert held(root) == before

    def test_an_observation_without_a_text(self, tmp_path: Path) -> None:
        """What was never sent holds nothing to withhold."""
        root = make_root(tmp_path / "root", 0, rendered=False)
        add_night(root, NIGHT, sent_below=20)
        row = observations(NIGHT, "mill")[-1]
        done = withhold(root, endpoint="mill", prompt=row.prompt_id)
        assert done.exit_code == 2
        assert "found an observation without any text" in done.stderr

    def test_while_another_run_is_at_work(self, root: Root) -> None:
        """Exit code 5."""
        with root.store.lock():
            assert withhold(root).exit_code == 5


class TestWords:
    """'Two read alike exactly where they are alike'."""

    def test_an_answer_that_looks_like_a_word_passes_for_no_other(self) -> None:
        """Who answers in the form of a withheld answer is not taken for the one that gave it."""
        digest = sha256(b"secret")
        hidden = frozenset({digest})
        assert answer_word("secret", hidden) == withheld_word(digest)
        assert answer_word("plain", hidden) == "plain"
        look_alike = withheld_word(digest)
        assert answer_word(look_alike, hidden) == withheld_word(sha256(look_alike.encode())) != look_alike

    def test_a_nights_own_withheld_answer_is_no_look_alike(self) -> None:
        """The row that was withheld keeps its word; the same word given as an answer becomes another; null stays."""
        digest = sha256(b"secret")
        table = codec.observations_table(
            msgspec.structs.replace(row, answer=answer, text=None)
            for row, answer in zip(
                observations(NIGHT, "kiln")[:4],
                (withheld_word(digest), withheld_word(digest), "secret", None),
                strict=True,
            )
        )
        names = table.column("prompt_id").to_pylist()
        own = WithheldRow(model=MODEL, endpoint="kiln", prompt_id=names[0], answer_sha256=digest)
        text_alone = msgspec.structs.replace(own, prompt_id=names[2], answer_sha256=None)
        read = in_words(table, [own, text_alone], frozenset({digest}))
        look_alike = withheld_word(sha256(withheld_word(digest).encode()))
        assert read.column("answer").to_pylist() == [withheld_word(digest), look_alike, withheld_word(digest), None]
        assert read.drop_columns(["answer"]) == table.drop_columns(["answer"])
        assert in_words(table, [], frozenset()) is table
        require_withheld(table, [own, text_alone], where="here")
        with pytest.raises(IntegrityError, match="another text or answer"):
            require_withheld(table, [msgspec.structs.replace(own, prompt_id=names[2])], where="here")
        with pytest.raises(IntegrityError, match="no such row"):
            require_withheld(table, [msgspec.structs.replace(own, prompt_id="x")], where="here")

    def test_a_chain_that_is_broken_is_refused(self, root: Root) -> None:
        """A declaration that does not lead on from the table before it is none."""
        record = root.store.nights.get(NIGHT).record
        assert kept_observations(record, []) == (OBSERVATIONS, record.files[OBSERVATIONS])
        withhold(root)
        declared = root.store.nights.withheld(NIGHT)[0].record
        assert isinstance(declared, WithheldRecord)
        assert kept_observations(record, [declared]) == (table_name(1), declared.after_sha256)
        with pytest.raises(IntegrityError, match=r"withheld-2\.json"):
            kept_observations(record, [declared, declared])


def test_declarations_name_the_tables_that_are_kept_no_more() -> None:
    """In the archive and in a site; what only looks like a declaration names none."""
    folder = f"nights/{NIGHT}"
    paths = [
        f"{folder}/withheld-1.json",
        f"data/{folder}/withheld-2.json",
        "withheld-1.json",
        f"{folder}/withheld-0.json",
    ]
    assert replaced_tables(paths) == {f"{folder}/{OBSERVATIONS}", f"data/{folder}/{table_name(1)}"}


def test_every_prompt_of_the_made_night_has_a_text() -> None:
    """What the tests above withhold is there to be withheld."""
    assert PROMPT in {prompt.prompt_id for prompt in PROMPTS}
    assert all(row.text for row in observations(NIGHT, "kiln"))
