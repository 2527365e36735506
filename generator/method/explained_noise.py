"""A model's floors with the values they came from, and every endpoint's own pairs, counted again prompt by prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import msgspec

from generator.method.disagreement import floor, median, stable
from generator.method.explained_rows import ModelRows, NightRows
from generator.records.definition import Definition, ratio
from generator.records.explanation import DifferingPair, ExplainedFloor, SelfDisagreement
from generator.records.observation import Observation, Outcome
from generator.records.telling import exact_ratio, percent_figure


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How many of some compared things differ."""

    compared: int = 0
    differing: int = 0

    @property
    def share(self) -> Fraction | None:
        """Differing over compared; None where nothing is compared."""
        return Fraction(self.differing, self.compared) if self.compared else None

    def plus(self, *, differs: bool) -> Tally:
        """Return the tally with one more compared."""
        return Tally(compared=self.compared + 1, differing=self.differing + differs)


NONE = Tally()

Pair = tuple[NightRows, Observation, NightRows, Observation]
"""One fixed prompt on two consecutive nights of the window: the earlier night and answer, the later ones."""


class ModelNoise(msgspec.Struct, frozen=True, kw_only=True):
    """What one model's endpoints vary by over a window."""

    pairs: Mapping[str, Sequence[Pair]]
    """By endpoint."""
    own: Mapping[tuple[str, str], Tally]
    """By endpoint and family, its pairs."""
    match: Mapping[tuple[str, str], Tally]
    """By endpoint and family, its prompts with a reference."""
    floors: Mapping[str, Fraction | None]
    """By family, a ratio."""
    families: tuple[ExplainedFloor, ...]
    """Without the counts of any one endpoint."""

    @property
    def stable(self) -> dict[str, Fraction]:
        """The families that column M judges by, with their floors."""
        found = {each.family: self.floors[each.family] for each in self.families if each.stable}
        return {family: value for family, value in found.items() if value is not None}


def model_noise(rows: ModelRows, definition: Definition) -> ModelNoise:
    """Return a model's pairs, floors and stability."""
    pairs = {endpoint: _pairs(rows, endpoint) for endpoint in rows.endpoints}
    own: dict[tuple[str, str], Tally] = {}
    match: dict[tuple[str, str], Tally] = {}
    for endpoint in rows.endpoints:
        for _, before, _, after in pairs[endpoint]:
            key = endpoint, before.family
            own[key] = own.get(key, NONE).plus(differs=before.answer != after.answer)
        for night in rows.nights:
            for observation in night.of(endpoint):
                found = night.compared(observation)
                if found is not None:
                    key = endpoint, observation.family
                    match[key] = match.get(key, NONE).plus(differs=observation.answer != found.answer)
    made = [_family(family, rows.endpoints, own, match, definition) for family in rows.families]
    return ModelNoise(
        pairs=pairs,
        own=own,
        match=match,
        floors={each.family: value for each, value in made},
        families=tuple(each for each, _ in made),
    )


def differing_pairs(endpoint: str, noise: ModelNoise) -> tuple[DifferingPair, ...]:
    """Return every pair of an endpoint's own nights whose answers differ, by family, prompt and night."""
    found = [
        DifferingPair(
            prompt_id=before.prompt_id,
            family=before.family,
            stable=before.family in noise.stable,
            prompt=earlier.prompts[before.prompt_id].prompt,
            earlier=earlier.night,
            later=later.night,
            earlier_answer=before.answer or "",
            later_answer=after.answer or "",
            earlier_text=before.text,
            later_text=after.text,
        )
        for earlier, before, later, after in noise.pairs[endpoint]
        if before.answer != after.answer
    ]
    return tuple(sorted(found, key=lambda pair: (pair.family, pair.prompt_id, pair.earlier)))


def _pairs(rows: ModelRows, endpoint: str) -> list[Pair]:
    """Return an endpoint's pairs: no night is skipped over, and the prompt's text is the same on both."""
    found: list[Pair] = []
    for earlier, later in pairwise(rows.nights):
        again = later.observations.get(endpoint, {})
        for before in earlier.of(endpoint):
            after = again.get(before.prompt_id)
            if after is not None and _same_prompt(earlier, later, before) and _both_answered(before, after):
                found.append((earlier, before, later, after))
    return found


def _same_prompt(earlier: NightRows, later: NightRows, observation: Observation) -> bool:
    before, after = earlier.prompts[observation.prompt_id], later.prompts.get(observation.prompt_id)
    return after is not None and before.fixed and after.fixed and before.prompt == after.prompt


def _both_answered(before: Observation, after: Observation) -> bool:
    return before.outcome == Outcome.ANSWERED and after.outcome == Outcome.ANSWERED


def _family(
    family: str,
    endpoints: Sequence[str],
    own: Mapping[tuple[str, str], Tally],
    match: Mapping[tuple[str, str], Tally],
    definition: Definition,
) -> tuple[ExplainedFloor, Fraction | None]:
    """Return how a family's floor and stability came about, and the floor."""
    tallies = [own.get((endpoint, family), NONE) for endpoint in endpoints]
    valued = sorted(
        ((share, each) for each in tallies if (share := each.share) is not None),
        key=lambda value: (value[0], value[1].compared),
    )
    values = [share for share, _ in valued]
    mismatch = [match.get((endpoint, family), NONE).share for endpoint in endpoints]
    fleet = sorted(share for share in mismatch if share is not None) if definition.floor.fleet is not None else []
    fleet_median = median(fleet) if fleet else None
    found = floor(values, definition) if values else None
    if found is not None and fleet_median is not None:
        found = max(found, fleet_median)
    threshold = definition.stability.threshold_percent
    # Held in percent, which is what the threshold is in.
    limits = (Fraction(threshold),)
    explained = ExplainedFloor(
        family=family,
        values=tuple(
            SelfDisagreement(differing=each.differing, pairs=each.compared, figure=exact_ratio(share).figure)
            for share, each in valued
        ),
        percentile=percent_figure(definition.floor.percentile),
        index=int(ratio(definition.floor.percentile) * (len(values) - 1)) if values else None,
        fleet=tuple(exact_ratio(share) for share in fleet),
        fleet_median=None if fleet_median is None else exact_ratio(fleet_median),
        floor=None if found is None else exact_ratio(found),
        self_agreement_median=exact_ratio(1 - median(values), limits) if values else None,
        threshold=percent_figure(threshold),
        stable=stable(values, definition),
        compared=0,
        mismatches=0,
        pairs=0,
        pairs_differing=0,
    )
    return explained, found
