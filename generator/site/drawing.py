"""What every chart is drawn with: a picture with its title and description, lines, boxes, texts and textures.

Lines and text use currentColor, so that a chart follows light, dark and print; what a mark means is its shape, its
texture and its place, never its colour alone: a letter is drawn as itself, in the colour that it has on every page.
A picture cannot set its lines anew as a paragraph does, so what holds many nights is drawn twice, for the width of a
phone and for that of a page, and the style shows one of the two.

Textures are lines of their own and not patterns: they need no id, and stand in print as on a screen. Coordinates are
exact, printed to two digits: equal figures give equal bytes. Labels may hold a stranger's text: it is made visible and
shortened; the table beside a chart has it whole.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate, groupby
from math import ceil

import msgspec
from markupsafe import Markup, escape

from generator.records.figures import printed
from generator.records.grade import Letter
from generator.site.text import visible_plain

WIDTH = 360
"""Of every chart but a matrix, in its own units: narrow enough for its text to be read at 320 px."""
BROAD = 700
"""Of the second drawing of many nights: at the width of a page its text is as large as the page's small text."""
LEFT, RIGHT = 12, 348
MOST_LABEL = 46
"""Characters that fit beside one another at the width of a chart."""
_BROAD, _BROAD_BREADTH, _BROADEST = frozenset("MWmw@%&"), Fraction(8, 5), 2
_STEP = 3
"""Between two lines of a texture."""
_GRID_SCALE = Fraction(9, 8)
"""Pixels for each unit of a grid: its text is as large as the page's small text."""
_LETTERS = frozenset(Letter)

Point = Fraction | int


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a chart says to whoever does not see it."""

    name: str
    """The chart's id on its page."""
    title: str
    """What it shows."""
    description: str
    """What it says, in a sentence."""


class Texture(StrEnum):
    """What fills a box; each is told from every other in black and white."""

    PLAIN = "plain"
    DOTS = "dots"
    SLANT = "slant"
    FULL = "full"
    LEVEL = "level"
    """Lines that lie."""
    UPRIGHT = "upright"
    """Lines that stand."""


def picture(about: About, width: int, height: int, parts: Iterable[Markup], kind: str = "wide") -> Markup:
    """Return a chart as one image, named by its title and its description.

    Args:
        about: the chart's name, title and description.
        width: of the view box, as height.
        height: see width.
        parts: what is drawn, from back to front.
        kind: how the style sizes and shows it: 'wide'; 'wide slim' and 'wide broad', of which a page shows one;
            'matrix'; or 'grid' for one that is as wide as it says wherever it stands.
    """
    size = Markup(' width="{}"').format(ceil(width * _GRID_SCALE)) if kind == "grid" else ""
    return Markup(
        '<svg class="{kind}"{size} role="img" aria-labelledby="{name}-t {name}-d" viewBox="0 0 {width} {height}">'
        '<title id="{name}-t">{title}</title><desc id="{name}-d">{description}</desc>{parts}</svg>'
    ).format(
        kind=kind,
        size=size,
        name=about.name,
        width=width,
        height=height,
        title=visible_plain(about.title),
        description=visible_plain(about.description),
        parts=Markup("").join(parts),
    )


def scrolled(about: About, drawn: Markup) -> Markup:
    """Return a chart in a frame of its own: where it is broader than the page, the frame scrolls, also by keyboard."""
    return Markup('<div class="scroll" role="group" tabindex="0" aria-labelledby="{}-t">{}</div>').format(
        about.name, drawn
    )


def figure_of(value: Fraction | int) -> str:
    """Return a figure as charts and their tables print it: to two digits."""
    return str(value) if type(value) is int else printed(Fraction(value), digits=2)


def text(x: Point, y: Point, words: str, *, anchor: str = "start", most: int = MOST_LABEL) -> Markup:
    """Return one line of text, shortened where it is too long.

    Args:
        x: where it starts, ends or has its middle, as the anchor says.
        y: of its foot.
        words: may hold a stranger's text.
        anchor: 'start', 'middle' or 'end'.
        most: characters that fit.
    """
    return _markup(
        f'<text x="{figure_of(x)}" y="{figure_of(y)}" text-anchor="{anchor}">{escape(shortened(words, most))}</text>'
    )


def letters(places: Iterable[Point], y: Point, glyphs: Sequence[str]) -> Markup:
    """Return a line of single characters, each with its middle at a place of its own, letters in their colours.

    None of the characters is a space.
    """
    across = " ".join(map(figure_of, places))
    runs = ((glyph, escape("".join(run))) for glyph, run in groupby(glyphs))
    said = "".join(f'<tspan class="{glyph}">{run}</tspan>' if glyph in _LETTERS else run for glyph, run in runs)
    return _markup(f'<text x="{across}" y="{figure_of(y)}" text-anchor="middle">{said}</text>')


def shortened(words: str, most: int) -> str:
    """Return a stranger's words made visible, and no longer than fits: broad characters count for more than one."""
    shown = visible_plain(words)
    if len(shown) * _BROADEST <= most:
        return shown
    reach = list(accumulate(map(_breadth, shown)))
    if reach[-1] <= most:
        return shown
    return shown[: bisect_right(reach, most - 1)] + "\N{HORIZONTAL ELLIPSIS}"


def rule(x: Point, y: Point, to_x: Point, to_y: Point, kind: str = "firm") -> Markup:
    """Return a straight line, 'firm' or 'faint'."""
    return _path(kind, _stroke(x, y, to_x, to_y))


def circle(x: Point, y: Point) -> Markup:
    """Return a small open circle."""
    return _markup(f'<circle cx="{figure_of(x)}" cy="{figure_of(y)}" r="3.2"/>')


def triangle(x: Point, y: Point) -> Markup:
    """Return a full triangle that points up at a line from below."""
    points = (x, y + 1, x - 5, y + 10, x + 5, y + 10)
    return _path("full", "M{} {}L{} {}L{} {}Z".format(*map(figure_of, points)))


def box(x: Point, y: Point, width: Point, height: Point, kind: str = "frame") -> Markup:
    """Return a rectangle: a 'frame', or 'full'."""
    return _markup(
        f'<rect class="{kind}" x="{figure_of(x)}" y="{figure_of(y)}" '
        f'width="{figure_of(width)}" height="{figure_of(height)}"/>'
    )


def textured(texture: Texture, x: Point, y: Point, width: Point, height: Point) -> Markup:
    """Return a rectangle filled with a texture; even the narrowest one has a line of it."""
    drawn = box(x, y, width, height, texture)
    strokes = _strokes(texture, x, y, width, height)
    if not strokes:
        return drawn
    dashes = ' stroke-dasharray="1 2"' if texture is Texture.DOTS else ""
    return drawn + _markup(f'<path class="faint"{dashes} d="{strokes}"/>')


def _breadth(character: str) -> Fraction | int:
    """Return how much room a character takes, in others."""
    if unicodedata.east_asian_width(character) in {"F", "W"}:
        return _BROADEST
    return _BROAD_BREADTH if character in _BROAD else 1


def _strokes(texture: Texture, x: Point, y: Point, width: Point, height: Point) -> str:
    """Return the lines of a texture inside a rectangle as path data; none for a plain or a full one."""
    if texture in {Texture.LEVEL, Texture.DOTS}:
        return "".join(f"M{figure_of(x)} {figure_of(y + down)}h{figure_of(width)}" for down in _inside(height))
    if texture is Texture.UPRIGHT:
        return "".join(f"M{figure_of(x + along)} {figure_of(y)}v{figure_of(height)}" for along in _inside(width))
    if texture is not Texture.SLANT:
        return ""
    return "".join(_rising(x, y, along, (width, height)) for along in _inside(width + height))


def _rising(x: Point, y: Point, along: Point, size: tuple[Point, Point]) -> str:
    """Return a line that rises at half a right angle from the left or lower edge to the upper or right one."""
    width, height = size
    start = max(along - height, 0)
    long = figure_of(min(along, width) - start)
    return f"M{figure_of(x + start)} {figure_of(y + min(along, height))}l{long}-{long}"


def _inside(length: Point) -> list[Point]:
    """Return how far the lines of a texture lie from an edge: a step apart, the middle where no step fits."""
    return list(range(_STEP, int(length) + (length != int(length)), _STEP)) or [Fraction(length) / 2]


def _stroke(x: Point, y: Point, to_x: Point, to_y: Point) -> str:
    return "M{} {}L{} {}".format(*map(figure_of, (x, y, to_x, to_y)))


def _path(kind: str, d: str) -> Markup:
    return _markup(f'<path class="{kind}" d="{d}"/>')


def _markup(made: str) -> Markup:
    return Markup(made)  # noqa: S704 - numbers and words of ours; whatever else is in it was escaped
