"""The reference: the one answer that more endpoints gave than gave any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from generator.records.definition import Definition


def reference(answers: Iterable[str], definition: Definition) -> str | None:
    """Return the reference among the answers to one prompt of one model on one night, or None.

    Args:
        answers: the normalised answer of each endpoint that answered.
        definition: says how many must agree. A tie for first place gives no reference.
    """
    ranked = Counter(answers).most_common(2)
    if not ranked:
        return None
    answer, given = ranked[0]
    tied = len(ranked) > 1 and ranked[1][1] == given
    return answer if given >= definition.reference.min_agreeing and not tied else None
