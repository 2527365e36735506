"""What would have changed column M: so many nights outside fewer or more, or fewer of the endpoint's own pairs."""

from __future__ import annotations

from fractions import Fraction

from generator.method.letters import match_letter
from generator.records.comparison import is_outside
from generator.records.definition import Definition
from generator.records.explanation import Turn
from generator.records.figures import counted
from generator.records.grade import Column, Grade, Letter, MatchNight
from generator.records.telling import listed, most_within, were

_BEST_FIRST = (Letter.A, Letter.B, Letter.C, Letter.D)


def match_turns(grade: Grade, definition: Definition) -> tuple[Turn, ...]:
    """Return the nearest conditions for a better and for a worse letter; none where M is not measured."""
    if grade.m_letter is None:
        return ()
    found = (_better(grade, grade.m_letter, definition), _worse(grade, grade.m_letter, definition))
    return tuple(turn for turn in found if turn is not None)


def rank(letter: Letter) -> int:
    """Return a letter's place from A, 0, to D."""
    return _BEST_FIRST.index(letter)


def _better(grade: Grade, letter: Letter, definition: Definition) -> Turn | None:
    """Return what M needs to read better: fewer nights outside, and less own variation only where that is needed."""
    outside, above = grade.m_nights_outside, grade.m_own_variation_above_floor
    tries = [(nights, above) for nights in range(outside - 1, -1, -1)]
    if above:
        tries += [(nights, False) for nights in range(outside, -1, -1)]
    for nights, varies in tries:
        reached = match_letter(nights, own_variation_above_floor=varies, definition=definition)
        if rank(reached) < rank(letter):
            needs = [_fewer(grade, nights, definition)] if nights < outside else []
            needs += [_own(grade, definition)] if above and not varies else []
            return Turn(column=Column.M, letter=reached, words=f"M would read {reached} with {listed(needs)}")
    return None


def _fewer(grade: Grade, nights: int, definition: Definition) -> str:
    level = _level(definition)
    outside = [night for night in grade.m_night if _outside(night, level)]
    places = listed(
        f"on {night.night.isoformat()} {counted(night.mismatches, 'mismatch', 'mismatches')} in {night.prompts} where "
        f"at most {most_within(night.prompts, _allowed(night), level)} are within"
        for night in outside
    )
    return f"at most {counted(nights, 'night')} outside ({were(grade.m_nights_outside)}: {places})"


def _own(grade: Grade, definition: Definition) -> str:
    """Return how many of the endpoint's own pairs may differ, from the record's families."""
    stable = [family for family in grade.m_family if family.stable]
    pairs = sum(family.pairs for family in stable)
    allowed = sum(
        (
            family.pairs * Fraction(family.floor_numerator, family.floor_denominator)
            for family in stable
            if family.floor_numerator is not None and family.floor_denominator is not None
        ),
        Fraction(0),
    )
    margin = definition.margin
    most = most_within(pairs, allowed, margin.ratio if margin is not None and margin.own_variation else None)
    differing = sum(family.pairs_differing for family in stable)
    return f"at most {most} of its own {counted(pairs, 'night-to-night pair')} differing ({were(differing)})"


def _worse(grade: Grade, letter: Letter, definition: Definition) -> Turn | None:
    outside, above = grade.m_nights_outside, grade.m_own_variation_above_floor
    level = _level(definition)
    for nights in range(outside + 1, grade.m_nights_observed + 1):
        reached = match_letter(nights, own_variation_above_floor=above, definition=definition)
        if rank(reached) > rank(letter):
            words = f"M would read {reached} with {counted(nights, 'night')} outside ({were(outside)})"
            return Turn(column=Column.M, letter=reached, words=words + _nearest(grade, nights - outside, level))
    return None


def _nearest(grade: Grade, more: int, level: Fraction | None) -> str:
    """Return the nights within that need the fewest further mismatches to be outside, so many of them, in order."""
    needed = sorted(
        (least - night.mismatches, night.night, least, night)
        for night in grade.m_night
        if not _outside(night, level)
        and (least := most_within(night.prompts, _allowed(night), level) + 1) <= night.prompts
    )
    if len(needed) < more:
        return "; the other nights allow as many mismatches as prompts"
    nights = sorted(needed[:more], key=lambda each: each[1])
    places = listed(
        f"on {when.isoformat()}, outside from {counted(least, 'mismatch', 'mismatches')} in {night.prompts} on "
        f"({were(night.mismatches)})"
        for _, when, least, night in nights
    )
    return f"; nearest: {places}"


def _level(definition: Definition) -> Fraction | None:
    return None if definition.margin is None else definition.margin.ratio


def _allowed(night: MatchNight) -> Fraction:
    return Fraction(night.allowed_numerator, night.allowed_denominator)


def _outside(night: MatchNight, level: Fraction | None) -> bool:
    return is_outside(night.mismatches, night.prompts, _allowed(night), level)
