"""An explanation's values and sentences: exact values with the figure they print as, counts held against limits.

What is counted is told everywhere; whether it is outside is asked of `comparison`, through `reading`, and of nobody
else.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction

from generator.records.comparison import is_outside, upper_tail
from generator.records.definition import Definition
from generator.records.explanation import Exact
from generator.records.figures import counted, decimal_text, printed
from generator.records.grade import MatchNight
from generator.records.reading import NOT_MEASURED, allowed_figure, night_words

_TAIL_DIGITS = 2
_LEAST_TAIL = Fraction(1, 100)
"""In percent: what is smaller prints as 'under 0.01'."""


def exact_count(value: Fraction, limits: Iterable[Fraction] = ()) -> Exact:
    """Return an exact value, its figure in the unit it is counted in."""
    return Exact(numerator=value.numerator, denominator=value.denominator, figure=printed(value, limits))


def exact_ratio(value: Fraction, limits: Iterable[Fraction] = ()) -> Exact:
    """Return an exact ratio, its figure in percent or points; so are the limits."""
    return Exact(numerator=value.numerator, denominator=value.denominator, figure=printed(100 * value, limits))


def exact_points(points: Fraction, limits: Iterable[Fraction] = ()) -> Exact:
    """Return points as an exact ratio, its figure in points; the limits are points too."""
    return exact_ratio(points / 100, limits)


def percent_figure(percent: Decimal) -> str:
    """Return a percentage of a definition as it prints, without its sign."""
    return decimal_text(percent)


def allowed_of(night: MatchNight) -> Exact:
    """Return how many mismatches a night allows, as the grade records it and as it prints."""
    return Exact(numerator=night.allowed_numerator, denominator=night.allowed_denominator, figure=allowed_figure(night))


def tail_figure(differing: int, compared: int, allowed: Fraction, level: Fraction | None) -> str | None:
    """Return how often chance gives so many or more, in percent; None where no margin asks for it.

    Args:
        differing: mismatches of a night, or pairs that differ.
        compared: the prompts, or pairs, that they are counted among.
        allowed: how many of them the floors allow.
        level: the margin's level as a ratio; None without a margin.
    """
    if level is None or differing <= allowed:
        return None
    tail = 100 * upper_tail(differing, compared, allowed / compared)
    if 0 < tail < _LEAST_TAIL:
        return f"under {printed(_LEAST_TAIL, digits=_TAIL_DIGITS)}"
    return printed(tail, (100 * level,), _TAIL_DIGITS)


def most_within(compared: int, allowed: Fraction, level: Fraction | None = None) -> int:
    """Return the largest count that is not outside, of so many compared: what 'at most' says of a night."""
    most = int(allowed)
    while most < compared and not is_outside(most + 1, compared, allowed, level):
        most += 1
    return min(most, compared)


def match_night_sentence(night: MatchNight | None, definition: Definition, *, when: date) -> str:
    """Return one night of column M in a sentence: counted, allowed, and how it reads; None is not measured."""
    if night is None:
        return f"{when.isoformat()}: {NOT_MEASURED}, no prompt could be compared"
    words = (
        f"{when.isoformat()}: {counted(night.mismatches, 'mismatch', 'mismatches')} in "
        f"{counted(night.prompts, 'prompt')} compared, {allowed_figure(night)} allowed"
    )
    level = None if definition.margin is None else definition.margin.ratio
    allowed = Fraction(night.allowed_numerator, night.allowed_denominator)
    words += _tail_words(tail_figure(night.mismatches, night.prompts, allowed, level), definition)
    return f"{words}: {night_words(night, definition)}"


def own_variation_sentence(  # noqa: PLR0913 - the counts, the rule and what came of them
    differing: int, pairs: int, allowed: Fraction, definition: Definition, *, tail: str | None, above: bool
) -> str:
    """Return the endpoint's own variation in a sentence.

    Args:
        differing: its own pairs of stable families that differ.
        pairs: those compared.
        allowed: how many of them the floors allow.
        definition: says the margin's level, where there is a margin.
        tail: of the pairs, where the margin holds for own variation.
        above: as the grade reads it.
    """
    if not pairs:
        return "no pair of its own nights could be compared"
    figure = exact_count(allowed, (Fraction(differing),)).figure
    words = f"{differing} of its own {counted(pairs, 'night-to-night pair')} differ, {figure} allowed"
    words += _tail_words(tail, definition)
    return f"{words}: {'above the floor' if above else 'within the floor'}"


def listed(parts: Iterable[str]) -> str:
    """Return parts of a sentence with commas and a closing 'and'."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def were(number: int) -> str:
    """Return what was counted as a sentence ends with it: 'none was', '1 was', '5 were'."""
    return {0: "none was", 1: "1 was"}.get(number, f"{number} were")


def _tail_words(tail: str | None, definition: Definition) -> str:
    if tail is None or definition.margin is None:
        return ""
    return (
        f"; chance at the floors' rate gives as many or more in {tail} % of draws, and the margin's level is "
        f"{percent_figure(definition.margin.level)} %"
    )
