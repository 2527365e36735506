"""The demo: the main job on real recorded answers, fourteen nights, under unchanged thresholds."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import kept_site
import pytest
from jsonschema import Draft202012Validator

from generator.content import packaged
from generator.probing.demo.sheet import RECORDING_NOTES, script_sheet
from generator.records.grade import Column, Grade
from generator.site import build
from generator.site.build import is_permanent
from generator.workflows.grading import grade
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.world import Root


@pytest.fixture(scope="module")
def grades(demo: Path) -> tuple[Grade, ...]:
    """Return every grade of the demo."""
    store = Root(demo).store.grades
    return tuple(grade for end in store.windows("0.1") for grade in store.get("0.1", end))


class TestTheMainJob:
    def test_fourteen_nights_are_recorded_and_graded(self, demo: Path, grades: tuple[Grade, ...]):
        """Each night ends a window with a grade for each endpoint listed on one of its nights."""
        store = Root(demo).store
        assert len(store.nights.kept()) == 14
        assert store.grades.windows("0.1") == store.nights.kept()
        assert all(store.nights.get(night).counts for night in store.nights.kept())
        # Eighteen endpoints, of which one is first listed on the fifth night.
        assert len(grades) == 14 * 18 - 4
        assert store.grades.windows("0.2") == store.nights.kept()

    def test_it_ends_with_each_models_table_and_the_sites_folder(self, demo: Path):
        """The last lines say where the site is; letters stand with their version."""
        said = (demo.parent / "stdout.txt").read_text()
        for model in ("google/gemma-3-270m", "huggingfacetb/smollm2-135m-instruct"):
            assert model in said
        assert "no findings" in said
        assert said.rstrip().endswith("site/index.html")

    def test_it_verifies(self, demo: Path):
        """Archive, grades, pages and site are what they must be."""
        assert verify(Root(demo), progress=kept_site.Silent()).findings == ()

    @pytest.mark.ci
    def test_run_again_it_changes_nothing(self, demo: Path, tmp_path: Path):
        """A demo that is there already is laid out and verified again, byte for byte."""
        shutil.copytree(demo, tmp_path / "demo")
        before = snapshot(tmp_path / "demo")
        command = [sys.executable, "-m", "generator", "demo", "--out", str(tmp_path / "demo")]
        assert subprocess.run(command, capture_output=True, timeout=100, check=False).returncode == 0
        assert snapshot(tmp_path / "demo") == before

    def test_it_runs_under_the_shipped_thresholds(self, demo: Path):
        """The demo's definition is the shipped one, byte for byte."""
        for name in ("methods/0.1.toml", "methods/0.1.md"):
            assert (demo / "content" / name).read_bytes() == (packaged("content") / name).read_bytes()


class TestItShowsEachLetter:
    def test_each_of_a_b_c_d_and_u_in_some_column_or_grade(self, grades: tuple[Grade, ...]):
        """A reader of the demo meets every letter."""
        shown = {grade.letter for grade in grades}
        shown |= {grade.column_letter(column) for grade in grades for column in Column}
        assert {"A", "B", "C", "D", "U"} <= shown

    def test_the_scripted_faults_were_counted(self, grades: tuple[Grade, ...]):
        """Errors, cut answers, misrouting, absence and changes of declaration each show in the last window."""
        last = {(grade.model.split("/")[0], grade.endpoint): grade for grade in grades if grade.window_end.day == 14}
        dogwood = last["google", "dogwood"]
        assert 0.02 < dogwood.r_errors / dogwood.r_sent < 0.08
        assert last["huggingfacetb", "cedar"].r_misrouted > 0
        assert last["google", "larch"].unrated_reasons == ("absent",)
        assert [change.kind for change in last["google", "oak"].d_changes] == ["changed"]
        assert [change.kind for change in last["google", "juniper"].d_changes] == ["withdrawn"]
        birch = last["huggingfacetb", "birch"]
        assert birch.r_truncated / (birch.r_truncated + birch.r_answered) > 0.05

    def test_its_page_lists_each_truth_and_each_fault_beside_what_was_counted(self, demo: Path):
        """What was really run and what is scripted stand on one page, endpoint by endpoint."""
        text = plain((demo / "site/demo/index.html").read_text())
        for row in script_sheet():
            assert " ".join(row.truth.split()) in text
            for sentence in row.scripted:
                assert " ".join(sentence.split()) in text
        for note in RECORDING_NOTES:
            assert note in text
        assert "misrouted" in text

    def test_latencies_read_replayed_not_measured(self, demo: Path, grades: tuple[Grade, ...]):
        """No class is given where no latency was measured."""
        assert {grade.latency_class for grade in grades} == {"replayed"}
        page = demo / "site/grades/google/gemma-3-270m/fir/2026-11-14/v0.1/index.html"
        assert "replayed, not measured" in plain(page.read_text())


class TestMachineForms:
    def test_every_record_fits_the_published_schema(self, demo: Path, grades: tuple[Grade, ...]):
        """Each grade.json fits the JSON Schema that lies in the same site."""
        schema = Draft202012Validator(json.loads((demo / "site/data/schema/grade.json").read_bytes()))
        records = sorted((demo / "site/grades").rglob("grade.json"))
        assert len(records) >= len(grades)
        for record in records:
            schema.validate(json.loads(record.read_bytes()))


class TestEqualInputGivesEqualBytes:
    def test_rendering_twice_is_byte_identical(self, demo: Path, tmp_path: Path):
        """The same archive gives the same site in another folder."""
        shutil.copytree(demo, tmp_path / "demo", ignore=shutil.ignore_patterns("site", ".site.*"))
        render(Root(tmp_path / "demo"), progress=kept_site.Silent())
        assert snapshot(tmp_path / "demo/site") == snapshot(demo / "site")

    def test_grading_twice_is_byte_identical_parquet(self, demo: Path, tmp_path: Path):
        """The nights alone give the same grades, pages and manifests again."""
        shutil.copytree(demo / "content", tmp_path / "content")
        shutil.copytree(demo / "archive/nights", tmp_path / "archive/nights")
        root = Root(tmp_path)
        for night in root.store.nights.kept():
            # As the demo did it: each window on its own day, so that a candidate's grades are no re-grades.
            grade(root, today=night, progress=kept_site.Silent(), window_end=night)
        for folder in ("grades", "pages"):
            assert snapshot(tmp_path / "archive" / folder) == snapshot(demo / "archive" / folder)

    @pytest.mark.ci
    def test_kept_pages_survive_a_change_of_template(self, demo: Path, tmp_path: Path):
        """Permanent pages are laid out from their kept bytes; only views are rendered anew."""
        shutil.copytree(demo, tmp_path / "demo", ignore=shutil.ignore_patterns("site", ".site.*"))
        templates = tmp_path / "demo/templates"
        shutil.copytree(packaged("templates"), templates)
        for path in templates.rglob("*.html"):
            path.write_text(path.read_text().replace("</main>", "<p>another template</p></main>"))
        render(Root(tmp_path / "demo"), progress=kept_site.Silent())
        changed = 0
        for path in sorted((tmp_path / "demo/site").rglob("*")):
            name = path.relative_to(tmp_path / "demo/site").as_posix()
            if not path.is_file():
                continue
            same = path.read_bytes() == (demo / "site" / name).read_bytes()
            # What is no page comes of no template.
            assert same == (is_permanent(name) or not name.endswith(".html")), name
            changed += not same
        assert changed > 100
        assert verify(Root(tmp_path / "demo"), progress=kept_site.Silent()).findings == ()


class TestALaterVersionRegradesTheArchive:
    @pytest.mark.ci
    def test_every_old_page_and_record_stays_as_it_is(self, demo: Path, tmp_path: Path):
        """Made current, the calibrated version grades every window anew; what was kept before keeps its bytes."""
        shutil.copytree(demo, tmp_path / "demo")
        before = snapshot(tmp_path / "demo/archive") | permanent(tmp_path / "demo/site")
        settings = tmp_path / "demo/content/site.toml"
        settings.write_text(settings.read_text().replace('method = "0.1"', 'method = "1.0"'))
        root, day = Root(tmp_path / "demo"), date(2026, 11, 20)
        graded = grade(root, today=day, progress=kept_site.Silent())
        render(root, progress=kept_site.Silent())
        assert (graded.windows, graded.grades) == (14, 14 * 18 - 4)
        after = snapshot(tmp_path / "demo/archive") | permanent(tmp_path / "demo/site")
        assert {name: after[name] for name in before} == before
        last = root.store.grades.get("1.0", date(2026, 11, 14))
        assert {each.issued for each in last} == {day}
        assert {each.supersedes[0].method_version for each in last} == {"0.1"}
        assert {len(each.supersedes) for each in last} == {1}
        index = (tmp_path / "demo/site/grades/google/gemma-3-270m/oak/2026-11-14/index.html").read_text()
        assert all(f"v{version}/index.html" in index for version in ("0.1", "0.2", "1.0"))
        assert verify(root, progress=kept_site.Silent()).findings == ()


def permanent(site: Path) -> dict[str, bytes]:
    """Return every permanent file of a site, by its path."""
    return {name: data for name, data in snapshot(site).items() if build.is_permanent(name)}


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, by its path, but locks."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


class Text(HTMLParser):
    """The text of one page."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        """Note some text."""
        self.pieces.append(data)


def plain(html: str) -> str:
    """Return a page's text with white space collapsed."""
    page = Text()
    page.feed(html)
    return " ".join("".join(page.pieces).split())
