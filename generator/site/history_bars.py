"""The months of an endpoint's history as bars: for the grade and each column, how many windows read each letter.

The bars of one endpoint are mostly those of another, so what is drawn is remembered, by the whole numbers that it
follows from.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import msgspec
from markupsafe import Markup

from generator.records.grade import Column, Letter
from generator.site.drawing import LEFT, Texture, coloured, letters, rule, text, textured
from generator.site.tables import letters_words

LANES = ("Grade", *Column)
LANES_FROM = 58
"""Where the first window or month of a line stands; left of it is the name of the lane."""
MONTHS_PER_LINE = 24
TEXTURES = {
    Letter.A: Texture.PLAIN,
    Letter.B: Texture.DOTS,
    Letter.C: Texture.SLANT,
    Letter.D: Texture.FULL,
    Letter.U: Texture.LEVEL,
}
_BAR, _BAR_LANE = 18, 23
LINE_HIGH = 5 * _BAR_LANE + 26
LEGEND_HIGH = 26
_REMEMBERED = 2048


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


def legend() -> list[Markup]:
    """Return each letter beside its texture."""
    parts = []
    for index, (letter, texture) in enumerate(TEXTURES.items()):
        x = LANES_FROM + 40 * index
        swatch = coloured(letter, textured(texture, x, 2, 14, 12))
        parts += [swatch, letters((x + 24,), 13, (letter,))]
    return parts


def bars(found: Sequence[Month], y: int, across: int) -> list[Markup]:
    """Return one line of months, a stacked bar for each lane.

    Args:
        found: ascending, at most `MONTHS_PER_LINE`.
        y: of the line's upper edge.
        across: from the first month of a full line to the last.
    """
    step = across // MONTHS_PER_LINE
    parts = []
    for lane, title in enumerate(LANES):
        ground = y + lane * _BAR_LANE + _BAR
        parts.append(named(title, ground - 4))
        for index, month in enumerate(found):
            held = month.lanes[lane]
            read = tuple(held.get(letter, 0) for letter in Letter)
            parts.append(_bar(read, month.windows, LANES_FROM + step * index, ground, step - 2))
        parts.append(rule(LANES_FROM, ground, LANES_FROM + step * len(found), ground, "faint"))
    parts.append(spanned(found[0].name, found[-1].name, y + 5 * _BAR_LANE + 10))
    return parts


@lru_cache(_REMEMBERED)
def named(lane: str, foot: int) -> Markup:
    """Return a lane's name."""
    return text(LEFT, foot, lane)


@lru_cache(_REMEMBERED)
def spanned(first: str, last: str, foot: int) -> Markup:
    """Return the words below a line: which months or nights it spans."""
    return text(LANES_FROM, foot, span(first, last))


def span(first: str, last: str) -> str:
    """Return the first and the last of something, as one word where they are the same."""
    return first if first == last else f"{first} to {last}"


@lru_cache(_REMEMBERED)
def _bar(read: tuple[int, ...], windows: int, x: int, ground: int, width: int) -> Markup:
    """Return the bar of one lane in one month; nothing where no window read a letter.

    Args:
        read: how many windows read each letter.
        windows: of the month: as many fill the bar's whole height.
        x: of its left edge.
        ground: of its foot.
        width: of the bar.
    """
    drawn, top = [], Fraction(ground)
    for letter, count in zip(Letter, read, strict=True):
        high = Fraction(_BAR * count, windows)
        top -= high
        if high:
            drawn.append(coloured(letter, textured(TEXTURES[letter], x, top, width, high)))
    return Markup().join(drawn)
