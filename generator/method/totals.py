"""One model over one window: each endpoint's nights in order, its pairs, and each family's noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction

import msgspec

from generator.method.disagreement import FamilyNoise, Pairs, median, noise
from generator.method.night_tally import (
    EndpointNight,
    FamilyCounts,
    NightTally,
    OutcomeCounts,
    family_counts,
    outcome_counts,
)
from generator.method.window_counts import WindowCounts, add_up
from generator.records.definition import Definition


class EndpointWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint over a window."""

    model: str
    endpoint: str
    nights: tuple[tuple[date, EndpointNight], ...]
    """The nights that listed it, ascending; at least one."""
    pairs: dict[str, Pairs]
    """By family, its own night-to-night pairs."""

    families: dict[str, FamilyCounts]
    """By family, its counts added up over the window."""
    outcomes: OutcomeCounts
    """What its requests came to over the window."""

    @property
    def last(self) -> EndpointNight:
        """The last night that listed it."""
        return self.nights[-1][1]

    def family(self, family: str) -> FamilyCounts:
        """Return a family's counts added up over the window."""
        return self.families.get(family) or FamilyCounts()


class ModelWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One model over a window."""

    model: str
    endpoints: tuple[EndpointWindow, ...]
    """Sorted by endpoint."""
    families: tuple[str, ...]
    """Of the window's prompts, sorted."""
    keyed_families: tuple[str, ...]
    noise: dict[str, FamilyNoise]
    """By family."""
    pairs: int
    """(night, prompt) pairs."""
    pairs_without_reference: int

    @property
    def stable_families(self) -> tuple[tuple[str, Fraction], ...]:
        """The families that column M judges by, with their floors: what is stable has one."""
        found = ((family, self.noise[family]) for family in self.families)
        return tuple((family, noise.floor) for family, noise in found if noise.stable and noise.floor is not None)


def model_windows(tallies: Sequence[NightTally], definition: Definition) -> tuple[ModelWindow, ...]:
    """Return every model listed in a window, sorted, with the window's counts.

    Args:
        tallies: the window's nights, ascending.
        definition: says how floors and stability are made.
    """
    keyed: dict[str, bool] = {}
    for tally in tallies:
        for family, has_key in tally.keyed.items():
            keyed[family] = keyed.get(family, False) or has_key
    counts = add_up(tallies)
    endpoints: dict[str, list[EndpointWindow]] = {model: [] for model in counts.models}
    for endpoint in _endpoint_windows(tallies, counts):
        endpoints[endpoint.model].append(endpoint)
    return tuple(
        _model_window(model, tuple(endpoints[model]), keyed, questions, definition)
        for model, questions in zip(counts.models, counts.questions.tolist(), strict=True)
    )


def _endpoint_windows(tallies: Sequence[NightTally], counts: WindowCounts) -> Iterator[EndpointWindow]:
    """Yield each endpoint with its nights in order, sorted by model and endpoint."""
    nights: dict[tuple[str, str], list[tuple[date, EndpointNight]]] = {key: [] for key in counts.keys}
    for tally in tallies:
        for key, endpoint_night in zip(tally.keys, tally.endpoints, strict=True):
            nights[key].append((tally.night, endpoint_night))
    for row, (model, endpoint) in enumerate(counts.keys):
        pairs = zip(counts.families, counts.pairs[row].tolist(), strict=True)
        yield EndpointWindow(
            model=model,
            endpoint=endpoint,
            nights=tuple(nights[model, endpoint]),
            pairs={family: Pairs(pairs=both, differing=differing) for family, (both, differing) in pairs if both},
            families={
                family: family_counts(of_family)
                for family, of_family in zip(counts.families, counts.counts[row], strict=True)
            },
            outcomes=outcome_counts(counts.outcomes[row]),
        )


def _model_window(
    model: str,
    endpoints: tuple[EndpointWindow, ...],
    keyed: dict[str, bool],
    questions: tuple[int, int],
    definition: Definition,
) -> ModelWindow:
    pairs = {endpoint.endpoint: endpoint.pairs for endpoint in endpoints}
    return ModelWindow(
        model=model,
        endpoints=endpoints,
        families=tuple(sorted(keyed)),
        keyed_families=tuple(sorted(family for family, has_key in keyed.items() if has_key)),
        noise={family: _noise(endpoints, pairs, family, definition) for family in keyed},
        pairs=questions[0],
        pairs_without_reference=questions[1],
    )


def _noise(
    endpoints: Sequence[EndpointWindow], pairs: dict[str, dict[str, Pairs]], family: str, definition: Definition
) -> FamilyNoise:
    """Return a family's floor and stability; the floor is at least the fleet's mismatch where that rule is on."""
    found = noise(pairs, family, definition)
    if definition.floor.fleet is None or found.floor is None:
        return found
    counts = [endpoint.family(family) for endpoint in endpoints]
    mismatch = [Fraction(each.mismatches, each.compared) for each in counts if each.compared]
    if not mismatch:
        return found
    return FamilyNoise(floor=max(found.floor, median(mismatch)), stable=found.stable)
