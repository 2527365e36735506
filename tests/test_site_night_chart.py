"""Outcomes of a night and cost over all nights: bars equal to the counts, told apart without colour, never too wide."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import msgspec
import picture_reader as seen
import pytest
import site_material as made
from markupsafe import Markup

from generator.records.night import NightCounts
from generator.records.observation import Outcome
from generator.site import night_chart, outcome_chart, scales
from generator.site.drawing import Texture, textured
from generator.site.interface import NightMaterial
from generator.site.outcome_chart import TEXTURES

RECORDED, VOID = made.night(made.NIGHTS[0]), made.night(made.VOID_NIGHT)


def counts(*each: int) -> NightCounts:
    """Return counts of answered, truncated, empty, error, misrouted and unsent."""
    named = dict(zip(TEXTURES, each, strict=True))
    return NightCounts(
        planned=sum(each), sent=sum(each[:-1]), **{str(outcome): count for outcome, count in named.items()}
    )


def night(day: int, of: NightCounts, cost: str = "0.25", *, void: bool = False) -> NightMaterial:
    """Return a night so many days after the first."""
    kept = VOID if void else RECORDED
    record = msgspec.structs.replace(
        kept.record, night=made.FIRST_NIGHT + timedelta(days=day), counts=of, cost_usd=cost
    )
    return msgspec.structs.replace(kept, record=record)


def many(days: Iterable[int]) -> list[NightMaterial]:
    """Return nights whose counts and cost run through many values."""
    return [
        night(day, counts(900 - day % 50, day % 7, day % 3, day % 11, day % 2, day % 5), f"0.{day % 90:02}")
        for day in days
    ]


OUTCOMES = [
    pytest.param(counts(1660, 9, 1, 8, 0, 2), id="a usual night"),
    pytest.param(counts(0, 0, 0, 0, 0, 0), id="nothing planned"),
    pytest.param(counts(1680, 0, 0, 0, 0, 0), id="all answered"),
    pytest.param(counts(0, 0, 0, 0, 0, 1680), id="all unsent"),
    pytest.param(counts(9_000_000, 1, 1, 1, 1, 1), id="one of each among millions"),
]


class TestOutcomes:
    """'on the night page: outcomes as a stacked bar with patterns'."""

    @pytest.mark.parametrize("of", OUTCOMES)
    def test_nothing_lies_outside_or_on_something_else(self, of: NightCounts):
        """Every mark lies inside the view box, and no text stands on another."""
        drawn = seen.tree(outcome_chart.outcomes("o", of))
        assert seen.outside(drawn) == []
        assert seen.overlapping(drawn) == []

    @pytest.mark.parametrize("of", OUTCOMES)
    def test_bars_are_as_long_as_their_counts(self, of: NightCounts):
        """The upper bar holds every outcome of what was planned, the lower one those that were not answered."""
        drawn = seen.tree(outcome_chart.outcomes("o", of))
        found = outcome_chart.counts_of(of)
        rest = {outcome: count for outcome, count in found.items() if outcome is not Outcome.ANSWERED}
        wanted = []
        for shown in (found, rest):
            x, total = Fraction(12), sum(shown.values())
            for outcome, count in shown.items():
                if count:
                    wanted.append((str(TEXTURES[outcome]), x, Fraction(336 * count, total)))
                    x += Fraction(336 * count, total)
        bars = [(kind, x, width) for kind, x, _, width, high in seen.rects(drawn) if high == 16]
        for (kind, x, width), expected in zip(bars, wanted, strict=True):
            assert kind == expected[0]
            assert abs(x - expected[1]) <= Fraction(1, 100)
            assert abs(width - expected[2]) <= Fraction(1, 100)

    def test_the_legend_has_each_outcomes_texture_and_count(self):
        """Six textures, six outcomes, six counts, also of what never happened."""
        drawn = seen.tree(outcome_chart.outcomes("o", counts(1660, 9, 1, 8, 0, 2)))
        legend = [kind for kind, _, _, _, high in seen.rects(drawn) if high == 12]
        assert legend == ["plain", "slant", "dots", "full", "level", "upright"]
        assert [text for text in seen.texts(drawn) if text.split()[0] in set(Outcome)] == [
            *("answered 1,660", "truncated 9", "empty 1", "error 8", "misrouted 0", "unsent 2")
        ]

    def test_it_stands_beside_its_table(self):
        """A night's page draws what its table of counts says."""
        page = made.sites()["live"]["nights/2026-11-27/index.html"]
        (drawn,) = seen.on(page)
        for outcome, count in outcome_chart.counts_of(made.night(made.NIGHTS[-1]).record.counts).items():
            assert f"{outcome} {count:,}" in seen.texts(drawn)
            assert f"{outcome} {count:,}" in made.page_text(page)
            assert f"{count:,} {outcome}" in seen.said(drawn)[1]


SPANS = [
    pytest.param(many([0]), "night", 1, id="1 night"),
    pytest.param(many(range(62)), "night", 62, id="62 nights"),
    pytest.param(many(range(0, 63, 62)), "month", 3, id="2 nights, 63 days apart"),
    pytest.param(many(range(400)), "month", 14, id="400 nights"),
    pytest.param(many(range(0, 3650, 9)), "year", 11, id="ten years"),
    pytest.param([night(0, counts(0, 0, 0, 0, 0, 0), "0")], "night", 1, id="nothing planned, nothing spent"),
    pytest.param([night(0, counts(0, 0, 0, 0, 0, 9), "12345678.9", void=True)], "night", 1, id="all unsent and void"),
]

NIGHTS = [pytest.param(span.values[0], id=span.id) for span in SPANS]


class TestOverNights:
    """'cost and outcomes over nights, small'."""

    @pytest.mark.parametrize("nights", NIGHTS)
    def test_nothing_lies_outside_or_on_something_else(self, nights: list[NightMaterial]):
        """Every mark lies inside the view box, and no text stands on another."""
        for drawn in seen.trees(night_chart.over_nights(nights)):
            assert seen.outside(drawn) == []
            assert seen.overlapping(drawn) == []

    @pytest.mark.parametrize(("nights", "span", "columns"), SPANS)
    def test_a_column_is_the_shortest_span_that_fits(self, nights: list[NightMaterial], span: str, columns: int):
        """Up to 62 days a column is a night, up to 62 months a month, then a year; gaps keep their place."""
        found = night_chart.columns(nights)
        assert len(found) == columns
        assert sum(column.nights for column in found) == len(nights)
        title, description = seen.said(seen.tree(night_chart.over_nights(nights)))
        assert title == "Observations that were not answered, and what the nights cost"
        assert f"a column a {span}: " in description

    @pytest.mark.parametrize("nights", NIGHTS)
    def test_bars_are_as_high_as_their_sums(self, nights: list[NightMaterial]):
        """Each column's bars, read back, are the counts and the cost of its nights, to the hundredth of a unit."""
        found = night_chart.columns(nights)
        drawn = seen.tree(night_chart.over_nights(nights))
        top = scales.ticks(max(100 * Fraction(self.failed(each), self.planned(each)) for each in found))[-1]
        dearest = scales.ticks(max(Fraction(each.cost) for each in found))[-1]
        frame = next(path for path in drawn.iter("path") if path.get("class") == "firm")
        (start, _), (end, _) = seen.points(frame.get("d", ""))
        step = round((end - start) / len(found))
        for index, column in enumerate(found):
            mine = [rect for rect in seen.rects(drawn) if rect[1] == start + step * index and rect[3] == step - 1]
            failed = {kind: high for kind, _, y, _, high in mine if y < 101 and kind != "cost"}
            planned = sum(column.counts.values())
            for outcome, texture in list(TEXTURES.items())[1:]:
                wanted = 72 * Fraction(100 * column.counts[outcome], planned or 1) / top
                assert abs(failed.get(str(texture), 0) - wanted) <= Fraction(1, 100)
            cost = sum(high for kind, *_, high in mine if kind == "cost")
            assert abs(cost - 72 * Fraction(column.cost) / dearest) <= Fraction(1, 100)
        assert sum((column.cost for column in found), Decimal(0)) == sum(
            (Decimal(each.record.cost_usd) for each in nights), Decimal(0)
        )

    @staticmethod
    def failed(column: night_chart.Column) -> int:
        """Return how much of a column's was not answered."""
        return sum(count for outcome, count in column.counts.items() if outcome is not Outcome.ANSWERED)

    @staticmethod
    def planned(column: night_chart.Column) -> int:
        """Return what was planned, at least one."""
        return sum(column.counts.values()) or 1

    def test_a_date_without_a_night_is_a_gap(self):
        """Nights 0 and 2: the place between them is empty."""
        drawn = seen.tree(night_chart.over_nights(many([1, 3])))
        first, second = sorted({x for kind, x, *_ in seen.rects(drawn, "cost")})
        (wide,) = {width for _, _, _, width, _ in seen.rects(drawn, "cost")}
        assert second - first == 2 * (wide + 1)

    def test_void_nights_are_crossed(self):
        """A night that is void, or was declared so later, has a cross below its column; the legend has one more."""
        one = many([0, 1, 2])
        later = msgspec.structs.replace(one[2], void=made.material().nights[1].void)
        nights = [one[0], night(1, counts(1, 0, 0, 0, 0, 9), void=True), later]
        lines = [
            path for path in seen.tree(night_chart.over_nights(nights)).iter("path") if path.get("class") == "firm"
        ]
        plain = [path for path in seen.tree(night_chart.over_nights(one)).iter("path") if path.get("class") == "firm"]
        assert len(lines) == len(plain) + 2 * 2

    def test_the_order_of_the_nights_does_not_matter(self):
        """Equal nights give equal bytes."""
        nights = many(range(100))
        assert night_chart.over_nights(nights) == night_chart.over_nights(nights[::-1])

    def test_before_the_first_night_there_is_nothing(self):
        """No night, no chart."""
        assert night_chart.over_nights(()) == ""


class TestTextures:
    """'patterns not colours alone'; 'grayscale distinguishability'."""

    def test_each_is_told_from_every_other(self):
        """In one and the same box no two textures have the same lines, and only one is full."""
        drawn = {texture: str(textured(texture, 10, 20, 14, 12)) for texture in Texture}
        lines = {texture: svg.split("<path")[1:] for texture, svg in drawn.items()}
        assert [texture for texture, strokes in lines.items() if not strokes] == [Texture.PLAIN, Texture.FULL]
        assert 'class="full"' in drawn[Texture.FULL]
        assert len({tuple(strokes) for strokes in lines.values() if strokes}) == 4
        assert len(set(TEXTURES.values())) == 6

    @pytest.mark.parametrize("texture", [Texture.DOTS, Texture.SLANT, Texture.LEVEL, Texture.UPRIGHT])
    @pytest.mark.parametrize("size", [(1, 1), (Fraction(1, 9), 60), (300, Fraction(1, 7)), (14, 12), (3, 3)])
    def test_even_the_narrowest_box_has_a_line_and_none_leaves_it(
        self, texture: Texture, size: tuple[Fraction | int, Fraction | int]
    ):
        """A box of a ninth of a unit has a line of its texture, and every line stays inside its box."""
        drawn = seen.tree(Markup("<g>{}</g>").format(textured(texture, 10, 20, *size)))
        (path,) = drawn.iter("path")
        points = seen.points(path.get("d", ""))
        assert len(points) >= 2
        for x, y in points:
            assert 10 - 0.02 <= x <= 10 + float(size[0]) + 0.02
            assert 20 - 0.02 <= y <= 20 + float(size[1]) + 0.02
