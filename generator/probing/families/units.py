"""Conversions by a stated factor, rounded to a stated number of decimals.

The factor stands in the prompt, so there is one right answer whatever a model remembers of it, and amounts whose
result lies half way between two roundings are not asked. Difficulty: one multiplication of a two- or three-digit
amount by a factor of two or three digits, which a good model gets right most of the time without working.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from generator.probing.draws import Draws
from generator.probing.families.interface import Family, Generated
from generator.probing.families.numerals import last_number

_MAX_TOKENS = 32
_BY_THREE_DIGITS = (
    ("inches", "centimetres", "1 inch", Decimal("2.54")),
    ("feet", "metres", "1 foot", Decimal("0.305")),
    ("yards", "metres", "1 yard", Decimal("0.914")),
    ("nautical miles", "kilometres", "1 nautical mile", Decimal("1.85")),
    ("US gallons", "litres", "1 US gallon", Decimal("3.79")),
    ("pounds", "kilograms", "1 pound", Decimal("0.454")),
    ("stones", "kilograms", "1 stone", Decimal("6.35")),
    ("acres", "hectares", "1 acre", Decimal("0.405")),
)
"""Source, target, one of the source, and the factor, of three digits: for smaller amounts, to one decimal."""
_BY_TWO_DIGITS = (
    ("miles", "kilometres", "1 mile", Decimal("1.6")),
    ("metres", "feet", "1 metre", Decimal("3.3")),
    ("kilograms", "pounds", "1 kilogram", Decimal("2.2")),
    ("litres", "UK pints", "1 litre", Decimal("1.8")),
    ("litres", "US pints", "1 litre", Decimal("2.1")),
    ("UK gallons", "litres", "1 UK gallon", Decimal("4.5")),
    ("hectares", "acres", "1 hectare", Decimal("2.5")),
    ("metres per second", "kilometres per hour", "1 metre per second", Decimal("3.6")),
)
"""The same with factors of two digits: for larger amounts, to a whole number."""
_FORMS = (
    (_BY_THREE_DIGITS, 11, 199, Decimal("0.1"), "one decimal place"),
    (_BY_TWO_DIGITS, 101, 999, Decimal(1), "the nearest whole number"),
)
"""Conversions, least and greatest amount, step of the result, and how a prompt says so."""


def generate(draws: Draws) -> Generated:
    """Return a conversion with its factor; the key has no decimal that is zero."""
    conversions, low, high, step, rounding = draws.choice(_FORMS)
    source, target, one, factor = draws.choice(conversions)
    amount = draws.between(low, high)
    while _is_halfway(amount * factor, step):
        amount = draws.between(low, high)
    result = (amount * factor).quantize(step, ROUND_HALF_UP)
    prompt = (
        f"Convert {amount} {source} to {target}, taking {one} as {factor} {target}. "
        f"Round to {rounding}. Answer with the number only."
    )
    return Generated(prompt=prompt, expected=last_number(str(result)), max_tokens=_MAX_TOKENS)


def _is_halfway(value: Decimal, step: Decimal) -> bool:
    """True where two roundings of a value to a step are equally near."""
    return value % step == step / 2


FAMILY = Family(kind="units", normalise=last_number, generate=generate)
