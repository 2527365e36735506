"""Who agreed with whom: counts of each pair of a model's endpoints, and which of them read 'within noise'.

Floors are those that the model's grades of the very same nights record; where there are none, counts stand alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec
from markupsafe import Markup

from generator.records.definition import Definition
from generator.records.reading import agreement_words
from generator.site.drawing import About
from generator.site.interface import Agreement
from generator.site.library import Library
from generator.site.matrix_chart import Cell, chart
from generator.site.stories import EndpointStory, ModelStory
from generator.site.tables import counted

MOST_UNFOLDED = 8
"""Endpoints whose table stands open beneath the chart."""


class Agreeing(msgspec.Struct, frozen=True, kw_only=True):
    """With whom an endpoint agreed how often."""

    number: int
    """As the chart numbers it."""
    story: EndpointStory
    others: tuple[tuple[EndpointStory, Cell], ...]


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Who agreed with whom, as a model's page shows it."""

    svg: Markup
    rows: tuple[Agreeing, ...]
    reads_noise: bool
    """Whether there were floors to read by."""
    folded: bool


def who_agreed(model: ModelStory, library: Library) -> Who | None:
    """Return the counts of a model's latest window; nothing where no two endpoints answered the same prompt."""
    paired = {each.endpoint: each for each in model.endpoints}
    counts = {(pair.first, pair.second): pair for pair in model.agreements}
    named = {name for pair in counts for name in pair if name in paired}
    stories = [story for story in model.endpoints if story.endpoint in named]
    floors = floors_of(model)
    definition = library.material.methods[library.current].definition
    places = {story.endpoint: place for place, story in enumerate(stories)}
    cells = {
        _ordered(places[first], places[second]): cell(pair, floors, definition)
        for (first, second), pair in counts.items()
        if first in places and second in places
    }
    if not cells:
        return None
    return Who(
        svg=chart(_about(cells, len(stories)), [story.provider for story in stories], cells),
        rows=tuple(
            Agreeing(
                number=place + 1,
                story=story,
                others=tuple(
                    (other, cells[_ordered(place, beside)])
                    for beside, other in enumerate(stories)
                    if _ordered(place, beside) in cells
                ),
            )
            for place, story in enumerate(stories)
        ),
        reads_noise=bool(floors),
        folded=len(stories) > MOST_UNFOLDED,
    )


def floors_of(model: ModelStory) -> dict[str, Fraction]:
    """Return the floor of each stable family, a ratio, as grades of the nights record it that the pairs are of.

    Families and floors are the model's: every grade that has one says the same of it.
    """
    latest = (story.latest for story in model.endpoints if story.latest is not None)
    return {
        family.family: Fraction(family.floor_numerator, family.floor_denominator)
        for grade in latest
        if grade.nights == model.shown.nights
        for family in grade.m_family
        if family.stable and family.floor_numerator is not None and family.floor_denominator is not None
    }


def cell(pair: Agreement, floors: Mapping[str, Fraction], definition: Definition) -> Cell:
    """Return a pair's counts, read as column M reads a night: stable families together, against their floors."""
    judged = [(same, both, floors[family]) for family, same, both in pair.families if family in floors]
    words = None
    if judged:
        words = agreement_words(
            differing=sum(both - same for same, both, _ in judged),
            compared=sum(both for _, both, _ in judged),
            allowed=sum((both * floor for _, both, floor in judged), Fraction(0)),
            definition=definition,
        )
    return Cell(same=pair.same, both=pair.both, words=words)


def _ordered(first: int, second: int) -> tuple[int, int]:
    return min(first, second), max(first, second)


def _about(cells: Mapping[tuple[int, int], Cell], endpoints: int) -> About:
    quiet = [each.words for each in cells.values() if each.words]
    words = f", {len(quiet):,} of them {quiet[0]}" if quiet else ""
    return About(
        name="agreement-chart",
        title="Who agreed with whom: the same answers, of the prompts that both answered",
        description=f"{counted(endpoints, 'endpoint')}, {counted(len(cells), 'pair')}{words}; "
        f"{_between(each.same for each in cells.values())} same answers, "
        f"{_between(each.both for each in cells.values())} prompts that both answered.",
    )


def _between(numbers: Iterable[int]) -> str:
    held = sorted(numbers)
    return f"{held[0]:,}" if held[0] == held[-1] else f"{held[0]:,} to {held[-1]:,}"
