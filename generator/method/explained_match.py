"""Column M, night by night and prompt by prompt: what was compared, what differs, and what the floors allow."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from generator.method.explained_noise import NONE, ModelNoise, differing_pairs
from generator.method.explained_rows import ModelRows, NightRows
from generator.records.comparison import is_outside
from generator.records.definition import Definition
from generator.records.explanation import (
    ExplainedFloor,
    ExplainedMatch,
    ExplainedMatchNight,
    MatchFamilyNight,
    MatchPrompt,
    NoReference,
    OwnVariation,
)
from generator.records.figures import storable
from generator.records.grade import Grade, MatchNight
from generator.records.observation import Observation
from generator.records.reading import NOT_MEASURED, match_words, night_words
from generator.records.telling import (
    allowed_of,
    exact_count,
    exact_ratio,
    match_night_sentence,
    own_variation_sentence,
    percent_figure,
    tail_figure,
)


def explained_match(grade: Grade, rows: ModelRows, noise: ModelNoise, definition: Definition) -> ExplainedMatch:
    """Return column M of one endpoint.

    Args:
        grade: whose column it is.
        rows: its model's, over the window.
        noise: its model's, over the window.
        definition: that the grade was made under.
    """
    return ExplainedMatch(
        letter=grade.m_letter,
        words=match_words(grade, definition),
        floors=tuple(_floor(each, grade.endpoint, noise) for each in noise.families),
        nights=tuple(
            _night(night, grade.endpoint, noise, definition) for night in rows.nights if grade.endpoint in night.listed
        ),
        own_variation=_own_variation(grade.endpoint, noise, definition),
    )


def _floor(floor: ExplainedFloor, endpoint: str, noise: ModelNoise) -> ExplainedFloor:
    """Return a family's floor with the counts of one endpoint beside it."""
    key = endpoint, floor.family
    match, own = noise.match.get(key, NONE), noise.own.get(key, NONE)
    return msgspec.structs.replace(
        floor,
        compared=match.compared,
        mismatches=match.differing,
        pairs=own.compared,
        pairs_differing=own.differing,
    )


def _night(night: NightRows, endpoint: str, noise: ModelNoise, definition: Definition) -> ExplainedMatchNight:
    prompts = tuple(
        sorted(
            (_prompt(night, row) for row in night.of(endpoint) if row.family in noise.stable),
            key=lambda prompt: (prompt.family, prompt.prompt_id),
        )
    )
    families = tuple(_family(family, floor, prompts) for family, floor in noise.stable.items())
    compared = sum(family.compared for family in families)
    mismatches = sum(family.mismatches for family in families)
    allowed = storable(
        sum((Fraction(each.allowed.numerator, each.allowed.denominator) for each in families), Fraction(0))
    )
    measured = MatchNight(
        night=night.night,
        prompts=compared,
        mismatches=mismatches,
        allowed_numerator=allowed.numerator,
        allowed_denominator=allowed.denominator,
    )
    margin = definition.margin
    return ExplainedMatchNight(
        night=night.night,
        compared=compared,
        mismatches=mismatches,
        allowed=allowed_of(measured),
        tail=tail_figure(mismatches, compared, allowed, None if margin is None else margin.ratio),
        level=None if margin is None else percent_figure(margin.level),
        reading=night_words(measured, definition) if compared else NOT_MEASURED,
        words=match_night_sentence(measured if compared else None, definition, when=night.night),
        families=families,
        prompts=prompts,
    )


def _family(family: str, floor: Fraction, prompts: tuple[MatchPrompt, ...]) -> MatchFamilyNight:
    compared = sum(prompt.compared for prompt in prompts if prompt.family == family)
    mismatches = sum(prompt.differs for prompt in prompts if prompt.family == family)
    return MatchFamilyNight(
        family=family,
        compared=compared,
        mismatches=mismatches,
        floor=exact_ratio(floor),
        allowed=exact_count(compared * floor),
    )


def _prompt(night: NightRows, row: Observation) -> MatchPrompt:
    """Return one prompt with what the model's endpoints answered and what this one did."""
    found, prompt = night.references.get(row.prompt_id), night.prompts[row.prompt_id]
    compared = night.compared(row)
    return MatchPrompt(
        prompt_id=row.prompt_id,
        family=row.family,
        fixed=row.fixed,
        prompt=prompt.prompt,
        answered=0 if found is None else found.answered,
        most_given=0 if found is None else found.most_given,
        reference=None if found is None else found.answer,
        no_reference=NoReference.NO_ANSWER if found is None else found.missing,
        agreed=() if found is None else found.agreed,
        outcome=row.outcome,
        answer=row.answer,
        text=row.text,
        compared=compared is not None,
        differs=compared is not None and row.answer != compared.answer,
    )


def _own_variation(endpoint: str, noise: ModelNoise, definition: Definition) -> OwnVariation:
    tallies = [(noise.own.get((endpoint, family), NONE), floor) for family, floor in noise.stable.items()]
    compared = sum(tally.compared for tally, _ in tallies)
    differing = sum(tally.differing for tally, _ in tallies)
    allowed = sum((tally.compared * floor for tally, floor in tallies), Fraction(0))
    margin = definition.margin if definition.margin is not None and definition.margin.own_variation else None
    level = None if margin is None else margin.ratio
    tail, above = tail_figure(differing, compared, allowed, level), is_outside(differing, compared, allowed, level)
    return OwnVariation(
        pairs=compared,
        differing=differing,
        allowed=exact_count(storable(allowed), (Fraction(differing),)),
        tail=tail,
        level=None if margin is None else percent_figure(margin.level),
        above=above,
        words=own_variation_sentence(differing, compared, allowed, definition, tail=tail, above=above),
        differ=differing_pairs(endpoint, noise),
    )
