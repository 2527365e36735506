"""Self-disagreement, the floor made from it, and stability: a model's own noise, family by family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from generator.records.definition import Definition, ratio


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's night-to-night pairs in one family over a window."""

    pairs: int = 0
    differing: int = 0

    @property
    def self_disagreement(self) -> Fraction | None:
        """Pairs whose answers differ over pairs, a ratio from 0 to 1; None without a pair."""
        return Fraction(self.differing, self.pairs) if self.pairs else None


class FamilyNoise(msgspec.Struct, frozen=True, kw_only=True):
    """One family of one model over a window."""

    floor: Fraction | None
    """A ratio from 0 to 1; None where no endpoint has a self-disagreement."""
    stable: bool


def floor(values: Sequence[Fraction], definition: Definition) -> Fraction:
    """Return the floor of some endpoints' self-disagreement: their percentile, without interpolation.

    The values are sorted and the one at index floor(p (n - 1)) is taken ('lower'; type 'lower' of numpy.quantile).

    Args:
        values: one self-disagreement for each endpoint that has one, at least one, in any unit.
        definition: says which percentile.
    """
    index = int(ratio(definition.floor.percentile) * (len(values) - 1))
    return sorted(values)[index]


def stable(values: Sequence[Fraction], definition: Definition) -> bool:
    """True where the median over endpoints of 1 - S reaches the stability threshold.

    Args:
        values: S of each endpoint that has one, ratios from 0 to 1; none at all is not stable.
        definition: says the threshold.
    """
    if not values:
        return False
    return 1 - median(values) >= ratio(definition.stability.threshold_percent)


def median(values: Sequence[Fraction] | Sequence[int]) -> Fraction:
    """Return the median; of an even count, the mean of the middle two."""
    ordered: list[Fraction | int] = sorted(values)
    upper = len(ordered) // 2
    lower = (len(ordered) - 1) // 2
    return Fraction(ordered[lower] + ordered[upper]) / 2


def noise(endpoints: Mapping[str, Mapping[str, Pairs]], family: str, definition: Definition) -> FamilyNoise:
    """Return a family's floor and stability from the pairs of a model's endpoints."""
    found = (of_endpoint[family].self_disagreement for of_endpoint in endpoints.values() if family in of_endpoint)
    values = [value for value in found if value is not None]
    return FamilyNoise(floor=floor(values, definition) if values else None, stable=stable(values, definition))
