"""Cost and outcomes over all nights: a column a day, or a month or a year where there are many, added up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import msgspec
from markupsafe import Markup

from generator.records.figures import decimal_text
from generator.records.observation import Outcome
from generator.site.drawing import BROAD, LEFT, RIGHT, WIDTH, About, Point, box, picture, rule, text, textured
from generator.site.interface import NightMaterial
from generator.site.library import counts_as_recorded
from generator.site.outcome_chart import NOT_ANSWERED, TEXTURES, counts_of
from generator.site.scales import tick_words, ticks
from generator.site.tables import counted

MOST_COLUMNS = 62
"""Days, or months, that stand beside one another; more are added up by the next longer span."""
_FEW = 14
"""Columns that one drawing of the width of a phone holds well; they are never broader than so many would be."""
_HIGH = 72
_UPPER, _LOWER = 28, 152
"""Where each of the two axes ends."""
_LEGEND = _LOWER + _HIGH + 28
_PER_LINE, _KEY = 3, 112
_AXIS, _DIGIT = LEFT + 6, 8
"""What stands between the edge and an axis: a little air, and room for each character of its longest figure."""
_SPANS = {len("2026-11-27"): "night", len("2026-11"): "month", len("2026"): "year"}


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in one column: a day, a month or a year."""

    name: str
    """As in '2026-11-27', '2026-11' or '2026'."""
    nights: int
    void: int
    """Of these nights."""
    counts: dict[Outcome, int]
    cost: Decimal


class _Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Where columns stand."""

    start: int
    """The left edge of the first."""
    step: int
    """From one to the next."""
    columns: int


def columns(nights: Sequence[NightMaterial]) -> tuple[Column, ...]:
    """Return nights by the shortest span, day, month or year, of which there are not too many; ascending, no gaps."""
    if not nights:
        return ()
    days = [night.record.night for night in nights]
    every = [min(days) + timedelta(days=day) for day in range((max(days) - min(days)).days + 1)]
    size = next((size for size in _SPANS if len({_named(day, size) for day in every}) <= MOST_COLUMNS), len("2026"))
    held: dict[str, list[NightMaterial]] = defaultdict(list)
    for night in nights:
        held[_named(night.record.night, size)].append(night)
    names = sorted({_named(day, size) for day in every})
    return tuple(_column(each, held[each]) for each in names)


def over_nights(nights: Sequence[NightMaterial]) -> Markup:
    """Return what was not answered and what it cost over nights, as one small chart; nothing before the first night.

    Many columns are drawn twice: first as a phone shows them and then as a page does.

    Args:
        nights: recorded and void, in any order.
    """
    found = columns(nights)
    if not found:
        return Markup()
    if len(found) <= _FEW:
        return _drawn("nights-chart", found, WIDTH, "wide")
    broad = _drawn("nights-chart-broad", found, BROAD, "wide broad")
    return _drawn("nights-chart", found, WIDTH, "wide slim") + broad


def _drawn(name: str, found: Sequence[Column], width: int, kind: str) -> Markup:
    span = _SPANS[len(found[0].name)]
    shares = ticks(max(_percent(column, NOT_ANSWERED) for column in found))
    costs = ticks(max(Fraction(column.cost) for column in found))
    start = _AXIS + _DIGIT * max(map(len, (*tick_words(shares), *tick_words(costs))))
    room = width - (WIDTH - RIGHT) - start
    grid = _Grid(start=start, step=min(room // len(found), room // _FEW), columns=len(found))
    per_line = len(NOT_ANSWERED) + 1 if width == BROAD else _PER_LINE
    parts = [
        text(LEFT, 14, "Not answered, % of all planned"),
        *_axis(shares, _UPPER, grid),
        *_not_answered(found, shares[-1], grid),
        text(LEFT, _LOWER - 12, f"Cost of a {span}, USD"),
        *_axis(costs, _LOWER, grid),
        *_costs(found, costs[-1], grid),
        text(start, _LOWER + _HIGH + 16, _ends(found)),
        *_legend(per_line),
    ]
    lines = -(-(len(NOT_ANSWERED) + 1) // per_line)
    return picture(_about(name, found, span), width, _LEGEND + 20 * lines, parts, kind)


def _about(name: str, found: Sequence[Column], span: str) -> About:
    cost = sum((column.cost for column in found), Decimal(0))
    totals = ", ".join(f"{sum(column.counts[outcome] for column in found):,} {outcome}" for outcome in TEXTURES)
    return About(
        name=name,
        title="Observations that were not answered, and what the nights cost",
        description=f"{counted(sum(column.nights for column in found), 'night')}, {_ends(found)}, a column a {span}: "
        f"{totals}; {sum(column.void for column in found):,} void; USD {decimal_text(cost)}.",
    )


def _axis(marked: Sequence[Fraction], top: int, grid: _Grid) -> list[Markup]:
    """Return a line at each figure of an upright axis, the lowest one firm, with the figure beside it."""
    parts = []
    for value, words in zip(marked, tick_words(marked), strict=True):
        y = top + _HIGH - _HIGH * value / marked[-1]
        kind = "faint" if value else "firm"
        parts += [
            rule(grid.start, y, grid.start + grid.step * grid.columns, y, kind),
            text(grid.start - 6, y + 4, words, anchor="end"),
        ]
    return parts


def _not_answered(found: Sequence[Column], most: Fraction, grid: _Grid) -> list[Markup]:
    """Return whatever was not answered as a share of what was planned, stacked from the ground; void nights crossed."""
    parts = []
    for index, column in enumerate(found):
        x, ground = grid.start + grid.step * index, Fraction(_UPPER + _HIGH)
        for outcome in NOT_ANSWERED:
            high = _HIGH * _percent(column, (outcome,)) / most
            ground -= high
            if high:
                parts.append(textured(TEXTURES[outcome], x, ground, grid.step - 1, high))
        if column.void:
            parts.append(_cross(x + Fraction(grid.step - 1, 2), _UPPER + _HIGH + 7))
    return parts


def _costs(found: Sequence[Column], most: Fraction, grid: _Grid) -> list[Markup]:
    parts = []
    for index, column in enumerate(found):
        high = _HIGH * Fraction(column.cost) / most
        if high:
            parts.append(box(grid.start + grid.step * index, _LOWER + _HIGH - high, grid.step - 1, high, "cost"))
    return parts


def _legend(per_line: int) -> list[Markup]:
    places = [(LEFT + at % per_line * _KEY, _LEGEND + 20 * (at // per_line)) for at in range(len(NOT_ANSWERED) + 1)]
    parts = []
    for outcome, (x, y) in zip(NOT_ANSWERED, places, strict=False):
        parts += [textured(TEXTURES[outcome], x, y, 14, 12), text(x + 20, y + 11, outcome)]
    x, y = places[-1]
    return [*parts, _cross(x + 7, y + 6), text(x + 20, y + 11, "void")]


def _column(name: str, nights: Sequence[NightMaterial]) -> Column:
    counts = [counts_of(night.record.counts) for night in nights]
    return Column(
        name=name,
        nights=len(nights),
        void=sum(not counts_as_recorded(night) for night in nights),
        counts={outcome: sum(each[outcome] for each in counts) for outcome in TEXTURES},
        cost=sum((Decimal(night.record.cost_usd) for night in nights), Decimal(0)),
    )


def _percent(column: Column, outcomes: Iterable[Outcome]) -> Fraction:
    """Return how much of what was planned had one of some outcomes."""
    return Fraction(100 * sum(column.counts[outcome] for outcome in outcomes), sum(column.counts.values()) or 1)


def _named(day: date, size: int) -> str:
    return day.isoformat()[:size]


def _ends(found: Sequence[Column]) -> str:
    return found[0].name if len(found) == 1 else f"{found[0].name} to {found[-1].name}"


def _cross(x: Point, y: int) -> Markup:
    return rule(x - 2, y - 2, x + 2, y + 2) + rule(x - 2, y + 2, x + 2, y - 2)
