"""Figures as they are printed: exact fractions as decimals that never contradict a letter."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

Limit = Fraction | Decimal | int
"""What a letter depends on; all three are exact."""

_REMEMBERED = 8192
"""Shares that that are kept as printed: the same few counts stand on page after page."""

MOST_DIGITS = 30
"""More digits than any ratio of counted prompts needs to show on which side of a limit it lies."""


def printed(value: Fraction, limits: Iterable[Limit] = (), digits: int = 1) -> str:
    """Return a decimal that lies on the same side of every limit as the value does.

    Starts with the digits asked for, adds more while rounding would put the figure onto a limit or across it, and
    drops closing zeros: 2.04 against a limit of 2 is '2.04', not '2'.

    Args:
        value: what is printed, in the unit it is printed in.
        limits: what a letter depends on, in the same unit.
        digits: digits after the point to begin with.
    """
    return ratio(*value.as_integer_ratio(), [limit.as_integer_ratio() for limit in limits], digits)


def ratio(part: int, whole: int, limits: Collection[tuple[int, int]] = (), digits: int = 1) -> str:
    """Return a ratio over a positive whole as `printed` does, its limits as ratios too.

    In whole numbers throughout: a Fraction made at each step costs a page of figures more than the page itself.
    """
    for places in range(digits, MOST_DIGITS):
        scale = 10**places
        scaled = _nearest(part * scale, whole)
        for over, under in limits:
            exact, shown = part * under - over * whole, scaled * under - over * scale
            if (exact > 0) != (shown > 0) or (exact < 0) != (shown < 0):
                break
        else:
            return _decimal(scaled, places)
    return str(Fraction(part, whole))


def percent(part: int, whole: int, limits: Iterable[Limit] = ()) -> str:
    """Return a share as a percentage without its sign, e.g. '12.5'."""
    return _percent(part, whole, tuple(limits))


@lru_cache(_REMEMBERED, typed=True)
def _percent(part: int, whole: int, limits: tuple[Limit, ...]) -> str:
    return ratio(100 * part, whole, [limit.as_integer_ratio() for limit in limits])


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: '1 night', '7 nights'."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def decimal_text(value: Decimal) -> str:
    """Return a decimal in plain notation without closing zeros."""
    return _strip(format(value, "f"))


def _nearest(part: int, whole: int) -> int:
    """Return the whole number nearest to a ratio over a positive whole, halves to the even neighbour."""
    below, rest = divmod(part, whole)
    return below + (2 * rest > whole or (2 * rest == whole and below % 2 == 1))


def _decimal(scaled: int, places: int) -> str:
    digits = str(abs(scaled)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return ("-" if scaled < 0 else "") + _strip(text)


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
