"""A small table, and one of its cells to be found by two columns.

Difficulty: every object stands in several colours and the codes look alike, so that the row has to be found by both
words; a good model rarely misses it.
"""

from __future__ import annotations

import re

from generator.probing.draws import Draws
from generator.probing.families.interface import Family, Generated
from generator.probing.families.text import bare

_MAX_TOKENS = 24
_ROWS = 9
_COLOURS = ("red", "blue", "green", "white")
_OBJECTS = ("lamp", "chair", "vase", "clock", "kettle", "basket", "mirror", "carpet")
_LETTERS = "BDPT"
"""Few and alike, so that codes share their first letters."""
_CODE = re.compile(r"(?<![A-Za-z0-9-])[A-Z]{2}[0-9]{3}(?![A-Za-z0-9-])")


def generate(draws: Draws) -> Generated:
    """Return a table of colours, objects and codes, and the question for one code."""
    objects = draws.sample(_OBJECTS, 4)
    pairs = [(colour, thing) for colour in _COLOURS for thing in objects]
    rows = list(zip(draws.sample(pairs, _ROWS), _codes(draws), strict=True))
    (colour, thing), code = draws.choice(rows)
    table = "\n".join(f"{shade}, {item}, {mark}" for (shade, item), mark in rows)
    prompt = f"colour, object, code\n{table}\n\nWhich code belongs to the {colour} {thing}? Answer with the code only."
    return Generated(prompt=prompt, expected=code, max_tokens=_MAX_TOKENS)


def normalise(text: str) -> str:
    """Return the last code of a text: two capitals and three digits that touch no other letter or digit."""
    found = _CODE.findall(bare(text))
    return found[-1] if found else ""


def _codes(draws: Draws) -> list[str]:
    """Return as many different codes as the table has rows."""
    digits = draws.sample(range(100, 1000), _ROWS)
    return [f"{draws.choice(_LETTERS)}{draws.choice(_LETTERS)}{number}" for number in digits]


FAMILY = Family(kind="lookup", normalise=normalise, generate=generate)
