"""Random strings to be written out again, character for character.

Difficulty: four groups of eight mixed letters and digits are no language, so that each character is copied rather
than guessed; good models rarely miss one, and a damaged one does so first here.
"""

from __future__ import annotations

import re
import string

from generator.probing.draws import Draws
from generator.probing.families.interface import Family, Generated
from generator.probing.families.text import bare, bounded, unquoted

_MAX_TOKENS = 64
"""A tokeniser may spend one token on each of the 35 characters."""
_GROUPS, _GROUP = 4, 8
_ALPHABET = string.ascii_letters + string.digits
_STRING = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+){2,}")


def generate(draws: Draws) -> Generated:
    """Return the order to copy a string, with the string as its key."""
    groups = ("".join(draws.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
    text = "-".join(groups)
    prompt = f"Write out this string exactly as it is, and nothing else:\n\n{text}"
    return Generated(prompt=prompt, expected=text, max_tokens=_MAX_TOKENS)


def normalise(text: str) -> str:
    """Return the last word that is letters and digits in three or more groups joined by hyphens, case kept."""
    candidates = (unquoted(word.strip("*_")) for word in reversed(bare(text).split()))
    return bounded(next((word for word in candidates if _STRING.fullmatch(word)), ""))


FAMILY = Family(kind="copy", normalise=normalise, generate=generate)
