"""The reference: the one answer that more endpoints gave than gave any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from generator.records.definition import Definition, ratio


def reference(answers: Iterable[str], definition: Definition) -> str | None:
    """Return the reference among the answers to one prompt of one model on one night, or None.

    Args:
        answers: the normalised answer of each endpoint that answered.
        definition: says how many, and which share, must agree. A tie for first place gives no reference.
    """
    counted = Counter(answers)
    ranked = counted.most_common(2)
    if not ranked:
        return None
    answer, given = ranked[0]
    tied = len(ranked) > 1 and ranked[1][1] == given
    rule = definition.reference
    enough = given >= rule.min_agreeing
    shared = rule.min_share is None or given >= ratio(rule.min_share) * counted.total()
    return answer if enough and shared and not tied else None
