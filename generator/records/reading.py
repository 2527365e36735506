"""Grades in words: what pages, terminal and citation say of a letter and its four columns.

Every sentence that compares is made here, from the record's integers. Where a record does not hold the answer of
`comparison` already (nights outside, a T within the floor), it is asked.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import assert_never

import msgspec

from generator.records.comparison import is_outside
from generator.records.definition import CONDITION_LETTERS, Definition
from generator.records.figures import counted, percent, ratio
from generator.records.grade import (
    Column,
    DeclaredChange,
    DeclaredState,
    Grade,
    Letter,
    MatchNight,
    UnratedReason,
)

_REMEMBERED = 4096
"""Allowed counts that are kept as printed: a model's floors allow the same on the pages of all its endpoints."""

NOT_MEASURED = "not measured"
WITHIN_FLOOR = "within the floor"
WITHIN_NOISE = "within noise"
NO_LETTER = "\N{EN DASH}"
"""Stands for the letter of a column that was not measured."""

LETTER_WORDS = {
    Letter.A: WITHIN_NOISE,
    Letter.B: "within narrow limits",
    Letter.C: "within wide limits",
    Letter.D: "beyond the limits",
    Letter.U: "unrated",
}
"""The words that stand beside a letter, so that neither colour nor letter is ever the only mark.

They speak of the conditions that the letter meets, not of a difference: a B may come of a precision that is absent.
"""

COLUMN_WORDS = {
    Column.M: "match",
    Column.T: "task accuracy",
    Column.D: "declared precision",
    Column.R: "reliability",
}


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One column in words."""

    column: Column
    letter: Letter | None
    """Null when not measured."""
    words: str
    """The column's value, a phrase with its figures."""


def readings(grade: Grade, definition: Definition) -> tuple[Reading, ...]:
    """Return the four columns of a grade in words, in the order M, T, D, R."""
    m, t, d, r = grade.column_letters
    return (
        Reading(column=Column.M, letter=m, words=match_words(grade, definition)),
        Reading(column=Column.T, letter=t, words=task_words(grade, definition)),
        Reading(column=Column.D, letter=d, words=declared_words(grade)),
        Reading(column=Column.R, letter=r, words=reliability_words(grade, definition)),
    )


def short_form(grade: Grade) -> str:
    """Return the letter as it stands where space is short: 'B 0.1 · M A T B D A R A'."""
    m, t, d, r = (letter or NO_LETTER for letter in grade.column_letters)
    return f"{grade.letter} {grade.method_version} · M {m} T {t} D {d} R {r}"


def match_words(grade: Grade, definition: Definition) -> str:
    """Return column M in words."""
    if grade.m_letter is None:
        return NOT_MEASURED
    limit = "floor" if definition.margin is None else "floor and its margin"
    observed = counted(grade.m_nights_observed, "night")
    if grade.m_nights_outside == 0:
        every = "the one night" if grade.m_nights_observed == 1 else f"all {observed}"
        words = f"within the {limit} on {every} measured"
    else:
        words = f"outside the {limit} on {grade.m_nights_outside} of {observed} measured"
    if grade.m_own_variation_above_floor:
        words += "; its own night-to-night variation is above the floor"
    return words


def night_words(night: MatchNight, definition: Definition) -> str:
    """Return one measured night of column M in words: 'within', 'within the margin' or 'outside'."""
    return night_figures(night, definition)[1]


def agreement_words(differing: int, compared: int, allowed: Fraction, definition: Definition) -> str | None:
    """Return what two endpoints' answers read together: 'within noise', or nothing but their counts.

    Args:
        differing: prompts of stable families that they answered differently.
        compared: those that both answered.
        allowed: how many of them the floors allow to differ.
        definition: the floors' own; its margin holds here too.
    """
    level = None if definition.margin is None else definition.margin.ratio
    return None if is_outside(differing, compared, allowed, level) else WITHIN_NOISE


def allowed_figure(night: MatchNight) -> str:
    """Return how many mismatches a night allowed, printed on the same side of every whole number.

    A night of 2 mismatches is outside where 59/30 are allowed: they print as 1.97, never as 2.
    """
    return _allowed(night.allowed_numerator, night.allowed_denominator)[1]


def night_figures(night: MatchNight, definition: Definition) -> tuple[str, str]:
    """Return one measured night's `allowed_figure` and its `night_words`."""
    allowed, figure = _allowed(night.allowed_numerator, night.allowed_denominator)
    if not is_outside(night.mismatches, night.prompts, allowed):
        return figure, "within"
    level = None if definition.margin is None else definition.margin.ratio
    return figure, _outside_words(night.mismatches, night.prompts, allowed, level)


@lru_cache(_REMEMBERED)
def _allowed(numerator: int, denominator: int) -> tuple[Fraction, str]:
    """Return an allowed count and its figure; on the right side of its two neighbours, it is so of every count."""
    below = numerator // denominator
    return Fraction(numerator, denominator), ratio(numerator, denominator, limits=((below, 1), (below + 1, 1)))


@lru_cache(_REMEMBERED)
def _outside_words(mismatches: int, prompts: int, allowed: Fraction, level: Fraction | None) -> str:
    return "outside" if is_outside(mismatches, prompts, allowed, level) else "within the margin"


def task_points(grade: Grade) -> Fraction | None:
    """Return column T in points as it reads: None when not measured, 0 where the floor zeroes it."""
    points = _points(grade)
    return None if points is None else Fraction(*points)


def _points(grade: Grade) -> tuple[int, int] | None:
    if grade.t_letter is None or grade.t_best_correct is None or grade.t_best_counted is None:
        return None
    if grade.t_within_floor:
        return 0, 1
    # The difference of the two shares over the product of what they are of.
    ahead = grade.t_best_correct * grade.t_counted - grade.t_correct * grade.t_best_counted
    return max(0, 100 * ahead), grade.t_best_counted * grade.t_counted


def task_words(grade: Grade, definition: Definition) -> str:
    """Return column T in words."""
    points = _points(grade)
    if points is None:
        return NOT_MEASURED
    if grade.t_within_floor:
        return WITHIN_FLOOR
    limits = [definition.letters.T[letter].max_points.as_integer_ratio() for letter in CONDITION_LETTERS]
    figure = ratio(*points, limits)
    return f"{figure} {'point' if figure == '1' else 'points'} from the best"


def declared_words(grade: Grade) -> str:
    """Return column D in words."""
    match grade.d_state:
        case DeclaredState.PRESENT:
            return f"{grade.d_precision}, unchanged"
        case DeclaredState.ABSENT:
            return "absent, unchanged"
        case DeclaredState.CHANGED:
            return "; ".join(change_words(change) for change in grade.d_changes)
        case _:
            assert_never(grade.d_state)


def change_words(change: DeclaredChange) -> str:
    """Return one change of declared precision in words, with its date and kind."""
    before, after = change.before or "absent", change.after or "absent"
    return f"{before}, then {after}, on {change.night.isoformat()} ({change.kind})"


def reliability_words(grade: Grade, definition: Definition) -> str:
    """Return column R in words."""
    if grade.r_letter is None:
        return NOT_MEASURED
    return (
        f"errors {error_percent(grade, definition)} %, truncation {truncation_words(grade, definition)}, "
        f"misrouted {grade.r_misrouted}"
    )


def error_percent(grade: Grade, definition: Definition) -> str:
    """Return errors as a percentage of what was sent, on the same side of every limit as the count is."""
    conditions = definition.letters.R.values()
    limits = [c.errors_below_percent for c in conditions if c.errors_below_percent is not None]
    return percent(grade.r_errors, grade.r_sent, limits)


def truncation_words(grade: Grade, definition: Definition) -> str:
    """Return truncated answers as a percentage of all that began, with its sign, or 'not measured'."""
    began = grade.r_answered + grade.r_truncated
    if began == 0:
        return NOT_MEASURED
    conditions = definition.letters.R.values()
    limits = [c.truncation_below_percent for c in conditions if c.truncation_below_percent is not None]
    return f"{percent(grade.r_truncated, began, limits)} %"


def reason_words(reason: UnratedReason, grade: Grade, definition: Definition) -> str:
    """Return why a grade is U in words, with the count and the limit it passed."""
    rule = definition.unrated
    match reason:
        case UnratedReason.TOO_FEW_NIGHTS:
            since = _needed(grade.nights_since_listed, "since the first listing", rule.min_nights_since_listed)
            within = _needed(len(grade.nights), "in the window", rule.min_nights_in_window)
            return f"too few nights: {since} and {within}"
        case UnratedReason.ABSENT:
            return f"absent: not listed or not asked on {counted(grade.nights_absent, 'night')} of the window"
        case UnratedReason.NO_REFERENCE:
            return (
                f"no reference: {grade.pairs_without_reference} of the model's {grade.pairs} night and prompt pairs "
                f"had none; {rule.max_without_reference_percent} % is the most"
            )
        case UnratedReason.NO_STABLE_FAMILY:
            return "no stable family: in none do the model's endpoints repeat themselves often enough to judge by"
        case UnratedReason.NOT_MEASURED:
            return "not measured: no answer of this endpoint could be compared"
        case _:
            assert_never(reason)


def provisional_words(grade: Grade) -> str:
    """Return whether the letter can still change its meaning: 'provisional' or 'final'."""
    return "provisional" if grade.provisional else "final"


def _needed(number: int, where: str, least: int | None) -> str:
    words = f"{counted(number, 'recorded night')} {where}"
    return words if least is None else f"{words}, of {least} needed"
