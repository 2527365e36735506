"""Textures and figures of charts as they are defined: by fractions, one line after the other."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from generator.records.figures import printed
from generator.site.drawing import Point, Texture


def plain_figure(value: Point) -> str:
    """Return a figure to two digits."""
    return printed(Fraction(value), digits=2)


def plain_strokes(texture: Texture, x: Point, y: Point, width: Point, height: Point) -> str:
    """Return the lines inside a rectangle, three units apart from its edge on, as path data."""
    figure = plain_figure
    if texture in {Texture.LEVEL, Texture.DOTS}:
        return "".join(f"M{figure(x)} {figure(y + down)}h{figure(width)}" for down in _inside(height))
    if texture is Texture.UPRIGHT:
        return "".join(f"M{figure(x + along)} {figure(y)}v{figure(height)}" for along in _inside(width))
    if texture is not Texture.SLANT:
        return ""
    drawn = ""
    for along in _inside(width + height):
        start = max(along - height, 0)
        long = figure(min(along, width) - start)
        drawn += f"M{figure(x + start)} {figure(y + min(along, height))}l{long}-{long}"
    return drawn


def _inside(length: Point) -> list[Point]:
    return [3 * each for each in range(1, ceil(Fraction(length) / 3))] or [Fraction(length) / 2]
