"""Sums and products of whole numbers, answered with the number alone.

Difficulty: a good model of 8 to 70 billion parameters that answers at once, without working, adds three four-digit
numbers and multiplies by one digit almost always right; by two small digits, most of the time. Products of two
three-digit numbers are left out: most models of that size miss most of them, and a prompt that all miss measures noise.
"""

from __future__ import annotations

from generator.probing.draws import Draws
from generator.probing.families.interface import Family, Generated
from generator.probing.families.numerals import last_number

_MAX_TOKENS = 32
_FORMS = ("sum of three", "sum of three", "four digits by one", "three digits by one", "three digits by two")
"""Sums twice: they are the steadier half."""


def generate(draws: Draws) -> Generated:
    """Return a sum of three four-digit numbers, or a product of a three- or four-digit number and a small one."""
    match draws.choice(_FORMS):
        case "sum of three":
            terms = [draws.between(1001, 9999) for _ in range(3)]
            return _question(" + ".join(map(str, terms)), sum(terms))
        case "four digits by one":
            left, right = draws.between(1001, 9999), draws.between(3, 9)
        case "three digits by one":
            left, right = draws.between(101, 999), draws.between(3, 9)
        case _:
            left, right = draws.between(101, 999), draws.between(11, 19)
    return _question(f"{left} * {right}", left * right)


def _question(formula: str, result: int) -> Generated:
    """Return the question for a formula."""
    prompt = f"What is {formula}? Answer with the number only."
    return Generated(prompt=prompt, expected=str(result), max_tokens=_MAX_TOKENS)


FAMILY = Family(kind="arithmetic", normalise=last_number, generate=generate)
