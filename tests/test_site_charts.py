"""Charts: exact places, a title and a description each, marks told apart by shape, strangers' text made safe."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree.ElementTree import Element, fromstring

import pytest
import site_material as made
from markupsafe import Markup

from generator.site import charts, scales
from generator.site.drawing import About

ABOUT = About(name="c", title="What it shows", description="What it says.")
PERCENT = charts.Axis(low=Fraction(0), high=Fraction(100))
HOSTILE = "</svg><script>alert(1)</script>\u202exet" + "x" * 90


def tree(svg: Markup) -> Element:
    """Return a chart's tree, read as the XML that it also is."""
    return fromstring(svg)  # noqa: S314 - our own chart


def strip(*rows: charts.StripRow, axis: charts.Axis = PERCENT, line: str = "") -> Element:
    """Return the tree of a strip plot."""
    return tree(charts.strip(ABOUT, rows, axis, line))


def row(*values: int | Fraction, at: int | None = None) -> charts.StripRow:
    """Return a row of a strip plot in percent."""
    return charts.StripRow(
        label="row", values=tuple(Fraction(v) for v in values), at=None if at is None else Fraction(at)
    )


def texts(chart: Element) -> list[str]:
    """Return what a chart's text elements say, in order."""
    return ["".join(text.itertext()) for text in chart.iter("text")]


EVERY = [
    pytest.param(charts.strip(ABOUT, (row(1, 2, at=3),), PERCENT), id="strip"),
    pytest.param(charts.bars(ABOUT, (charts.Bar(label="m", share=Fraction(1, 3), figure="1 of 3"),)), id="bars"),
    pytest.param(charts.steps(ABOUT, ((2, Fraction(1)), (30, Fraction(5, 2))), "point"), id="steps"),
    pytest.param(charts.matrix(ABOUT, ("A", "B"), {("A", "B"): 3}), id="matrix"),
]


class TestEveryChart:
    """'pure inline SVG with title, desc, readable in black and white, dark mode, screen reader'."""

    @pytest.mark.parametrize("svg", EVERY)
    def test_is_one_image_with_title_and_description(self, svg: Markup):
        """A screen reader meets one image, named by its title and description."""
        chart = tree(svg)
        assert chart.get("role") == "img"
        assert chart.get("aria-labelledby") == "c-t c-d"
        named = {each.get("id"): each.text for each in chart if each.tag in {"title", "desc"}}
        assert named == {"c-t": "What it shows", "c-d": "What it says."}

    @pytest.mark.parametrize("svg", EVERY)
    def test_names_no_colour(self, svg: Markup):
        """No element sets a colour, a style or a link: the page's ink draws all of it."""
        attributes = {name for element in tree(svg).iter() for name in element.attrib}
        assert not attributes & {"fill", "stroke", "style", "color", "href", "onload"}

    @pytest.mark.parametrize("svg", EVERY)
    def test_stays_inside_its_frame(self, svg: Markup):
        """No coordinate lies outside the view box."""
        chart = tree(svg)
        _, _, width, height = (float(part) for part in chart.get("viewBox", "").split())
        for element in chart.iter():
            for name, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                assert 0 <= float(element.get(name, "0")) <= limit
            for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", element.get("d", "")):
                assert 0 <= float(x) <= width
                assert 0 <= float(y) <= height

    def test_ink_is_the_pages(self):
        """The style draws every mark and text of a chart in currentColor."""
        style = (made.ROOT / "templates" / "style.css").read_text("utf-8")
        assert "svg text{fill:currentColor" in style
        assert "svg path,svg rect,svg circle{fill:none;stroke:currentColor" in style


class TestStrip:
    """'strip plot / histogram of self-disagreement'."""

    def test_marks_lie_at_their_values(self):
        """0, 50 and 100 % of an axis from 12 to 348 lie at 12, 180 and 348."""
        assert [circle.get("cx") for circle in strip(row(100, 0, 50)).iter("circle")] == ["12", "180", "348"]

    def test_equal_values_are_stacked(self):
        """Three equal values are three circles above one another, eight apart."""
        circles = [(circle.get("cx"), int(circle.get("cy", ""))) for circle in strip(row(25, 25, 25)).iter("circle")]
        (top,) = {y for _, y in circles if y == min(y for _, y in circles)}
        assert sorted(circles) == sorted((circles[0][0], top + 8 * level) for level in range(3))

    def test_more_than_six_are_counted(self):
        """Of seven equal values six are drawn and the number stands above; of six none does."""
        seven, six = strip(row(*[10] * 7)), strip(row(*[10] * 6))
        assert len(list(seven.iter("circle"))) == len(list(six.iter("circle"))) == 6
        assert "7" in texts(seven)
        assert "6" not in texts(six)

    def test_what_it_is_held_against_is_a_full_triangle(self):
        """The floor is a triangle at its place; a row without one has none."""
        (triangle,) = [path for path in strip(row(1, at=50)).iter("path") if path.get("class") == "full"]
        assert triangle.get("d", "").startswith("M180 ")
        assert not [path for path in strip(row(1)).iter("path") if path.get("class") == "full"]

    @pytest.mark.parametrize(("at", "anchor"), [(0, "start"), (50, "middle"), (100, "end")])
    def test_the_lines_name_hangs_inside(self, at: int, anchor: str):
        """The threshold's name stands beside its triangle and never runs out of the chart."""
        (text,) = [each for each in strip(row(1, at=at), line="threshold").iter("text") if each.text == "threshold"]
        assert text.get("text-anchor") == anchor

    def test_axis_says_its_ends_and_middle(self):
        """Low end, middle and high end stand below with their unit."""
        axis = charts.Axis(low=Fraction(80), high=Fraction(99))
        assert texts(strip(row(90), axis=axis))[-3:] == ["80 %", "89.5 %", "99 %"]

    def test_a_value_beyond_the_axis_lies_at_its_end(self):
        """Nothing is drawn outside."""
        axis = charts.Axis(low=Fraction(80), high=Fraction(99))
        assert [circle.get("cx") for circle in strip(row(10, 100), axis=axis).iter("circle")] == ["12", "348"]


class TestBars:
    """'rate bars'."""

    def test_a_bar_is_as_long_as_its_share(self):
        """A third of 336 is 112; none at all has no bar, but its frame and its figure."""
        rows = (
            charts.Bar(label="one", share=Fraction(1, 3), figure="1 of 3"),
            charts.Bar(label="two", share=Fraction(0), figure="0 of 3"),
        )
        chart = tree(charts.bars(ABOUT, rows))
        boxes = [(rect.get("class"), rect.get("width")) for rect in chart.iter("rect")]
        assert boxes == [("frame", "336"), ("full", "112"), ("frame", "336")]
        assert texts(chart) == ["one", "1 of 3", "two", "0 of 3"]


class TestSteps:
    def test_heights_and_ends(self):
        """1 of 2 points reaches half of 120 above the ground line at 144; the ends of the axis are named."""
        chart = tree(charts.steps(ABOUT, ((2, Fraction(1)), (3, Fraction(2))), "point"))
        assert [circle.get("cy") for circle in chart.iter("circle")] == ["84", "24"]
        assert texts(chart) == ["2 points", "2", "3"]

    def test_one_point(self):
        """A single number is named once."""
        assert texts(tree(charts.steps(ABOUT, ((5, Fraction(0)),), "point"))) == ["1 point", "5"]


class TestMatrix:
    """'letters of nights 1-7 against 8-14 (a small matrix)'."""

    def test_counts_stand_in_their_cells_and_the_diagonal_has_a_double_frame(self):
        """Row A, column B holds 3; nothing else has a figure; two of four cells have two frames."""
        chart = tree(charts.matrix(ABOUT, ("A", "B"), {("A", "B"): 3, ("B", "A"): 0}))
        (count,) = [text for text in chart.iter("text") if text.text == "3"]
        assert (count.get("x"), count.get("y")) == ("75", "50")
        assert len(list(chart.iter("rect"))) == 4 + 2
        assert texts(chart) == ["A", "A", "3", "B", "B"]


class TestNice:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [(0, 1), (1, 1), (Fraction(101, 100), 2), (3, 5), (5, 5), (6, 10), (11, 20), (100, 100), (101, 200)],
    )
    def test_is_the_next_of_1_2_5_10(self, value: Fraction | int, expected: int):
        """An axis ends at the first round number that is not below what it shows."""
        assert scales.nice(Fraction(value)) == expected


class TestTicks:
    @pytest.mark.parametrize(
        ("highest", "words"),
        [
            ("0", ("0", "1")),
            ("0.47", ("0", "0.2", "0.4", "0.6")),
            ("0.3", ("0", "0.1", "0.2", "0.3")),
            ("0.0000021", ("0", "0.000001", "0.000002", "0.000003")),
            ("1", ("0", "0.5", "1.0")),
            ("100", ("0", "50", "100")),
            ("4321", ("0", "2,000", "4,000", "6,000")),
        ],
    )
    def test_are_round_exact_and_few(self, highest: str, words: tuple[str, ...]):
        """Steps are 1, 2 or 5 times a power of ten from 0, printed in full and without a tail."""
        marked = scales.ticks(Fraction(highest))
        assert scales.tick_words(marked) == words
        assert 2 <= len(marked) <= 5
        assert marked[-1] >= Fraction(highest)


class TestStrangersText:
    """'Strangers' text is hostile: on pages only through the filters'."""

    def test_labels_are_escaped_made_visible_and_shortened(self):
        """Markup in a label is text, what hides is shown, and what is too long ends in an ellipsis."""
        chart = strip(charts.StripRow(label=HOSTILE, values=()))
        assert not list(chart.iter("script"))
        (label,) = [text for text in texts(chart) if "svg" in text]
        assert label.startswith("</svg><script>alert(1)</script>\\u202e")
        assert len(label) == 46
        assert label.endswith("\N{HORIZONTAL ELLIPSIS}")

    @pytest.mark.parametrize(
        ("label", "shown"),
        [
            ("n" * 46, "n" * 46),
            ("n" * 47, "n" * 45 + "\N{HORIZONTAL ELLIPSIS}"),
            ("W" * 46, "W" * 28 + "\N{HORIZONTAL ELLIPSIS}"),
            ("W" * 28, "W" * 28),
            ("\u6c49" * 46, "\u6c49" * 22 + "\N{HORIZONTAL ELLIPSIS}"),
        ],
        ids=["fits", "one too many", "broad", "broad, fits", "twice as broad"],
    )
    def test_broad_characters_are_cut_earlier(self, label: str, shown: str):
        """What fits is counted in room and not in characters."""
        assert shown in texts(strip(charts.StripRow(label=label, values=())))

    def test_title_and_description_too(self):
        """They hold no raw control character and no markup."""
        about = About(name="c", title=HOSTILE, description=HOSTILE)
        svg = charts.matrix(about, ("A",), {})
        assert "\u202e" not in svg
        assert "<script" not in svg
