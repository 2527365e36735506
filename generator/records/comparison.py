"""The one place that allows a difference to be worded as one.

No difference smaller than the floor is reported as a difference, on any surface. Whatever words, signs, colours or
orders a comparison asks here first, and so does the grader.
"""

from __future__ import annotations

from fractions import Fraction


def is_difference(measured: Fraction, floor: Fraction | None) -> bool:
    """True where a measured difference may be reported: there is no floor, or it is not smaller than the floor."""
    return floor is None or measured >= floor


def is_outside(mismatches: int, allowed: Fraction) -> bool:
    """True where a night's mismatches pass what the floors allow; on the floor is still within."""
    return mismatches > allowed
