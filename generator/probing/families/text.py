"""Shared cleaning of texts from models: plain characters, no markup, white space collapsed, bounded.

Every function here is total, and what it returns it leaves alone when given it again. Texts are compared, so what no
reader can see (control and bidirectional characters, look-alike widths, kinds of dash and quotation mark) is
levelled before anything else.
"""

from __future__ import annotations

import re
import unicodedata

READ = 4_000
"""Characters of a text that are read. No prompt asks for a fiftieth of them: a longer text ignored its token limit.

Reading no further also bounds Unicode normalisation, whose sorting of combining marks is quadratic in a run of them.
"""

CAP = 200
"""The longest answer in characters."""

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_LEVELLED = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    }
)
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_FENCE = re.compile(r"^[ ]*(?:```|~~~)[ ]*(?:[A-Za-z][A-Za-z0-9_+-]*[ ]*)?$", re.MULTILINE)
_LATEX_FONT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)[ ]?\{")
_LATEX_THIN_SPACE = re.compile(r"\\[,;:!]|[{}]")
_LATEX_MATHS = re.compile(r"\\[()\[\]]|[$`]")
_BOXED = "\\boxed{"
_BRACKETS = re.compile(r"\([^()]*\)")
_QUOTES = "\"'`\u00ab\u00bb "
_CLOSING = ".,;:!?\u3002"


def plain(text: str) -> str:
    """Return the text in NFKC with ASCII digits, quotation marks and dashes, LF line ends and nothing hidden."""
    lines = _BREAKS.sub("\n", text[:READ]).replace("\t", " ")
    visible = "".join(char for char in lines if char == "\n" or not _is_hidden(char))
    composed = unicodedata.normalize("NFKC", visible).translate(_LEVELLED)
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in composed)


def bare(text: str) -> str:
    """Return the plain text without Markdown fences and LaTeX, and only what stands in the last box if it has one."""
    inside = _last_box(plain(text))
    unfenced = _LATEX_FONT.sub("", _FENCE.sub("", inside))
    return _LATEX_MATHS.sub(" ", _LATEX_THIN_SPACE.sub("", unfenced))


def collapse(text: str) -> str:
    """Return the text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def clean(text: str) -> str:
    """Return the plain text on one line, cut at the cap."""
    return collapse(plain(text))[:CAP].rstrip()


def fold(text: str) -> str:
    """Return a plain text with case folded.

    Folding can undo NFKC and composing can undo folding; alternating as Unicode's NFKC_Casefold does settles both.
    """
    for _ in range(2):
        text = unicodedata.normalize("NFKC", text.casefold())
    return text


def first_line(text: str) -> str:
    """Return the first line that is not blank, its white space collapsed; '' where there is none."""
    return next((line for raw in text.split("\n") if (line := collapse(raw))), "")


def unquoted(text: str) -> str:
    """Return the text without quotation marks around it and without closing punctuation."""
    return text.rstrip(_QUOTES + _CLOSING).lstrip(_QUOTES)


def words(text: str) -> list[str]:
    """Return the words of a plain text: case folded, without the punctuation and symbols around each."""
    split = fold(text).replace("\u2014", " ").replace("--", " ").split()
    return [word for raw in split if (word := _trimmed(raw))]


def opening(text: str, count: int) -> str:
    """Return the first so many words of a plain text; '' where it has fewer or they pass the cap."""
    found = words(text)[:count]
    return bounded(" ".join(found)) if len(found) == count else ""


def outside_brackets(text: str) -> str:
    """Return the text without what stands in round brackets: there, models explain what they answered."""
    return _BRACKETS.sub(" ", text)


def bounded(answer: str) -> str:
    """Return the answer, or '' where it is longer than any answer is."""
    return answer if len(answer) <= CAP else ""


def _is_hidden(char: str) -> bool:
    """True for control, format, private and half characters, and for what Unicode says is no character."""
    code = ord(char)
    if char.isascii():
        return not char.isprintable()
    return unicodedata.category(char) in _HIDDEN or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # noqa: PLR2004 - the noncharacters


def _last_box(text: str) -> str:
    """Return what the last LaTeX box holds, to its closing brace or the text's end; without a box, the text."""
    start = text.rfind(_BOXED)
    if start < 0:
        return text
    depth = 1
    begin = start + len(_BOXED)
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[begin:place]
    return text[begin:]


def _trimmed(word: str) -> str:
    """Return the word without punctuation and symbols at its ends."""
    start, end = 0, len(word)
    while start < end and unicodedata.category(word[start])[0] in "PS":
        start += 1
    while end > start and unicodedata.category(word[end - 1])[0] in "PS":
        end -= 1
    return word[start:end]
