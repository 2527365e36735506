"""One model over one window: each endpoint's nights in order, its pairs, and each family's noise."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

import msgspec

from generator.method.disagreement import FamilyNoise, Pairs, count_pairs, median, noise
from generator.method.tally import EndpointNight, FamilyCounts, NightTally, OutcomeCounts
from generator.records.definition import Definition


class EndpointWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint over a window."""

    model: str
    endpoint: str
    nights: tuple[tuple[date, EndpointNight], ...]
    """The nights that listed it, ascending; at least one."""
    pairs: dict[str, Pairs]
    """By family, its own night-to-night pairs."""

    @property
    def last(self) -> EndpointNight:
        """The last night that listed it."""
        return self.nights[-1][1]

    def family(self, family: str) -> FamilyCounts:
        """Return a family's counts added up over the window."""
        total = FamilyCounts()
        for _, night in self.nights:
            total.add(night.family(family))
        return total

    @property
    def outcomes(self) -> OutcomeCounts:
        """What its requests came to over the window."""
        total = OutcomeCounts()
        for _, night in self.nights:
            total.add(night.outcomes)
        return total


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
    families: dict[str, bool] = {}
    for tally in tallies:
        for family, keyed in tally.families.items():
            families[family] = families.get(family, False) or keyed
    models = sorted({model for tally in tallies for model in tally.models})
    return tuple(_model_window(tallies, model, families, definition) for model in models)


def _model_window(
    tallies: Sequence[NightTally], model: str, families: dict[str, bool], definition: Definition
) -> ModelWindow:
    pairs = count_pairs(tallies, model)
    nights: dict[str, list[tuple[date, EndpointNight]]] = {}
    listed = [(tally.night, tally.models[model]) for tally in tallies if model in tally.models]
    for night, model_night in listed:
        for endpoint, endpoint_night in model_night.endpoints.items():
            nights.setdefault(endpoint, []).append((night, endpoint_night))
    endpoints = tuple(
        EndpointWindow(model=model, endpoint=endpoint, nights=tuple(nights[endpoint]), pairs=pairs.get(endpoint, {}))
        for endpoint in sorted(nights)
    )
    return ModelWindow(
        model=model,
        endpoints=endpoints,
        families=tuple(sorted(families)),
        keyed_families=tuple(sorted(family for family, keyed in families.items() if keyed)),
        noise={family: _noise(endpoints, pairs, family, definition) for family in families},
        pairs=sum(model_night.pairs for _, model_night in listed),
        pairs_without_reference=sum(model_night.pairs_without_reference for _, model_night in listed),
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
