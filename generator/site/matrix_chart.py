"""Who agreed with whom, as a half square of counts: each endpoint heads its column and ends its row.

A square with a hatched foot reads 'within noise'; where there is room it says so in words. A large one is as wide as
its counts need, and drawn smaller where the screen is: the table beside it has every count in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup, escape

from generator.site.drawing import LEFT, RIGHT, WIDTH, About, Texture, box, picture, text, textured

MOST_IN_WORDS = 7
"""Endpoints whose squares have room for words."""
_WIDEST, _HIGH_WORDS = 84, 62
_SMALL, _HIGH_SMALL = 30, 38
_HEAD, _FOOT = 20, 8
_LAST_NAME = 110
"""Room for the name that ends the last row of a large square."""
_LETTER = 7
"""How wide a letter is at most, on the average."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What two endpoints' answers have in common."""

    same: int
    both: int
    words: str | None
    """'within noise', or nothing but the counts."""


def chart(about: About, names: Sequence[str], cells: Mapping[tuple[int, int], Cell]) -> Markup:
    """Return the half square of some endpoints.

    Args:
        about: the chart's name, title and description.
        names: of the endpoints, strangers' words, in the order of the page.
        cells: by (column, row), column before row, counted from 0; what is not there never answered the same prompt.
    """
    roomy = len(names) <= MOST_IN_WORDS
    wide, high = (min(_WIDEST, (RIGHT - LEFT) // len(names)), _HIGH_WORDS) if roomy else (_SMALL, _HIGH_SMALL)
    width = WIDTH if roomy else LEFT + _SMALL * len(names) + _LAST_NAME
    parts = []
    for place, name in enumerate(names):
        x, y = LEFT + wide * place, _HEAD + high * (place - 1)
        foot = _HEAD - 6 if place == 0 else y + (high - 6 if place < len(names) - 1 else high // 2 + 5)
        parts.append(text(x + 3, foot, f"{place + 1} {name}", most=max(3, (width - x - 3) // _LETTER)))
        parts += [
            _cell(cells[column, place], LEFT + wide * column, y, (wide, high), in_words=roomy)
            for column in range(place)
            if (column, place) in cells
        ]
    height = _HEAD + high * (len(names) - 1) + 4
    return picture(about, width, height, parts, "wide" if roomy else "grid")


def _cell(cell: Cell, x: int, y: int, size: tuple[int, int], *, in_words: bool) -> Markup:
    wide, high = size
    said = [f"{cell.same:,}", f"of {cell.both:,}"] if in_words else [f"{cell.same}", f"{cell.both}"]
    drawn = box(x, y, wide, high)
    if cell.words is not None:
        drawn += textured(Texture.SLANT, x, y + high - _FOOT, wide, _FOOT)
        said += cell.words.split() if in_words else []
    middle = x + wide // 2
    lines = "".join(
        f'<tspan x="{middle}" y="{y + 13 + 13 * index}">{escape(each)}</tspan>' for index, each in enumerate(said)
    )
    return drawn + Markup('<text text-anchor="middle">{}</text>').format(Markup(lines))  # noqa: S704 - escaped above
