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
from functools import lru_cache
from itertools import accumulate, groupby
from math import ceil, lcm

import msgspec
from markupsafe import Markup, escape

from generator.records.figures import ratio
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
_REMEMBERED = 8192
"""Coordinates that are kept as printed: the charts of one kind share most of theirs."""

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
    return str(value) if type(value) is int else _figure(*value.as_integer_ratio())


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
    return letters_at(" ".join(map(figure_of, places)), y, glyphs)


def letters_at(across: str, y: Point, glyphs: Sequence[str]) -> Markup:
    """Return what `letters` does, of places as printed, with a space between two."""
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
    return _path(kind, "M{} {}L{} {}".format(*map(figure_of, (x, y, to_x, to_y))))


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


def coloured(letter: Letter, drawn: str, dashes: str | None = None) -> Markup:
    """Return lines and boxes in the colour that a letter has on every page, in dashes where any are given."""
    given = f' stroke-dasharray="{dashes}"' if dashes else ""
    return _markup(f'<g class="{letter}"{given}>{drawn}</g>')


@lru_cache(_REMEMBERED)
def _figure(part: int, whole: int) -> str:
    """Return a ratio, reduced or not, as `figure_of` does."""
    return ratio(part, whole, digits=2)


def _breadth(character: str) -> Fraction | int:
    """Return how much room a character takes, in others."""
    if unicodedata.east_asian_width(character) in {"F", "W"}:
        return _BROADEST
    return _BROAD_BREADTH if character in _BROAD else 1


def _strokes(texture: Texture, x: Point, y: Point, width: Point, height: Point) -> str:
    """Return the lines of a texture inside a rectangle as path data; none for a plain or a full one.

    In whole parts of one unit throughout: a Fraction made for each end of a line costs more than all else of a chart.
    """
    unit = 2 * lcm(x.denominator, y.denominator, width.denominator, height.denominator)
    left, top, wide, high = (each.numerator * (unit // each.denominator) for each in (x, y, width, height))
    if texture in {Texture.LEVEL, Texture.DOTS}:
        start, long = f"M{figure_of(x)} ", f"h{figure_of(width)}"
        return "".join(f"{start}{_figure(top + down, unit)}{long}" for down in _inside(high, unit))
    if texture is Texture.UPRIGHT:
        end = f" {figure_of(y)}v{figure_of(height)}"
        return "".join(f"M{_figure(left + along, unit)}{end}" for along in _inside(wide, unit))
    if texture is not Texture.SLANT:
        return ""
    return "".join(_rising(left, top, along, (wide, high), unit) for along in _inside(wide + high, unit))


def _rising(left: int, top: int, along: int, size: tuple[int, int], unit: int) -> str:
    """Return a line that rises at half a right angle from the left or lower edge to the upper or right one."""
    wide, high = size
    start = max(along - high, 0)
    long = _figure(min(along, wide) - start, unit)
    return f"M{_figure(left + start, unit)} {_figure(top + min(along, high), unit)}l{long}-{long}"


def _inside(length: int, unit: int) -> Sequence[int]:
    """Return how far the lines of a texture lie from an edge: a step apart, the middle where no step fits.

    Args:
        length: in parts of a unit, an even number of them.
        unit: so many parts.
    """
    return range(_STEP * unit, length, _STEP * unit) or (length // 2,)


def _path(kind: str, d: str) -> Markup:
    return _markup(f'<path class="{kind}" d="{d}"/>')


def _markup(made: str) -> Markup:
    return Markup(made)  # noqa: S704 - numbers and words of ours; whatever else is in it was escaped
