"""What would have changed a letter: each condition is met in the nights themselves, and the grader reads as told."""

from __future__ import annotations

import re

from generator.method.explaining import Explained
from generator.records.explanation import Turn
from generator.records.grade import Column, Letter
from tests.explain_makers import explained, of_fleet, turns_of
from tests.method_archive import Fleet
from tests.method_random import random_archive
from tests.method_variants import METHOD, METHOD_0_2, with_rules

RANK = {Letter.A: 0, Letter.B: 1, Letter.C: 2, Letter.D: 3}


def quiet_fleet() -> Fleet:
    """Return 40 prompts a night of one stable family whose floor is 6/120: 2 mismatches are allowed a night."""
    fleet = Fleet(fixed={"chess": 20}, drawn={"chess": 20})
    fleet.turn(6, "chess")
    return fleet


def words(turns: list[Turn]) -> list[tuple[Letter, str]]:
    """Return turns as letters and sentences."""
    return [(turn.letter, turn.words) for turn in turns]


def differ(fleet: Fleet, night: int, count: int) -> None:
    """Let dune answer so many of a night's drawn prompts otherwise."""
    for i in range(count):
        fleet.put(night, "dune", f"chess-{i + 1}-of-{night}", "other")


class TestColumnM:
    def test_an_a_says_from_which_count_a_night_would_be_outside(self) -> None:
        """40 x 6/120 = 2 are allowed: the third mismatch of a night gives a C, the second does not."""
        assert words(turns_of(of_fleet(quiet_fleet(), METHOD), Column.M)) == [
            (
                Letter.C,
                (
                    "M would read C with 1 night outside (none was); nearest: on 2031-05-01, outside from 3 "
                    "mismatches in 40 on (none was)"
                ),
            )
        ]
        for count, letter in ((2, Letter.A), (3, Letter.C)):
            fleet = quiet_fleet()
            differ(fleet, 1, count)
            assert fleet.grades(METHOD)["dune"].m_letter is letter

    def test_a_c_names_its_nights_and_the_nearest_others(self) -> None:
        """One night outside: none would read A; four would read D, and the three nearest are named in order."""
        fleet = quiet_fleet()
        differ(fleet, 3, 5)
        differ(fleet, 6, 1)
        differ(fleet, 7, 2)
        better, poorer = words(turns_of(of_fleet(fleet, METHOD), Column.M))
        assert better == (
            Letter.A,
            (
                "M would read A with at most 0 nights outside (1 was: on 2031-05-03 5 mismatches in 40 where at "
                "most 2 are within)"
            ),
        )
        assert poorer == (
            Letter.D,
            (
                "M would read D with 4 nights outside (1 was); nearest: on 2031-05-01, outside from 3 mismatches "
                "in 40 on (none was), on 2031-05-06, outside from 3 mismatches in 40 on (1 was) and on 2031-05-07, "
                "outside from 3 mismatches in 40 on (2 were)"
            ),
        )

    def test_a_d_becomes_a_c_first(self) -> None:
        """Four nights outside read D; three of them read C, and that is the nearest condition."""
        fleet = quiet_fleet()
        for night in (1, 2, 3, 4):
            differ(fleet, night, 3)
        (better,) = words(turns_of(of_fleet(fleet, METHOD), Column.M))
        assert better[0] is Letter.C
        assert better[1].startswith("M would read C with at most 3 nights outside (4 were: on 2031-05-01 3 mismatches")

    def test_own_variation_is_a_condition_of_its_own(self) -> None:
        """Twelve of 120 own pairs differ where 6 are allowed; no night is outside, and yet M reads C."""
        fleet = quiet_fleet()
        fleet.put((2, 4, 6), "dune", "chess-20", "other")
        explanation = of_fleet(fleet, METHOD)
        assert explanation.grade.m_letter is Letter.C
        assert words(turns_of(explanation, Column.M))[0] == (
            Letter.A,
            "M would read A with at most 6 of its own 120 night-to-night pairs differing (12 were)",
        )
        assert explanation.match is not None
        assert explanation.match.own_variation.words == (
            "12 of its own 120 night-to-night pairs differ, 6 allowed: above the floor"
        )

    def test_both_conditions_stand_together_where_both_are_needed(self) -> None:
        """A night outside and own variation above the floor: an A needs both otherwise."""
        fleet = quiet_fleet()
        fleet.put((2, 4, 6), "dune", "chess-20", "other")
        differ(fleet, 1, 3)
        assert words(turns_of(of_fleet(fleet, METHOD), Column.M))[0] == (
            Letter.A,
            (
                "M would read A with at most 0 nights outside (1 was: on 2031-05-01 3 mismatches in 40 where at "
                "most 2 are within) and at most 6 of its own 120 night-to-night pairs differing (12 were)"
            ),
        )

    def test_a_margin_moves_the_count(self) -> None:
        """At 1/20 and 40 prompts 7 or more come of chance in 0.34 % of draws and 6 in 1.39 %: under 1 % is 7."""
        method = with_rules(margin="level = 1")
        assert "outside from 7 mismatches in 40 on" in turns_of(of_fleet(quiet_fleet(), method), Column.M)[0].words
        for count, letter in ((6, Letter.A), (7, Letter.C)):
            fleet = quiet_fleet()
            differ(fleet, 1, count)
            assert fleet.grades(method)["dune"].m_letter is letter

    def test_where_m_is_not_measured_nothing_is_said_of_it(self) -> None:
        """An endpoint that only fails has no M that could have read otherwise."""
        fleet = quiet_fleet()
        fleet.put_first(
            280, "dune", "!", [*(f"chess-{i}" for i in range(1, 21)), *(f"chess-{i}-of-*" for i in range(1, 21))]
        )
        assert turns_of(of_fleet(fleet, METHOD), Column.M) == []


class TestColumnT:
    def test_the_counts_are_those_at_which_the_grader_reads_otherwise(self) -> None:
        """10 of 140 wrong are over 5 points: 7 wrong read B, 15 read D; the neighbouring counts do not."""
        fleet = Fleet(fixed={"tides": 20}, keyed=["tides"])
        fleet.put_first(10, "dune", "no")
        assert words(turns_of(of_fleet(fleet, METHOD), Column.T)) == [
            (
                Letter.B,
                (
                    "T would read B with at least 133 of 140 counted answers correct (130 were), the best share "
                    "held at 140 of 140"
                ),
            ),
            (
                Letter.D,
                (
                    "T would read D with at most 125 of 140 counted answers correct (130 were), the best share "
                    "held at 140 of 140"
                ),
            ),
        ]
        for wrong, letter in ((7, Letter.B), (8, Letter.C), (14, Letter.C), (15, Letter.D)):
            again = Fleet(fixed={"tides": 20}, keyed=["tides"])
            again.put_first(wrong, "dune", "no")
            assert again.grades(METHOD)["dune"].t_letter is letter

    def test_within_the_floor_no_difference_is_told(self) -> None:
        """Two of 140 wrong where the floor is 12/120: T reads as 0, and no sentence of it speaks of points."""
        fleet = Fleet(fixed={"tides": 20}, keyed=["tides"])
        fleet.turn(12, "tides")
        for i in range(12):
            for n in fleet.nights:
                fleet.asked[n][f"tides-{i + 1}"]["expected"] = fleet.cells[n, "amber", f"tides-{i + 1}"]
        fleet.put((1, 2), "dune", "tides-20", "no")
        explanation = of_fleet(fleet, METHOD)
        assert explanation.task is not None
        assert (explanation.task.words, explanation.task.within_floor) == ("within the floor", True)
        assert explanation.task.points is not None
        assert explanation.task.points.numerator == 0
        assert len(explanation.task.wrong) == 2
        (turn,) = turns_of(explanation, Column.T)
        # 14 of 140 are 10 points, on the floor: the first difference, and over 5.
        assert turn.words.startswith("T would read C with at most 126 of 140 counted answers correct (138 were)")


class TestColumnD:
    def test_unchanged_absent_and_changed(self) -> None:
        """What is declared throughout could have changed; what changed or is absent could have stood throughout."""
        present, absent, changed = (Fleet(fixed={"tides": 2}) for _ in range(3))
        absent.list_as(absent.nights, "dune", declared_precision=None, tag="dune")
        changed.list_as([6, 7], "dune", declared_precision="int4")
        assert words(turns_of(of_fleet(present, METHOD), Column.D)) == [
            (Letter.C, "D would read C with a change of the declared precision in the window (it was: fp8, unchanged)")
        ]
        assert words(turns_of(of_fleet(absent, METHOD), Column.D)) == [
            (
                Letter.A,
                "D would read A with one precision declared, the same on every night (it was: absent, unchanged)",
            ),
            (
                Letter.C,
                "D would read C with a change of the declared precision in the window (it was: absent, unchanged)",
            ),
        ]
        assert words(turns_of(of_fleet(changed, METHOD), Column.D)) == [
            (
                Letter.A,
                (
                    "D would read A with one precision declared, the same on every night (it was: fp8, then int4, "
                    "on 2031-05-06 (changed))"
                ),
            )
        ]


class TestColumnR:
    def test_one_misrouted_answer_is_nearest_to_an_a(self) -> None:
        """280 sent, nothing failed: 1 misrouted reads B, sooner than 3 errors or 6 truncated."""
        assert words(turns_of(of_fleet(Fleet(fixed={"chess": 40}), METHOD), Column.R)) == [
            (Letter.B, "R would read B from 1 misrouted on (none was)")
        ]

    def test_where_nothing_was_sent_nothing_is_said_of_it(self) -> None:
        """An endpoint that nothing ever reached has no R that could have read otherwise."""
        fleet = Fleet(fixed={"chess": 2})
        fleet.put_first(14, "dune", ".")
        assert turns_of(of_fleet(fleet, METHOD), Column.R) == []

    def test_errors_of_280(self) -> None:
        """Under 1 % of 280 is at most 2, 3 % is 9: the grader reads so on both sides of each."""
        fleet = Fleet(fixed={"chess": 40})
        fleet.put_first(5, "dune", "!")
        assert words(turns_of(of_fleet(fleet, METHOD), Column.R)) == [
            (Letter.A, "R would read A with at most 2 failed of 280 sent (5 were)"),
            (Letter.C, "R would read C from 9 failed of 280 sent on (5 were)"),
        ]
        for count, letter in ((2, Letter.A), (3, Letter.B), (8, Letter.B), (9, Letter.C), (28, Letter.D)):
            again = Fleet(fixed={"chess": 40})
            again.put_first(count, "dune", "!")
            assert again.grades(METHOD)["dune"].r_letter is letter

    def test_every_condition_that_fails_is_named(self) -> None:
        """4 errors, 6 truncated of 275 begun and 1 misrouted: an A needs all three otherwise."""
        fleet = Fleet(fixed={"chess": 40})
        for i, cell in enumerate(["!"] * 4 + ["yes~"] * 6 + ["?yes"]):
            fleet.put(1, "dune", f"chess-{i + 1}", cell)
        assert words(turns_of(of_fleet(fleet, METHOD), Column.R))[0] == (
            Letter.A,
            (
                "R would read A with at most 2 failed of 280 sent (4 were), at most 5 truncated of 275 begun (6 "
                "were) and at most 0 misrouted (1 was)"
            ),
        )


class TestTheGradeAsAWhole:
    def test_it_is_the_worst_of_its_columns(self) -> None:
        """With R alone at B the grade reads B, and would read A with R at A."""
        fleet = Fleet(fixed={"chess": 40})
        fleet.put_first(5, "dune", "!")
        assert words(turns_of(of_fleet(fleet, METHOD), None)) == [
            (Letter.A, "The grade reads B, the worst of its columns (R); with R at A it would read A")
        ]

    def test_an_a_could_not_read_better(self) -> None:
        """Of an A nothing is said as a whole; each column says what would have changed it."""
        assert turns_of(of_fleet(Fleet(fixed={"chess": 40}), METHOD), None) == []

    def test_a_u_says_what_it_would_read_without_its_reasons(self) -> None:
        """Three nights with nothing sent make an A a U."""
        fleet = Fleet(fixed={"chess": 40})
        for i in range(40):
            fleet.put((1, 2, 3), "dune", f"chess-{i + 1}", ".")
        explanation = of_fleet(fleet, METHOD)
        assert explanation.grade.letter is Letter.U
        assert [reason.words for reason in explanation.reasons] == [
            "absent: not listed or not asked on 3 nights of the window"
        ]
        assert words(turns_of(explanation, None)) == [
            (
                Letter.A,
                (
                    "The grade is U for 1 reason; with none it would read A, the worst of what its measured "
                    "columns read (M, D and R)"
                ),
            )
        ]


class TestOfEveryGrade:
    def test_a_turn_is_to_another_letter_once_in_each_direction(self) -> None:
        """Over twenty random archives: no turn to the letter that was read, and no two the same way."""
        seen = 0
        for seed in range(20):
            archive = random_archive(seed)
            for each in explained(archive.tables(), METHOD_0_2, archive.recorded).values():
                seen += _check_directions(each)
        assert seen > 100

    def test_no_sentence_of_a_turn_subtracts(self) -> None:
        """No turn speaks of points, of a difference or of a best endpoint; the best share is a count."""
        for seed in range(20):
            archive = random_archive(seed)
            for each in explained(archive.tables(), METHOD, archive.recorded).values():
                for turn in each.explanation.turns:
                    assert re.search(r"point|better than|worse than|differen|best endpoint", turn.words) is None


def _check_directions(each: Explained) -> int:
    for column in Column:
        was = each.explanation.grade.column_letter(column)
        found = [turn.letter for turn in turns_of(each.explanation, column)]
        if was is None:
            assert found == []
            continue
        assert was not in found
        assert len(found) == len({RANK[letter] > RANK[was] for letter in found})
    return len(each.explanation.turns)
