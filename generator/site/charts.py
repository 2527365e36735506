"""Charts of shares and counts as inline SVG: strip plots, bars, steps over whole numbers, and a small square of counts.

What they are drawn with, and what holds for all of it, stands in `drawing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec
from markupsafe import Markup

from generator.site.drawing import (
    LEFT,
    MOST_LABEL,
    RIGHT,
    WIDTH,
    About,
    box,
    circle,
    figure_of,
    letters,
    picture,
    rule,
    text,
    triangle,
)
from generator.site.scales import nice

_MARK = 8
"""How much room a mark takes, across and up; the width of an axis is a multiple of it."""
_MOST_STACKED = 6
"""Circles drawn on one place; where more values fall on it, their number stands above."""
_CELL = 30


class StripRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a strip plot."""

    label: str
    values: tuple[Fraction, ...]
    """A circle each; those that fall on one place are stacked."""
    at: Fraction | None = None
    """A triangle below the line; None for none."""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bar."""

    label: str
    share: Fraction
    """From 0 to 1."""
    figure: str
    """The share in words, as counted."""


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """The horizontal axis of a plot."""

    low: Fraction
    high: Fraction
    unit: str = " %"

    def place(self, value: Fraction) -> Fraction:
        """Return where a value lies across a chart."""
        span = self.high - self.low
        return LEFT + (RIGHT - LEFT) * (min(max(value, self.low), self.high) - self.low) / span


def strip(about: About, rows: Sequence[StripRow], axis: Axis, line: str = "") -> Markup:
    """Return a strip plot: one line for each row, a circle for each value, a triangle for what it is held against.

    Where more than six values fall on one place, their number stands above the circles.

    Args:
        about: the chart's name, title and description.
        rows: from top to bottom; values in the axis's unit.
        axis: shared by all rows.
        line: what the triangle is called; written beside it where there is only one row.
    """
    parts: list[Markup] = []
    y = 0
    for row in rows:
        stacks = _stacks(row.values, axis)
        high = max(stacks.values(), default=1)
        ground = y + 22 + _MARK * min(high, _MOST_STACKED) + (14 if high > _MOST_STACKED else 0)
        parts += [text(LEFT, y + 14, row.label), rule(LEFT, ground, RIGHT, ground)]
        for x, count in stacks.items():
            drawn = min(count, _MOST_STACKED)
            parts += [circle(x, ground - _MARK // 2 - 1 - _MARK * level) for level in range(drawn)]
            if count > drawn:
                parts.append(text(x, ground - _MARK * drawn - 4, str(count), anchor="middle"))
        if row.at is not None:
            parts.append(triangle(axis.place(row.at), ground))
            if line:
                parts.append(text(axis.place(row.at), ground + 24, line, anchor=_anchor(axis.place(row.at))))
        y = ground + (34 if line and row.at is not None else 16)
    parts += _axis(axis, y)
    return picture(about, WIDTH, y + 26, parts)


def bars(about: About, rows: Sequence[Bar]) -> Markup:
    """Return horizontal bars from 0 to all, each with its figure in words."""
    parts: list[Markup] = []
    for index, row in enumerate(rows):
        y = 40 * index
        parts += [
            text(LEFT, y + 14, row.label, most=MOST_LABEL - len(row.figure)),
            text(RIGHT, y + 14, row.figure, anchor="end"),
        ]
        parts.append(box(LEFT, y + 20, RIGHT - LEFT, 11, "frame"))
        if row.share:
            parts.append(box(LEFT, y + 20, (RIGHT - LEFT) * row.share, 11, "full"))
    return picture(about, WIDTH, 40 * len(rows), parts)


def steps(about: About, points: Sequence[tuple[int, Fraction]], unit: str) -> Markup:
    """Return a figure over whole numbers as upright lines, each topped by a circle.

    Args:
        about: the chart's name, title and description.
        points: (number, figure), ascending, at least one; figures are not negative.
        unit: what one of the figures is, 'point'.
    """
    across = Axis(low=Fraction(points[0][0] - 1), high=Fraction(points[-1][0] + 1), unit="")
    top = nice(max(figure for _, figure in points))
    parts = [
        text(LEFT, 14, f"{figure_of(top)} {unit if top == 1 else unit + 's'}"),
        rule(LEFT, 24, RIGHT, 24, "faint"),
    ]
    for number, figure in points:
        x, y = across.place(Fraction(number)), 144 - 120 * figure / top
        parts += [rule(x, 144, x, y), circle(x, y)]
    parts.append(rule(LEFT, 144, RIGHT, 144))
    for number in (points[0][0], points[-1][0]) if len(points) > 1 else (points[0][0],):
        parts.append(text(across.place(Fraction(number)), 162, str(number), anchor="middle"))
    return picture(about, WIDTH, 170, parts)


def matrix(about: About, labels: Sequence[str], counts: Mapping[tuple[str, str], int]) -> Markup:
    """Return a square of counts, first by row and then by column; cells on the diagonal have a double frame.

    Args:
        about: the chart's name, title and description.
        labels: of rows and of columns, single characters.
        counts: by (row, column); what is not there is none, and its cell stays blank.
    """
    parts: list[Markup] = []
    for row, first in enumerate(labels):
        y = _CELL * (row + 1)
        parts.append(letters((_CELL // 2,), y + 20, (first,)))
        parts.append(letters((_CELL * (row + 1) + _CELL // 2,), 20, (first,)))
        for column, second in enumerate(labels):
            x = _CELL * (column + 1)
            parts.append(box(x + 1, y + 1, _CELL - 2, _CELL - 2, "frame"))
            if row == column:
                parts.append(box(x + 4, y + 4, _CELL - 8, _CELL - 8, "frame"))
            if counts.get((first, second)):
                parts.append(text(x + _CELL // 2, y + 20, str(counts[first, second]), anchor="middle"))
    size = _CELL * (len(labels) + 1)
    return picture(about, size, size, parts, "matrix")


def _stacks(values: Sequence[Fraction], axis: Axis) -> Counter[int]:
    """Return how many values fall on each place across, on a grid as fine as a mark, from left to right."""
    return Counter(LEFT + round((axis.place(value) - LEFT) / _MARK) * _MARK for value in sorted(values))


def _axis(axis: Axis, y: int) -> list[Markup]:
    parts = [rule(LEFT, y, RIGHT, y, "faint")]
    for value, anchor in ((axis.low, "start"), ((axis.low + axis.high) / 2, "middle"), (axis.high, "end")):
        x = axis.place(value)
        parts += [rule(x, y, x, y + 5), text(x, y + 20, figure_of(value) + axis.unit, anchor=anchor)]
    return parts


def _anchor(x: Fraction) -> str:
    """Return how a text hangs at a place so that it stays inside."""
    if x < WIDTH // 3:
        return "start"
    return "end" if x > WIDTH - WIDTH // 3 else "middle"
