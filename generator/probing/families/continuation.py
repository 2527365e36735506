"""Openings of a text to be carried on, compared on the first three words of what follows.

There is no key: agreement between endpoints is all that is read. The cut is by design, so a few tokens suffice.
"""

from __future__ import annotations

from generator.probing.families.interface import Family
from generator.probing.families.text import CAP, bare, opening, words
from generator.probing.families.text import clean as clean_text

WORDS = 3
"""Words that are compared."""


def normalise(text: str) -> str:
    """Return the first three words, case folded and without punctuation; '' where there are fewer."""
    return opening(bare(text), WORDS)


def clean(text: str) -> str:
    """Return all the words there are, cut at the cap; where there is none, the cleaned text."""
    return " ".join(words(bare(text)))[:CAP].rstrip() or clean_text(text)


FAMILY = Family(kind="continuation", normalise=normalise, clean=clean, open_ended=True)
