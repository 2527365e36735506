"""The rows of a permanent page's tables, as they are printed."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from generator.records.figures import printed
from generator.records.grade import Column, Grade, MatchFamily
from generator.records.permalink import method_path, night_path
from generator.records.reading import (
    COLUMN_WORDS,
    NO_LETTER,
    NOT_MEASURED,
    Reading,
    night_figures,
    provisional_words,
)
from generator.site.anchors import COLUMN_ANCHORS
from generator.site.interface import GradeContext
from generator.site.links import INDEX, Links

_REMEMBERED = 1024
"""Floors and nights that are kept as printed."""

_FAMILY = attrgetter("family")


class NightRow(NamedTuple):
    """One night of the window as printed; figures are None where nothing was measured."""

    night: str
    href: str
    prompts: int | None
    mismatches: int | None
    allowed: str | None
    reading: str
    declared: str | None
    """None where the page does not say it; otherwise a stranger's word, 'absent' or 'not listed'."""


class FamilyRow(NamedTuple):
    """One family as printed."""

    family: str
    stable: str
    floor: str
    prompts: int
    mismatches: int
    pairs: int
    pairs_differing: int


def night_rows(grade: Grade, context: GradeContext, links: Links) -> tuple[NightRow, ...]:
    """Return every night of the window in order, measured or not."""
    measured = {night.night: night for night in grade.m_night}
    definition, precision_before = context.method.definition, context.precision_before
    rows = []
    for night, day, href in _days(links.up, grade.nights):
        match, declared = measured.get(night), None
        if precision_before:
            declared = (precision_before[night] or "absent") if night in precision_before else "not listed"
        if match is None:
            rows.append(NightRow(day, href, None, None, None, NOT_MEASURED, declared))
            continue
        allowed, reading = night_figures(match, definition)
        rows.append(NightRow(day, href, match.prompts, match.mismatches, allowed, reading, declared))
    return tuple(rows)


@lru_cache(_REMEMBERED)  # A window's nights stand on the pages of every endpoint.
def _days(up: str, nights: tuple[date, ...]) -> tuple[tuple[date, str, str], ...]:
    return tuple((night, night.isoformat(), f"{up}{night_path(night)}{INDEX}") for night in nights)


def superseded(grade: Grade, context: GradeContext) -> tuple[Grade, ...]:
    """Return the earlier grades that a grade names as superseded, oldest first: a letter and its columns, whole.

    A letter never stands without its columns: where the context lacks one, the page links to it and says no letter.
    """
    if not grade.supersedes:
        return ()
    known = {each.method_version: each for each in context.superseded}
    named = (earlier.method_version for earlier in grade.supersedes)
    return tuple(known[version] for version in named if version in known)


def without_columns(grade: Grade, context: GradeContext) -> tuple[str, ...]:
    """Return the method versions of those earlier grades whose columns the context lacks."""
    if not grade.supersedes:
        return ()
    known = {each.method_version for each in context.superseded}
    return tuple(each.method_version for each in grade.supersedes if each.method_version not in known)


def family_rows(grade: Grade) -> tuple[FamilyRow, ...]:
    """Return the families of a grade with their floors in percent, alphabetically."""
    return tuple(map(family_row, sorted(grade.m_family, key=_FAMILY)))


def task_rows(grade: Grade) -> tuple[tuple[str, int, int], ...]:
    """Return the keyed families of a grade with their correct and counted answers, alphabetically."""
    return tuple((task.family, task.correct, task.counted) for task in sorted(grade.t_family, key=_FAMILY))


def family_row(family: MatchFamily) -> FamilyRow:
    """Return a family as it is printed."""
    stable = "stable" if family.stable else "not stable"
    counts = family.prompts, family.mismatches, family.pairs, family.pairs_differing
    return FamilyRow(family.family, stable, floor_words(family), *counts)


def floor_words(family: MatchFamily) -> str:
    """Return a family's floor in percent with its sign, or that it has none."""
    if family.floor_numerator is None or family.floor_denominator is None:
        return "no floor"
    return _percent(family.floor_numerator, family.floor_denominator)


@lru_cache(_REMEMBERED)  # A floor is its model's: it stands on the pages of every endpoint.
def _percent(numerator: int, denominator: int) -> str:
    return f"{printed(Fraction(100 * numerator, denominator), digits=2)} %"


def column_row(reading: Reading, grade: Grade, links: Links) -> tuple[str, str, str, str]:
    """Return where a column is defined, what it is called, its letter, and its value in words."""
    href, name = _column(links.up, grade.method_version, reading.column)
    return href, name, reading.letter or NO_LETTER, reading.words


@lru_cache(_REMEMBERED)
def _column(up: str, version: str, column: Column) -> tuple[str, str]:
    href = f"{up}{method_path(version)}{INDEX}#{COLUMN_ANCHORS[column]}"
    return href, f"{column}, {COLUMN_WORDS[column]}"


def short_cells(grade: Grade, links: Links, status: str = "") -> tuple[str, ...]:
    """Return what the short form of a grade is spelled of, its address, and what stands after it."""
    columns = (letter or NO_LETTER for letter in grade.column_letters)
    return grade.letter, grade.method_version, *columns, links.grade(grade), provisional_words(grade) + status
