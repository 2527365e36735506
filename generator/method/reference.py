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
    return answer if given >= least_agreeing(counted.total(), definition) and not tied else None


def least_agreeing(answered: int, definition: Definition) -> int:
    """Return how many endpoints must give an answer that is the reference: exact, for any share with any decimals.

    Args:
        answered: how many endpoints answered the prompt.
        definition: says how many, and which share, must agree.
    """
    rule = definition.reference
    if rule.min_share is None:
        return rule.min_agreeing
    share = ratio(rule.min_share) * answered
    # A count reaches a share where it reaches the next whole number: -(-n // d) rounds up.
    return max(rule.min_agreeing, -(-share.numerator // share.denominator))
