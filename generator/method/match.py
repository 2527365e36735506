"""Column M: each night's mismatches over the stable families together, against what their floors allow."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from generator.method.disagreement import Pairs
from generator.method.letters import match_letter
from generator.method.totals import EndpointWindow, ModelWindow
from generator.records.comparison import is_outside
from generator.records.definition import Definition
from generator.records.figures import storable
from generator.records.grade import Letter, MatchFamily, MatchNight


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """What column M says of one endpoint over one window."""

    letter: Letter | None
    nights: tuple[MatchNight, ...]
    """The measured ones."""
    nights_outside: int
    own_variation_above_floor: bool
    families: tuple[MatchFamily, ...]


def match_column(endpoint: EndpointWindow, model: ModelWindow, definition: Definition) -> Match:
    """Return column M: not measured where no night has a prompt to judge by."""
    nights, outside, margin = [], 0, definition.margin
    for night, counts in endpoint.nights:
        prompts, mismatches, allowed = 0, 0, Fraction(0)
        for family, floor in model.stable_families:
            found = counts.family(family)
            prompts += found.compared
            mismatches += found.mismatches
            allowed += found.compared * floor
        if prompts:
            # What is recorded decides, so that record and reading can never differ.
            stored = storable(allowed)
            outside += is_outside(mismatches, prompts, stored, None if margin is None else margin.ratio)
            nights.append(
                MatchNight(
                    night=night,
                    prompts=prompts,
                    mismatches=mismatches,
                    allowed_numerator=stored.numerator,
                    allowed_denominator=stored.denominator,
                )
            )
    above = _own_variation_above_floor(endpoint, model, definition)
    letter = match_letter(outside, own_variation_above_floor=above, definition=definition) if nights else None
    return Match(
        letter=letter,
        nights=tuple(nights),
        nights_outside=outside,
        own_variation_above_floor=above,
        families=tuple(_family(endpoint, model, family) for family in model.families),
    )


def _own_variation_above_floor(endpoint: EndpointWindow, model: ModelWindow, definition: Definition) -> bool:
    """True where the endpoint's own pairs differ more often than the floors allow, pooled as a night's prompts are."""
    differing, compared, allowed = 0, 0, Fraction(0)
    for family, floor in model.stable_families:
        pairs = endpoint.pairs.get(family, Pairs())
        differing += pairs.differing
        compared += pairs.pairs
        allowed += pairs.pairs * floor
    margin = definition.margin
    level = margin.ratio if margin is not None and margin.own_variation else None
    return is_outside(differing, compared, allowed, level)


def _family(endpoint: EndpointWindow, model: ModelWindow, family: str) -> MatchFamily:
    counts, noise, pairs = endpoint.family(family), model.noise[family], endpoint.pairs.get(family, Pairs())
    return MatchFamily(
        family=family,
        stable=noise.stable,
        floor_numerator=None if noise.floor is None else noise.floor.numerator,
        floor_denominator=None if noise.floor is None else noise.floor.denominator,
        prompts=counts.compared,
        mismatches=counts.mismatches,
        pairs=pairs.pairs,
        pairs_differing=pairs.differing,
    )
