"""The first line of an answer, as the recorded answers of the demo are compared; prompts come from a pool."""

from __future__ import annotations

from generator.probing.families.interface import Family
from generator.probing.families.text import CAP, first_line, fold, plain, unquoted


def normalise(text: str) -> str:
    """Return the first line that is not blank: case folded, surrounding quotes and closing punctuation off, capped."""
    return unquoted(fold(first_line(plain(text)))[:CAP])


FAMILY = Family(kind="line", normalise=normalise)
