"""Tables, charts and sections as values: what a page says in figures, before any markup.

Cells may hold a stranger's text; the templates make it visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec
from markupsafe import Markup

from generator.records.calibration import Share
from generator.records.figures import printed
from generator.records.grade import Letter

NONE = "none"


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table: the first cell of each row names the row."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: frozenset[str] = frozenset()
    """The heads of columns that hold nothing but numbers."""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart, with the figures that it is drawn from."""

    svg: Markup
    caption: str
    table: Table


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a page under its own heading."""

    id: str
    title: str
    words: tuple[str, ...]
    """A paragraph each."""
    charts: tuple[Chart, ...] = ()
    matrices: tuple[tuple[str, Markup], ...] = ()
    """Small charts that stand beside one another, each with its name; the tables below have their figures."""
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    """Tables that a reader opens."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: '1 night', '1,200 windows', '8 families'."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def letters_words(letters: Mapping[Letter, int], not_measured: int = 0) -> str:
    """Return how often each letter was read: 'A 180, D 20', in the order of the letters."""
    words = [f"{letter} {letters[letter]:,}" for letter in Letter if letters.get(letter)]
    if not_measured:
        words.append(f"not measured {not_measured:,}")
    return ", ".join(words) or NONE


def added(counts: Iterable[Mapping[Letter, int]]) -> dict[Letter, int]:
    """Return several counts of letters as one."""
    total: dict[Letter, int] = {}
    for each in counts:
        for letter, count in each.items():
            total[letter] = total.get(letter, 0) + count
    return total


def percent_of(share: Share) -> Fraction:
    """Return a share in percent."""
    return Fraction(100 * share.part, share.whole)


def percent_words(value: Fraction) -> str:
    """Return a percentage as printed, to two digits."""
    return f"{printed(value, digits=2)} %"
