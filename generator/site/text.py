r"""Text of strangers as it may stand on a page: escaped, isolated, and nothing in it invisible.

Provider names, tags, model slugs, precisions, prompts and answers come from a router or a model. Characters that
reorder, hide or join text are shown as escapes such as `\u202e`, so that two names that differ also look different.
Source of the character classes: the Unicode Standard, general categories and Default_Ignorable_Code_Point.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from markupsafe import Markup, escape

_ESCAPED_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})
# Invisible although their category is that of a letter, a mark or nothing yet: fillers, joiners, selectors, blanks.
_INVISIBLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xE0000, 0xE0FFF),
)
_MOST_MARKS = 2
"""Combining marks in a row that a written language needs; more would be drawn over the lines above and below."""
_LAST_BMP = 0xFFFF
_LINE_ENDS = str.maketrans("", "", "\n\t")
_NO_CHARACTER = 0xFFFE
"""The last two code points of every plane are no characters."""

_OFTEN, _REMEMBERED = 200, 4096
"""Names and phrases of so many characters stand on page after page: the last so many are kept as they were shown."""

_MARKDOWN = re.compile(r"[\\`*_\[\]<>#&~]")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b", re.ASCII)
_FIGURE = re.compile(r"\b\d[\d,.]* (?:%|ms\b)", re.ASCII)


def visible(text: str) -> Markup:
    """Return one line of a stranger's text as HTML: isolated in its direction, escapes marked `ctl`."""
    return _visible(text) if len(text) <= _OFTEN else _visible.__wrapped__(text)


def told(words: str) -> Markup:
    """Return a phrase of ours, with a stranger's words in it, as HTML: dates as `<time>`, figures with their unit."""
    return _told(words) if len(words) <= _OFTEN else _told.__wrapped__(words)


def visible_lines(text: str) -> Markup:
    """Return a stranger's text as HTML for a `<pre>`: line ends, tabs and runs of spaces stay as they are."""
    return _markup(_parts(text, lines=True))


def visible_plain(text: str) -> str:
    """Return one line of a stranger's text without markup, for titles, attributes, citations and the terminal."""
    if _ordinary(text, lines=False):
        return text
    return "".join(shown for shown, _ in _parts(text, lines=False))


def visible_markdown(text: str) -> str:
    """Return one line of a stranger's text as Markdown that says it and nothing else."""
    return _MARKDOWN.sub(r"\\\g<0>", visible_plain(text))


@lru_cache(_REMEMBERED, typed=True)  # Markup is equal to its text, and says of itself that it is escaped.
def _visible(text: str) -> Markup:
    return _markup(_parts(text, lines=False))


@lru_cache(_REMEMBERED, typed=True)
def _told(words: str) -> Markup:
    # What `visible` returns holds no attribute with a date or a figure in it, so text alone is dressed here.
    dated = _DATE.sub(r'<time datetime="\g<0>">\g<0></time>', str(visible(words)))
    return Markup(_FIGURE.sub(r'<span class="nb">\g<0></span>', dated))  # noqa: S704 - escaped by visible


def _markup(parts: list[tuple[str, bool]]) -> Markup:
    pieces = [f'<span class="ctl">{escape(shown)}</span>' if made else escape(shown) for shown, made in parts]
    return Markup(f"<bdi>{''.join(pieces)}</bdi>")  # noqa: S704 - every piece is escaped


def _parts(text: str, *, lines: bool) -> list[tuple[str, bool]]:
    """Return runs of the text, each with whether it is an escape of ours."""
    if _ordinary(text, lines=lines):
        return [(text, False)] if text else []
    parts: list[tuple[str, bool]] = []
    plain: list[str] = []
    marks = _MOST_MARKS  # A mark that opens the text would sit on whatever stands before it.
    for position, character in enumerate(text):
        is_mark = unicodedata.category(character) in {"Mn", "Me"}
        marks = marks + 1 if is_mark else 0
        kept = _stands(character, lines=lines) and marks <= _MOST_MARKS
        if kept and (lines or character != " " or _single(text, position)):
            plain.append(character)
            continue
        if plain:
            parts.append(("".join(plain), False))
            plain = []
        parts.append((_escaped(character), True))
    if plain:
        parts.append(("".join(plain), False))
    return parts


def _ordinary(text: str, *, lines: bool) -> bool:
    """True where nothing of a text can need an escape: nearly every text, found out at a glance."""
    printable = text.translate(_LINE_ENDS) if lines else text
    spaced = not lines and (text != text.strip(" ") or "  " in text)
    return printable.isascii() and printable.isprintable() and not spaced


def _stands(character: str, *, lines: bool) -> bool:
    """True where a character is seen, and seen where it stands."""
    if character == " " or (lines and character in "\n\t"):
        return True
    point = ord(character)
    if point & _NO_CHARACTER == _NO_CHARACTER or any(low <= point <= high for low, high in _INVISIBLE):
        return False
    return unicodedata.category(character) not in _ESCAPED_CATEGORIES


def _single(text: str, position: int) -> bool:
    """True for a space between two other characters: HTML would drop or join all others."""
    return 0 < position < len(text) - 1 and text[position - 1] != " "


def _escaped(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point <= _LAST_BMP else f"\\U{point:08x}"
