"""Charts read back as a test needs them: where every mark lies, what every text says and how much room it takes."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations
from xml.etree.ElementTree import Element, fromstring

WORD, LETTER = 7.3, 9.8
"""How wide a character of a line of words is on the average, and a single capital at most, at 12.5 units of size."""
ABOVE, BELOW = 9.4, 2.6
"""How far a line of text reaches over its foot and under it."""


def tree(svg: str) -> Element:
    """Return the tree of a chart's first drawing, read as the XML that it also is."""
    return trees(svg)[0]


def trees(svg: str) -> list[Element]:
    """Return the tree of every drawing of a chart: one, or one for a phone and one for a page."""
    return [fromstring(each) for each in re.findall(r"<svg .*?</svg>|<g>.*</g>", svg, re.DOTALL)]  # noqa: S314 - our own


def on(page: bytes) -> list[Element]:
    """Return the tree of every chart of a page, in order."""
    return [tree(svg) for svg in re.findall(r"<svg .*?</svg>", page.decode(), re.DOTALL)]


def size(chart: Element) -> tuple[float, float]:
    """Return width and height of a chart's view box."""
    _, _, width, height = (float(part) for part in chart.get("viewBox", "").split())
    return width, height


def rects(chart: Element, *kinds: str) -> list[tuple[str, Fraction, Fraction, Fraction, Fraction]]:
    """Return kind, x, y, width and height of every rectangle, or of those of some kinds, in order."""
    return [
        (rect.get("class", ""), *(Fraction(rect.get(name, "")) for name in ("x", "y", "width", "height")))
        for rect in chart.iter("rect")
        if not kinds or rect.get("class") in kinds
    ]


def points(d: str) -> list[tuple[float, float]]:
    """Return every point that path data come to; only the commands that charts use."""
    found: list[tuple[float, float]] = []
    x = y = 0.0
    for command, numbers in re.findall(r"([MLlhvz])([^MLlhvz]*)", d):
        given = [float(number) for number in re.findall(r"-?[\d.]+", numbers.replace("-", " -"))]
        if command in "ML":
            x, y = given
        elif command != "z":
            across, down = {"h": (given[0], 0.0), "v": (0.0, given[0]), "l": (given[0], given[-1])}[command]
            x, y = x + across, y + down
        found.append((x, y))
    assert "".join(re.findall(r"[A-Za-z]", d)).strip("MLlhvz") == ""
    return found


def marks(chart: Element) -> list[tuple[float, float]]:
    """Return every point that anything is drawn at: corners, centres, ends of lines, feet of texts."""
    found = [
        corner for _, x, y, w, h in rects(chart) for corner in ((float(x), float(y)), (float(x + w), float(y + h)))
    ]
    found += [(float(each.get("cx", "")), float(each.get("cy", ""))) for each in chart.iter("circle")]
    found += [point for path in chart.iter("path") for point in points(path.get("d", "").replace("Z", "z"))]
    return found + [(x, y) for _, x, _, y in boxes(chart)] + [(x, y) for _, _, x, y in boxes(chart)]


def boxes(chart: Element) -> list[tuple[str, float, float, float]]:
    """Return every line of text, single letters one by one: what it says, where it begins and ends, its foot."""
    found = []
    for each in _lines(chart):
        said = _said(each)
        anchor = each.get("text-anchor") or ("middle" if chart.find("g[@text-anchor='middle']") is not None else "")
        places = [float(x) for x in each.get("x", "").split()]
        parts = list(said) if len(places) > 1 else [said]
        for place, part in zip(places, parts, strict=True):
            wide = LETTER if len(part) == 1 else WORD * len(part)
            start = place - {"middle": wide / 2, "end": wide}.get(anchor, 0)
            found.append((part, start, start + wide, float(each.get("y", ""))))
    return found


def texts(chart: Element) -> list[str]:
    """Return what a chart's lines of text say, in order."""
    return [_said(each) for each in _lines(chart)]


def _lines(chart: Element) -> list[Element]:
    """Return whatever has a place of its own for its text."""
    return [each for each in chart.iter() if each.tag in {"text", "tspan"} and each.get("x")]


def _said(line: Element) -> str:
    """Return a line's text, with that of its coloured letters."""
    return (line.text or "") + "".join((part.text or "") + (part.tail or "") for part in line if part.get("x") is None)


def outside(chart: Element) -> list[tuple[float, float]]:
    """Return the points that lie outside the view box."""
    width, height = size(chart)
    return [(x, y) for x, y in marks(chart) if not (0 <= x <= width and 0 <= y <= height)]


def overlapping(chart: Element) -> list[tuple[str, str]]:
    """Return the texts that stand on one another."""
    return [
        (first[0], second[0])
        for first, second in combinations(boxes(chart), 2)
        if abs(first[3] - second[3]) < ABOVE + BELOW and min(first[2], second[2]) > max(first[1], second[1])
    ]


def said(chart: Element) -> tuple[str, str]:
    """Return a chart's title and description, found by the ids that name it."""
    ids = chart.get("aria-labelledby", "").split()
    named = {each.get("id"): each.text or "" for each in chart if each.tag in {"title", "desc"}}
    assert chart.get("role") == "img"
    assert list(named) == ids
    return named[ids[0]], named[ids[1]]
