"""Short lists of numbers to be put in order.

Difficulty: nine three-digit numbers are sorted by a good model most of the time; a number dropped, doubled or out of
place makes the answer another one. Upwards and downwards in turn, so that habit alone does not serve.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from generator.probing.draws import Draws
from generator.probing.families.interface import Family, Generated
from generator.probing.families.text import bare, bounded

_MAX_TOKENS = 64
"""A tokeniser may spend one token on each digit, comma and space."""
_COUNT = 9
_LEAST = 3
"""Numbers that make a list: one or two stand in any sentence."""
_BULLET = re.compile(r"^[ ]*(?:[0-9]{1,2}[.)]|[-*+\u2022])[ ]+(?=[*_]{0,3}[0-9])", re.MULTILINE)
_RUN = re.compile(r"(?<![0-9])[0-9]+(?:[\s,;|<>\u2192*_]+(?:and\s+)?[0-9]+)+")


def generate(draws: Draws) -> Generated:
    """Return the order to sort a list, with the sorted list as its key."""
    listed = draws.sample(range(100, 1000), _COUNT)
    downwards = draws.below(2) == 1
    order = "largest to smallest" if downwards else "smallest to largest"
    prompt = (
        f"Sort these numbers from {order}: {_written(map(str, listed))}. "
        "Answer with the sorted numbers only, separated by commas."
    )
    expected = _written(map(str, sorted(listed, reverse=downwards)))
    return Generated(prompt=prompt, expected=expected, max_tokens=_MAX_TOKENS)


def normalise(text: str) -> str:
    """Return the last list of three numbers or more, on one line or one number a line, joined by commas."""
    unnumbered = _BULLET.sub("", bare(text))
    lists = (re.findall(r"[0-9]+", run) for run in reversed(_RUN.findall(unnumbered)))
    return bounded(_written(next((found for found in lists if len(found) >= _LEAST), [])))


def _written(numbers: Iterable[str]) -> str:
    """Return numbers as prompts and keys write them."""
    return ", ".join(numbers)


FAMILY = Family(kind="sorting", normalise=normalise, generate=generate)
