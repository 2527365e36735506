"""Who agreed with whom, as a half square of counts: each endpoint heads its column and ends its row.

A square with a ruled foot reads 'within noise'; where there is room it says so in words. A large one is as wide as
its counts need, and drawn smaller where the screen is: the table beside it has every count in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup

from generator.site.drawing import LEFT, RIGHT, WIDTH, About, picture, text

MOST_IN_WORDS = 7
"""Endpoints whose squares have room for words."""
_WIDEST, _HIGH_WORDS = 84, 66
_SMALL, _HIGH_SMALL = 30, 38
_HEAD, _FOOT, _RULE, _LINE = 20, 9, 3, 13
_LAST_NAME = 110
"""Room for the name that ends the last row of a large square."""
_LETTER = 8
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
    most = max((cell.both for cell in cells.values()), default=0)
    wide, high, width = min(_WIDEST, (RIGHT - LEFT) // len(names)), _HIGH_WORDS, WIDTH
    roomy = len(names) <= MOST_IN_WORDS and wide >= _LETTER * len(f"of {most:,}")
    if not roomy:
        wide, high = max(_SMALL, _LETTER * len(str(most))), _HIGH_SMALL
        width = LEFT + wide * len(names) + _LAST_NAME
    parts = [
        text(
            LEFT + wide * place + 3,
            _foot(place, len(names), high),
            f"{place + 1} {name}",
            most=_most(width, wide, place),
        )
        for place, name in enumerate(names)
    ]
    squares, feet, said = [], [], []
    for (column, row), cell in sorted(cells.items()):
        x, y = LEFT + wide * column, _HEAD + high * (row - 1)
        squares.append(f"M{x} {y}h{wide}v{high}h-{wide}z")
        if cell.words is not None:
            feet += [f"M{x} {y + high - up}h{wide}" for up in range(_RULE, _FOOT + 1, _RULE)]
        said.append(_said(cell, x + wide // 2, y + 13, in_words=roomy))
    drawn = Markup('<path class="{}" d="{}"/>')
    parts += [drawn.format("squares", "".join(squares)), drawn.format("feet", "".join(feet)) if feet else Markup()]
    parts.append(Markup('<g text-anchor="middle">{}</g>').format(Markup("").join(said)))
    height = _HEAD + high * (len(names) - 1) + 4
    return picture(about, width, height, parts, "wide" if roomy else "grid")


def _said(cell: Cell, middle: int, y: int, *, in_words: bool) -> Markup:
    """Return what stands in a square, a line each: the counts, and the words where there is room for them."""
    lines = [f"{cell.same:,}", f"of {cell.both:,}"] if in_words else [str(cell.same), str(cell.both)]
    lines += cell.words.split() if in_words and cell.words else []
    first, *others = lines
    below = Markup('<tspan x="{}" y="{}">{}</tspan>')
    rest = Markup("").join(below.format(middle, y + _LINE * n, each) for n, each in enumerate(others, start=1))
    return Markup('<text x="{}" y="{}">{}{}</text>').format(middle, y, first, rest)


def _foot(place: int, names: int, high: int) -> int:
    """Return where a name stands: on the first square of its column; the last one beside the last of its row."""
    if place < max(names - 1, 1):
        return _HEAD + high * place - 6
    return _HEAD + high * (place - 1) + high // 2 + 5


def _most(width: int, wide: int, place: int) -> int:
    """Return how many characters of a name fit between its column and the edge."""
    return max(3, (width - LEFT - wide * place - 3) // _LETTER)
