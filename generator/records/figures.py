"""Figures as they are printed: exact fractions as decimals that never contradict a letter."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

MOST_DIGITS = 30
"""More digits than any ratio of counted prompts needs to show on which side of a limit it lies."""


def rounded(value: Fraction, digits: int) -> Fraction:
    """Return the value to so many digits after the point, halves to the even neighbour."""
    scale = 10**digits
    return Fraction(round(value * scale), scale)


def printed(value: Fraction, limits: Iterable[Fraction] = (), digits: int = 1) -> str:
    """Return a decimal that lies on the same side of every limit as the value does.

    Starts with the digits asked for, adds more while rounding would put the figure onto a limit or across it, and
    drops closing zeros: 2.04 against a limit of 2 is '2.04', not '2'.

    Args:
        value: what is printed, in the unit it is printed in.
        limits: what a letter depends on, in the same unit.
        digits: digits after the point to begin with.
    """
    sides = [(limit, _side(value, limit)) for limit in limits]
    for places in range(digits, MOST_DIGITS):
        shown = rounded(value, places)
        if all(_side(shown, limit) == side for limit, side in sides):
            return _decimal(shown, places)
    return str(value)


def percent(part: int, whole: int, limits: Iterable[Fraction] = ()) -> str:
    """Return a share as a percentage without its sign, e.g. '12.5'."""
    return printed(Fraction(100 * part, whole), limits)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: '1 night', '7 nights'."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def decimal_text(value: Decimal) -> str:
    """Return a decimal in plain notation without closing zeros."""
    return _strip(format(value, "f"))


def _side(value: Fraction, limit: Fraction) -> int:
    return (value > limit) - (value < limit)


def _decimal(value: Fraction, places: int) -> str:
    scaled = abs(value) * 10**places
    digits = str(scaled.numerator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return ("-" if value < 0 else "") + _strip(text)


def _strip(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every reader of RFC 8785 JSON holds exactly."""

_FINE = 10**9


def storable(value: Fraction) -> Fraction:
    """Return a fraction whose parts every reader holds exactly, and which every whole number compares with alike.

    Nearly always the value itself. Where a part would pass `LARGEST_INTEGER`, the next fraction of a billionth that is
    not above it: no whole number lies between the two, so a count is above the one exactly where it is above the other.
    """
    if max(abs(value.numerator), value.denominator) <= LARGEST_INTEGER:
        return value
    return Fraction(value * _FINE // 1, _FINE)
