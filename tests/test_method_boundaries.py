"""Each limit of the method from both sides, at the least step that counts can make."""

from __future__ import annotations

from fractions import Fraction

import pytest

from generator.records.grade import Grade, Letter, UnratedReason
from tests.method_archive import Fleet
from tests.method_variants import METHOD

A, B, C, D, U = Letter
DEFINITION = METHOD.definition


def of(fleet: Fleet, endpoint: str = "dune") -> Grade:
    """Return one endpoint's grade under method 0.1."""
    return fleet.grades(METHOD)[endpoint]


def percents(*values: int) -> list[Fraction]:
    """Return percentages as ratios."""
    return [Fraction(value, 100) for value in values]


class TestReliability:
    """Errors under 1, 3 and 10 %, truncation under 2 %, misrouted 0."""

    @pytest.mark.parametrize(("errors", "letter"), [(6, A), (7, B), (20, B), (21, C), (69, C), (70, D)], ids=str)
    @pytest.mark.parametrize("cell", ["!", "_"], ids=["error", "empty"])
    def test_errors_of_700_sent(self, errors: int, letter: Letter, cell: str) -> None:
        """7, 21 and 70 of 700 are 1, 3 and 10 %, and 'under' leaves them out; empty answers are errors."""
        fleet = Fleet(fixed={"tides": 100}, endpoints=("amber", "birch", "dune"))
        fleet.put_first(errors, "dune", cell)
        grade = of(fleet)
        assert (grade.r_errors, grade.r_sent, grade.r_letter) == (errors, 700, letter)

    @pytest.mark.parametrize(("unsent", "letter"), [(0, A), (1, B)])
    def test_unsent_is_no_part_of_what_was_sent(self, unsent: int, letter: Letter) -> None:
        """1 error of 101 sent is under 1 %; with one of them unsent it is 1 of 100."""
        fleet = Fleet(fixed={"tides": 15}, endpoints=("amber", "birch", "dune"))
        fleet.put_first(4 + unsent, "dune", ".")
        fleet.put(7, "dune", "tides-15", "!")
        grade = of(fleet)
        assert (grade.r_sent, grade.r_letter) == (101 - unsent, letter)

    @pytest.mark.parametrize(("truncated", "letter"), [(13, A), (14, B), (700, B)])
    def test_truncation_of_700_begun(self, truncated: int, letter: Letter) -> None:
        """14 of 700 is 2 %, and B asks nothing of truncation."""
        fleet = Fleet(fixed={"tides": 100}, endpoints=("amber", "birch", "dune"))
        fleet.put_first(truncated, "dune", "ye~")
        grade = of(fleet)
        assert (grade.r_truncated, grade.r_answered, grade.r_letter) == (truncated, 700 - truncated, letter)

    def test_truncation_is_a_share_of_what_began(self) -> None:
        """1 of 50 begun is 2 % and reads B, though it is 1 of 105 sent."""
        fleet = Fleet(fixed={"tides": 15}, endpoints=("amber", "birch", "dune"))
        fleet.put_first(55, "dune", "?yes")
        fleet.put(7, "dune", "tides-15", "ye~")
        within = of(fleet)
        assert (within.r_truncated, within.r_answered, within.r_sent) == (1, 49, 105)
        assert within.r_letter is B

    @pytest.mark.parametrize(("truncated", "answered", "letter"), [(1, 50, A), (1, 49, B), (35, 35, B)])
    def test_what_began_is_both_together(self, truncated: int, answered: int, letter: Letter) -> None:
        """1 of 51 begun is under 2 %, 1 of 50 is not, and half is far above."""
        fleet = Fleet(fixed={"tides": 15}, endpoints=("amber", "birch", "dune"))
        fleet.put_first(105 - answered, "dune", ".")
        fleet.put_first(truncated, "dune", "ye~")
        grade = of(fleet)
        assert (grade.r_truncated, grade.r_answered, grade.r_letter) == (truncated, answered, letter)

    @pytest.mark.parametrize(("misrouted", "letter"), [(0, A), (1, B), (600, B)])
    def test_misrouted(self, misrouted: int, letter: Letter) -> None:
        """One misrouted answer is too many for A; B and C ask nothing of them."""
        fleet = Fleet(fixed={"tides": 100}, endpoints=("amber", "birch", "dune"))
        fleet.put_first(misrouted, "dune", "?yes")
        assert of(fleet).r_letter is letter


class TestTaskAccuracy:
    """At most 2, 5 and 10 points below the best."""

    @pytest.mark.parametrize(("wrong", "letter"), [(14, A), (15, B), (35, B), (36, C), (70, C), (71, D)])
    def test_points_of_700(self, wrong: int, letter: Letter) -> None:
        """14, 35 and 70 of 700 are 2, 5 and 10 points, and 'at most' takes them in."""
        fleet = Fleet(fixed={"tides": 100}, keyed=["tides"])
        fleet.put_first(wrong, "dune", "no")
        grade = of(fleet)
        assert (grade.t_correct, grade.t_counted, grade.t_letter) == (700 - wrong, 700, letter)
        assert not grade.t_within_floor

    def test_a_truncated_answer_is_counted_and_not_correct(self) -> None:
        """15 truncated of 700 are 15 that are not correct."""
        fleet = Fleet(fixed={"tides": 100}, keyed=["tides"])
        fleet.put_first(15, "dune", "yes~")
        grade = of(fleet)
        assert (grade.t_correct, grade.t_counted, grade.t_letter) == (685, 700, B)

    def test_t_is_never_below_zero(self) -> None:
        """An endpoint that is barred from being 'best' may do better than the best, and reads 0."""
        fleet = Fleet(fixed={"tides": 100}, keyed=["tides"])
        fleet.leave([1], "dune")
        fleet.list_as(range(2, 8), "dune", first_listed=fleet.days[1])
        for endpoint in ("amber", "birch", "cedar", "ember"):
            fleet.put_first(70, endpoint, "no")
        grades = fleet.grades(METHOD)
        assert grades["dune"].unrated_reasons == (UnratedReason.TOO_FEW_NIGHTS,)
        assert (grades["dune"].t_best_correct, grades["dune"].t_best_counted) == (630, 700)
        assert {grade.t_letter for grade in grades.values()} == {A}

    @pytest.mark.parametrize(("counted", "best"), [(126, (126, 126)), (125, (139, 140))])
    @pytest.mark.parametrize("missing", ["!", ".", "?yes", "_"], ids=["error", "unsent", "misrouted", "empty"])
    def test_the_best_answered_90_percent_of_what_was_planned(
        self, counted: int, best: tuple[int, int], missing: str
    ) -> None:
        """126 of 140 planned is 90 % and may be best; 125 may not, whatever became of the rest."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10}, keyed=["tides"])
        for endpoint in ("amber", "birch", "cedar", "ember"):
            fleet.put(7, endpoint, "tides-1-of-7", "no")
        fleet.put_first(140 - counted, "dune", missing, ["tides-2", "tides-3", "tides-4"])
        grades = fleet.grades(METHOD)
        assert (grades["dune"].t_counted, grades["dune"].t_planned) == (counted, 140)
        assert {(g.t_best_correct, g.t_best_counted) for g in grades.values()} == {best}

    def test_a_truncated_answer_counts_towards_the_90_percent(self) -> None:
        """What was begun was counted: 14 truncated and 126 answered are 140 of 140."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10}, keyed=["tides"])
        for endpoint in ("amber", "birch", "cedar", "ember"):
            fleet.put_first(28, endpoint, "no")
        fleet.put_first(14, "dune", "y~")
        assert (of(fleet).t_best_correct, of(fleet).t_best_counted) == (126, 140)

    def test_where_nobody_qualifies_t_is_not_measured(self) -> None:
        """An endpoint that answered 90 % may be best, one under it not, and with no best there is no T."""
        fleet = Fleet(fixed={"tides": 10}, keyed=["tides"], endpoints=("amber", "birch"))
        for endpoint in fleet.endpoints:
            fleet.put_first(8, endpoint, "!")
        grade = of(fleet, "amber")
        assert (grade.t_letter, grade.t_best_correct, grade.t_best_counted) == (None, None, None)
        assert (grade.t_correct, grade.t_counted, grade.t_planned) == (62, 62, 70)
        assert not grade.t_within_floor


class TestTheFloorOfT:
    """A T smaller than the floor of the keyed families is no difference."""

    @pytest.mark.parametrize(("wrong", "zeroed", "letter"), [(13, True, A), (14, False, C)])
    def test_exactly_on_the_floor_is_a_difference(self, wrong: int, *, zeroed: bool, letter: Letter) -> None:
        """The floor is 10 points; 14 of 140 are 10 points and stand, 13 of 140 read 0."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10}, keyed=["tides"])
        fleet.turn(6, "tides")
        fleet.put_first(wrong, "dune", "no", ["tides-1-of-*", "tides-2-of-*"])
        grade = of(fleet)
        assert [(f.floor_numerator, f.floor_denominator) for f in grade.m_family] == [(1, 10)]
        assert (grade.t_best_correct, grade.t_correct) == (119, 119 - wrong)
        assert (grade.t_within_floor, grade.t_letter) == (zeroed, letter)

    def test_the_floor_is_weighted_by_the_prompts_counted(self) -> None:
        """A floor of 10 points over 140 prompts and one of 0 over 70 make 6.67 over 210: 14 are, 15 are not, under."""
        for wrong, zeroed, letter in ((13, True, A), (14, False, C)):
            fleet = Fleet(fixed={"tides": 10, "moons": 10}, drawn={"tides": 10}, keyed=["tides", "moons"])
            fleet.turn(6, "tides")
            fleet.put_first(wrong, "dune", "no", ["tides-1-of-*", "tides-2-of-*"])
            grade = of(fleet)
            assert [(f.family, f.counted) for f in grade.t_family] == [("moons", 70), ("tides", 140)]
            assert (grade.t_within_floor, grade.t_letter) == (zeroed, letter)

    def test_a_family_without_a_floor_is_left_out_of_the_mean(self) -> None:
        """Drawn prompts alone have no pairs: their family has no floor and does not dilute the other's 10 points."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"moons": 10}, keyed=["tides", "moons"])
        fleet.turn(6, "tides")
        fleet.put_first(13, "dune", "no", ["moons-1-of-*", "moons-2-of-*"])
        grade = of(fleet)
        assert [(f.family, f.floor_numerator) for f in grade.m_family] == [("moons", None), ("tides", 1)]
        assert (grade.t_within_floor, grade.t_letter) == (True, A)

    def test_where_no_keyed_family_has_a_floor_nothing_is_zeroed(self) -> None:
        """One wrong of 70 is 1.43 points and stays a difference, though an unkeyed family has a floor of 10."""
        fleet = Fleet(fixed={"chess": 10}, drawn={"moons": 10}, keyed=["moons"])
        fleet.turn(6, "chess")
        fleet.put(1, "dune", "moons-1-of-1", "no")
        grade = of(fleet)
        assert not grade.t_within_floor
        assert (grade.t_correct, grade.t_letter) == (69, A)

    def test_the_floor_of_an_unstable_keyed_family_counts(self) -> None:
        """A family that is not stable is in T like any other, its floor of 35 points included."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10}, keyed=["tides"])
        for n in (2, 4, 6):
            for i in range(1, 8):
                fleet.put(n, fleet.endpoints, f"tides-{i}", "turned")
        fleet.put_first(21, "dune", "no", ["tides-1-of-*", "tides-2-of-*", "tides-3-of-*"])
        grade = of(fleet)
        assert (grade.m_family[0].stable, grade.m_family[0].floor_numerator) == (False, 7)
        assert grade.unrated_reasons == (UnratedReason.NO_STABLE_FAMILY, UnratedReason.NOT_MEASURED)
        assert (grade.t_within_floor, grade.t_letter) == (True, A)


class TestMatch:
    @pytest.mark.parametrize(("outside", "letter"), [(0, A), (1, C), (3, C), (4, D), (7, D)])
    def test_nights_outside(self, outside: int, letter: Letter) -> None:
        """No night outside reads A, 1 to 3 read C, 4 or more D; B differs from A in nothing."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.put(range(1, outside + 1), "dune", "tides-1-of-*", "no")
        grade = of(fleet)
        assert (grade.m_nights_outside, grade.m_nights_observed, grade.m_letter) == (outside, 7, letter)
        assert not grade.m_own_variation_above_floor

    @pytest.mark.parametrize(("wrong", "outside"), [(2, 0), (3, 1)])
    def test_exactly_on_the_floor_is_within(self, wrong: int, outside: int) -> None:
        """The floor is 10 %, a night of 20 prompts allows 2 mismatches: 2 are within, 3 outside."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.turn(6, "tides")
        for i in range(1, wrong + 1):
            fleet.put(4, "dune", f"tides-{i}-of-*", "no")
        grade = of(fleet)
        assert [(n.mismatches, n.allowed_numerator, n.allowed_denominator) for n in grade.m_night][3] == (wrong, 2, 1)
        assert (grade.m_nights_outside, grade.m_letter) == (outside, C if outside else A)

    @pytest.mark.parametrize(("wrong", "outside"), [(1, 0), (2, 1)])
    def test_what_is_allowed_is_pooled_over_families(self, wrong: int, outside: int) -> None:
        """Chess allows 1 of its 10 and tides none: one wrong in tides is within, for they are judged together."""
        fleet = Fleet(fixed={"tides": 10, "chess": 10}, drawn={"tides": 5})
        fleet.turn(6, "chess")
        for i in range(1, wrong + 1):
            fleet.put(4, "dune", f"tides-{i}-of-*", "no")
        grade = of(fleet)
        assert (grade.m_night[3].prompts, grade.m_nights_outside) == (25, outside)

    def test_an_unstable_family_takes_no_part(self) -> None:
        """Mismatches in a family that is not stable put no night outside, and are printed all the same."""
        fleet = Fleet(fixed={"tides": 4, "riddles": 2}, drawn={"riddles": 3})
        for n in fleet.nights:
            for i in (1, 2):
                fleet.put(n, fleet.endpoints, f"riddles-{i}", f"another on {n}")
        for i in (1, 2, 3):
            fleet.put(fleet.nights, "dune", f"riddles-{i}-of-*", "no")
        grade = of(fleet)
        assert [(f.family, f.stable, f.mismatches) for f in grade.m_family] == [
            ("riddles", False, 21),
            ("tides", True, 0),
        ]
        assert ({n.prompts for n in grade.m_night}, grade.m_letter) == ({4}, A)

    def test_a_night_on_which_an_endpoint_answered_nothing_is_not_measured(self) -> None:
        """Nights of errors are neither within nor outside."""
        fleet = Fleet(fixed={"tides": 4})
        for i in range(1, 5):
            fleet.put([2, 3], "dune", f"tides-{i}", "!")
        grade = of(fleet)
        assert [n.night for n in grade.m_night] == [fleet.days[n - 1] for n in (1, 4, 5, 6, 7)]
        assert (grade.m_nights_observed, grade.m_letter) == (5, A)

    @pytest.mark.parametrize(("differing", "above", "letter"), [(6, False, A), (7, True, C)])
    def test_own_variation(self, differing: int, *, above: bool, letter: Letter) -> None:
        """The fleet differs in 6 of 60 pairs; so much is at the floor, one more above it: C, within every night."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.turn(6, "tides")
        if differing == 7:
            fleet.put(7, "dune", "tides-10", "no")
        grade = of(fleet)
        assert grade.m_family[0].pairs_differing == differing
        assert (grade.m_nights_outside, grade.m_own_variation_above_floor) == (0, above)
        assert grade.m_letter is letter

    def test_own_variation_never_lifts_a_letter(self) -> None:
        """'C at best' leaves a D as it is."""
        fleet = Fleet(fixed={"tides": 10})
        fleet.put([1, 3, 5, 7], "dune", "tides-1", "no")
        grade = of(fleet)
        assert (grade.m_nights_outside, grade.m_own_variation_above_floor, grade.m_letter) == (4, True, D)

    def test_without_a_measured_night_own_variation_gives_no_letter(self) -> None:
        """Where M is not measured it stays so, whatever the endpoint's own variation."""
        fleet = Fleet(fixed={"tides": 10})
        for i in range(1, 11):
            for e in fleet.endpoints:
                fleet.put(fleet.nights, e, f"tides-{i}", f"{e}'s own")
        fleet.put([2, 4, 6], "dune", "tides-1", "no")
        grade = of(fleet)
        assert (grade.m_family[0].stable, grade.m_family[0].pairs_differing) == (True, 6)
        assert (grade.m_letter, grade.m_night) == (None, ())
        assert grade.unrated_reasons == (UnratedReason.NO_REFERENCE, UnratedReason.NOT_MEASURED)
