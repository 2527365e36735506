"""Match, night by night: the mismatches of each night of a window as a bar, against the line of what the floors allow.

A bar is plain up to the line. Only what lies beyond it, where `records.reading` says so, has a texture of its own.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from markupsafe import Markup

from generator.records.definition import Definition
from generator.records.grade import Grade, MatchNight
from generator.records.reading import NOT_MEASURED, allowed_figure, night_words
from generator.site.drawing import LEFT, RIGHT, WIDTH, About, Texture, figure_of, picture, rule, text, textured
from generator.site.scales import nice
from generator.site.tables import Chart, Table, counted

_BARS_FROM, _BARS_TO = 98, 256
_ROW, _BAR, _HEAD = 22, 12, 22
_BEYOND = {"outside": Texture.FULL, "within the margin": Texture.SLANT}


def chart(name: str, grade: Grade, definition: Definition) -> Chart:
    """Return each night of a grade's window, measured or not, with its table.

    Args:
        name: the chart's id on its page.
        grade: whose window it is.
        definition: that the grade was made under.
    """
    measured = {night.night: night for night in grade.m_night}
    rows = tuple((night, measured.get(night)) for night in grade.nights)
    readings = [NOT_MEASURED if match is None else night_words(match, definition) for _, match in rows]
    beyond = "is full" if definition.margin is None else "is slanted within the margin, and full outside it"
    about = About(
        name=name,
        title="Mismatches of each night, and how many the floors allow",
        description=f"{counted(len(rows), 'night')}, one line each: "
        + "; ".join(f"{reading} {readings.count(reading)}" for reading in sorted(set(readings)))
        + ".",
    )
    return Chart(
        svg=_drawn(about, rows, readings),
        caption="Each bar is a night's mismatches, counted from the left; the upright line is how many the floors "
        f"allow. What lies beyond it {beyond}; figures are mismatches / allowed.",
        table=Table(
            caption="Mismatches of each night among the prompts that count for match, and how many the floors allow",
            heads=("Night", "Prompts", "Mismatches", "Allowed", "Reading"),
            rows=tuple(_cells(night, match, reading) for (night, match), reading in zip(rows, readings, strict=True)),
            figures=frozenset({"Prompts", "Mismatches", "Allowed"}),
        ),
    )


def _cells(night: date, match: MatchNight | None, reading: str) -> tuple[str, ...]:
    if match is None:
        return night.isoformat(), "", "", "", reading
    return night.isoformat(), f"{match.prompts:,}", f"{match.mismatches:,}", allowed_figure(match), reading


def _drawn(about: About, rows: tuple[tuple[date, MatchNight | None], ...], readings: list[str]) -> Markup:
    figures = [figure for _, match in rows if match for figure in (_allowed(match), Fraction(match.mismatches))]
    highest = nice(max(figures, default=Fraction(1)))
    scale = Fraction(_BARS_TO - _BARS_FROM) / highest
    parts = [text(RIGHT, 12, "mismatches / allowed", anchor="end")]
    y = _HEAD
    for (night, match), reading in zip(rows, readings, strict=True):
        parts.append(text(LEFT, y + 15, night.isoformat()))
        if match is None:
            parts.append(text(_BARS_FROM, y + 15, NOT_MEASURED))
        else:
            parts += _bar(match, reading, y, scale)
        y += _ROW
    parts.append(rule(_BARS_FROM, _HEAD, _BARS_FROM, y))
    parts += [text(_BARS_FROM, y + 14, "0"), text(_BARS_TO, y + 14, figure_of(highest), anchor="end")]
    return picture(about, WIDTH, y + 20, parts)


def _bar(match: MatchNight, reading: str, y: int, scale: Fraction) -> list[Markup]:
    allowed, top = _allowed(match), y + (_ROW - _BAR) // 2
    line = _BARS_FROM + allowed * scale
    inside = min(Fraction(match.mismatches), allowed)
    parts = [text(RIGHT, y + 15, f"{match.mismatches:,} / {allowed_figure(match)}", anchor="end", most=13)]
    if inside:
        parts.append(textured(Texture.PLAIN, _BARS_FROM, top, inside * scale, _BAR))
    if match.mismatches > allowed:
        parts.append(textured(_BEYOND[reading], line, top, (match.mismatches - allowed) * scale, _BAR))
    parts.append(rule(line, y, line, y + _ROW, "line"))
    return parts


def _allowed(match: MatchNight) -> Fraction:
    return Fraction(match.allowed_numerator, match.allowed_denominator)
