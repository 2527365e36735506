"""Badges: one endpoint's latest grade in one line, as a picture of our own and as what shields.io draws one from.

A letter never stands without its method version, its columns and the window's last night, nor without saying whether
it is provisional, replayed, or of an endpoint that is no longer listed. The picture asks for no font and runs nothing;
it says everything in words, so that no colour is needed to read it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import msgspec
from markupsafe import Markup, escape

from generator.records.grade import Grade, Letter
from generator.records.permalink import badge_path
from generator.records.reading import LETTER_WORDS, provisional_words, short_form
from generator.site.citation import title
from generator.site.frame import is_replayed_grade
from generator.site.library import Library
from generator.site.stories import EndpointStory
from generator.site.text import visible_plain

COLOURS = {Letter.A: "#16476b", Letter.B: "#2c7567", Letter.C: "#8a640c", Letter.D: "#7b2d1e", Letter.U: "#5b5b62"}
"""The letters' colours as the pages have them by day."""
NO_GRADE_COLOUR = "#5d5952"
_INK, _PAPER = "#1d1c1a", "#fdfcf9"

_HEIGHT, _PAD = 20, 6
_ADVANCE = 7
"""How wide a character is drawn, in the picture's units: as wide as the widest of the fonts named needs it, and every
text is fitted to it."""
_MOST_LABEL = 40
_DOUBLE_WIDTH = frozenset("WF")
"""East Asian widths that take the place of two characters."""

_FRAMES = {
    Letter.A: '<rect x="{x}" y="3" width="15" height="14" stroke-width="2"/>',
    Letter.B: '<rect x="{x}" y="3" width="15" height="14" stroke-width="4"/>'
    '<rect x="{x}" y="3" width="15" height="14" stroke-width="1.4" stroke="{paper}"/>',
    Letter.C: '<rect x="{x}" y="3" width="15" height="14" stroke-width="2" stroke-dasharray="5 2"/>',
    Letter.D: '<rect x="{x}" y="3" width="15" height="14" stroke-width="2" stroke-dasharray="2 2"/>',
    Letter.U: '<path d="M{x} 3h15M{x} 17h15" stroke-width="2"/>',
}


class Badge(msgspec.Struct, frozen=True, kw_only=True):
    """What a badge says."""

    label: str
    """Whose grade it is."""
    message: str
    """The grade in one line."""
    letter: Letter | None
    """None for an endpoint that has no grade under the current version."""
    title: str
    """The whole in a sentence: also what the label has no room for."""


class ShieldsBadge(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What shields.io's endpoint badge reads (https://shields.io/badges/endpoint-badge)."""

    schema_version: int
    label: str
    message: str
    color: str


def render(library: Library) -> Iterator[tuple[str, bytes]]:
    """Yield the two badges of every known endpoint."""
    for model in library.models:
        for story in model.endpoints:
            made, path = badge(story, library), badge_path(story.model, story.endpoint)
            yield f"{path}.svg", picture(made)
            yield f"{path}.json", shields(made)


def badge(story: EndpointStory, library: Library) -> Badge:
    """Return what an endpoint's badge says."""
    grade, label = story.latest, visible_plain(library.material.settings.title)
    if grade is None:
        said, who = f"no grade under method version {library.current} yet", _who(story)
    else:
        said, who = (
            f"{short_form(grade)} · {_standing(grade, library)} · to {grade.window_end.isoformat()}",
            title(grade),
        )
    parts = [said]
    if story.listings > 1:
        parts.append(f"{story.listings} listings, not separable")
    if not story.listed_now and story.last_listed is not None:
        parts.append(f"{story.gone_words}, last night {story.last_listed.isoformat()}")
    message = " · ".join(parts)
    return Badge(
        label=label, message=message, letter=None if grade is None else grade.letter, title=f"{label}. {who}: {message}"
    )


def shields(made: Badge) -> bytes:
    """Return a badge as shields.io's endpoint badge reads it."""
    colour = NO_GRADE_COLOUR if made.letter is None else COLOURS[made.letter]
    return msgspec.json.encode(ShieldsBadge(schema_version=1, label=made.label, message=made.message, color=colour))


def picture(made: Badge) -> bytes:
    """Return a badge as SVG: the label, then the message, its letter in a frame of its own."""
    label = made.label if len(made.label) <= _MOST_LABEL else f"{made.label[: _MOST_LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"
    across = 2 * _PAD + _width(label)
    parts, start, rest, shown = [_text(_PAD, label, _PAPER)], across + _PAD, made.message, escape(made.message)
    if made.letter is not None:
        parts += [_frame(start, made.letter), _text(start + 6, made.letter, COLOURS[made.letter], bold=True)]
        start, rest = start + 24, made.message.removeprefix(made.letter).lstrip()
        version, columns, *more = rest.split(" · ")
        shown = escape(" · ").join([escape(version), _columns(columns), *map(escape, more)])
    parts.append(_text(start, rest, _INK, shown))
    return _svg(made.title, across, start + _width(rest) + _PAD, parts)


def _columns(short: str) -> Markup:
    """Return the columns with their letters set off from their names: 'M A T B D A R A'."""
    words = [
        Markup('<tspan font-weight="bold">{}</tspan>').format(word) if place % 2 else escape(word)
        for place, word in enumerate(short.split())
    ]
    return Markup(" ").join(words)


def _svg(name: str, across: int, width: int, parts: Sequence[Markup]) -> bytes:
    return (
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            'viewBox="0 0 {width} {height}" role="img" aria-label="{name}"><title>{name}</title>'
            '<rect width="{width}" height="{height}" fill="{ink}"/>'
            '<rect x="{across}" y="1" width="{inside}" height="{low}" fill="{paper}"/>'
            '<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,monospace" '
            'font-size="11.5">{parts}</g></svg>\n'
        )
        .format(
            name=name,
            width=width,
            height=_HEIGHT,
            low=_HEIGHT - 2,
            across=across,
            inside=width - across - 1,
            ink=_INK,
            paper=_PAPER,
            parts=Markup("").join(parts),
        )
        .encode()
    )


def _standing(grade: Grade, library: Library) -> str:
    """Return what a letter says of itself: unrated, provisional or final, replayed."""
    words = [LETTER_WORDS[grade.letter]] if grade.letter is Letter.U else []
    words.append(provisional_words(grade))
    if is_replayed_grade(grade, library.material.settings):
        words.append("replayed")
    return ", ".join(words)


def _who(story: EndpointStory) -> str:
    return f"{visible_plain(story.model)} served by {visible_plain(story.provider)} ({visible_plain(story.tag)})"


def _frame(x: int, letter: Letter) -> Markup:
    """Return the letter's frame: each has a pattern of its own, so that colour is never the only mark."""
    drawn = Markup(_FRAMES[letter]).format(x=x + 2, paper=_PAPER)  # noqa: S704 - a drawing of ours
    return Markup('<g fill="none" stroke="{}">{}</g>').format(COLOURS[letter], drawn)


def _text(x: int, text: str, colour: str, shown: Markup | None = None, *, bold: bool = False) -> Markup:
    """Return a text that is as wide as it was counted, whatever font there is.

    Args:
        x: where it begins.
        text: what it says.
        colour: of its letters.
        shown: the same with markup in it.
        bold: all of it.
    """
    return Markup('<text x="{}" y="14" textLength="{}" lengthAdjust="spacingAndGlyphs" fill="{}"{}>{}</text>').format(
        x, _width(text), colour, Markup(' font-weight="bold"') if bold else "", text if shown is None else shown
    )


def _width(text: str) -> int:
    """Return how wide a text is drawn: combining marks take no place, East Asian characters two."""
    cells = sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in _DOUBLE_WIDTH) for each in text
    )
    return _ADVANCE * cells
