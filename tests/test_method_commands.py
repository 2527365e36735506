"""The commands that look at the method, as a user runs them on the demo."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import kept_site
import msgspec
import pytest
from typer.testing import CliRunner

from generator.cli import app
from generator.records.explanation import Explanation
from generator.records.simulation import SimulationResult
from generator.workflows.differences import letter_differences
from generator.workflows.verifying import verify
from generator.workflows.world import Root

WIDE = {"COLUMNS": "200", "NO_COLOR": "1"}


class TestExplain:
    def test_a_grade_is_followed_to_the_single_prompt(self, demo: Path):
        """Nights, floors, differing answers and what would have changed the letter stand in the terminal."""
        arguments = ["explain", "google/gemma-3-270m", "oak", "--column", "M", "--root", str(demo)]
        result = CliRunner().invoke(app, arguments, env=WIDE)
        assert result.exit_code == 0, result.output
        for said in ("2026-11-14", "floor", "lookup"):
            assert said in result.stdout

    def test_json_is_the_record(self, demo: Path):
        """A machine gets every figure, exactly."""
        arguments = ["explain", "google/gemma-3-270m", "elm", "--root", str(demo), "--json"]
        found = msgspec.json.decode(CliRunner().invoke(app, arguments).stdout, type=Explanation)
        recorded = {each.endpoint: each for each in Root(demo).store.grades.get("0.1", date(2026, 11, 14))}
        assert found.grade == recorded["elm"]

    def test_an_earlier_window_and_another_version(self, demo: Path):
        """Any graded window can be explained, under any version that graded it."""
        arguments = ["explain", "google/gemma-3-270m", "elm", "--window-end", "2026-11-09", "--method", "0.2"]
        result = CliRunner().invoke(app, [*arguments, "--root", str(demo), "--json"])
        found = msgspec.json.decode(result.stdout, type=Explanation)
        assert (found.grade.window_end, found.grade.method_version) == (date(2026, 11, 9), "0.2")

    @pytest.mark.parametrize(
        "arguments",
        [["google/gemma-3-270", "elm"], ["google/gemma-3-270m", "elmo"],
         ["google/gemma-3-270m", "elm", "--column", "X"],
         ["google/gemma-3-270m", "elm", "--window-end", "2026-12-24"]],
    )  # fmt: skip
    def test_what_is_not_there_is_a_usage_error(self, demo: Path, arguments: list[str]):
        """Unknown models, endpoints, columns and windows end with exit code 2 and the near name."""
        result = CliRunner().invoke(app, ["explain", *arguments, "--root", str(demo)])
        assert result.exit_code == 2
        assert "Traceback" not in result.output


class TestCalibrate:
    def test_it_refuses_with_too_few_nights(self, tmp_path: Path):
        """Fourteen recorded nights are needed; nothing is written before."""
        kept_site.make_root(tmp_path, nights=3, rendered=False)
        result = CliRunner().invoke(app, ["calibrate", "--root", str(tmp_path)])
        assert result.exit_code != 0
        assert "14" in result.stderr
        assert not (tmp_path / "content/methods").exists()

    def test_it_refuses_to_write_over_a_version(self, demo: Path, tmp_path: Path):
        """The demo has calibrated a version 1.0 already: a second one is refused, and its files stay."""
        shutil.copytree(demo, tmp_path / "demo", ignore=shutil.ignore_patterns("site", ".site.*"))
        before = (tmp_path / "demo/content/methods/1.0.toml").read_bytes()
        result = CliRunner().invoke(app, ["calibrate", "--root", str(tmp_path / "demo")])
        assert result.exit_code != 0
        assert "1.0" in result.stderr
        assert (tmp_path / "demo/content/methods/1.0.toml").read_bytes() == before

    def test_the_calibrated_version_grades(self, demo: Path, tmp_path: Path):
        """What calibrate wrote is a definition like any other: final, and the archive is graded under it."""
        shutil.copytree(demo, tmp_path / "demo", ignore=shutil.ignore_patterns("site", ".site.*"))
        arguments = [
            "grade",
            "--method",
            "1.0",
            "--window-end",
            "2026-11-14",
            "--root",
            str(tmp_path / "demo"),
            "--json",
        ]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        assert msgspec.json.decode(result.stdout) == {"windows": 1, "grades": 18}
        grades = Root(tmp_path / "demo").store.grades.get("1.0", date(2026, 11, 14))
        assert {each.provisional for each in grades} == {False}
        assert verify(Root(tmp_path / "demo"), progress=kept_site.Silent()).findings == ()


class TestSimulate:
    def test_rates_for_a_setting_that_was_never_run(self, demo: Path):
        """Every simulated window is counted once for the honest and once for the different endpoint."""
        arguments = ["simulate", "--windows", "3", "--endpoints", "4", "--families", "2", "--fixed", "6", "--json"]
        result = CliRunner().invoke(app, [*arguments, "--root", str(demo)])
        assert result.exit_code == 0, result.output
        found = msgspec.json.decode(result.stdout, type=SimulationResult)
        assert sum(found.different.values()) == 3
        again = CliRunner().invoke(app, [*arguments, "--root", str(demo)])
        assert again.stdout == result.stdout


class TestCandidates:
    def test_the_demo_is_graded_under_the_current_version_and_the_candidate(self, demo: Path):
        """Every window has grades under both, and the candidate replaces nothing."""
        store = Root(demo).store.grades
        assert store.windows("0.1") == store.windows("0.2")
        assert {store.manifest("0.2", end).role for end in store.windows("0.2")} == {"candidate"}
        assert not any(each.supersedes for end in store.windows("0.2") for each in store.get("0.2", end))

    def test_which_letters_differ_and_by_which_rule(self, demo: Path):
        """Each difference of the last window names the candidate's rules that it comes from."""
        root = Root(demo)
        found = letter_differences(root, root.content.method("0.1"), ("0.2",))
        end = root.store.grades.windows("0.1")[-1]
        both = [
            {(each.model, each.endpoint): each for each in root.store.grades.get(version, end)}
            for version in ("0.1", "0.2")
        ]
        letters = [
            {
                key: (each.letter, each.m_letter, each.t_letter, each.d_letter, each.r_letter)
                for key, each in one.items()
            }
            for one in both
        ]
        assert {(each.model, each.endpoint) for each in found} == {
            key for key in letters[0] if letters[0][key] != letters[1][key]
        }
        rules = {"the fleet floor", "the margin", "the fleet floor together with the margin"}
        assert found
        assert all(each.by and set(each.by) <= rules for each in found)
        page = (demo / "site/method/differences/index.html").read_text()
        assert "fleet floor" in page

    def test_the_evidence_stands_on_the_calibration_page(self, demo: Path):
        """The page shows the demo's own calibration and the candidate's evidence."""
        page = (demo / "site/calibration/index.html").read_text()
        assert "1.0" in page
        assert "<svg" in page
        assert "0.2" in page
