"""The margin: the binomial tail against published tables and closed forms, and each limit from both sides."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.records.comparison import is_outside, upper_tail
from generator.records.grade import Grade, Letter
from tests.method_archive import Fleet
from tests.method_variants import METHOD, with_rules
from tests.method_window import tail

A, B, C, D, U = Letter
RATES = st.fractions(0, 1, max_denominator=40)


class TestTheUpperTailOfTheBinomialDistribution:
    @pytest.mark.parametrize(
        ("most", "trials", "rate", "table"),
        [
            (0, 25, "0.01", "0.7778"),
            (1, 10, "0.05", "0.9139"),
            (1, 20, "0.05", "0.7358"),
            (2, 20, "0.05", "0.9245"),
            (3, 20, "0.05", "0.9841"),
            (2, 20, "0.10", "0.6769"),
            (4, 20, "0.10", "0.9568"),
            (5, 20, "0.10", "0.9887"),
            (6, 15, "0.25", "0.9434"),
            (3, 10, "0.30", "0.6496"),
            (7, 10, "0.50", "0.9453"),
            (14, 20, "0.50", "0.9793"),
        ],
    )
    def test_published_tables(self, most: int, trials: int, rate: str, table: str) -> None:
        """The usual four-figure tables of the cumulative distribution: at most so many, which is 1 less the tail."""
        at_most = 1 - upper_tail(most + 1, trials, Fraction(rate))
        assert round(at_most, 4) == Fraction(table)

    @given(trials=st.integers(1, 40), rate=RATES)
    def test_one_or_more_and_all(self, trials: int, rate: Fraction) -> None:
        """None or more is certain, one or more is 1 - (1 - p)^n, all is p^n, more than all never."""
        assert upper_tail(0, trials, rate) == 1
        assert upper_tail(1, trials, rate) == 1 - (1 - rate) ** trials
        assert upper_tail(trials, trials, rate) == rate**trials
        assert upper_tail(trials + 1, trials, rate) == 0

    @given(trials=st.integers(1, 30), rate=RATES, data=st.data())
    def test_the_last_of_so_many_successes_comes_by_the_last_trial(
        self, trials: int, rate: Fraction, data: st.DataObject
    ) -> None:
        """The negative binomial's closed form: the k-th success falls on trial j with C(j-1, k-1) p^k (1-p)^(j-k)."""
        k = data.draw(st.integers(1, trials))
        closed = sum(comb(j - 1, k - 1) * rate**k * (1 - rate) ** (j - k) for j in range(k, trials + 1))
        assert upper_tail(k, trials, rate) == closed

    @given(trials=st.integers(1, 30), rate=RATES, data=st.data())
    def test_trial_by_trial(self, trials: int, rate: Fraction, data: st.DataObject) -> None:
        """The oracle's convolution, one trial after another, and the mirror image give the same fraction."""
        k = data.draw(st.integers(0, trials))
        assert upper_tail(k, trials, rate) == tail(k, trials, rate)
        assert upper_tail(k, trials, rate) == 1 - upper_tail(trials - k + 1, trials, 1 - rate)


class TestOutsideIsOneRule:
    @pytest.mark.parametrize(
        ("differing", "compared", "allowed", "level", "outside"),
        [
            (2, 20, "2", None, False),
            (3, 20, "2", None, True),
            (0, 0, "0", "0.01", False),
            (1, 10, "0", "0.01", True),
            (1, 10, "0", "0", False),
            (2, 2, "0.2", "0.01", False),
            (2, 2, "0.2", "0.010001", True),
            (3, 3, "0.3", "0.01", True),
            (2, 3, "0.3", "0.028", False),
            (2, 3, "0.3", "0.0281", True),
            (2, 20, "2", "1", False),
            (3, 20, "2", "1", True),
        ],
    )
    def test_from_both_sides(
        self,
        differing: int,
        compared: int,
        allowed: str,
        level: str | None,
        outside: bool,  # noqa: FBT001 - what the row expects
    ) -> None:
        """On the floor is within; above it, a tail of exactly the level is within; 0 allowed explains nothing.

        Two of two at a rate of 1/10 are 1/100; two or more of three are 3 x 1/100 x 9/10 + 1/1000 = 28/1000.
        """
        ratio = None if level is None else Fraction(level)
        assert is_outside(differing, compared, Fraction(allowed), ratio) is outside


def few(prompts: int, wrong: int) -> Fleet:
    """The floor is 1/10, and on night 4 dune answered so many drawn prompts alone, some of them otherwise.

    Each endpoint turns on six of ten prompts: 6 of 60 pairs. Dune's errors of night 4 leave it 4 of 40.
    """
    fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 3})
    fleet.turn(6, "tides")
    for i in range(1, 11):
        fleet.put(4, "dune", f"tides-{i}", "!")
    for i in range(prompts + 1, 4):
        fleet.put(4, "dune", f"tides-{i}-of-*", "!")
    for i in range(1, wrong + 1):
        fleet.put(4, "dune", f"tides-{i}-of-*", "no")
    return fleet


def of(fleet: Fleet, margin: str | None) -> Grade:
    """Return dune's grade under 0.1 with a margin, or without one."""
    return fleet.grades(with_rules(margin=margin))["dune"]


class TestANightIsOutsideOnlyWhereChanceDoesNotExplainIt:
    @pytest.mark.parametrize(("level", "outside"), [("1", 0), ("0.99", 0), ("1.01", 1), ("100", 1), ("0", 0)])
    def test_a_tail_of_exactly_the_level_is_within(self, level: str, outside: int) -> None:
        """2 of 2 at a floor of 1/10 would come of chance in 1 of 100 nights: at 1 % within, at 1.01 % outside."""
        grade = of(few(2, 2), f"level = {level}")
        night = grade.m_night[3]
        assert (night.prompts, night.mismatches, night.allowed_numerator, night.allowed_denominator) == (2, 2, 1, 5)
        assert (grade.m_nights_outside, grade.m_letter) == (outside, C if outside else A)

    @pytest.mark.parametrize(("prompts", "wrong", "outside"), [(3, 3, 1), (3, 2, 0), (3, 1, 0), (2, 1, 0), (1, 1, 0)])
    def test_at_1_percent(self, prompts: int, wrong: int, outside: int) -> None:
        """Chances of 0.001, 0.028, 0.271, 0.19 and 0.1: only three of three are less than one in a hundred."""
        assert of(few(prompts, wrong), "level = 1").m_nights_outside == outside
        assert of(few(prompts, wrong), None).m_nights_outside == 1

    def test_on_the_floor_is_within_whatever_the_level(self) -> None:
        """2 of 20 at a floor of 1/10 are on the floor: no chance is asked for, even at a level of 100 %."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.turn(6, "tides")
        fleet.put(4, "dune", "tides-1-of-*", "no")
        fleet.put(4, "dune", "tides-2-of-*", "no")
        grade = of(fleet, "level = 100")
        night = grade.m_night[3]
        assert (night.mismatches, night.allowed_numerator, night.allowed_denominator) == (2, 2, 1)
        assert grade.m_nights_outside == 0
        fleet.put(4, "dune", "tides-3-of-*", "no")
        assert of(fleet, "level = 100").m_nights_outside == 1

    @pytest.mark.parametrize(("nights", "letter"), [(1, C), (3, C), (4, D)])
    def test_where_the_floor_is_0_one_mismatch_is_outside(self, nights: int, letter: Letter) -> None:
        """Chance at a rate of 0 explains no mismatch, so the margin forgives none."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 1})
        fleet.put(range(1, nights + 1), "dune", "tides-1-of-*", "no")
        grade = of(fleet, "level = 1")
        assert (grade.m_nights_outside, grade.m_letter) == (nights, letter)

    def test_the_rate_is_pooled_over_stable_families(self) -> None:
        """Chess allows 1 of 10 and tides 0 of 10: the pooled rate is 1/20 over 20 prompts.

        Two or more of 20 at 1/20 come of chance in 26.4 % of nights, four or more in 1.59 %, five or more in 0.26 %.
        """
        for wrong, outside in ((2, 0), (4, 0), (5, 1)):
            fleet = Fleet(fixed={"tides": 10, "chess": 10}, drawn={})
            fleet.turn(6, "chess")
            for i in range(1, wrong + 1):
                fleet.put(range(1, 8), "dune", f"tides-{i}", "no")
            grade = of(fleet, "level = 1")
            assert (grade.m_night[3].prompts, grade.m_nights_outside) == (20, 7 * outside)

    def test_off_under_0_1(self) -> None:
        """Under 0.1 whatever passes the floor is outside."""
        assert METHOD.definition.margin is None
        assert few(1, 1).grades(METHOD)["dune"].m_nights_outside == 1


class TestTheMarginOfOwnVariation:
    @pytest.mark.parametrize(
        ("margin", "above", "letter"),
        [
            (None, True, C),
            ("level = 1", True, C),
            ("level = 1\nown_variation = false", True, C),
            ("level = 1\nown_variation = true", False, A),
            ("level = 60\nown_variation = true", True, C),
        ],
    )
    def test_it_holds_only_where_it_is_switched_on(self, margin: str | None, above: bool, letter: Letter) -> None:  # noqa: FBT001 - what the row expects
        """7 of 60 pairs at a floor of 6 of 60 come of chance in 39 % of windows: a difference at 60 %, not at 1 %."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.turn(6, "tides")
        fleet.put(7, "dune", "tides-10", "no")
        assert Fraction("0.39") < tail(7, 60, Fraction(1, 10)) < Fraction("0.4")
        grade = of(fleet, margin)
        assert (grade.m_nights_outside, grade.m_own_variation_above_floor, grade.m_letter) == (0, above, letter)

    @pytest.mark.parametrize(("level", "above"), [("39.354", False), ("39.355", True)])
    def test_it_counts_the_endpoints_own_pairs(self, level: str, above: bool) -> None:  # noqa: FBT001 - what the row expects
        """Seven or more of 60 at 1/10 come of chance in 39.35486 % of windows; of 61 pairs it would be 39.35537 %."""
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.turn(6, "tides")
        fleet.put(7, "dune", "tides-10", "no")
        assert of(fleet, f"level = {level}\nown_variation = true").m_own_variation_above_floor is above

    @pytest.mark.parametrize(("level", "above"), [("39.366", False), ("39.367", True)])
    def test_it_is_pooled_over_stable_families(self, level: str, above: bool) -> None:  # noqa: FBT001 - what the row expects
        """Seven or more of 120 at 1/20, chess at 1/10 and tides at 0 together: 39.36620 %; of 60 it would be less."""
        fleet = Fleet(fixed={"chess": 10, "tides": 10})
        fleet.turn(6, "chess")
        fleet.put(7, "dune", "tides-10", "no")
        assert of(fleet, f"level = {level}\nown_variation = true").m_own_variation_above_floor is above
