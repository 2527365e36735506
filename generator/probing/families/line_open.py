"""The first three words of an answer's first line: the open-ended family of the demo's recorded answers."""

from __future__ import annotations

from generator.probing.families import line
from generator.probing.families.continuation import WORDS
from generator.probing.families.interface import Family
from generator.probing.families.text import clean as clean_text
from generator.probing.families.text import opening


def normalise(text: str) -> str:
    """Return the first three words of the line as family `line` has it; '' where there are fewer."""
    return opening(line.normalise(text), WORDS)


def clean(text: str) -> str:
    """Return the line as family `line` has it; where it has none, the cleaned text."""
    return line.normalise(text) or clean_text(text)


FAMILY = Family(kind="line-open", normalise=normalise, clean=clean, open_ended=True)
