"""A nightly run ends with a verification of what it added and of a sample: what that finds, and what it costs."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import kept_site
import logged_site
import msgspec
import pytest
from logged_site import KEY, OTHER_KEY, SILENT, wheres
from newest_night import before_last, newest
from tiers import few
from typer.testing import CliRunner

from generator.archive import codec
from generator.cli import app
from generator.errors import ExitCode, RouterError
from generator.log.checkpoint import Checkpoint
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.log_index import LogIndex
from generator.records.night import NightState, VoidRecord
from generator.settings import BudgetSettings
from generator.workflows.grading import grade
from generator.workflows.nightly import nightly
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.verifying_tonight import SAMPLE, standing, verify_newest
from generator.workflows.world import Root, World

REPOSITORY = Path(__file__).resolve().parent.parent
NIGHTS = 26
"""Then a missed date, and the night that is the newest one."""
OLD, LAST = date(2026, 3, 1), date(2026, 3, 28)
"""Of the nights, the first one, which is in the first seven windows, and the newest."""
PARTLY = "not everything was looked at"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root of more windows than a sample has; whoever damages it mends it."""
    return logged_site.make_logged(tmp_path_factory.mktemp("newest") / "root", nights=NIGHTS)


@contextmanager
def damaged(root: Root, name: str, change: Callable[[bytes], bytes | None]) -> Iterator[str]:
    """Change a file of a root, or with None take it away, and put it back; yield its name."""
    path = root.path / name
    before = path.read_bytes()
    after = change(before)
    assert after != before
    try:
        if after is None:
            path.unlink()
        else:
            path.write_bytes(after)
        yield name
    finally:
        path.write_bytes(before)


def flipped(data: bytes) -> bytes:
    """Return bytes of which one, in the middle, is another."""
    place = len(data) // 2
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


FLIPPED_OR_GONE = [
    pytest.param(flipped, id="flipped"),
    pytest.param(lambda _: None, id="gone", marks=pytest.mark.ci),
]


def size(root: Root) -> int:
    """Return how many leaves a root's log has: fewer than 256."""
    return int((logged_site.log(root.path) / "head").read_text().split("\n")[1])


def files_of(root: Root, night: date) -> dict[str, str]:
    """Return a file of each kind that a night, its window and its leaves have, by what it is."""
    page = f"grades/aster/sphinx-8b/mill/{night}/v0.1"
    return {
        "night": f"archive/nights/{night}/observations.parquet",
        "night's record": f"archive/nights/{night}/night.json",
        "grades": f"archive/grades/0.1/{night}.parquet",
        "manifest": f"archive/grades/0.1/{night}.json",
        "kept pages": f"archive/pages/0.1/{night}.parquet",
        "proofs": f"archive/log/proofs/0.1/{night}.parquet",
        "index": f"archive/log/index/grades/0.1/{night}.json",
        "laid-out page": f"site/{page}/index.html",
        "laid-out record": f"site/{page}/grade.json",
        "laid-out proof": f"site/{page}/grade.tlog-proof",
        "download of the night": f"site/data/nights/{night}/observations.parquet",
        "download of the grades": f"site/data/grades/0.1/{night}.parquet",
        "download of the pages": f"site/data/pages/0.1/{night}.parquet",
    }


KINDS = tuple(files_of(Root(Path()), LAST))


class TestWhatTheNightAdded:
    def test_a_sound_night_has_no_findings_and_the_report_says_what_was_looked_at(self, sound: Root) -> None:
        """Its files, its window, its five leaves; fourteen of the older windows, and by number what that is."""
        report = newest(sound)
        assert wheres(report) == ""
        assert report.complete
        (note,) = report.notes
        assert note.startswith(f"{PARTLY}: what this run added (1 night, 1 window), and of 26 older windows 14 drawn")
        assert "with their 14 nights" in note
        assert "'bitdepth verify' checks everything; when it last did is not known here" in note
        assert report.checked["grades"] == 15 * 3
        assert report.checked["nights"] == NIGHTS + 1

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("change", FLIPPED_OR_GONE)
    def test_a_damaged_file_of_it_is_found(
        self, sound: Root, kind: str, change: Callable[[bytes], bytes | None]
    ) -> None:
        """One flipped bit, or no file, in each place where the night and its window are kept or shown."""
        before = before_last(sound)
        with damaged(sound, files_of(sound, LAST)[kind], change) as name:
            assert name.removesuffix(".parquet").removesuffix(".json") in wheres(newest(sound, before=before))

    @pytest.mark.parametrize(
        "name", ["head", "checkpoint", "signed/{size}", "tile/0/000.p/{size}", "tile/entries/000.p/{size}"]
    )
    @pytest.mark.parametrize("change", FLIPPED_OR_GONE)
    def test_a_damaged_file_of_the_log_is_found(
        self, sound: Root, name: str, change: Callable[[bytes], bytes | None]
    ) -> None:
        """The newest tree, its signature, and the tiles and leaves that the night added."""
        before = before_last(sound)
        with damaged(sound, f"archive/log/{name.format(size=size(sound))}", change):
            report = newest(sound, before=before)
        assert any(finding.where.startswith("archive/log") for finding in report.findings), report

    @pytest.mark.parametrize("name", ["head", "checkpoint", "signed/{size}", "tile/entries/000.p/{size}"])
    def test_the_log_as_it_is_laid_out_is_held_against_the_archive(self, sound: Root, name: str) -> None:
        """Its newest trees and its new tiles lie in the site as they are kept."""
        with damaged(sound, f"site/log/{name.format(size=size(sound))}", flipped) as place:
            assert wheres(newest(sound)).startswith(f"changed {place}:")

    def test_a_head_that_forgot_the_night_is_found(self, sound: Root) -> None:
        """A tree of fewer leaves than there were before the run, and one of as many: each is named."""
        before = before_last(sound)
        first = Checkpoint("kept.example/log", before.head.size, before.head.root).text().encode()
        with damaged(sound, "archive/log/head", lambda _: first):
            assert "archive/log" in wheres(newest(sound, before=before))
            later = standing(sound)
            grown = msgspec.structs.replace(later, head=Checkpoint("kept.example/log", size(sound) + 5, b"\0" * 32))
            found = newest(sound, before=grown)
        assert "missing archive/log/head: a tree of at least the" in wheres(found)

    def test_a_log_that_has_not_grown_from_the_one_before_is_found(self, sound: Root) -> None:
        """Where the tree that was there at the beginning had another root, two logs have grown from one."""
        before = before_last(sound)
        forked = msgspec.structs.replace(before, head=Checkpoint(before.head.origin, before.head.size, b"\1" * 32))
        assert "two logs have grown from one" in wheres(newest(sound, before=forked))

    def test_a_signature_with_another_key_is_found(self, sound: Root) -> None:
        """The newest checkpoint must bear one of a key that is a leaf."""
        text = (logged_site.log(sound.path) / "head").read_text()
        forged = OTHER_KEY.sign(text)
        before = before_last(sound)
        with (
            damaged(sound, f"archive/log/signed/{size(sound)}", lambda _: forged),
            damaged(sound, "archive/log/checkpoint", lambda _: forged),
        ):
            assert f"archive/log/signed/{size(sound)}" in wheres(newest(sound, before=before))

    @pytest.mark.parametrize(("first", "found"), [(0, "where others are"), (200, "a place beyond the")])
    def test_an_index_that_leads_elsewhere_is_found(self, sound: Root, first: int, found: str) -> None:
        """Sealed as it should be, and wrong."""

        def moved(data: bytes) -> bytes:
            index = msgspec.json.decode(data, type=LogIndex)
            return canonical_json(sealed(msgspec.structs.replace(index, first=first, seal="")))

        with damaged(sound, f"archive/log/index/grades/0.1/{LAST}.json", moved) as name:
            assert f"changed {name}: where the leaves of grades/0.1/{LAST} are; {found}" in wheres(newest(sound))

    def test_a_file_that_nothing_names_is_found_in_the_nights_folder(self, sound: Root) -> None:
        """However deep it lies there."""
        stray = sound.path / f"archive/nights/{LAST}/more/stray.txt"
        stray.parent.mkdir()
        stray.write_text("mine")
        try:
            assert f"unexpected archive/nights/{LAST}/more/stray.txt" in wheres(newest(sound))
        finally:
            shutil.rmtree(stray.parent)


class TestTheGradesOfTheNight:
    def test_are_made_anew(self, tmp_path: Path) -> None:
        """One that does not follow from the nights is found, whatever page, log, signature and site agree with it."""
        root = kept_site.make_root(tmp_path / "root", NIGHTS, rendered=False)
        logged_site.keep(root)
        before = standing(root)
        night = kept_site.FIRST + timedelta(days=NIGHTS)
        kept_site.add_night(root, night)
        grade(root, today=night, progress=SILENT)
        store, folder = root.store, root.path / "archive"
        grades, pages = store.grades.get("0.1", night), dict(store.pages.get("0.1", night))
        forged = msgspec.structs.replace(grades[0], context_observed=7)
        path = f"grades/aster/sphinx-8b/kiln/{night}/v0.1"
        digests = [sha256(canonical_json(each)).encode() for each in (grades[0], forged)]
        pages[f"{path}/grade.json"] = canonical_json(forged)
        pages[f"{path}/index.html"] = pages[f"{path}/index.html"].replace(*digests)
        for name, table in (
            (f"grades/0.1/{night}", codec.grades_table((forged, *grades[1:]))),
            (f"pages/0.1/{night}", codec.pages_table(pages.items())),
        ):
            data = codec.parquet_bytes(table)
            manifest = (store.grades if name.startswith("grades") else store.pages).manifest("0.1", night)
            (folder / f"{name}.parquet").write_bytes(data)
            (folder / f"{name}.json").write_bytes(
                canonical_json(sealed(msgspec.structs.replace(manifest, sha256=sha256(data), seal="")))
            )
        logged_site.keep(root)
        render(root, progress=SILENT)
        report = newest(root, before=before)
        assert wheres(report).startswith(
            f"different archive/grades/0.1/{night}.parquet, aster/sphinx-8b kiln, context_observed"
        )
        assert len(report.findings) == 1


class TestTheSample:
    @pytest.mark.parametrize("kind", few([kind for kind in KINDS if kind != "night's record"], 5))
    def test_what_is_damaged_in_it_is_found_where_it_is_drawn_and_elsewhere_not(self, sound: Root, kind: str) -> None:
        """Drawn from the first window on, the first night is looked at; from the eighth on, it is not."""
        with damaged(sound, files_of(sound, OLD)[kind], flipped) as name:
            before = before_last(sound)
            assert name in wheres(newest(sound, 0, before))
            missed = newest(sound, 7, before)
        assert wheres(missed) == ""
        assert missed.notes[0].startswith(PARTLY)

    def test_each_older_window_is_as_likely(self, sound: Root) -> None:
        """A sample that begins with the last one goes on with the first."""
        name = files_of(sound, OLD)["kept pages"]
        begins = (0, 1, NIGHTS - SAMPLE, NIGHTS - SAMPLE + 1, NIGHTS - 1)
        with damaged(sound, name, flipped):
            before = before_last(sound)
            found = [name in wheres(newest(sound, first, before)) for first in begins]
        assert found == [True, False, False, True, True]

    def test_every_nights_record_is_read_and_the_chain_of_all_is_held_together(self, sound: Root) -> None:
        """A record is looked at whether or not its window is drawn."""
        with damaged(sound, files_of(sound, OLD)["night's record"], flipped) as name:
            assert name in wheres(newest(sound, 7))


class TestAYoungArchive:
    def test_is_verified_whole(self, tmp_path: Path) -> None:
        """With fourteen older windows all is looked at, views included; with one more, only a part is."""
        root = kept_site.make_root(tmp_path / "root", SAMPLE + 1, rendered=False)
        logged_site.keep(root)
        render(root, progress=SILENT)
        held = standing(root)
        assert newest(root, before=held) == verify(root, progress=SILENT)
        with damaged(root, "site/index.html", flipped):
            assert "site/index.html" in wheres(newest(root, before=held))
        logged_site.add_last(root, SAMPLE + 1)
        logged_site.keep(root)
        render(root, progress=SILENT)
        with damaged(root, "site/index.html", flipped):
            report = newest(root, before=held)
        assert wheres(report) == ""
        assert report.notes[0].startswith(PARTLY)

    def test_an_empty_one_says_so(self, tmp_path: Path) -> None:
        """As `verify` does."""
        root = kept_site.make_root(tmp_path / "root", 0, rendered=False)
        report = verify_newest(root, standing(root), progress=SILENT, entropy=bytes)
        assert report == verify(root, progress=SILENT)


class TestWhatElseANightCanBe:
    def test_two_versions_a_void_night_and_one_declared_void(self, tmp_path: Path) -> None:
        """Windows of both versions are drawn, and a newest night without a window is looked at by itself."""
        root = kept_site.make_root(tmp_path / "root", 9, graded=False, rendered=False)
        toml = root.path / "content/site.toml"
        toml.write_text(toml.read_text().replace('method = "0.1"', 'method = "0.1"\ncandidates = ["0.2"]'))
        night = kept_site.FIRST + timedelta(days=9)
        grade(root, today=night, progress=SILENT)
        logged_site.keep(root)
        before = standing(root)
        void = VoidRecord(
            format=1,
            night=kept_site.FIRST + timedelta(days=3),
            reason="mine",
            declared_at=datetime(2026, 3, 10, tzinfo=UTC),
            seal="",
        )
        root.store.nights.declare_void(void)
        kept_site.add_night(root, night, state=NightState.VOID, sent_below=0)
        grade(root, today=night, progress=SILENT)
        logged_site.keep(root)
        render(root, progress=SILENT)
        report = newest(root, before=before)
        assert wheres(report) == ""
        assert "(1 night, 0 windows), and of 18 older windows 14 drawn by chance" in report.notes[0]
        assert report.checked["grades"] == SAMPLE * 3
        name = f"archive/nights/{void.night}/void.json"
        with damaged(root, name, flipped):
            assert name in wheres(newest(root, before=before))

    def test_a_log_that_is_unsigned_or_not_there(self, tmp_path: Path) -> None:
        """Each is said, and is no mismatch."""
        root = kept_site.make_root(tmp_path / "root", SAMPLE + 2, rendered=False)
        before = standing(root)
        render(root, progress=SILENT)
        assert any("there is no log yet" in note for note in newest(root, before=before).notes)
        logged_site.keep(root, signed=False)
        render(root, progress=SILENT)
        report = newest(root, before=before)
        assert wheres(report) == ""
        assert any("the log is unsigned" in note for note in report.notes)

    def test_windows_that_an_interrupted_run_graded_are_new_once_they_are_logged(self, tmp_path: Path) -> None:
        """What no log held before the run is looked at, whichever run made it."""
        root = kept_site.make_root(tmp_path / "root", SAMPLE + 4, rendered=False)
        before = standing(root)
        logged_site.keep(root)
        render(root, progress=SILENT)
        assert newest(root, before=before) == verify(root, progress=SILENT)


class TestTheRunItself:
    def night(self, root: Root, *, verify_all: bool) -> tuple[str, ...]:
        """Run a night whose router cannot be had; return the notes of its verification, which finds nothing."""

        def nobody(*_: object) -> None:
            raise RouterError("no router here")

        world = World(
            now=lambda: datetime(2026, 3, 29, 3, tzinfo=UTC), monotonic=lambda: 0.0, sleep=None, entropy=bytes
        )
        done = asyncio.run(
            nightly(
                root,
                world,
                nobody,
                progress=SILENT,
                budget=BudgetSettings(max_usd="1"),
                key=KEY,
                verify_all=verify_all,
            )
        )
        assert done.report.findings == ()
        return done.report.notes

    def test_ends_with_the_newest_alone_unless_all_is_asked_for(self, sound: Root) -> None:
        """The note tells which it was."""
        assert self.night(sound, verify_all=False)[0].startswith(PARTLY)
        assert self.night(sound, verify_all=True) == ()

    @pytest.mark.ci
    def test_the_command_has_an_option_for_all(self, sound: Root, monkeypatch: pytest.MonkeyPatch) -> None:
        """`--verify-all`; either way a night without its router exits 1 where nothing else is wrong."""
        monkeypatch.setenv("OPENROUTER_API_KEY", "none")
        monkeypatch.setenv("BITDEPTH_SIGNING_KEY", KEY.text)
        command = ["nightly", "--json", "--max-usd", "1", "--root", str(sound.path)]
        found = []
        for more in ([], ["--verify-all"]):
            done = CliRunner().invoke(app, [*command, *more])
            assert done.exit_code == ExitCode.FAILED, done.output
            found.append(json.loads(done.stdout)["verification"]["notes"])
        assert found[0][0].startswith(PARTLY)
        assert found[1] == []


class TestWhatItCosts:
    def test_the_same_files_are_opened_whatever_the_age_of_the_archive(self, sound: Root, tmp_path: Path) -> None:
        """Of 27 nights and of 40, each kind of file is opened equally often, but for each night.json more: twice."""
        older = logged_site.make_logged(tmp_path / "older", nights=NIGHTS + 13)
        opened = []
        for root in (sound, older):
            # From the first window of seven nights on, whose sample shares no night with the newest window.
            command = [sys.executable, "-m", "tests.newest_night", str(root.path), "6"]
            done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
            told = json.loads(done.stdout)
            assert (told["findings"], told["notes"][0][: len(PARTLY)]) == (0, PARTLY)
            opened.append(by_kind(told["opened"]))
        of_27, of_40 = opened
        assert sum(of_27.values()) > 1000
        assert of_40 - of_27 == Counter({"archive/nights/DATE/night.json": 2 * 13})
        assert of_27 - of_40 == Counter()


def by_kind(opened: dict[str, int]) -> Counter[str]:
    """Return how often files of each kind are opened: dates, endpoints and sizes of the log left out of their names."""
    kinds = Counter[str]()
    for name, number in opened.items():
        kind = re.sub(r"\d{4}-\d\d-\d\d", "DATE", name)
        kinds[re.sub(r"(?<=signed/)\d+|(?<=\.p/)\d+|(?<=sphinx-8b/)\w+", "N", kind)] += number
    return kinds
