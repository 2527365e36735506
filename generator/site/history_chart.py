"""The history of an endpoint as a strip: of each window the letter and the four columns, under one method version.

Up to `MOST_IN_LETTERS` windows every window is a column of letters. Past it the windows stand by month, as bars stacked
by letter, and the newest in letters below them. What does not fit one line is drawn for two widths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from itertools import groupby

import msgspec
from markupsafe import Markup

from generator.records.grade import Column, Grade, Letter
from generator.records.reading import NO_LETTER
from generator.site.drawing import (
    BROAD,
    LEFT,
    RIGHT,
    WIDTH,
    About,
    Texture,
    box,
    letters,
    picture,
    rule,
    text,
    textured,
)
from generator.site.tables import Table, counted, letters_words

MOST_IN_LETTERS = 120
"""Windows that are drawn a letter each; more are drawn by month."""
PER_LINE = 28
"""Windows in one line of letters: four weeks; eight of them where the page is broad."""
MONTHS_PER_LINE = 24
NO_GRADE = "\N{MIDDLE DOT}"
"""Stands where a window has no grade."""

LANES = ("Grade", *Column)
TEXTURES = {
    Letter.A: Texture.PLAIN,
    Letter.B: Texture.DOTS,
    Letter.C: Texture.SLANT,
    Letter.D: Texture.FULL,
    Letter.U: Texture.LEVEL,
}
_DASHES = {Letter.C: "4 2", Letter.D: "1 2"}
_LANES_FROM = 58
_LANE, _GRADE_LANE = 15, 18
_BAR, _BAR_LANE = 18, 23
_LETTERS_HIGH = 5 * _LANE + 34
_MONTHS_HIGH = 5 * _BAR_LANE + 26
_NOTHING = Markup()


class _Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What a strip is drawn on."""

    width: int
    per_line: int
    kind: str

    @property
    def across(self) -> int:
        """From the first window of a line to the last."""
        return self.width - (WIDTH - RIGHT) - _LANES_FROM


_ALONE = _Sheet(width=WIDTH, per_line=PER_LINE, kind="wide")
_SLIM = _Sheet(width=WIDTH, per_line=PER_LINE, kind="wide slim")
_BROAD = _Sheet(width=BROAD, per_line=2 * PER_LINE, kind="wide broad")


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One window of an endpoint's history."""

    end: date
    grade: Grade | None
    """None where the endpoint has no grade of it under the version."""

    @property
    def letters(self) -> tuple[Letter | None, ...]:
        """The grade's letter and its columns', None where not measured; nothing without a grade."""
        if self.grade is None:
            return ()
        return (self.grade.letter, *map(self.grade.column_letter, Column))


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The windows that ended in one month."""

    name: str
    """As in '2026-11'."""
    windows: int
    graded: int
    lanes: tuple[dict[Letter, int], ...]
    """For the grade and each column, how many windows read each letter."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The month in words, as its row of the table says it."""
        words = (letters_words(lane, self.graded - sum(lane.values())) for lane in self.lanes)
        return self.name, f"{self.windows:,}", *words, f"{self.windows - self.graded:,}"


def history(grades: Iterable[Grade], nights: Iterable[date]) -> tuple[Window, ...]:
    """Return every window from the first that was graded to the last, ascending: each recorded night ends one.

    Args:
        grades: an endpoint's, under one version.
        nights: the recorded nights.
    """
    by_end = {grade.window_end: grade for grade in grades}
    if not by_end:
        return ()
    first, last = min(by_end), max(by_end)
    ends = sorted({night for night in nights if first < night < last} | by_end.keys())
    return tuple(Window(end=end, grade=by_end.get(end)) for end in ends)


def months(windows: Sequence[Window]) -> tuple[Month, ...]:
    """Return windows by the month that they ended in, ascending."""
    found = []
    for name, group in groupby(windows, key=lambda window: window.end.isoformat()[:7]):
        held = tuple(group)
        graded = [window.letters for window in held if window.grade]
        lanes = tuple(dict(Counter(letter for letter in lane if letter)) for lane in zip(*graded, strict=True))
        found.append(Month(name=name, windows=len(held), graded=len(graded), lanes=lanes or ({},) * len(LANES)))
    return tuple(found)


def month_table(found: Iterable[Month], version: str) -> Table:
    """Return the figures of the bars: for each month how many windows read each letter."""
    return Table(
        caption=f"Windows by the month they ended in, under method version {version}: how many read each letter",
        heads=("Month", "Windows", *LANES, "No grade"),
        rows=tuple(month.cells for month in found),
        figures=frozenset({"Windows", "No grade"}),
    )


def chart(name: str, windows: Sequence[Window], version: str) -> Markup:
    """Return the strip of some windows; of more than one line, first as a phone shows it and then as a page does.

    Args:
        name: the chart's id on its page.
        windows: ascending, at least one.
        version: the method version of every grade.
    """
    about = _about(name, windows, version)
    if len(windows) <= PER_LINE:
        return _drawn(about, windows, _ALONE)
    broad = msgspec.structs.replace(about, name=f"{name}-broad")
    return _drawn(about, windows, _SLIM) + _drawn(broad, windows, _BROAD)


def _drawn(about: About, windows: Sequence[Window], sheet: _Sheet) -> Markup:
    parts: list[Markup] = []
    shown, y = windows, 0
    if len(windows) > MOST_IN_LETTERS:
        by_month = months(windows)
        parts, y = _legend(), 26
        for start in range(0, len(by_month), MONTHS_PER_LINE):
            parts += _bars(by_month[start : start + MONTHS_PER_LINE], y, sheet)
            y += _MONTHS_HIGH
        shown = windows[-sheet.per_line :]
    for start in range(0, len(shown), sheet.per_line):
        parts += _letters(shown[start : start + sheet.per_line], y, sheet)
        y += _LETTERS_HIGH
    return picture(about, sheet.width, y - 8, parts, sheet.kind)


def _about(name: str, windows: Sequence[Window], version: str) -> About:
    graded = [window.letters for window in windows if window.grade]
    lanes = (
        f"{lane} {letters_words(Counter(filter(None, column)), column.count(None))}"
        for lane, column in zip(LANES, zip(*graded, strict=True), strict=True)
    )
    return About(
        name=name,
        title=f"Letter and columns of each window under method version {version}",
        description=f"{counted(len(windows), 'window')} that ended {_span(windows[0].end, windows[-1].end)}; "
        f"{'; '.join(lanes)}; no grade {len(windows) - len(graded):,}.",
    )


def _letters(windows: Sequence[Window], y: int, sheet: _Sheet) -> list[Markup]:
    """Return one line of windows, a letter for each lane; a run of one letter of the grade has that letter's frame."""
    cell = Fraction(sheet.across, sheet.per_line)
    places = [_LANES_FROM + cell * index + cell / 2 for index in range(len(windows))]
    held = [window.letters for window in windows]
    parts = []
    for lane, title in enumerate(LANES):
        foot = y + 14 + lane * _LANE + (3 if lane else 0)
        glyphs = [(each[lane] or NO_LETTER) if each else NO_GRADE for each in held]
        parts += [text(LEFT, foot, title), letters(places, foot, glyphs)]
    at = 0
    for letter, run in groupby(windows, key=lambda window: window.grade and window.grade.letter):
        long = len(tuple(run))
        if letter is not None:
            parts.append(_frame(letter, _LANES_FROM + cell * at, y + 1, cell * long))
        at += long
    parts.append(text(_LANES_FROM, y + 5 * _LANE + 17, _span(windows[0].end, windows[-1].end)))
    return parts


def _frame(letter: Letter, x: Fraction, y: int, width: Fraction) -> Markup:
    """Return the border that a letter has wherever it stands: one line, two, dashes, dots, or above and below."""
    dashes = Markup(' stroke-dasharray="{}"').format(_DASHES[letter]) if letter in _DASHES else _NOTHING
    inner, high = width - 1, _GRADE_LANE
    x += Fraction(1, 2)
    if letter is Letter.U:
        lines = rule(x, y, x + inner, y) + rule(x, y + high, x + inner, y + high)
    else:
        lines = box(x, y, inner, high)
        if letter is Letter.B:
            lines += box(x + Fraction(3, 2), y + Fraction(3, 2), inner - 3, high - 3)
    return _coloured(letter, lines, dashes)


def _coloured(letter: Letter, drawn: Markup, given: Markup = _NOTHING) -> Markup:
    """Return lines and boxes in the colour that a letter has on every page."""
    return Markup('<g class="{}"{}>{}</g>').format(letter, given, drawn)


def _bars(found: Sequence[Month], y: int, sheet: _Sheet) -> list[Markup]:
    """Return one line of months, a stacked bar for each lane."""
    step = sheet.across // MONTHS_PER_LINE
    parts = []
    for lane, title in enumerate(LANES):
        ground = y + lane * _BAR_LANE + _BAR
        parts.append(text(LEFT, ground - 4, title))
        for index, month in enumerate(found):
            x, top = _LANES_FROM + step * index, Fraction(ground)
            for letter in Letter:
                high = Fraction(_BAR * month.lanes[lane].get(letter, 0), month.windows)
                top -= high
                if high:
                    parts.append(_coloured(letter, textured(TEXTURES[letter], x, top, step - 2, high)))
        parts.append(rule(_LANES_FROM, ground, _LANES_FROM + step * len(found), ground, "faint"))
    parts.append(text(_LANES_FROM, y + 5 * _BAR_LANE + 10, _span(found[0].name, found[-1].name)))
    return parts


def _legend() -> list[Markup]:
    parts = []
    for index, (letter, texture) in enumerate(TEXTURES.items()):
        x = _LANES_FROM + 40 * index
        swatch = _coloured(letter, textured(texture, x, 2, 14, 12))
        parts += [swatch, letters((x + 24,), 13, (letter,))]
    return parts


def _span(first: date | str, last: date | str) -> str:
    return f"{first}" if first == last else f"{first} to {last}"
