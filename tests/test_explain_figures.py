"""The figures of an explanation, added up again, are those of the grade: by hand, at random, and on the demo."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.method.explaining import Explained
from generator.method.recounting import recounted_figures
from generator.method.window import window_nights
from generator.records.definition import Method
from generator.records.explanation import Exact, ExplainedMatch
from generator.records.grade import Column, Grade
from generator.workflows.explaining import explanations
from generator.workflows.windows import night_tables
from generator.workflows.world import Root
from tests.explain_makers import Key, explained, unequal
from tests.golden_archive import RECORDED, golden_nights
from tests.method_random import random_archive
from tests.method_variants import METHOD, METHOD_0_2, varied, with_rules

SHOWN_ONLY = {
    "model",
    "endpoint",
    "provisional",
    "issued",
    "latency_class",
    "median_latency_ms",
    "price_prompt",
    "price_completion",
    "context_declared",
    "context_observed",
    "supersedes",
}
"""The fields of a grade that no letter follows from."""

VARIANTS = {
    "0.1": METHOD,
    "0.2": METHOD_0_2,
    "share": with_rules(share="60"),
    "fleet": with_rules(fleet="median mismatch"),
    "margin for own variation too": with_rules(margin="level = 5\nown_variation = true"),
    "all": with_rules(share="34.5", fleet="median mismatch", margin="level = 10"),
}


@pytest.fixture(scope="module")
def golden() -> dict[Key, Explained]:
    """Return the golden archive, explained."""
    return explained(golden_nights(), METHOD, RECORDED)


class TestTheRecountGoesItsOwnWayAndArrivesWhereTheGraderDid:
    def test_on_the_golden_archive(self, golden: dict[Key, Explained]) -> None:
        """All ten grades that were worked out by hand follow from what their explanations show."""
        assert {key: unequal(each) for key, each in golden.items()} == {key: {} for key in golden}

    def test_no_field_that_a_letter_follows_from_is_left_out(self, golden: dict[Key, Explained]) -> None:
        """What is counted again is every field of a grade but its name, its issue and what is only shown."""
        for each in golden.values():
            assert set(each.figures) == set(Grade.__struct_fields__) - SHOWN_ONLY

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_on_random_archives_under_every_rule(self, variant: str) -> None:
        """Twenty random archives, in which everything that can happen to an observation happens, agree."""
        seen = 0
        for seed in range(20):
            archive = random_archive(seed)
            for key, each in explained(archive.tables(), VARIANTS[variant], archive.recorded).items():
                assert unequal(each) == {}, (seed, key)
                seen += 1
        assert seen > 40

    def test_a_grade_that_does_not_follow_is_seen(self, golden: dict[Key, Explained]) -> None:
        """A recount under another definition is not the recorded grade."""
        other = explained(golden_nights(), with_rules(fleet="median mismatch"), RECORDED)
        assert any(each.figures != golden[key].figures for key, each in other.items())


class TestTheSumsOfAnExplanationAreItsTotals:
    @pytest.mark.parametrize("method", [METHOD, METHOD_0_2], ids=["0.1", "0.2"])
    def test_on_random_archives(self, method: Method) -> None:
        """Families, prompts, pairs, wrong answers and failures add up to the figures beside them."""
        for seed in range(20):
            archive = random_archive(seed)
            for each in explained(archive.tables(), method, archive.recorded).values():
                _check_sums(each)


class TestTheDemosLastWindow:
    def test_every_grade_is_explained_and_its_figures_are_the_recorded_ones(self, demo: Path) -> None:
        """The workflow refuses a figure that is not recorded so: it refuses none, and explains every grade."""
        root = Root(demo)
        version = root.content.settings().method
        end = root.store.grades.windows(version)[-1]
        found = list(explanations(root, version, end))
        assert tuple(each.grade for each in found) == root.store.grades.get(version, end)
        assert len(found) == 18
        for each in found:
            assert each.match is not None
            assert sum(night.reading == "outside" for night in each.match.nights) == each.grade.m_nights_outside
            assert [night.night for night in each.nights] == list(each.grade.nights)
            _check_match(each.match)

    def test_under_the_candidate_they_are_the_graders_as_well(self, demo: Path) -> None:
        """The last window's nights under 0.2, with the fleet floor and the margin: each figure is the grader's."""
        root = Root(demo)
        kept = {night: root.store.nights.get(night) for night in root.store.nights.kept()}
        recorded = tuple(night for night, each in kept.items() if each.counts)
        nights = window_nights(recorded, recorded[-1], METHOD_0_2.definition)
        found = explained([night_tables(root, kept[night], frozenset()) for night in nights], METHOD_0_2, recorded)
        assert len(found) == 18
        for key, each in found.items():
            assert unequal(each) == {}, key
            _check_sums(each)


def _check_sums(explained: Explained) -> None:
    shown = explained.explanation
    match, task, reliability = shown.match, shown.task, shown.reliability
    assert match is not None
    assert task is not None
    assert reliability is not None
    _check_match(match)
    assert task.correct + len(task.wrong) == task.counted <= task.planned
    assert sum(family.correct for family in task.families) == task.correct
    failed = sum(len(failure.prompts) for failure in reliability.failures if failure.outcome != "unsent")
    assert reliability.answered + failed == reliability.sent == sum(night.sent for night in shown.nights)


def _check_match(match: ExplainedMatch) -> None:
    for night in match.nights:
        assert sum(family.compared for family in night.families) == night.compared
        assert sum(prompt.differs for prompt in night.prompts) == night.mismatches
        for prompt in night.prompts:
            assert len(prompt.agreed) == (prompt.most_given if prompt.reference is not None else 0)
            assert list(prompt.agreed) == sorted(prompt.agreed)
            assert (prompt.reference is None) == (prompt.no_reference is not None)
            assert not prompt.differs or prompt.answer != prompt.reference
    stable = [floor for floor in match.floors if floor.stable]
    assert sum(pair.stable for pair in match.own_variation.differ) == match.own_variation.differing
    assert sum(floor.pairs for floor in stable) == match.own_variation.pairs
    for floor in match.floors:
        if floor.floor is not None and not floor.fleet:
            assert floor.index is not None
            taken = floor.values[floor.index]
            assert taken.differing * floor.floor.denominator == taken.pairs * floor.floor.numerator
        assert [value.differing / value.pairs for value in floor.values] == sorted(
            value.differing / value.pairs for value in floor.values
        )
        _check_exact(floor.floor)


def _check_exact(value: Exact | None) -> None:
    assert value is None or 0 <= value.numerator <= value.denominator


class TestWhatIsLeftOutIsNotCounted:
    def test_a_definition_without_a_floor_of_task_accuracy_zeroes_nothing(self) -> None:
        """With the rule off there is no weighted floor, and the figures are the record's all the same."""
        method = varied({"task.floor": None})
        found = explained(golden_nights(), method, RECORDED)
        assert found
        assert all(not unequal(each) for each in found.values())
        assert not any(each.explanation.grade.t_within_floor for each in found.values())

    def test_an_explanation_of_some_columns_is_not_counted_again(self) -> None:
        """Figures are held against the record from all four columns together, or not at all."""
        whole = next(iter(explained(golden_nights(), METHOD, RECORDED).values())).explanation
        narrowed = whole.only(frozenset({Column.D}))
        assert recounted_figures(whole.grade.endpoint, narrowed, None, None, METHOD.definition) == {}
