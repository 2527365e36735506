"""The history of an endpoint as a strip: of each window the letter and the four columns, under one method version.

Up to `MOST_IN_LETTERS` windows every window is a column of letters. Past it the windows stand by month, as bars stacked
by letter, and the newest in letters below them. What does not fit one line is drawn for two widths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

import msgspec
from markupsafe import Markup

from generator.records.grade import Grade, Letter
from generator.records.reading import NO_LETTER
from generator.site.drawing import BROAD, RIGHT, WIDTH, About, box, coloured, figure_of, letters_at, picture, rule
from generator.site.history_bars import (
    LANES,
    LANES_FROM,
    LEGEND_HIGH,
    LINE_HIGH,
    MONTHS_PER_LINE,
    Month,
    bars,
    legend,
    named,
    span,
    spanned,
)
from generator.site.tables import Table, added, counted, letters_words

MOST_IN_LETTERS = 120
"""Windows that are drawn a letter each; more are drawn by month."""
PER_LINE = 28
"""Windows in one line of letters: four weeks; eight of them where the page is broad."""
NO_GRADE = "\N{MIDDLE DOT}"
"""Stands where a window has no grade."""

_DASHES = {Letter.C: "4 2", Letter.D: "1 2"}
_LANE, _GRADE_LANE = 15, 18
_LETTERS_HIGH = 5 * _LANE + 34
_REMEMBERED = 2048


class _Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What a strip is drawn on."""

    width: int
    per_line: int
    kind: str

    @property
    def across(self) -> int:
        """From the first window of a line to the last."""
        return self.width - (WIDTH - RIGHT) - LANES_FROM


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
        return (self.grade.letter, *self.grade.column_letters)


def history(grades: Iterable[Grade], nights: Iterable[date], since: date | None = None) -> tuple[Window, ...]:
    """Return every window from the first that was graded to the last, ascending: each recorded night ends one.

    Args:
        grades: an endpoint's, under one version.
        nights: the recorded nights.
        since: the end of the first window that was graded, where its grade is not among these.
    """
    by_end = {grade.window_end: grade for grade in grades}
    if not by_end:
        return ()
    first, last = since or min(by_end), max(by_end)
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


def chart(name: str, windows: Sequence[Window], version: str, past: Sequence[Month] = ()) -> Markup:
    """Return the strip of some windows; of more than one line, first as a phone shows it and then as a page does.

    Args:
        name: the chart's id on its page.
        windows: ascending, at least one; or none where months are past.
        version: the method version of every grade.
        past: the months before the first of the windows, ascending, of which only the counts are known. With any, the
            strip stands by month.
    """
    found = (*past, *months(windows))
    ends = (found[0].name, found[-1].name) if past else tuple(f"{windows[at].end}" for at in (0, -1))
    about = _about(name, found, span(*ends), version)
    by_month = found if past or len(windows) > MOST_IN_LETTERS else ()
    if not by_month and len(windows) <= PER_LINE:
        return _drawn(about, windows, by_month, _ALONE)
    broad = msgspec.structs.replace(about, name=f"{name}-broad")
    return _drawn(about, windows, by_month, _SLIM) + _drawn(broad, windows, by_month, _BROAD)


def _drawn(about: About, windows: Sequence[Window], by_month: Sequence[Month], sheet: _Sheet) -> Markup:
    parts: list[Markup] = []
    shown, y = windows, 0
    if by_month:
        parts, y = legend(), LEGEND_HIGH
        for start in range(0, len(by_month), MONTHS_PER_LINE):
            parts += bars(by_month[start : start + MONTHS_PER_LINE], y, sheet.across)
            y += LINE_HIGH
        shown = windows[-sheet.per_line :]
    for start in range(0, len(shown), sheet.per_line):
        parts += _letters(shown[start : start + sheet.per_line], y, sheet)
        y += _LETTERS_HIGH
    return picture(about, sheet.width, y - 8, parts, sheet.kind)


def _about(name: str, found: Sequence[Month], ended: str, version: str) -> About:
    windows, graded = (sum(each) for each in zip(*((month.windows, month.graded) for month in found), strict=True))
    counts = [added(lanes) for lanes in zip(*(month.lanes for month in found), strict=True)]
    lanes = (
        f"{lane} {letters_words(read, graded - sum(read.values()))}" for lane, read in zip(LANES, counts, strict=True)
    )
    return About(
        name=name,
        title=f"Letter and columns of each window under method version {version}",
        description=f"{counted(windows, 'window')} that ended {ended}; {'; '.join(lanes)}; "
        f"no grade {windows - graded:,}.",
    )


def _letters(windows: Sequence[Window], y: int, sheet: _Sheet) -> list[Markup]:
    """Return one line of windows, a letter for each lane; a run of one letter of the grade has that letter's frame."""
    places = _places(len(windows), sheet)
    held = [window.letters for window in windows]
    parts = []
    for lane, title in enumerate(LANES):
        foot = y + 14 + lane * _LANE + (3 if lane else 0)
        glyphs = [(each[lane] or NO_LETTER) if each else NO_GRADE for each in held]
        parts += [named(title, foot), letters_at(places, foot, glyphs)]
    at = 0
    for letter, run in groupby(windows, key=lambda window: window.grade and window.grade.letter):
        long = len(tuple(run))
        if letter is not None:
            parts.append(_frame(letter, at, long, y + 1, sheet))
        at += long
    parts.append(spanned(f"{windows[0].end}", f"{windows[-1].end}", y + 5 * _LANE + 17))
    return parts


@lru_cache(_REMEMBERED)
def _places(count: int, sheet: _Sheet) -> str:
    """Return where the windows of a line have their middles, as `letters_at` takes it."""
    cell = Fraction(sheet.across, sheet.per_line)
    return " ".join(figure_of(LANES_FROM + cell * index + cell / 2) for index in range(count))


@lru_cache(_REMEMBERED)
def _frame(letter: Letter, at: int, long: int, y: int, sheet: _Sheet) -> Markup:
    """Return the border that a letter has wherever it stands: one line, two, dashes, dots, or above and below.

    Args:
        letter: of a run of windows.
        at: how many windows of the line stand before the run.
        long: windows of the run.
        y: of the upper edge.
        sheet: what is drawn on.
    """
    cell = Fraction(sheet.across, sheet.per_line)
    x, inner, high = LANES_FROM + cell * at + Fraction(1, 2), cell * long - 1, _GRADE_LANE
    if letter is Letter.U:
        lines = rule(x, y, x + inner, y) + rule(x, y + high, x + inner, y + high)
    else:
        lines = box(x, y, inner, high)
        if letter is Letter.B:
            lines += box(x + Fraction(3, 2), y + Fraction(3, 2), inner - 3, high - 3)
    return coloured(letter, lines, _DASHES.get(letter))
