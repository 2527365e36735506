"""Down to the single prompt: what an explanation shows of the golden archive, held against what the hand wrote down."""

from __future__ import annotations

from datetime import date

import pytest

from generator.method.explaining import Explained
from generator.records.explanation import (
    ExplainedMatch,
    ExplainedMatchNight,
    Explanation,
    MatchPrompt,
    NightPart,
    NoReference,
)
from generator.records.grade import Column
from generator.records.observation import Outcome
from tests.explain_makers import Key, explained, of_fleet
from tests.golden_archive import HARBOR, NIGHTS, RECORDED, REEF, golden_nights
from tests.method_archive import Fleet
from tests.method_variants import METHOD, with_rules

N1, N2, N3, N4, N5, N6, N7 = NIGHTS


@pytest.fixture(scope="module")
def golden() -> dict[Key, Explained]:
    """Return the golden archive, explained."""
    return explained(golden_nights(), METHOD, RECORDED)


def of(golden: dict[Key, Explained], endpoint: str, model: str = HARBOR) -> Explanation:
    """Return one endpoint's explanation."""
    return golden[model, endpoint].explanation


def match_of(explanation: Explanation) -> ExplainedMatch:
    """Return column M, which is there."""
    assert explanation.match is not None
    return explanation.match


def night_of(explanation: Explanation, night: date) -> ExplainedMatchNight:
    """Return one night of column M."""
    return next(each for each in match_of(explanation).nights if each.night == night)


def prompt_of(explanation: Explanation, night: date, prompt_id: str) -> MatchPrompt:
    """Return one prompt of one night of column M."""
    return next(each for each in night_of(explanation, night).prompts if each.prompt_id == prompt_id)


class TestAPrompt:
    def test_that_was_answered_otherwise(self, golden: dict[Key, Explained]) -> None:
        """On n2 five of six gave e4 to chess-1, and cedar d4: both stand there, and who agreed, alphabetically."""
        found = prompt_of(of(golden, "cedar"), N2, "chess-1")
        assert (found.answered, found.most_given, found.reference) == (6, 5, "e4")
        assert found.agreed == ("amber", "birch", "dune", "ember", "fjord")
        assert (found.outcome, found.answer, found.text, found.compared, found.differs) == (
            Outcome.ANSWERED,
            "d4",
            "d4",
            True,
            True,
        )
        assert found.prompt == "what is chess-1?"

    def test_that_is_tied(self, golden: dict[Key, Explained]) -> None:
        """On n6 two gave 16 to tides-g6 and two 17: no reference, and nobody is held against either."""
        found = prompt_of(of(golden, "birch"), N6, "tides-g6")
        assert (found.answered, found.most_given, found.reference) == (5, 2, None)
        assert found.no_reference is NoReference.TIE
        assert (found.agreed, found.answer, found.compared, found.differs) == ((), "17", False, False)

    def test_that_was_sent_to_nobody(self, golden: dict[Key, Explained]) -> None:
        """tides-g4 was never sent to any endpoint of the reef."""
        found = prompt_of(of(golden, "gale", REEF), N4, "tides-g4")
        assert (found.no_reference, found.outcome, found.answered) == (NoReference.NO_ANSWER, Outcome.UNSENT, 0)

    def test_of_a_family_that_is_not_stable_is_no_part_of_m(self, golden: dict[Key, Explained]) -> None:
        """Riddles are not stable: none of them stands in a night of M."""
        families = {p.family for night in match_of(of(golden, "amber")).nights for p in night.prompts}
        assert families == {"tides", "chess-openings"}

    def test_that_no_two_answered_alike_and_that_too_small_a_share_did(self) -> None:
        """Of five answers all different none is the reference; two of five alike are too few where 60 % must agree."""
        fleet = Fleet(fixed={"chess": 10}, drawn={"chess": 2})
        for endpoint in fleet.endpoints:
            fleet.put(1, endpoint, "chess-1-of-1", endpoint)
        for endpoint in ("cedar", "dune", "ember"):
            fleet.put(1, endpoint, "chess-2-of-1", endpoint)
        shared = of_fleet(fleet, with_rules(share="60"))
        plain = of_fleet(fleet, METHOD)
        first = fleet.days[0]
        assert prompt_of(plain, first, "chess-1-of-1").no_reference is NoReference.TOO_FEW
        assert prompt_of(plain, first, "chess-2-of-1").reference == "yes"
        assert prompt_of(shared, first, "chess-2-of-1").no_reference is NoReference.SHARE


class TestANight:
    def test_allowed_against_counted(self, golden: dict[Key, Explained]) -> None:
        """n(f) x F(f): 3 x 0 of tides and 2 x 1/11 of chess allow 2/11, and cedar has one mismatch on n2."""
        night = night_of(of(golden, "cedar"), N2)
        found = {
            each.family: (each.compared, each.mismatches, each.allowed.numerator, each.allowed.denominator)
            for each in night.families
        }
        assert found == {"tides": (3, 0, 0, 1), "chess-openings": (2, 1, 2, 11)}
        assert (night.allowed.numerator, night.allowed.denominator, night.allowed.figure) == (2, 11, "0.2")
        assert (night.reading, night.tail, night.level) == ("outside", None, None)
        assert night.words == "2031-05-02: 1 mismatch in 5 prompts compared, 0.2 allowed: outside"

    def test_with_a_margin_its_tail_is_told(self) -> None:
        """3 or more of 40 at 1/20: 1 - 0.1285 - 0.2706 - 0.2777 = 0.3233, over 1 %; 8 or more: 0.07 %, under it."""
        for count, tail, reading in ((3, "32.33", "within the margin"), (8, "0.07", "outside")):
            fleet = Fleet(fixed={"chess": 20}, drawn={"chess": 20})
            fleet.turn(6, "chess")
            for i in range(count):
                fleet.put(1, "dune", f"chess-{i + 1}-of-1", "other")
            night = night_of(of_fleet(fleet, with_rules(margin="level = 1")), fleet.days[0])
            assert (night.tail, night.level, night.reading) == (tail, "1", reading)
            assert night.words == (
                f"2031-05-01: {count} mismatches in 40 prompts compared, 2 allowed; chance at the floors' rate gives "
                f"as many or more in {tail} % of draws, and the margin's level is 1 %: {reading}"
            )

    def test_what_each_night_is_to_the_endpoint(self, golden: dict[Key, Explained]) -> None:
        """Ember is first listed on n2, gone on n4 and n5, and listed with nothing sent on n6."""
        parts = [night.part for night in of(golden, "ember").nights]
        assert parts == [
            NightPart.NOT_YET_LISTED,
            NightPart.ASKED,
            NightPart.ASKED,
            NightPart.NOT_LISTED,
            NightPart.NOT_LISTED,
            NightPart.NOTHING_SENT,
            NightPart.ASKED,
        ]

    def test_with_nothing_compared_is_not_measured(self, golden: dict[Key, Explained]) -> None:
        """Ember was sent nothing on n6."""
        night = night_of(of(golden, "ember"), N6)
        assert (night.reading, night.compared) == ("not measured", 0)
        assert night.words == "2031-05-08: not measured, no prompt could be compared"

    def test_what_was_declared_on_it(self, golden: dict[Key, Explained]) -> None:
        """Cedar declares int4, from n4 on mxfp4; birch nothing."""
        assert [night.declared for night in of(golden, "cedar").nights] == ["int4"] * 3 + ["mxfp4"] * 4
        assert {night.declared for night in of(golden, "birch").nights} == {None}


class TestAFloor:
    def test_stands_with_the_sorted_values_it_came_from_and_the_index_taken(self, golden: dict[Key, Explained]) -> None:
        """chess-openings: 0/2, 0/11, 1/11, 1/11, 1/10, 3/11; index 3 gives 1/11; the median of 1 - S is 10/11."""
        floors = {floor.family: floor for floor in match_of(of(golden, "cedar")).floors}
        chess = floors["chess-openings"]
        assert [(value.differing, value.pairs) for value in chess.values] == [
            (0, 2),
            (0, 11),
            (1, 11),
            (1, 11),
            (1, 10),
            (3, 11),
        ]
        assert (chess.percentile, chess.index) == ("75", 3)
        assert chess.floor is not None
        assert (chess.floor.numerator, chess.floor.denominator, chess.floor.figure) == (1, 11, "9.1")
        assert chess.self_agreement_median is not None
        assert (chess.self_agreement_median.figure, chess.threshold, chess.stable) == ("90.9", "90", True)
        assert (chess.pairs, chess.pairs_differing) == (11, 3)
        assert not floors["riddles"].stable

    def test_is_never_below_the_fleets_where_that_rule_is_on(self) -> None:
        """Of 10 prompts a night none, one or two differ, always: the median of all, 1/10, passes the percentile, 0."""
        fleet = Fleet(fixed={"chess": 1}, drawn={"chess": 9}, endpoints=tuple("abcdefgh"))
        for endpoint, count in (("a", 1), ("b", 1), ("c", 1), ("d", 2), ("e", 2)):
            for i in range(count):
                # Different prompts and answers for each, so that the reference stays what it was.
                fleet.put(fleet.nights, endpoint, f"chess-{'abcde'.index(endpoint) + 1 + 4 * i}-of-*", endpoint)
        (floor,) = match_of(of_fleet(fleet, with_rules(fleet="median mismatch"), "a")).floors
        assert [(value.numerator, value.denominator) for value in floor.fleet] == [
            (0, 1),
            (0, 1),
            (0, 1),
            (1, 10),
            (1, 10),
            (1, 10),
            (1, 5),
            (1, 5),
        ]
        assert floor.fleet_median is not None
        assert floor.floor == floor.fleet_median
        assert floor.floor.figure == "10"


class TestOwnVariation:
    def test_each_pair_that_differs_is_there_with_both_answers(self, golden: dict[Key, Explained]) -> None:
        """Cedar answers chess-1 with e4, d4, e4 and then d4: three pairs of 11 differ, 1 is allowed."""
        own = match_of(of(golden, "cedar")).own_variation
        found = [(p.prompt_id, p.earlier, p.later, p.earlier_answer, p.later_answer) for p in own.differ if p.stable]
        assert found == [
            ("chess-1", N1, N2, "e4", "d4"),
            ("chess-1", N2, N3, "d4", "e4"),
            ("chess-1", N3, N4, "e4", "d4"),
        ]
        assert (own.differing, own.allowed.figure, own.above) == (3, "1", True)
        assert {pair.prompt_id for pair in own.differ if not pair.stable} == {"riddle-1"}


class TestWrongAnswersAndFailures:
    def test_a_wrong_answer_stands_with_its_key(self, golden: dict[Key, Explained]) -> None:
        """Dune was wrong once, on n6: 17, where the key is 16."""
        task = of(golden, "dune").task
        assert task is not None
        assert [(w.night, w.prompt_id, w.expected, w.answer) for w in task.wrong] == [(N6, "tides-g6", "16", "17")]
        assert (task.correct, task.counted, task.best_correct, task.best_counted) == (20, 21, 21, 21)
        assert task.floor is not None
        assert task.floor.numerator == 0

    def test_failures_by_night_and_kind(self, golden: dict[Key, Explained]) -> None:
        """fjord: cut on n2, empty on n3, served by another on n5; a cut answer is wrong in T as well."""
        found = of(golden, "fjord")
        assert found.reliability is not None
        assert [(each.night, each.outcome, each.prompts) for each in found.reliability.failures] == [
            (N2, Outcome.TRUNCATED, ("tides-2",)),
            (N3, Outcome.EMPTY, ("chess-2",)),
            (N5, Outcome.MISROUTED, ("riddle-1",)),
        ]
        assert found.task is not None
        assert [(wrong.night, wrong.outcome) for wrong in found.task.wrong] == [
            (N2, Outcome.TRUNCATED),
            (N6, Outcome.ANSWERED),
        ]

    def test_what_never_reached_the_endpoint_is_there_and_counts_for_nothing(
        self, golden: dict[Key, Explained]
    ) -> None:
        """One prompt of birch was unsent on n1: 41 of its 42 were sent."""
        reliability = of(golden, "birch").reliability
        assert reliability is not None
        unsent = [each for each in reliability.failures if each.outcome == Outcome.UNSENT]
        assert [(each.night, each.prompts) for each in unsent] == [(N1, ("tides-2",))]
        assert reliability.sent == 41


class TestNarrowing:
    def test_to_one_column(self, golden: dict[Key, Explained]) -> None:
        """Nights, reasons and the grade as a whole stay; the other columns are null."""
        whole = of(golden, "dune")
        found = whole.only(frozenset({Column.T}))
        assert (found.match, found.declared, found.reliability, found.task) == (None, None, None, whole.task)
        assert found.nights == whole.nights
        assert {turn.column for turn in found.turns} == {None, Column.T}
