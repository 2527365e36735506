"""Where an axis ends and what it is marked with: 1, 2 or 5 times a power of ten, exact, printed in full."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count
from math import ceil

_HALF = Fraction(1, 2)
_MOST_STEPS = 4


def nice(value: Fraction) -> Fraction:
    """Return the first of 1, 2, 5, 10, 20, 50, ... that is not below a value: where an axis ends."""
    step = Fraction(1)
    while True:
        for times in (1, 2, 5):
            if step * times >= value:
                return step * times
        step *= 10


def ticks(highest: Fraction) -> tuple[Fraction, ...]:
    """Return what marks an axis from 0: two to five figures in equal steps, the last of them not below a value.

    A step is 1, 2 or 5 times a power of ten, and the finest that needs no more than four of itself.

    Args:
        highest: what the axis must hold; where it holds nothing, it ends at 1.
    """
    if highest <= 0:
        return Fraction(0), Fraction(1)
    power = Fraction(1)
    while power >= highest:
        power /= 10
    while power * 10 < highest:
        power *= 10
    step = next(power * times for times in (_HALF, 1, 2, 5) if power * times * _MOST_STEPS >= highest)
    return tuple(step * at for at in range(ceil(highest / step) + 1))


def tick_words(marked: Sequence[Fraction]) -> tuple[str, ...]:
    """Return an axis's figures as they stand beside it: all with as many digits as its step has, and 0 alone.

    Args:
        marked: as `ticks` gives them.
    """
    digits = next(places for places in count() if (marked[1] * 10**places).denominator == 1)
    return tuple(
        f"{Decimal(int(value * 10**digits)).scaleb(-digits):,.{digits}f}" if value else "0" for value in marked
    )
