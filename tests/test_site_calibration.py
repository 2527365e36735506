"""The calibration page: what stands on it before and after a calibration, each figure beside its chart."""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
import pytest
import site_evidence as evidence
import site_material as made

from generator.records.calibration import Combination
from generator.site import views
from generator.site.calibration_sections import sections
from generator.site.candidate_sections import combination_words
from generator.site.interface import EndpointMaterial, GradedWindow
from generator.site.shown_tables import endpoint_tables
from generator.site.tables import counted, letters_words

PATH = "calibration/index.html"
LIVE = made.sites()["live"][PATH]
SAID = made.page_text(LIVE)


def rendered(**changes: object) -> str:
    """Return what the page says of a material."""
    return made.page_text(dict(views.render(made.material(**changes), made.TEMPLATES))[PATH])


class TestBeforeACalibration:
    """'without a calibration it says that none has been made yet and what it needs (fourteen recorded nights)'."""

    def test_says_so_and_how_many_nights_there_are(self):
        """None has been made; fourteen are needed; of the material seven count, of an empty archive none."""
        for said, nights in ((rendered(calibrations=()), 7), (made.page_text(made.sites()["empty"][PATH]), 0)):
            assert "No calibration has been made yet" in said
            assert "needs 14 recorded nights, and reads the first 14 and no other" in said
            assert f"{nights} are recorded so far" in said

    def test_shows_the_candidates_evidence_all_the_same(self):
        """The table of combinations needs no calibration."""
        said = rendered(calibrations=(), prompt_reports=())
        assert "What the rules of candidate 0.2 read on the recording" in said
        assert "What each prompt shows" not in said

    def test_after_one_it_is_not_said(self):
        """Once there is a calibration the page says what it found instead."""
        assert "No calibration has been made yet" not in SAID
        assert "Version 1.0, calibrated 2026-11-28" in SAID

    def test_a_version_that_is_not_current_is_not_read_as_in_force(self):
        """What calibrate wrote is said to be used by no letter until the site's settings name it as current."""
        assert (
            "Version 1.0, calibrated 2026-11-28, not current No letter uses it: it is written by bitdepth calibrate "
            "and not current. The current version is 0.1."
        ) in SAID
        methods = {"1.0": made.method("1.0")}
        current = rendered(
            settings=made.settings(method="1.0"), methods=methods, kept_methods=frozenset(methods), grades=()
        )
        assert "Version 1.0, calibrated 2026-11-28 From" in current
        assert "not current" not in current

    def test_letters_under_a_version_that_is_no_longer_current_are_not_denied(self):
        """Where grades were issued under a calibrated version, the page does not say that none uses it."""
        final = made.grade(method_version="1.0", provisional=False)
        methods = {version: made.method(version) for version in ("0.1", "1.0")}
        window = GradedWindow(method_version="1.0", window_end=final.window_end, was_current=True, regrade=False)
        said = rendered(grades=(final,), windows=(window,), methods=methods, kept_methods=frozenset(methods))
        assert "calibrated 2026-11-28, not current The current version is 0.1." in said
        assert "No letter uses it" not in said


class TestEveryChartHasItsTable:
    """'each chart with its data table behind it in <details> or beside'."""

    def test_figures_hold_chart_caption_and_table(self):
        """Every chart but the small squares stands with a caption and a table in reach."""
        parents = [each for each in made.parsed(LIVE).iter() if each.find("figure[@class='chart']") is not None]
        pairs = [pair for parent in parents for pair in pairwise(parent) if pair[0].get("class") == "chart"]
        assert len(pairs) == 1 + 2 + 1 + 2
        for figure, after in pairs:
            assert [child.tag.rpartition("}")[2] for child in figure] == ["svg", "figcaption"]
            assert after.tag == "details"
            assert after.find("table/tbody/tr") is not None

    def test_no_id_stands_twice(self):
        """Charts name themselves by ids: each is there once."""
        ids = [element.get("id") for element in made.parsed(LIVE).iter() if element.get("id")]
        assert len(ids) == len(set(ids))

    def test_every_image_is_named_by_what_is_there(self):
        """What an image is labelled by is a title and a description of the same page."""
        tree = made.parsed(LIVE)
        ids = {element.get("id") for element in tree.iter()}
        images = [element for element in tree.iter() if element.get("role") == "img"]
        assert len(images) == 6 + 5
        for image in images:
            assert set(image.get("aria-labelledby", "").split()) <= ids


class TestThreshold:
    """'median self-agreement with the chosen threshold'."""

    def test_how_it_came_about(self):
        """Percentile, index, rounding and both bounds are said, and each value stands in the table."""
        for part in (
            "The stability threshold is 91 %",
            "at index 0 of 3, counted from 0 and smallest first (percentile 10, 'lower')",
            "rounded down to a whole percent: 91 %, and never below 80 % nor above 99 %",
            "google/gemma-3-270m arith 100 %",
        ):
            assert part in SAID


class TestSelfDisagreement:
    """'distributions of self-disagreement by family and model, floors'."""

    def test_each_endpoints_pairs_with_the_floor(self):
        """Pairs, those that differ, and the floor: 1 of 78 is 1.28 %."""
        assert "arith, cedar 156 39 1.28 %" in SAID
        assert "arith, alder 156 0 1.28 %" in SAID

    def test_chart_names_no_endpoint(self):
        """Circles are endpoints without a name: alphabetical order is the table's."""
        made_sections = {section.id: section for section in sections(evidence.calibration())}
        for chart in made_sections["v1-0-noise"].charts:
            assert "alder" not in chart.svg


class TestLetters:
    """'letters of nights 1-7 against 8-14'."""

    def test_agreement_by_column(self):
        """How many have a letter in both halves, and how many the same one."""
        assert "M, match 1 1" in SAID
        assert "The grade 2 1" in SAID

    def test_letters_stand_with_version_and_columns(self):
        """Each endpoint's two letters stand in the short form, whole."""
        assert "alder, google/gemma-3-270m A 1.0 · M A T A D A R A C 1.0 · M C T A D A R A" in SAID
        assert "birch, google/gemma-3-270m A 1.0 · M – T A D A R A A 1.0 · M A T A D A R A" in SAID  # noqa: RUF001

    def test_squares_count_pairs_of_letters(self):
        """M: one endpoint in row A and column C, one in the row of those not measured and column A."""
        tree = made.parsed(LIVE)
        square = next(e for e in tree.iter() if e.get("aria-labelledby") == "v1-0-letters-M-t v1-0-letters-M-d")
        texts = [(e.get("x"), e.get("y"), e.text) for e in square if e.tag.endswith("text")]
        assert [text for text in texts if text[2] == "1"] == [("105", "50", "1"), ("45", "170", "1")]


class TestLatencyClasses:
    def test_kept_says_why_and_calibrated_says_how(self):
        """Boundaries that stay as they were give the reason; calibrated ones say what they are."""
        assert "stay as they were, ending below 1,000 ms, 3,000 ms, 10,000 ms. Every latency was replayed." in SAID
        own = evidence.calibration()
        latency = msgspec.structs.replace(own.latency, kept_because=None, medians=())
        said = rendered(calibrations=(msgspec.structs.replace(own, latency=latency),))
        assert "The latency classes end below 1,000 ms, 3,000 ms, 10,000 ms: percentiles of the endpoints' medians" in (
            said
        )


class TestRates:
    """'the rate at which an endpoint that is only as noisy as the fleet reads C or D'."""

    def test_counts_of_windows(self):
        """40 C and 10 D of 200 windows are 50 of 200."""
        assert "google/gemma-3-270m 200 A 150, C 40, D 10 50" in SAID

    def test_points_below_the_highest(self):
        """33 hundredths of a point for each of k endpoints; the word that T reserves is not used."""
        assert "Endpoints Points Draws 2 0.66 200 3 0.99 200 30 9.9 200" in SAID
        assert "best" not in SAID


class TestCandidate:
    """'the candidate evidence table (eight combinations, per recorded truth ...) with what fails'."""

    def test_all_eight_combinations_by_truth(self):
        """Each combination is a row with the letters of unchanged, changed and cut endpoints."""
        for rules in ("none, as under 0.1", "share", "fleet floor", "fleet floor and share"):
            assert f" {rules} D 3, not measured 1 D 3, not measured 1 C 3, not measured 1" in SAID
        for rules in ("margin", "margin and share", "fleet floor and margin", "fleet floor and margin and share"):
            assert f" {rules} A 3, not measured 1 D 3, not measured 1 C 3, not measured 1" in SAID
        assert "400 of 3,360" in SAID

    def test_each_endpoint_with_its_truth_escaped(self):
        """What was really run stands beside each endpoint's letters, as text."""
        row = "Maple, google/gemma-3-270m what was <b>really</b> run (changed) D 3, not measured 1 A 4 A 4 D 3, U 1"
        assert SAID.count(row) == 8 + 2

    def test_what_does_not_hold_is_said(self):
        """Sentences that fail are counted and marked, beside what was counted."""
        assert "2 sentences had been claimed of the candidate before it was tried; 1 of them does not hold" in SAID
        assert "So was this. does not hold 1 of 4 One of four windows." in SAID

    def test_where_it_fails(self):
        """A majority that is itself different makes the unchanged endpoint read D."""
        assert "Two that are changed and one that is not. google/gemma-3-270m 3 fleet floor and margin 4 D 4 A 8 0" in (
            SAID
        )

    def test_steady_differences_of_kernels(self):
        """An endpoint that repeats itself and is steadily otherwise on 3 of 90 prompts."""
        assert "Fir, google/gemma-3-270m full precision exactly, and was kept once 3 of 90 87 of 90" in SAID

    @pytest.mark.parametrize(
        ("fleet", "margin", "share", "words"),
        [
            (False, False, False, "none, as under 0.1"),
            (True, False, True, "fleet floor and share"),
            (True, True, True, "fleet floor and margin and share"),
        ],
    )
    def test_combinations_in_words(self, fleet: bool, margin: bool, share: bool, words: str):  # noqa: FBT001 - rules on or off
        """Which rules are on is said by name."""
        assert combination_words(Combination(fleet_floor=fleet, margin=margin, min_share=share), "0.1") == words


class TestPromptReport:
    """'prompts that never separate anything and prompts that never have a reference are named'."""

    def test_silent_prompts_are_named(self):
        """Two of three lines are named with their counts; the third stands in the whole list alone."""
        assert "2 lines of 3 name a prompt that never separates anything or never has a reference" in SAID
        assert "arith-fixed-00, google/gemma-3-270m arith 14 of 14 154 of 154 9 of 143 never separates" in SAID
        silent = "arith-fixed-02, google/gemma-3-270m arith 0 of 14 not measured not measured never has a reference"
        assert SAID.count(silent) == 2
        assert SAID.count("arith-fixed-01, google/gemma-3-270m") == 1


class TestOfTheSamePage:
    def test_is_linked_from_every_page_and_the_method(self):
        """Every footer leads here, and so do the list of versions and each version's page."""
        for path, body in made.sites()["live"].items():
            if path.endswith(".html") and path != PATH:
                footer = made.parsed(body).find(".//footer")
                assert footer is not None
                assert any(str(a.get("href")).endswith("calibration/index.html") for a in footer.iter("a")), path
        for path in ("method/index.html", "method/0.1/index.html"):
            main = made.parsed(made.sites()["live"][path]).find(".//main")
            assert main is not None
            assert any(str(a.get("href")).endswith("calibration/index.html") for a in main.iter("a")), path

    def test_headings_go_down_one_step_at_a_time(self):
        """No heading skips a level."""
        levels = [int(e.tag[1]) for e in made.parsed(LIVE).iter() if re.fullmatch("h[1-6]", str(e.tag))]
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))

    def test_two_calibrations_newest_first(self):
        """Each has its own sections, the newer one before the other."""
        later = msgspec.structs.replace(evidence.calibration(), version="1.10")
        said = rendered(calibrations=(evidence.calibration(), later))
        assert said.index("Version 1.10, calibrated") < said.index("Version 1.0, calibrated")


class TestWords:
    def test_counted(self):
        """One is singular; all others are plural, grouped."""
        words = [counted(1, "family", "families"), counted(2, "family", "families"), counted(1200, "night")]
        assert words == ["1 family", "2 families", "1,200 nights"]

    def test_no_letters_are_none(self):
        """Where nothing was read, 'none' stands."""
        assert letters_words({}) == "none"


class TestWhatWasNotCounted:
    def test_a_column_without_an_agreement_says_so(self):
        """A column in which nothing could be set side by side is said to have no count, not to agree."""
        assert "Nothing was counted." in rendered(
            calibrations=(msgspec.structs.replace(evidence.calibration(), agreement=()),)
        )

    def test_an_endpoint_that_has_no_letters_reads_not_measured(self):
        """An endpoint whose letters are missing in one half reads 'not measured' there."""
        letters = tuple(
            msgspec.structs.replace(each, first=None) if each.column is None else each
            for each in evidence.calibration().letters
        )
        without = rendered(calibrations=(msgspec.structs.replace(evidence.calibration(), letters=letters),))
        assert without.count("not measured") > SAID.count("not measured")

    def test_an_endpoint_without_a_pair_has_no_table_of_changes(self):
        """Where no prompt was answered on two nights, nothing is tabled."""
        assert len(endpoint_tables(EndpointMaterial(endpoint="elm", tokens=((0, 5),), changes=()))) == 1
