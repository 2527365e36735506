"""Letters: each column reads the best letter whose condition it meets, and the grade is the worst of the columns."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from generator.method.tally import OutcomeCounts
from generator.records.definition import CONDITION_LETTERS, Definition, ratio
from generator.records.grade import DeclaredState, Letter

_WORST_FIRST = (Letter.D, Letter.C, Letter.B, Letter.A)


def worst(letters: Iterable[Letter | None]) -> Letter:
    """Return the worst of some columns' letters, at least one of them measured; the others take no part."""
    read = set(letters)
    return next(letter for letter in _WORST_FIRST if letter in read)


def match_letter(nights_outside: int, *, own_variation_above_floor: bool, definition: Definition) -> Letter:
    """Return what column M reads, from the nights outside and the rule on the endpoint's own variation."""
    conditions = definition.letters.M
    reached = next(
        (letter for letter in CONDITION_LETTERS if nights_outside <= conditions[letter].max_nights_outside), Letter.D
    )
    at_best = definition.match.own_variation_best
    if own_variation_above_floor and at_best is not None:
        return worst((reached, Letter(at_best)))
    return reached


def task_letter(shortfall: Fraction, definition: Definition) -> Letter:
    """Return what column T reads, from a shortfall as a ratio (0.02 is two points)."""
    conditions = definition.letters.T
    return next((letter for letter in CONDITION_LETTERS if shortfall <= ratio(conditions[letter].max_points)), Letter.D)


def declared_letter(state: DeclaredState, definition: Definition) -> Letter:
    """Return what column D reads; a definition's C takes every state, so there is no letter D."""
    conditions = definition.letters.D
    return next(letter for letter in CONDITION_LETTERS if state in conditions[letter].states)


def reliability_letter(counts: OutcomeCounts, definition: Definition) -> Letter:
    """Return what column R reads, from counts over the window with at least one sent.

    Where nothing began to be answered there is no truncation to hold against the endpoint: that condition is met.
    """
    began = counts.answered + counts.truncated
    for letter in CONDITION_LETTERS:
        condition = definition.letters.R[letter]
        below, cut, most = condition.errors_below_percent, condition.truncation_below_percent, condition.max_misrouted
        if below is not None and counts.errors >= ratio(below) * counts.sent:
            continue
        if cut is not None and began and counts.truncated >= ratio(cut) * began:
            continue
        if most is not None and counts.misrouted > most:
            continue
        return letter
    return Letter.D
