"""The one place that allows a difference to be worded as one.

No difference smaller than the floor is reported as a difference, on any surface. Whatever words, signs, colours or
orders a comparison asks here first, and so does the grader. All of it is exact: integers and fractions.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb


def is_difference(measured: Fraction, floor: Fraction | None) -> bool:
    """True where a measured difference may be reported: there is no floor, or it is not smaller than the floor."""
    return floor is None or measured >= floor


def is_outside(differing: int, compared: int, allowed: Fraction, level: Fraction | None = None) -> bool:
    """True where what differs passes what the floors allow, and, where there is a margin, by more than chance.

    Args:
        differing: mismatches of a night, or pairs that differ.
        compared: the prompts, or pairs, that they are counted among.
        allowed: how many of them the floors allow; on the floor is still within.
        level: the margin's level as a ratio: so many or more would have to come of independent chance, at the floors'
            pooled rate, less often than this; None without a margin.
    """
    if differing * allowed.denominator <= allowed.numerator:
        return False
    return level is None or upper_tail(differing, compared, allowed / compared) < level


def upper_tail(least: int, trials: int, rate: Fraction) -> Fraction:
    """Return the chance of at least so many successes in independent trials at a rate: the upper binomial tail."""
    hit, miss = rate.numerator, rate.denominator - rate.numerator
    ways = sum(comb(trials, count) * hit**count * miss ** (trials - count) for count in range(least, trials + 1))
    return Fraction(ways, rate.denominator**trials)
