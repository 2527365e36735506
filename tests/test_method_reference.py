"""References, pairs, floors, stability, declared precision and void nights, case by case."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from generator.method.disagreement import floor, stable
from generator.method.letters import worst
from generator.method.window import is_void
from generator.records.grade import Grade, Letter
from tests.method_archive import FIRST, Fleet
from tests.method_variants import METHOD

A, B, C, D, U = Letter
DEFINITION = METHOD.definition


def of(fleet: Fleet, endpoint: str = "dune") -> Grade:
    """Return one endpoint's grade under method 0.1."""
    return fleet.grades(METHOD)[endpoint]


def percents(*values: int) -> list[Fraction]:
    """Return percentages as ratios."""
    return [Fraction(value, 100) for value in values]


class TestReference:
    """The one answer that more endpoints gave than gave any other, with at least 2 giving it."""

    @pytest.mark.parametrize(
        ("answers", "without"),
        [
            ("yes no ! ! !", 1),
            ("yes ! ! ! !", 1),
            ("yes yes ! ! !", 0),
            ("yes yes no no !", 1),
            ("yes yes no no maybe", 1),
            ("yes yes no maybe so", 0),
            ("yes yes yes no no", 0),
            ("a b c d e", 1),
            ("yes yes~ ?yes no _", 1),
            ("yes yes~ ?yes yes ?yes", 0),
        ],
    )
    def test_a_prompt_with_and_without_a_reference(self, answers: str, without: int) -> None:
        """Two alike make one, a tie for first place or one voice alone none; only complete answers have a voice."""
        fleet = Fleet(fixed={"tides": 9})
        for endpoint, cell in zip(fleet.endpoints, answers.split(), strict=True):
            fleet.put(4, endpoint, "tides-3", cell)
        assert of(fleet).pairs_without_reference == without

    def test_each_night_has_its_own(self) -> None:
        """Another night's plurality is no reference for tonight, and who stays with it is outside."""
        fleet = Fleet(fixed={"tides": 9})
        fleet.put(4, fleet.endpoints, "tides-3", "no")
        fleet.put(4, "dune", "tides-3", "yes")
        assert [n.mismatches for n in of(fleet).m_night] == [0, 0, 0, 1, 0, 0, 0]

    @pytest.mark.parametrize(
        ("one", "other"), [("yes", "Yes"), ("yes", "yes "), ("\u00e9", "e\u0301"), ("1", "1.0"), ("", "0")]
    )
    def test_answers_are_compared_as_they_are(self, one: str, other: str) -> None:
        """Normalising is the family's, done before the archive: two texts that differ at all are unlike."""
        fleet = Fleet(fixed={"tides": 9})
        fleet.put(4, fleet.endpoints, "tides-3", one)
        fleet.put(4, "dune", "tides-3", other)
        assert [n.mismatches for n in of(fleet).m_night] == [0, 0, 0, 1, 0, 0, 0]

    def test_an_answer_in_which_nothing_was_found_is_an_answer(self) -> None:
        """Answered with an empty cleaned text is answered: it counts, agrees and differs like any other."""
        fleet = Fleet(fixed={"tides": 9}, keyed=["tides"])
        fleet.put(4, fleet.endpoints, "tides-3", "")
        grade = of(fleet)
        assert (grade.pairs_without_reference, grade.m_nights_outside, grade.r_answered) == (0, 0, 63)
        assert (grade.t_correct, grade.t_counted) == (62, 63)


class TestPairs:
    """Two consecutive entries of the window's list of nights, and one fixed prompt, answered on both."""

    @pytest.mark.parametrize("cell", ["!", "_", ".", "?yes", "yes~"])
    def test_only_complete_answers_on_both_nights_pair(self, cell: str) -> None:
        """One prompt without a complete answer in mid-window breaks two pairs, and no night is skipped over."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.put(4, "dune", "tides-1", cell)
        fleet.put(range(5, 8), "dune", "tides-1", "no")
        assert (of(fleet).m_family[0].pairs, of(fleet).m_family[0].pairs_differing) == (10, 0)

    def test_nights_apart_in_the_calendar_pair(self) -> None:
        """Whatever lies between two entries of the list, they are consecutive."""
        days = [FIRST + timedelta(days=days) for days in (0, 1, 2, 6, 7, 8, 9)]
        fleet = Fleet(fixed={"tides": 2}, days=days)
        fleet.put(range(4, 8), "dune", "tides-1", "no")
        assert (of(fleet).m_family[0].pairs, of(fleet).m_family[0].pairs_differing) == (12, 1)

    def test_a_night_away_is_not_skipped_over(self) -> None:
        """An endpoint off one night's listing loses both pairs of each prompt."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.leave([4], "dune")
        fleet.put(range(5, 8), "dune", "tides-1", "no")
        assert (of(fleet).m_family[0].pairs, of(fleet).m_family[0].pairs_differing) == (8, 0)

    def test_another_text_under_the_same_id_is_no_pair(self) -> None:
        """A prompt whose text changed between two nights is another prompt."""
        fleet = Fleet(fixed={"tides": 2})
        for n in range(4, 8):
            fleet.asked[n]["tides-1"] = fleet.asked[n]["tides-1"] | {"prompt": "Another question?"}
        fleet.put(range(4, 8), "dune", "tides-1", "no")
        assert (of(fleet).m_family[0].pairs, of(fleet).m_family[0].pairs_differing) == (11, 0)

    def test_a_drawn_prompt_is_no_pair_even_if_drawn_twice(self) -> None:
        """The same id and text drawn on two nights stays a generated prompt."""
        fleet = Fleet(fixed={"tides": 2})
        for n in fleet.nights:
            fleet.asked[n]["tides-1"] = fleet.asked[n]["tides-1"] | {"fixed": False}
        assert of(fleet).m_family[0].pairs == 6

    def test_a_prompt_that_left_the_set_has_the_pairs_it_had(self) -> None:
        """A fixed prompt that was asked on the first three nights has two pairs."""
        fleet = Fleet(fixed={"tides": 2})
        for n in range(4, 8):
            del fleet.asked[n]["tides-1"]
            for e in fleet.endpoints:
                del fleet.cells[n, e, "tides-1"]
        assert (of(fleet).m_family[0].pairs, of(fleet).pairs) == (8, 10)


class TestFloorAndStability:
    def test_the_worked_example(self) -> None:
        """0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 11 gives 4: neither 5, the linear one, nor 6, the nearest rank."""
        assert floor(percents(0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 11), DEFINITION) == Fraction(4, 100)

    @pytest.mark.parametrize(
        ("values", "expected"),
        [((7,), 7), ((9, 1), 1), ((5, 9, 1), 5), ((4, 3, 2, 1), 3), ((5, 4, 3, 2, 1), 4), ((6, 5, 4, 3, 2, 1), 4)],
    )
    def test_few_endpoints(self, values: tuple[int, ...], expected: int) -> None:
        """The index is floor(0.75 (n - 1)): with two endpoints the smaller, with five the second largest."""
        assert floor(percents(*values), DEFINITION) == Fraction(expected, 100)

    @pytest.mark.parametrize(
        ("values", "expected"),
        [((10,), True), ((11,), False), ((0, 10, 50), True), ((0, 11, 11), False), ((1, 19), True), ((1, 20), False)],
    )
    def test_the_median_is_at_or_above_90(self, values: tuple[int, ...], *, expected: bool) -> None:
        """An even count takes the mean of the middle two: 1 and 19 give 90, 1 and 20 give 89.5."""
        assert stable(percents(*values), DEFINITION) is expected

    def test_no_self_disagreement_is_not_stable(self) -> None:
        """A family in which no endpoint has a pair is not stable."""
        assert stable([], DEFINITION) is False


class TestDeclared:
    def test_a_change_across_an_absence_is_dated_on_the_return(self) -> None:
        """The first night that shows the change dates it; a night off the listing declares nothing."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.leave([3, 4], "dune")
        fleet.list_as(range(5, 8), "dune", declared_precision="int4")
        grade = of(fleet)
        assert [(c.night, c.before, c.after, c.kind) for c in grade.d_changes] == [
            (fleet.days[4], "fp8", "int4", "changed")
        ]
        assert (grade.d_state, grade.d_precision, grade.d_letter) == ("changed", "int4", C)

    def test_absent_and_back_are_two_changes(self) -> None:
        """Present to absent and absent to present are changes, and the last night's word stands."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.list_as([3], "dune", declared_precision=None)
        grade = of(fleet)
        assert [(c.night, c.kind) for c in grade.d_changes] == [
            (fleet.days[2], "withdrawn"),
            (fleet.days[3], "newly declared"),
        ]
        assert (grade.d_state, grade.d_precision) == ("changed", "fp8")

    @pytest.mark.parametrize(
        ("before", "after", "kind"),
        [
            ("int4", "mxfp4", "refined"),
            ("int4", "nvfp4", "refined"),
            ("fp4", "mxfp4", "refined"),
            ("fp8", "mxfp8", "refined"),
            ("mxfp4", "int4", "changed"),
            ("int4", "mxfp8", "changed"),
            ("bf16", "fp8", "changed"),
        ],
    )
    def test_a_refinement_goes_one_way(self, before: str, after: str, kind: str) -> None:
        """A narrower name of the older word is refined; the way back, or to another word, is changed."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.list_as(range(1, 4), "dune", declared_precision=before)
        fleet.list_as(range(4, 8), "dune", declared_precision=after)
        assert [change.kind for change in of(fleet).d_changes] == [kind]
        assert of(fleet).letter is C

    def test_absent_throughout_reads_b(self) -> None:
        """Never declared is unchanged, and B."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.list_as(fleet.nights, "dune", declared_precision=None)
        assert (of(fleet).d_state, of(fleet).d_precision, of(fleet).letter) == ("absent", None, B)


class TestWorstAndVoid:
    def test_the_grade_is_the_worst_of_what_was_measured(self) -> None:
        """D before C before B before A."""
        assert worst([A, B, A]) is B
        assert worst([A, C, B]) is C
        assert worst([D, A]) is D
        assert worst([A]) is A

    @pytest.mark.parametrize(("sent", "void"), [(49, True), (50, False), (100, False), (0, True)])
    def test_a_night_is_void_under_half(self, sent: int, *, void: bool) -> None:
        """49 of 100 planned is under half, 50 is not."""
        assert is_void(100, sent, DEFINITION) is void

    def test_half_of_an_odd_number(self) -> None:
        """3 of 7 is under half and 4 is not, with nothing rounded."""
        assert is_void(7, 3, DEFINITION)
        assert not is_void(7, 4, DEFINITION)
