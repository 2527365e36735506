"""Match, night by night: bars against the line, equal to their table, and no word of a difference within the line."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import msgspec
import picture_reader as seen
import pytest
import site_material as made

from generator.records import permalink
from generator.records.definition import Definition, MarginRule
from generator.records.grade import Grade, MatchNight
from generator.records.reading import NOT_MEASURED
from generator.site import match_chart
from generator.site.tables import Chart

PLAIN = made.method().definition
MARGIN = made.method("0.2", margin=MarginRule(level=1)).definition
SCALE = Fraction(256 - 98)


def window(*figures: tuple[int, Fraction | int] | None) -> Grade:
    """Return a grade of a window with (mismatches, allowed) of each night, None where it was not measured."""
    nights = tuple(date(2026, 1, 1) + timedelta(days=day) for day in range(len(figures)))
    measured = tuple(
        MatchNight(
            night=night,
            prompts=max(96, figure[0]),
            mismatches=figure[0],
            allowed_numerator=Fraction(figure[1]).numerator,
            allowed_denominator=Fraction(figure[1]).denominator,
        )
        for night, figure in zip(nights, figures, strict=True)
        if figure is not None
    )
    return made.grade(nights=nights, m_night=measured)


def drawn(grade: Grade, definition: Definition = PLAIN) -> tuple[Chart, seen.Element]:
    """Return a window's chart and its tree."""
    chart = match_chart.chart("m", grade, definition)
    return chart, seen.tree(chart.svg)


MIXED = window((0, 0), (3, Fraction(7, 2)), None, (4, 4), (12, 5), (96, Fraction(35, 3)), (7, Fraction(123, 10)))
SHAPES = [
    pytest.param(MIXED, id="mixed"),
    pytest.param(window(None), id="one night, not measured"),
    pytest.param(window((0, 0)), id="one night, nothing allowed"),
    pytest.param(window(*[(place % 97, Fraction(place, 7)) for place in range(400)]), id="400 nights"),
    pytest.param(window((123_456, Fraction(1, 3))), id="very many"),
]


class TestEveryChart:
    @pytest.mark.parametrize("grade", SHAPES)
    def test_nothing_lies_outside_or_on_something_else(self, grade: Grade):
        """Every mark lies inside the view box, and no text stands on another."""
        _, tree = drawn(grade)
        assert seen.outside(tree) == []
        assert seen.overlapping(tree) == []

    @pytest.mark.parametrize("grade", SHAPES)
    def test_a_row_for_every_night_of_the_window(self, grade: Grade):
        """Measured or not, each night has its line and its row in the table, in order."""
        chart, tree = drawn(grade)
        nights = [night.isoformat() for night in grade.nights]
        assert [row[0] for row in chart.table.rows] == nights
        assert [text for text in seen.texts(tree) if text[4:5] == "-"] == nights


class TestBarsAgainstTheLine:
    """'for each night of the latest window: mismatches against allowed (counts), with the line'."""

    def test_bars_and_lines_are_where_the_table_says(self):
        """Every bar is as long as its mismatches, every line stands at what is allowed, on one scale."""
        chart, tree = drawn(MIXED)
        unit = SCALE / 100
        for row, (_, mismatches, allowed, _) in enumerate(self.figures(chart)):
            top = 22 + 22 * row
            bar = sum(width for _, _, y, width, _ in seen.rects(tree) if y == top + 5)
            lines = [seen.points(path.get("d", "")) for path in tree.iter("path") if path.get("class") == "line"]
            at = [points[0][0] for points in lines if points[0][1] == top]
            if mismatches is None:
                assert (bar, at) == (0, [])
            else:
                assert round(bar / unit) == mismatches
                assert abs(at[0] - float(98 + unit * Fraction(allowed))) < 0.2

    def test_only_what_lies_beyond_the_line_is_full(self):
        """On a night that reads 'outside' the bar is plain up to the line and full beyond; on all others plain."""
        chart, tree = drawn(MIXED)
        for row, (_, mismatches, allowed, reading) in enumerate(self.figures(chart)):
            bars = [rect for rect in seen.rects(tree) if rect[2] == 22 + 22 * row + 5]
            wanted = ["plain"] * bool(mismatches and Fraction(allowed)) + ["full"] * (reading == "outside")
            assert [rect[0] for rect in bars] == wanted
            if len(bars) == 2:
                assert abs(bars[0][1] + bars[0][3] - bars[1][1]) < Fraction(1, 50)

    def test_the_figures_stand_beside_each_bar(self):
        """Mismatches / allowed, as the table has them; a night that was not measured says so."""
        chart, tree = drawn(MIXED)
        told = [text for text in seen.texts(tree) if "/" in text or text == NOT_MEASURED][1:]
        assert told == [
            NOT_MEASURED if mismatches is None else f"{mismatches} / {allowed}"
            for _, mismatches, allowed, _ in self.figures(chart)
        ]

    def test_within_the_line_nothing_is_called_a_difference(self):
        """On the line is within; no word of the chart compares but 'within', 'outside' and 'not measured'."""
        chart, tree = drawn(MIXED)
        readings = [row[4] for row in chart.table.rows]
        assert readings == ["within", "within", "not measured", "within", "outside", "outside", "within"]
        assert seen.said(tree)[1] == "7 nights, one line each: not measured 1; outside 2; within 4."
        assert "differ" not in chart.svg + chart.caption + chart.table.caption

    def test_a_margin_has_a_texture_of_its_own(self):
        """What passes the floors within the margin is slanted, and the caption says what slanted and full mean."""
        chart, tree = drawn(window((5, 4), (40, 4)), MARGIN)
        assert [row[4] for row in chart.table.rows] == ["within the margin", "outside"]
        assert [rect[0] for rect in seen.rects(tree)] == ["plain", "slant", "plain", "full"]
        assert "slanted within the margin, and full outside it" in chart.caption
        assert "slant" not in drawn(MIXED)[0].caption

    @staticmethod
    def figures(chart: Chart) -> list[tuple[str, int | None, str, str]]:
        """Return a table's rows: night, mismatches, allowed, reading."""
        return [(row[0], int(row[2]) if row[2] else None, row[3] or "0", row[4]) for row in chart.table.rows]


def test_it_stands_on_the_endpoints_page():
    """The latest window's chart has its table in reach; a U that measured nothing says so night by night."""
    sites = made.sites()["live"]
    alder = made.page_text(sites[permalink.endpoint_path(made.TREES, "alder") + "index.html"])
    assert "Match, night by night" in alder
    assert "2026-11-27 96 2 3.5 within" in alder
    elm = made.page_text(sites[permalink.endpoint_path(made.TREES, "elm") + "index.html"])
    assert elm.count("not measured 2026-11") >= 5


def test_an_endpoint_without_a_grade_has_no_chart():
    """Where nothing was graded there is no picture of it."""
    material = msgspec.structs.replace(made.material(), grades=made.InMemory(()), explanations={})
    body = made.site(material)[permalink.endpoint_path(made.TREES, "alder") + "index.html"]
    assert seen.on(body) == []
