"""`verify` finds an edit, a deletion, a swap and a flipped bit in each kind of file, and names it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import kept_site
import msgspec
import pyarrow as pa
import pytest
import sound_worlds
from tiers import few
from typer.testing import CliRunner

from generator.archive import codec, layout
from generator.cli import app
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.finding import Finding, FindingKind, VerificationReport
from generator.records.grade import Grade, Letter, Superseded
from generator.records.night import NightState, VoidRecord
from generator.workflows.grading import grade
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.world import Root

END = date(2026, 3, 8)
MODEL = "grades/aster/sphinx-8b/mill/2026-03-08/v0.1"

KINDS = [
    "archive/FORMAT.md",
    "archive/nights/2026-03-08/night.json",
    "archive/nights/2026-03-08/observations.parquet",
    "archive/nights/2026-03-08/listings.parquet",
    "archive/nights/2026-03-08/prompts.parquet",
    "archive/nights/2026-03-08/context.parquet",
    "archive/nights/2026-03-02/night.json",
    "archive/grades/0.1/2026-03-08.parquet",
    "archive/grades/0.1/2026-03-08.json",
    "archive/pages/0.1/2026-03-08.parquet",
    "archive/pages/0.1/2026-03-08.json",
    "archive/pages/methods/0.1.html",
    "archive/pages/methods/0.1.json",
    f"site/{MODEL}/index.html",
    f"site/{MODEL}/grade.json",
    "site/grades/aster/sphinx-8b/mill/2026-03-08/index.html",
    "site/method/0.1/index.html",
    "site/method/index.html",
    "site/models/aster/sphinx-8b/index.html",
    "site/models/aster/sphinx-8b/mill/index.html",
    "site/nights/2026-03-08/index.html",
    "site/index.html",
    "site/404.html",
]
"""One file of each kind that the archive and the site hold."""

SWAPS = [
    ("archive/nights/2026-03-07/night.json", "archive/nights/2026-03-08/night.json"),
    ("archive/nights/2026-03-07/observations.parquet", "archive/nights/2026-03-08/observations.parquet"),
    ("archive/nights/2026-03-08/listings.parquet", "archive/nights/2026-03-08/prompts.parquet"),
    ("archive/nights/2026-03-07", "archive/nights/2026-03-08"),
    ("archive/grades/0.1/2026-03-07.parquet", "archive/grades/0.1/2026-03-08.parquet"),
    ("archive/grades/0.1/2026-03-07.json", "archive/grades/0.1/2026-03-08.json"),
    ("archive/pages/0.1/2026-03-07.parquet", "archive/pages/0.1/2026-03-08.parquet"),
    ("archive/pages/0.1/2026-03-07.json", "archive/pages/0.1/2026-03-08.json"),
    ("archive/grades/0.1/2026-03-08.json", "archive/pages/0.1/2026-03-08.json"),
    (f"site/{MODEL}/index.html", f"site/{MODEL.replace('mill', 'kiln')}/index.html"),
    (f"site/{MODEL}/grade.json", f"site/{MODEL.replace('mill', 'kiln')}/grade.json"),
    ("site/nights/2026-03-07/index.html", "site/nights/2026-03-08/index.html"),
]

sound, root = sound_worlds.laid_out, sound_worlds.root


def check(path: Path) -> VerificationReport:
    """Return what verification says of a root."""
    return verify(Root(path), progress=kept_site.Silent())


def about(report: VerificationReport, name: str) -> list[Finding]:
    """Return the findings that name a file."""
    return [finding for finding in report.findings if finding.where.startswith(name)]


class TestASoundRoot:
    def test_has_no_findings(self, sound: Path):
        """What was just made verifies, and everything was looked at."""
        report = check(sound)
        assert report.findings == ()
        assert report.notes == ("there is no log yet: run 'bitdepth log append'",)
        assert report.checked["nights"] == 8
        assert report.checked["grades"] == 24
        assert report.checked["permanent pages"] == 48
        files = [path for path in (sound / "archive").rglob("*") if path.is_file() and path.name != ".lock"]
        assert report.checked["archive files"] + report.checked["nights"] == len(files)
        assert report.checked["site files"] == len([path for path in (sound / "site").rglob("*") if path.is_file()])

    def test_exits_0(self, sound: Path):
        """The command says so."""
        assert CliRunner().invoke(app, ["verify", "--root", str(sound)]).exit_code == 0

    def test_has_every_kind_of_file_that_is_damaged_below(self, sound: Path):
        """The kinds below are files that are really there."""
        assert [name for name in KINDS if not (sound / name).is_file()] == []


def flip_bit(path: Path) -> None:
    """Flip one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x04
    path.write_bytes(bytes(data))


def edit(path: Path) -> None:
    """Put something before a file's last byte."""
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"0" + data[-1:])


def truncate(path: Path) -> None:
    """Cut a file's last byte off."""
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    """Leave nothing of a file but its name."""
    path.write_bytes(b"")


class TestDamage:
    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("damage", few([flip_bit, edit, truncate, empty], 2))
    def test_a_changed_file_is_found_and_named(self, root: Path, name: str, damage: Callable[[Path], None]):
        """Whatever byte is changed, the file is named."""
        damage(root / name)
        report = check(root)
        assert about(report, name), report.findings
        assert all(finding.kind != FindingKind.UNEXPECTED for finding in about(report, name))

    @pytest.mark.parametrize("name", KINDS)
    def test_a_deleted_file_is_found_and_named(self, root: Path, name: str):
        """A file that is gone is named as missing."""
        (root / name).unlink()
        found = about(check(root), name)
        assert FindingKind.MISSING in {finding.kind for finding in found}

    @pytest.mark.parametrize(("first", "second"), SWAPS)
    def test_swapped_files_are_found_and_named(self, root: Path, first: str, second: str):
        """Two files that changed places are each other's, not their own."""
        aside = root / "aside"
        (root / first).rename(aside)
        (root / second).rename(root / first)
        aside.rename(root / second)
        report = check(root)
        assert about(report, first) or about(report, second), report.findings

    @pytest.mark.parametrize("name", ["archive/nights/2026-03-08/more.parquet", "archive/stray.txt", "site/stray.html",
                                      "archive/grades/0.1/2026-03-09.parquet", f"site/{MODEL}/more.html"])  # fmt: skip
    def test_a_file_that_nothing_names_is_found(self, root: Path, name: str):
        """A stray file is named."""
        (root / name).write_bytes(b"stray")
        stem = name.rsplit(".", 1)[0]
        assert about(check(root), stem)

    @pytest.mark.parametrize("name", ["archive/nights/2026-03-03", "archive/nights/2026-03-01"])
    def test_a_night_taken_out_whole_leaves_a_gap(self, root: Path, name: str):
        """The night after it was chained to it."""
        shutil.rmtree(root / name)
        assert FindingKind.MISSING in {finding.kind for finding in about(check(root), name)}

    @pytest.mark.parametrize("name", ["archive/grades/0.1/2026-03-05", "archive/pages/0.1/2026-03-05",
                                      "archive/pages/methods/0.1"])  # fmt: skip
    def test_a_file_taken_out_with_its_manifest_is_missed(self, root: Path, name: str):
        """Pages miss their grades, grades their pages, and both their method's page."""
        for path in root.glob(f"{name}.*"):
            path.unlink()
        assert any(finding.kind == FindingKind.MISSING for finding in about(check(root), name))

    def test_the_command_exits_6_and_names_the_file(self, root: Path):
        """The exit code is that of integrity, and the message says where."""
        edit(root / "archive/nights/2026-03-08/prompts.parquet")
        result = CliRunner().invoke(app, ["verify", "--root", str(root)])
        assert result.exit_code == 6
        assert "archive/nights/2026-03-08/prompts.parquet" in result.stdout
        assert "Traceback" not in result.output

    def test_the_json_form_holds_the_findings(self, root: Path):
        """A machine reads the same."""
        (root / "site/404.html").unlink()
        result = CliRunner().invoke(app, ["verify", "--root", str(root), "--json"])
        report = msgspec.json.decode(result.stdout, type=VerificationReport)
        assert [finding.where for finding in report.findings] == ["site/404.html"]


class TestWhatToDo:
    def test_a_changed_or_missing_view_is_mended_by_rendering(self, root: Path):
        """So is a permanent page that was taken away: it is laid out again."""
        edit(root / "site/index.html")
        (root / f"site/{MODEL}/index.html").unlink()
        report = check(root)
        assert len(report.findings) == 2
        assert any("'bitdepth render' mends what was found" in note for note in report.notes)
        render(Root(root), progress=kept_site.Silent())
        assert check(root).findings == ()

    def test_a_changed_permanent_page_and_a_stray_are_not(self, root: Path):
        """They are left for somebody to look at; how many are mended is said."""
        edit(root / f"site/{MODEL}/index.html")
        (root / "site/stray.html").write_bytes(b"stray")
        assert not any("bitdepth render" in note for note in check(root).notes)
        edit(root / "site/index.html")
        assert any("'bitdepth render' mends 1 of the 3 findings" in note for note in check(root).notes)

    def test_nothing_is_said_where_the_archive_is_not_sound(self, root: Path):
        """The site is not looked at then."""
        edit(root / "site/index.html")
        edit(root / "archive/nights/2026-03-08/prompts.parquet")
        assert not any("bitdepth render" in note for note in check(root).notes)


class TestFiguresThatDoNotFollow:
    def test_a_grade_that_was_changed_with_its_digests_is_recomputed_and_named(self, root: Path):
        """Even with manifest and pages made to fit, the nights give another letter."""
        store = Root(root).store
        grades = list(store.grades.get("0.1", END))
        grades[2] = msgspec.structs.replace(grades[2], m_nights_outside=grades[2].m_nights_outside + 1)
        data = codec.parquet_bytes(codec.grades_table(grades))
        manifest = msgspec.structs.replace(store.grades.manifest("0.1", END), sha256=sha256(data))
        (root / "archive/grades/0.1/2026-03-08.parquet").write_bytes(data)
        (root / "archive/grades/0.1/2026-03-08.json").write_bytes(canonical_json(sealed(manifest)))
        found = [finding.where for finding in check(root).findings]
        assert "archive/grades/0.1/2026-03-08.parquet, aster/sphinx-8b mill, m_nights_outside" in found
        assert any(where.endswith("v0.1/grade.json") for where in found)

    @pytest.mark.parametrize("change", ["gone", "twice", "stranger", "other window"])
    def test_rows_that_are_missing_doubled_or_of_another_window_are_named(self, root: Path, change: str):
        """A grades file holds each endpoint of its window once."""
        store = Root(root).store
        grades = list(store.grades.get("0.1", END))
        if change == "gone":
            grades = grades[1:]
        elif change == "twice":
            grades = [grades[0], *grades]
        elif change == "stranger":
            grades = [*grades, msgspec.structs.replace(grades[0], endpoint="zircon")]
        else:
            grades[0] = msgspec.structs.replace(grades[0], window_end=END + timedelta(days=1), method_version="0.7")
        data = codec.parquet_bytes(codec.grades_table(grades))
        manifest = msgspec.structs.replace(store.grades.manifest("0.1", END), sha256=sha256(data))
        (root / "archive/grades/0.1/2026-03-08.parquet").write_bytes(data)
        (root / "archive/grades/0.1/2026-03-08.json").write_bytes(canonical_json(sealed(manifest)))
        assert about(check(root), "archive/grades/0.1/2026-03-08.parquet")

    def test_pages_of_other_grades_are_named(self, root: Path):
        """A pages file with a page too many and a page too few names both."""
        store = Root(root).store
        pages = [("grades/else/where/index.html", b"x"), *store.pages.get("0.1", END)[1:]]
        data = codec.parquet_bytes(codec.pages_table(pages))
        manifest = msgspec.structs.replace(store.pages.manifest("0.1", END), sha256=sha256(data))
        (root / "archive/pages/0.1/2026-03-08.parquet").write_bytes(data)
        (root / "archive/pages/0.1/2026-03-08.json").write_bytes(canonical_json(sealed(manifest)))
        kinds = {finding.kind for finding in about(check(root), "archive/pages/0.1/2026-03-08.parquet")}
        assert kinds == {FindingKind.MISSING, FindingKind.UNEXPECTED}

    def test_a_night_changed_with_all_its_digests_no_longer_fits_what_was_graded_from_it(self, root: Path):
        """The grades' manifest and the next night's chain hold the digest of night.json."""
        path = root / "archive/nights/2026-03-04/night.json"
        record = Root(root).store.nights.get(date(2026, 3, 4)).record
        path.write_bytes(canonical_json(sealed(msgspec.structs.replace(record, seed="ffff"))))
        assert len(about(check(root), "archive/nights/2026-03-04/night.json")) > 1

    def test_a_definition_that_changed_is_named(self, root: Path):
        """A number changed in content/ after grades were published under it is a finding."""
        methods = root / "content/methods"
        methods.mkdir()
        for suffix in (".toml", ".md"):
            text = (Path("content/methods") / f"0.1{suffix}").read_text()
            (methods / f"0.1{suffix}").write_text(text.replace("percentile = 75", "percentile = 74"))
        assert about(check(root), "content/methods/0.1.toml")


def rewrite_grades(root: Path, grades: Iterable[Grade], **changes: object) -> None:
    """Put other grades, and another manifest that fits them, in the place of the last window's."""
    store = Root(root).store
    data = codec.parquet_bytes(codec.grades_table(grades))
    manifest = msgspec.structs.replace(store.grades.manifest("0.1", END), sha256=sha256(data), **changes)
    (root / "archive/grades/0.1/2026-03-08.parquet").write_bytes(data)
    (root / "archive/grades/0.1/2026-03-08.json").write_bytes(canonical_json(sealed(manifest)))


def rewrite_night(root: Path, night: date, **changes: object) -> None:
    """Put another record in the place of a night's, with a seal that fits."""
    record = msgspec.structs.replace(Root(root).store.nights.get(night).record, **changes)
    (root / f"archive/nights/{night}/night.json").write_bytes(canonical_json(sealed(record)))


class TestWhatWasChosenFreely:
    def test_a_window_that_leaves_a_night_out(self, root: Path):
        """A window's nights follow from the definition: none may be left out, whatever the manifest says."""
        store = Root(root).store
        manifest = store.grades.manifest("0.1", END)
        nights = {night: digest for night, digest in manifest.nights.items() if night != "2026-03-05"}
        rewrite_grades(root, store.grades.get("0.1", END), nights=nights)
        found = about(check(root), "archive/grades/0.1/2026-03-08.parquet")
        assert any("the window's nights" in finding.expected for finding in found)

    @pytest.mark.parametrize("issued", [date(2020, 1, 1), date(2026, 3, 9)])
    def test_a_date_of_issue_that_is_not_the_nights(self, root: Path, issued: date):
        """A first grade is issued on the date of the night's finish."""
        grades = [msgspec.structs.replace(each, issued=issued) for each in Root(root).store.grades.get("0.1", END)]
        rewrite_grades(root, grades)
        assert any(finding.where.endswith(", issued") for finding in check(root).findings)

    def test_a_regrade_is_not_issued_before_its_night(self, root: Path):
        """A re-grade may be later than the night, never earlier."""
        grades = [
            msgspec.structs.replace(each, issued=date(2026, 3, 7)) for each in Root(root).store.grades.get("0.1", END)
        ]
        rewrite_grades(root, grades, regrade=True)
        assert any(finding.where.endswith(", issued") for finding in check(root).findings)

    def test_letters_that_nothing_earlier_had(self, root: Path):
        """What a grade replaces must be kept under an earlier version that was current."""
        made_up = (Superseded(method_version="0.0", letter=Letter.A),)
        grades = [msgspec.structs.replace(each, supersedes=made_up) for each in Root(root).store.grades.get("0.1", END)]
        rewrite_grades(root, grades)
        assert any(finding.where.endswith(", supersedes") for finding in check(root).findings)

    def test_a_page_that_does_not_carry_its_record(self, root: Path):
        """Each permanent page holds the SHA-256 of the record that it shows."""
        store = Root(root).store
        pages = [(path, body.replace(b"SHA-256", b"SHA").replace(b"a", b"b") if path.endswith("html") else body)
                 for path, body in store.pages.get("0.1", END)]  # fmt: skip
        data = codec.parquet_bytes(codec.pages_table(pages))
        manifest = msgspec.structs.replace(store.pages.manifest("0.1", END), sha256=sha256(data))
        (root / "archive/pages/0.1/2026-03-08.parquet").write_bytes(data)
        (root / "archive/pages/0.1/2026-03-08.json").write_bytes(canonical_json(sealed(manifest)))
        assert any("the record's SHA-256" in finding.expected for finding in check(root).findings)


class TestANightsOwnFigures:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Return a root of which nothing is graded yet, so that no manifest holds the nights' digests."""
        kept_site.make_root(tmp_path / "root", nights=8, graded=False, rendered=False)
        return tmp_path / "root"

    def test_counts_and_cost_are_counted_anew(self, root: Path):
        """What night.json counts must follow from its rows, whatever seal it bears."""
        record = Root(root).store.nights.get(END).record
        rewrite_night(root, END, counts=msgspec.structs.replace(record.counts, answered=1), cost_usd="-5")
        found = {finding.where for finding in check(root).findings}
        assert {f"archive/nights/{END}/night.json, counts", f"archive/nights/{END}/night.json, cost_usd"} <= found

    def test_a_cost_that_is_no_number(self, root: Path):
        """It is a finding, not a traceback."""
        rewrite_night(root, END, cost_usd="plenty")
        assert any(finding.where.endswith("cost_usd") for finding in check(root).findings)

    @pytest.mark.parametrize(
        ("table", "change"), [("listings", "fewer"), ("observations", "twice"), ("observations", "odd")]
    )
    def test_rows_that_do_not_fit_each_other(self, root: Path, table: str, change: str):
        """Every observation is of a listed endpoint, once, with a known outcome; the night's table is named."""
        store = Root(root).store.nights
        record = store.get(END).record
        rows = store.table(record, table)
        if change == "fewer":
            rows = rows.slice(1)
        elif change == "twice":
            rows = pa.concat_tables([rows, rows.slice(0, 1)])
        else:
            odd = pa.array(["surprise"] * rows.num_rows).dictionary_encode()
            rows = rows.set_column(rows.schema.get_field_index("outcome"), rows.schema.field("outcome"), odd)
        data = codec.parquet_bytes(rows)
        (root / f"archive/nights/{END}/{table}.parquet").write_bytes(data)
        rewrite_night(root, END, files={**record.files, f"{table}.parquet": sha256(data)})
        assert about(check(root), f"archive/nights/{END}/")

    def test_a_table_that_the_record_leaves_out(self, root: Path):
        """A night has four tables; a record that names three is named."""
        record = Root(root).store.nights.get(END).record
        (root / f"archive/nights/{END}/context.parquet").unlink()
        rewrite_night(root, END, files={name: each for name, each in record.files.items() if name[:7] != "context"})
        assert about(check(root), f"archive/nights/{END}/night.json")

    @pytest.mark.parametrize(
        ("night", "stated", "expected", "found"),
        [
            (date(2026, 3, 11), (), "no night begun from 2026-03-09 to 2026-03-10", "no date missed"),
            (
                date(2026, 3, 11),
                (date(2026, 3, 9),),
                "no night begun from 2026-03-09 to 2026-03-10",
                "no night begun on 2026-03-09",
            ),
            (END, (date(2026, 3, 4),), "no date missed", "no night begun on 2026-03-04"),
            (date(2026, 3, 1), (date(2026, 2, 28),), "no date missed", "no night begun on 2026-02-28"),
        ],
    )
    def test_missed_nights_that_are_not_those_between(
        self, root: Path, night: date, stated: tuple[date, ...], expected: str, found: str
    ):
        """A night states exactly the dates since the one kept before it: none hidden, none made up."""
        kept_site.add_night(Root(root), date(2026, 3, 11))
        assert about(check(root), "archive/") == []
        rewrite_night(root, night, missed=stated)
        finding = about(check(root), f"archive/nights/{night}/night.json, missed")[0]
        assert (finding.kind, finding.expected, finding.found) == (FindingKind.CHANGED, expected, found)

    def test_a_format_that_this_program_does_not_know(self, root: Path):
        """A record of another format is not guessed at."""
        rewrite_night(root, END, format=99)
        assert any("format 99" in finding.found or "99" in finding.found for finding in check(root).findings)


class TestWhatIsNoMismatch:
    def test_a_night_that_is_not_graded_yet_is_a_note(self, root: Path):
        """Sealed and not yet graded is a state, not a finding about the archive."""
        kept_site.add_night(Root(root), date(2026, 3, 9))
        report = check(root)
        assert any("2026-03-09 is not graded" in note for note in report.notes)
        assert about(report, "archive/") == []

    def test_a_root_without_a_site_says_how_to_make_one(self, root: Path):
        """Nothing rendered yet is a note."""
        shutil.rmtree(root / "site")
        report = check(root)
        assert report.findings == ()
        assert any("bitdepth render" in note for note in report.notes)

    def test_a_void_night_is_kept_and_in_no_window(self, root: Path):
        """A void night is checked like any other and is none of the next window's nights."""
        site = Root(root)
        kept_site.add_night(site, date(2026, 3, 9), state=NightState.VOID)
        kept_site.add_night(site, date(2026, 3, 10))
        grade(site, today=date(2026, 3, 10), progress=kept_site.Silent())
        render(site, progress=kept_site.Silent())
        assert check(root).findings == ()
        nights = site.store.grades.get("0.1", date(2026, 3, 10))[0].nights
        assert date(2026, 3, 9) not in nights
        assert len(nights) == 7

    def test_a_night_declared_void_later_leaves_earlier_grades_as_they_were_issued(self, root: Path):
        """Grades are recomputed over the nights that they list; later windows leave the night out."""
        site = Root(root)
        night = date(2026, 3, 6)
        void = VoidRecord(
            format=1, night=night, reason="clock", declared_at=datetime(2026, 3, 8, 12, tzinfo=UTC), seal=""
        )
        (root / "archive" / layout.void_file(night)).write_bytes(canonical_json(sealed(void)))
        kept_site.add_night(site, date(2026, 3, 9))
        grade(site, today=date(2026, 3, 9), progress=kept_site.Silent())
        render(site, progress=kept_site.Silent())
        assert check(root).findings == ()
        assert night in site.store.grades.get("0.1", END)[0].nights
        assert night not in site.store.grades.get("0.1", date(2026, 3, 9))[0].nights
        path = root / "archive" / layout.void_file(night)
        path.write_bytes(b"{}")
        assert about(check(root), "archive/nights/2026-03-06/void.json")
        path.write_bytes(canonical_json(sealed(msgspec.structs.replace(void, reason="another"))))
        assert about(check(root), "archive/nights/2026-03-06/void.json")
        path.unlink()
        assert about(check(root), "archive/nights/2026-03-06/void.json")

    def test_what_an_interrupted_run_left_is_no_damage(self, root: Path):
        """A night that is still in its journal, and a file that was still being written, do not count yet."""
        night = date(2026, 3, 9)
        folder = root / f"archive/nights/{night}"
        folder.mkdir()
        (folder / "prompts.parquet").write_bytes(b"half")
        (root / "archive/grades/0.1/2026-03-09.parquet.tmp").write_bytes(b"half")
        (root / "archive/journal").mkdir()
        (root / f"archive/journal/{night}.jsonl").write_bytes(b"{}\n")
        report = check(root)
        assert report.findings == ()
        assert any(f"night {night} is not sealed yet" in note for note in report.notes)

    def test_a_run_at_work_is_waited_for(self, root: Path):
        """An archive that somebody writes to is not called damaged: the command says so and exits 5."""
        with Root(root).store.lock():
            result = CliRunner().invoke(app, ["verify", "--root", str(root)])
        assert result.exit_code == 5

    def test_a_folder_that_is_no_root_could_not_be_checked(self, tmp_path: Path):
        """Exit code 1, not 'no findings'."""
        result = CliRunner().invoke(app, ["verify", "--root", str(tmp_path / "nowhere")])
        assert result.exit_code == 1
