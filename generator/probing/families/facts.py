"""Capitals, element symbols, atomic numbers and years, from a pool that stands in the prompt set.

Difficulty: known to most models, missed by some: what a model knows least firmly, quantization moves first. Places
with a second name or a disputed seat are left out of the pool, not argued about here.
"""

from __future__ import annotations

import re
import unicodedata

from generator.probing.families.interface import Family
from generator.probing.families.numerals import numbers
from generator.probing.families.text import bare, bounded, collapse, first_line, fold, outside_brackets, words

_READ = 400
"""Characters of the line that are read."""
_MARKS = "*_\"' "
_LABEL = re.compile(r"(?:the )?(?:final |correct )?(?:answer|capital|symbol|year|atomic number)(?: is)? ?[:=] ?")
_SENTENCE = re.compile(r"(?:the |its )?(?:answer|capital|chemical symbol|symbol|name)\b.{0,80}? is (?:the city of )?")
_REST = re.compile(r"[,;:]|[.!?](?:\s|$)|\s-\s|\u2014|\sis\s")
_JOINTS = str.maketrans({"-": " ", "'": "", "\u02bb": "", "\u02bc": "", "`": "", ".": "", "*": "", "_": " "})


def normalise(text: str) -> str:
    """Return the fact of the first line: its one number, or its name without case, accents and punctuation."""
    said = first_line(bare(text))[:_READ]
    # What stands behind one 'the answer is' may begin with another; each round only shortens what is left.
    while (fact := _stated(said)) != said:
        said = fact
    return bounded(fact)


def _stated(line: str) -> str:
    """Return what one line states, one lead taken off."""
    told = collapse(outside_brackets(line)) or line
    found = numbers(told)
    if len(found) == 1:
        return found[0]
    said = _unaccented(fold(told)).lstrip(_MARKS)
    for lead in (_LABEL, _SENTENCE):
        if stated := lead.match(said):
            said = said[stated.end() :].lstrip(_MARKS)
    return " ".join(words(_REST.split(said, maxsplit=1)[0].translate(_JOINTS)))


def _unaccented(text: str) -> str:
    """Return the text without the marks that some writers leave off a name."""
    marked = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", "".join(char for char in marked if unicodedata.category(char) != "Mn"))


FAMILY = Family(kind="facts", normalise=normalise)
