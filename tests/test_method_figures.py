"""Printed and stored figures, case by case: what a letter depends on is never rounded across its limit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from generator.records.comparison import is_difference
from generator.records.figures import LARGEST_INTEGER, decimal_text, percent, printed, storable


class TestPercent:
    @pytest.mark.parametrize(
        ("part", "whole", "limits", "figure"),
        [
            (1, 8, (), "12.5"),
            (1, 3, (), "33.3"),
            (0, 7, (), "0"),
            (7, 7, (), "100"),
            (10, 1000, (1,), "1"),
            (1004, 100_000, (1,), "1.004"),
            (996, 100_000, (1,), "0.996"),
            (996, 100_000, (), "1"),
        ],
    )
    def test_of_counts(self, part: int, whole: int, limits: tuple[int, ...], figure: str) -> None:
        """A share in percent, with one digit, or as many as its limits need."""
        assert percent(part, whole, [Fraction(limit) for limit in limits]) == figure


class TestPrinted:
    @pytest.mark.parametrize(
        ("value", "limits", "digits", "figure"),
        [
            ("2.04", ("2",), 1, "2.04"),
            ("1.96", ("2",), 1, "1.96"),
            ("1.99", ("1.995",), 1, "1.99"),
            ("2.01", ("2.005",), 1, "2.01"),
            ("2", ("2",), 1, "2"),
            ("3", (), 0, "3"),
            ("30", (), 0, "30"),
            ("30", (), 1, "30"),
            ("100.04", (), 1, "100"),
            ("0.05", (), 2, "0.05"),
            ("-0.25", (), 2, "-0.25"),
            ("0.25", (), 1, "0.2"),
            ("0.35", (), 1, "0.4"),
        ],
    )
    def test_neither_onto_nor_across_a_limit(
        self, value: str, limits: tuple[str, ...], digits: int, figure: str
    ) -> None:
        """Digits are added until the figure lies on the value's own side of each limit."""
        assert printed(Fraction(value), [Fraction(limit) for limit in limits], digits) == figure

    def test_decimals_are_plain(self) -> None:
        """Exponents and closing zeros are gone, zeros before the point stay."""
        found = [decimal_text(Decimal(text)) for text in ("1E-7", "2.50", "100", "1E2", "0.0")]
        assert found == ["0.0000001", "2.5", "100", "100", "0"]


class TestStorable:
    def test_the_largest_part_that_is_stored_as_it_is(self) -> None:
        """A part of exactly 2^53 - 1 is held by every reader; one more is not."""
        kept = Fraction(1, LARGEST_INTEGER)
        assert storable(kept) == kept
        assert storable(Fraction(LARGEST_INTEGER, 2)) == Fraction(LARGEST_INTEGER, 2)
        assert storable(Fraction(1, LARGEST_INTEGER + 1)) == 0

    def test_the_next_billionth_that_is_not_above(self) -> None:
        """7/3 less a hair, with too large a denominator, is stored as 2.333333333; 2 and a hair as 2."""
        hair = Fraction(1, 3 * 10**17)
        stored = storable(Fraction(7, 3) - hair)
        assert stored == Fraction(2_333_333_333, 10**9)
        assert storable(2 + hair) == 2


class TestADifferenceIsNotSmallerThanTheFloor:
    @pytest.mark.parametrize(("measured", "floor", "difference"), [(3, 3, True), (2, 3, False), (4, 3, True)])
    def test_from_both_sides(self, measured: int, floor: int, *, difference: bool) -> None:
        """Exactly the floor is a difference, less is none, and without a floor any is."""
        assert is_difference(Fraction(measured), Fraction(floor)) is difference
        assert is_difference(Fraction(measured), None)
