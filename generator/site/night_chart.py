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
from generator.site.charts import nice
from generator.site.drawing import LEFT, RIGHT, WIDTH, About, Point, box, figure_of, picture, rule, text, textured
from generator.site.interface import NightMaterial
from generator.site.library import counts_as_recorded
from generator.site.outcome_chart import NOT_ANSWERED, TEXTURES, counts_of
from generator.site.tables import counted

MOST_COLUMNS = 62
"""Days, or months, that stand beside one another; more are added up by the next longer span."""
_WIDEST = 24
_HIGH = 60
_CENTS = 100
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

    Args:
        nights: recorded and void, in any order.
    """
    found = columns(nights)
    if not found:
        return Markup()
    step = min((RIGHT - LEFT) // len(found), _WIDEST)
    span = _SPANS[len(found[0].name)]
    parts = [*_not_answered(found, step), *_costs(found, step, span), text(LEFT, 206, _ends(found)), *_legend()]
    return picture(_about(found, span), WIDTH, 258, parts)


def _about(found: Sequence[Column], span: str) -> About:
    cost = sum((column.cost for column in found), Decimal(0))
    totals = ", ".join(f"{sum(column.counts[outcome] for column in found):,} {outcome}" for outcome in TEXTURES)
    return About(
        name="nights-chart",
        title="Observations that were not answered, and what the nights cost",
        description=f"{counted(sum(column.nights for column in found), 'night')}, {_ends(found)}, a column a {span}: "
        f"{totals}; {sum(column.void for column in found):,} void; USD {decimal_text(cost)}.",
    )


def _not_answered(found: Sequence[Column], step: int) -> list[Markup]:
    """Return whatever was not answered as a share of what was planned, stacked from the ground; void nights crossed."""
    top = nice(max(_percent(column, NOT_ANSWERED) for column in found))
    parts = [text(LEFT, 14, f"Not answered: up to {figure_of(top)} % of all planned"), *_frame(20, step, found)]
    for index, column in enumerate(found):
        x, ground = LEFT + step * index, Fraction(20 + _HIGH)
        for outcome in NOT_ANSWERED:
            high = _HIGH * _percent(column, (outcome,)) / top
            ground -= high
            if high:
                parts.append(textured(TEXTURES[outcome], x, ground, step - 1, high))
        if column.void:
            parts.append(_cross(x + Fraction(step - 1, 2), 27 + _HIGH))
    return parts


def _costs(found: Sequence[Column], step: int, span: str) -> list[Markup]:
    dearest = nice(max(Fraction(column.cost) for column in found) * _CENTS) / _CENTS
    parts = [text(LEFT, 124, f"Cost: up to USD {figure_of(dearest)} a {span}"), *_frame(130, step, found)]
    for index, column in enumerate(found):
        high = _HIGH * Fraction(column.cost) / dearest
        if high:
            parts.append(box(LEFT + step * index, 130 + _HIGH - high, step - 1, high, "cost"))
    return parts


def _legend() -> list[Markup]:
    parts = []
    for index, outcome in enumerate(NOT_ANSWERED):
        x, y = LEFT + (index % 3) * 112, 218 + 20 * (index // 3)
        parts += [textured(TEXTURES[outcome], x, y, 14, 12), text(x + 20, y + 11, outcome)]
    return [*parts, _cross(LEFT + 231, 244), text(LEFT + 244, 249, "void")]


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


def _frame(y: int, step: int, found: Sequence[Column]) -> list[Markup]:
    """Return the line that bars can reach at most, and the one they stand on."""
    end = LEFT + step * len(found)
    return [rule(LEFT, y, end, y, "faint"), rule(LEFT, y + _HIGH, end, y + _HIGH)]


def _cross(x: Point, y: int) -> Markup:
    return rule(x - 2, y - 2, x + 2, y + 2) + rule(x - 2, y + 2, x + 2, y - 2)
