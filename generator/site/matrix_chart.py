"""Who agreed with whom, as a half square of counts: each endpoint heads its column and ends its row.

A square with a ruled foot reads 'within noise', and says so in words wherever its page has room for them; a key below
says it for all. A large half square is as wide as its counts need, and scrolls in its frame where a screen is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup

from generator.site.drawing import LEFT, RIGHT, WIDTH, About, box, picture, rule, scrolled, text

_MOST_IN_FRAME = 7
"""Endpoints whose squares have room for words at the width of every chart."""
_PAGE = 1050
"""How wide a half square may be to say words in every square: no wider than a broad page."""
_WIDEST, _WORDS, _HIGH_WORDS = 84, 48, 66
_SMALL, _HIGH_SMALL = 30, 38
_HEAD, _FOOT, _RULE, _LINE = 20, 9, 3, 13
_LAST_NAME = 110
"""Room for the name that ends the last row of a large square."""
_SAMPLE, _SECOND, _KEY_HIGH = 16, 170, 40
_LETTER = 8
"""How wide a letter is at most, on the average."""


class _Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What a half square is drawn on."""

    wide: int
    """Of each square, as high."""
    high: int
    width: int
    in_words: bool
    kind: str


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
    sheet = _sheet(len(names), max((cell.both for cell in cells.values()), default=0))
    wide, high = sheet.wide, sheet.high
    parts = [
        text(
            LEFT + wide * place + 3,
            _foot(place, len(names), high),
            f"{place + 1} {name}",
            most=_most(sheet.width, wide, place),
        )
        for place, name in enumerate(names)
    ]
    squares, feet, said = [], [], []
    for (column, row), cell in sorted(cells.items()):
        x, y = LEFT + wide * column, _HEAD + high * (row - 1)
        squares.append(f"M{x} {y}h{wide}v{high}h-{wide}z")
        if cell.words is not None:
            feet += [f"M{x} {y + high - up}h{wide}" for up in range(_RULE, _FOOT + 1, _RULE)]
        said.append(_said(cell, x + wide // 2, y + 13, in_words=sheet.in_words))
    drawn = Markup('<path class="{}" d="{}"/>')
    parts += [drawn.format("squares", "".join(squares)), drawn.format("feet", "".join(feet)) if feet else Markup()]
    parts.append(Markup('<g text-anchor="middle">{}</g>').format(Markup("").join(said)))
    foot = _HEAD + high * (len(names) - 1) + 12
    parts += _key(sheet, foot, quiet=next((cell.words for cell in cells.values() if cell.words), None))
    drawing = picture(about, sheet.width, foot + _KEY_HIGH, parts, sheet.kind)
    return scrolled(about, drawing) if sheet.kind == "grid" else drawing


def _sheet(names: int, most: int) -> _Sheet:
    """Return the smallest sheet that has words in every square, or the smallest that has its counts."""
    longest = _LETTER * len(f"of {most:,}")
    in_frame = min(_WIDEST, (RIGHT - LEFT) // names)
    if names <= _MOST_IN_FRAME and in_frame >= longest:
        return _Sheet(wide=in_frame, high=_HIGH_WORDS, width=WIDTH, in_words=True, kind="wide")
    wide = max(_WORDS, longest)
    if (width := LEFT + wide * names + _LAST_NAME) <= _PAGE:
        return _Sheet(wide=wide, high=_HIGH_WORDS, width=width, in_words=True, kind="grid")
    wide = max(_SMALL, _LETTER * len(str(most)))
    width = LEFT + wide * names + _LAST_NAME
    return _Sheet(wide=wide, high=_HIGH_SMALL, width=width, in_words=False, kind="grid")


def _key(sheet: _Sheet, y: int, quiet: str | None) -> list[Markup]:
    """Return what a square's figures are, and what its ruled foot means where there is one, in words."""
    in_words = "same answers, of prompts that both answered"
    figures = in_words if sheet.in_words else "upper: same answers; lower: both answered"
    parts = [text(LEFT, y + 12, figures)]
    if quiet is not None:
        parts += [_sample(LEFT, y + 20, quiet), *_ruled(LEFT, y + 20), _sample(_SECOND, y + 20, "counts alone")]
    return parts


def _sample(x: int, y: int, words: str) -> Markup:
    return box(x, y, _SMALL, _SAMPLE) + text(x + _SMALL + 8, y + _SAMPLE - 4, words)


def _ruled(x: int, y: int) -> list[Markup]:
    return [rule(x, y + _SAMPLE - up, x + _SMALL, y + _SAMPLE - up) for up in range(_RULE, _FOOT + 1, _RULE)]


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
