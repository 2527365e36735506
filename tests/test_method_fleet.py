"""The fleet's floor and the reference's least share: each worked out by hand, from both sides, and off under 0.1."""

from __future__ import annotations

from fractions import Fraction

import pytest

from generator.method.reference import reference
from generator.records.grade import Grade, Letter, MatchFamily, UnratedReason
from tests.method_archive import Fleet
from tests.method_variants import METHOD, with_rules

A, B, C, D, U = Letter
FLEET = with_rules(fleet="median mismatch")
FIVE = ("amber", "birch", "cedar", "dune", "ember")


def steady(apart: dict[str, int], endpoints: tuple[str, ...] = FIVE) -> Fleet:
    """Some endpoints differ from the plurality on so many of ten prompts, each on its own, the same every night."""
    fleet = Fleet(fixed={"tides": 10}, endpoints=endpoints)
    taken = 0
    for endpoint, count in apart.items():
        for i in range(taken + 1, taken + count + 1):
            fleet.put(fleet.nights, endpoint, f"tides-{i}", "no")
        taken += count
    return fleet


def floor_of(grade: Grade, family: int = 0) -> Fraction | None:
    """Return the floor of a grade's family, or None where it has none."""
    found: MatchFamily = grade.m_family[family]
    if found.floor_numerator is None or found.floor_denominator is None:
        return None
    return Fraction(found.floor_numerator, found.floor_denominator)


class TestTheFloorIsNeverBelowTheMedianEndpointsMismatch:
    @pytest.mark.parametrize(
        ("apart", "endpoints", "floor"),
        [
            ({"dune": 1, "ember": 1}, FIVE, "0"),  # 0, 0, 0, 1, 1 of 10
            ({"cedar": 1, "dune": 2, "ember": 3}, FIVE, "1/10"),  # 0, 0, 1, 2, 3
            ({"birch": 1, "cedar": 2, "dune": 3, "ember": 3}, FIVE, "2/10"),  # 0, 1, 2, 3, 3
            ({"cedar": 1, "dune": 3}, FIVE[:4], "1/20"),  # 0, 0, 1, 3: the mean of 0 and 1
            ({"birch": 1, "cedar": 2, "dune": 3}, FIVE[:4], "3/20"),  # 0, 1, 2, 3: the mean of 1 and 2
            ({"dune": 4}, FIVE[2:], "0"),  # 0, 4, 0
            ({"cedar": 1, "dune": 4}, FIVE[2:], "1/10"),  # 1, 4, 0
        ],
    )
    def test_of_an_odd_and_an_even_count(self, apart: dict[str, int], endpoints: tuple[str, ...], floor: str) -> None:
        """Everyone repeats itself exactly, so S is 0 throughout and the fleet's median is the floor."""
        grades = steady(apart, endpoints).grades(FLEET)
        assert {floor_of(grade) for grade in grades.values()} == {Fraction(floor)}
        assert {grade.m_family[0].pairs_differing for grade in grades.values()} == {0}
        assert {grade.m_family[0].stable for grade in grades.values()} == {True}

    @pytest.mark.parametrize(("apart", "letter"), [(1, A), (2, A), (3, D)])
    def test_what_it_allows(self, apart: int, letter: Letter) -> None:
        """Shares of 0, 0, 2 and 2 of 10 and dune's own: a median of at most 2/10. 2 a night are within, 3 are not."""
        fleet = steady({"birch": 2, "cedar": 2, "dune": apart, "ember": 0})
        dune = fleet.grades(FLEET)["dune"]
        expected = {1: Fraction(1, 10), 2: Fraction(2, 10), 3: Fraction(2, 10)}[apart]
        assert floor_of(dune) == expected
        assert [(n.mismatches, Fraction(n.allowed_numerator, n.allowed_denominator)) for n in dune.m_night] == [
            (apart, 10 * expected)
        ] * 7
        assert (dune.m_nights_outside, dune.m_letter) == (7 if letter is D else 0, letter)
        assert fleet.grades(METHOD)["dune"].m_letter is D

    def test_a_percentile_above_the_fleet_stays(self) -> None:
        """The fleet turns together on 6 of 60 pairs and never differs from its reference: the floor is 1/10."""
        fleet = Fleet(fixed={"tides": 10})
        fleet.turn(6, "tides")
        assert floor_of(fleet.grades(FLEET)["dune"]) == Fraction(6, 60)
        fleet.put(range(1, 8), "dune", "tides-10", "no")
        assert floor_of(fleet.grades(FLEET)["dune"]) == Fraction(6, 60)

    def test_a_percentile_below_the_fleet_is_raised(self) -> None:
        """S of 1/60 each; three of five differ on 2 of 10 prompts: the percentile 1/60 gives way to the median 2/10."""
        fleet = steady({"cedar": 2, "dune": 2, "ember": 2})
        fleet.put(range(4, 8), fleet.endpoints, "tides-10", "turned")
        grades = fleet.grades(FLEET)
        assert {grade.m_family[0].pairs_differing for grade in grades.values()} == {1}
        assert {floor_of(grade) for grade in grades.values()} == {Fraction(1, 5)}

    def test_mismatches_are_counted_over_the_window_and_over_drawn_prompts_too(self) -> None:
        """Dune, cedar and ember differ on one drawn prompt of night 2 each, of 5 x 7 prompts: a floor of 1/35."""
        fleet = Fleet(fixed={"tides": 2}, drawn={"tides": 3})
        for i, endpoint in enumerate(("cedar", "dune", "ember"), start=1):
            fleet.put(2, endpoint, f"tides-{i}-of-*", "no")
        assert floor_of(fleet.grades(FLEET)["dune"]) == Fraction(1, 35)

    def test_who_has_no_compared_prompt_is_left_out_of_the_median(self) -> None:
        """Where amber and birch answer nothing, the median is over the four others; without fjord, over three."""
        fleet = steady({"dune": 3, "ember": 1}, (*FIVE, "fjord"))
        fleet.put_first(70, "amber", "!")
        fleet.put_first(70, "birch", "!")
        # cedar 0, fjord 0, ember 1/10, dune 3/10: the mean of 0 and 1/10
        assert floor_of(fleet.grades(FLEET)["dune"]) == Fraction(1, 20)
        fleet.put_first(70, "fjord", "!")
        # Two of three alike still make a reference: cedar 0, ember 1/10, dune 3/10.
        assert floor_of(fleet.grades(FLEET)["dune"]) == Fraction(1, 10)

    def test_a_family_in_which_nothing_was_compared_keeps_its_percentile(self) -> None:
        """Each endpoint has its own answer to every prompt, the same every night: no reference, and a floor of 0."""
        fleet = Fleet(fixed={"tides": 4, "weaving": 2})
        for e in fleet.endpoints:
            for i in (1, 2):
                fleet.put(fleet.nights, e, f"weaving-{i}", f"{e}'s own")
        dune = fleet.grades(FLEET)["dune"]
        assert [(f.family, f.prompts, floor_of(dune, i), f.stable) for i, f in enumerate(dune.m_family)] == [
            ("tides", 28, Fraction(0), True),
            ("weaving", 0, Fraction(0), True),
        ]

    def test_a_family_without_self_disagreement_stays_without_a_floor(self) -> None:
        """Drawn prompts alone have no pairs: mismatches there make no floor and no stability."""
        fleet = Fleet(fixed={"tides": 4}, drawn={"moons": 2})
        fleet.put(fleet.nights, ("cedar", "dune"), "moons-1-of-*", "no")
        dune = fleet.grades(FLEET)["dune"]
        assert [(f.family, floor_of(dune, i), f.stable) for i, f in enumerate(dune.m_family)] == [
            ("moons", None, False),
            ("tides", 0, True),
        ]

    def test_each_family_has_its_own(self) -> None:
        """Three of five differ in chess on 1 of 5, and nobody in tides: floors of 1/5 and 0, pooled 1 of 10 a night."""
        fleet = Fleet(fixed={"tides": 5, "chess": 5})
        for i, endpoint in enumerate(("cedar", "dune", "ember"), start=1):
            fleet.put(fleet.nights, endpoint, f"chess-{i}", "no")
        dune = fleet.grades(FLEET)["dune"]
        assert [floor_of(dune, 0), floor_of(dune, 1)] == [Fraction(1, 5), 0]
        assert {(n.mismatches, n.allowed_numerator, n.allowed_denominator) for n in dune.m_night} == {(1, 1, 1)}
        assert (dune.m_nights_outside, dune.m_letter) == (0, A)

    def test_stability_is_read_from_self_disagreement_alone(self) -> None:
        """A fleet's floor of 3/10 is more than the 10 % that stability allows of S, and leaves the family stable."""
        grades = steady({"cedar": 3, "dune": 3, "ember": 3}).grades(FLEET)
        assert {(floor_of(g), g.m_family[0].stable, g.m_letter) for g in grades.values()} == {
            (Fraction(3, 10), True, A)
        }

    def test_own_variation_and_t_are_held_to_the_raised_floor(self) -> None:
        """At a floor of 1/5 one pair of 60 and 3 points of T are within it, which under 0.1 are neither."""
        fleet = Fleet(fixed={"tides": 10}, drawn={}, keyed=["tides"])
        for endpoint, first in (("cedar", 1), ("dune", 3), ("ember", 5)):
            for i in (first, first + 1):
                fleet.put(fleet.nights, endpoint, f"tides-{i}", "no")
        fleet.put(7, "dune", "tides-10", "no")
        new, old = fleet.grades(FLEET)["dune"], fleet.grades(METHOD)["dune"]
        assert floor_of(new) == Fraction(1, 5)
        assert (new.m_own_variation_above_floor, old.m_own_variation_above_floor) == (False, True)
        # 15 of 70 wrong are 21.4 points, which is not smaller than 20; D as before.
        assert (new.t_correct, new.t_within_floor, new.t_letter, old.t_letter) == (55, False, D, D)
        # Ember's 14 of 70 are 20 points, exactly the floor, and a difference too.
        assert not fleet.grades(FLEET)["ember"].t_within_floor

    def test_with_two_endpoints_it_is_always_0(self) -> None:
        """A reference of two endpoints is the answer of both, so neither can mismatch."""
        fleet = steady({"birch": 3}, ("amber", "birch"))
        grades, zero = fleet.grades(FLEET), Fraction(0)
        assert {(floor_of(g), g.m_family[0].prompts, g.m_family[0].mismatches) for g in grades.values()} == {
            (zero, 49, 0)
        }

    def test_off_under_0_1(self) -> None:
        """Under 0.1 the floor of hosts that repeat themselves exactly is 0, whatever the fleet."""
        assert METHOD.definition.floor.fleet is None
        assert floor_of(steady({"cedar": 3, "dune": 3, "ember": 3}).grades(METHOD)["dune"]) == 0


class TestAReferenceNeedsAShareOfTheAnswers:
    @pytest.mark.parametrize(
        ("answers", "share", "found"),
        [
            ("y y y n m", "60", "y"),
            ("y y y n m", "60.1", None),
            ("y y y n m", "59.9", "y"),
            ("y y n", "66.6", "y"),
            ("y y n", "66.7", None),
            ("y y n m", "50", "y"),
            ("y y", "100", "y"),
            ("y y y n", "100", None),
            ("y n", "0", None),
            ("y y n n", "0", None),
            ("y y n n m", "40", None),
            ("y y n m m n n", "40", "n"),
            ("y", "0", None),
            ("", "0", None),
        ],
    )
    def test_exactly_the_share_is_enough(self, answers: str, share: str, found: str | None) -> None:
        """3 of 5 are 60 %, 2 of 3 two thirds: at the share there is a reference, a hair above it none.

        The share is asked beside the number and the tie, and lifts neither.
        """
        assert reference(answers.split(), with_rules(share=share).definition) == found

    @pytest.mark.parametrize(
        ("cells", "without"),
        [("yes yes yes no maybe", 0), ("yes yes yes ! .", 0), ("yes yes no so !", 1), ("yes yes so so~ ?so", 0)],
    )
    def test_the_share_is_of_those_who_answered(self, cells: str, without: int) -> None:
        """At 60 %: 3 of 5, 3 of 3 and 2 of 3 complete answers are enough, 2 of 4 are not."""
        fleet = Fleet(fixed={"tides": 9})
        for endpoint, cell in zip(fleet.endpoints, cells.split(), strict=True):
            fleet.put(4, endpoint, "tides-3", cell)
        grade = fleet.grades(with_rules(share="60"))["dune"]
        assert grade.pairs_without_reference == without
        assert fleet.grades(METHOD)["dune"].pairs_without_reference == 0

    def test_prompts_without_a_reference_count_for_u(self) -> None:
        """Two fifths agreeing on 2 of 9 prompts is a reference under 0.1; at 60 % it leaves 22 % without: U."""
        fleet = Fleet(fixed={"tides": 9})
        for i in (1, 2):
            for e in ("cedar", "dune", "ember"):
                fleet.put(fleet.nights, e, f"tides-{i}", f"{e}'s own")
        found = fleet.grades(with_rules(share="60"))["amber"]
        assert (found.pairs, found.pairs_without_reference) == (63, 14)
        assert found.unrated_reasons == (UnratedReason.NO_REFERENCE,)
        assert fleet.grades(METHOD)["amber"].letter is A

    def test_off_under_0_1_and_0_2(self) -> None:
        """Neither definition has the key."""
        assert METHOD.definition.reference.min_share is None
