"""Changes from each grade of an endpoint to the next: of the letter, and of the declared precision. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import pairwise

import msgspec

from generator.records.grade import DeclaredChange, Grade


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One change of letter or declared precision, with the first grade that shows it."""

    night: date
    grade: Grade
    what: Grade | DeclaredChange
    """The grade before, where it is the letter that changed."""
    before: Grade | None
    """The endpoint's grade before; None where it has none."""


def between(before: Grade | None, graded: Sequence[Grade]) -> tuple[Reported, ...]:
    """Return the changes of letter from each grade to the next, then each change of precision once.

    Letters of two versions are not compared. A change of precision stands in every window that holds its night.

    Args:
        before: the grade before the first of them; None where there is none.
        graded: an endpoint's, by window end.
    """
    line = graded if before is None else (before, *graded)
    found = [
        Reported(night=later.window_end, grade=later, what=earlier, before=earlier)
        for earlier, later in pairwise(line)
        if earlier.letter is not later.letter and earlier.method_version == later.method_version
    ]
    known = set() if before is None else {change.night for change in before.d_changes}
    declared: dict[date, Reported] = {}
    for earlier, grade in zip((before, *graded), graded, strict=False):
        for change in grade.d_changes:
            if change.night not in known:
                told = Reported(night=change.night, grade=grade, what=change, before=earlier)
                declared.setdefault(change.night, told)
    return (*found, *declared.values())
