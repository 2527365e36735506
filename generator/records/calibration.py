"""What a calibration reads, chooses and finds; the records that go with it stand beside this one.

Every figure is an integer or a pair of integers, part and whole, so that a page prints what was counted; decimals
that a definition holds stand as text. Nothing here is a grade.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import msgspec

from generator.records.candidate import (
    CandidateEvidence,
    Combination,
    CombinationEvidence,
    EndpointEvidence,
    FewEndpoints,
    KernelEvidence,
    OwnVariationSimulated,
    StatementCheck,
)
from generator.records.grade import Column, Letter
from generator.records.prompt_report import PromptLine, PromptReport
from generator.records.share import Share
from generator.records.simulation import SimulatedSetting, SimulationResult

__all__ = [
    "CALIBRATION_FORMAT",
    "CalibrationEvidence",
    "CalibrationRule",
    "CandidateEvidence",
    "ColumnAgreement",
    "Combination",
    "CombinationEvidence",
    "EndpointDisagreement",
    "EndpointEvidence",
    "EndpointLatency",
    "EqualEndpoints",
    "FamilyCalibration",
    "FewEndpoints",
    "KernelEvidence",
    "LatencyChoice",
    "LettersSideBySide",
    "NoiseRate",
    "OwnVariationSimulated",
    "PromptLine",
    "PromptReport",
    "Share",
    "SimulatedSetting",
    "SimulationResult",
    "StatementCheck",
    "ThresholdChoice",
    "hundredths_of_points",
    "percentile_index",
    "significant",
    "whole_percent",
]

CALIBRATION_FORMAT = 1


class CalibrationRule(msgspec.Struct, frozen=True, kw_only=True):
    """How a calibration chooses and what it resamples: every number of it, with the values that hold today."""

    nights: int = 14
    """It reads the first so many recorded nights, and no other."""
    threshold_percentile: int = 10
    """Of the median self-agreement over all (model, family) pairs; 'lower': index floor(p (n - 1)) of the sorted."""
    threshold_lowest_percent: int = 80
    threshold_highest_percent: int = 99
    latency_percentiles: tuple[int, ...] = (25, 50, 75)
    """Of the endpoints' median latencies; 'lower'. One class boundary for each."""
    latency_digits: int = 2
    """Significant digits of a boundary."""
    draws: int = 100
    """Resampled windows for each model."""
    equal_endpoints: tuple[int, ...] = tuple(range(2, 31))
    """The k for which the average of k equal endpoints is held against the best of them."""


class EndpointDisagreement(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's self-disagreement in one family over the calibration's nights."""

    endpoint: str
    pairs: int
    """At least 1."""
    differing: int


class FamilyCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """One family of one model."""

    model: str
    family: str
    endpoints: tuple[EndpointDisagreement, ...]
    """Sorted by name; those that have a pair."""
    floor: Share | None
    """Under the definition calibrated from, over all the calibration's nights; a ratio in lowest terms."""
    median_self_agreement: Share | None
    """Median over endpoints of 1 - S, a ratio in lowest terms; None where no endpoint has a pair."""
    enters: bool
    """True where it is one of the values that the threshold is a percentile of."""


class ThresholdChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The stability threshold, and how it came about."""

    values: tuple[Share, ...]
    """The median self-agreements, ascending: ratios in lowest terms."""
    percentile: int
    index: int
    """Of the value chosen, from 0: floor(p (n - 1))."""
    rounded_down_percent: int
    """The value chosen, as a whole percent."""
    lowest_percent: int
    highest_percent: int
    threshold_percent: int
    """What the new version holds."""


class EndpointLatency(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's median time to a complete answer over the calibration's nights."""

    model: str
    endpoint: str
    answers: int
    median_ms: int


class LatencyChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The latency class boundaries, or why they stay as they were."""

    medians: tuple[EndpointLatency, ...]
    """Sorted by model and endpoint."""
    boundaries_ms: tuple[int, ...]
    """Ascending; those of the definition calibrated from where there is a reason to keep them."""
    kept_because: str | None
    """A sentence; None where the boundaries were calibrated."""


class LettersSideBySide(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's letters over the first and over the second half of the calibration's nights, new version."""

    model: str
    endpoint: str
    column: Column | None
    """None for the grade's letter."""
    first: Letter | None
    """None: not measured, or not listed on any of the half's nights."""
    second: Letter | None


class ColumnAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """How many endpoints read the same letter in both halves."""

    column: Column | None
    """None for the grade's letter."""
    both: int
    """Endpoints with a letter in both."""
    same: int


class NoiseRate(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint that is only as noisy as the fleet reads on M, by resampling."""

    model: str
    windows: int
    """Resampled windows in which M was measured."""
    letters: dict[Letter, int]
    """How many read A, C and D (and B, which no condition of 0.1 can give); those not read are left out."""


class EqualEndpoints(msgspec.Struct, frozen=True, kw_only=True):
    """How far the average of k equal endpoints stands below the best of them by luck alone."""

    model: str
    endpoints: int
    """k."""
    draws: int
    hundredths_of_points: int
    """Mean over the draws, in hundredths of a percentage point, rounded to the nearest."""


class CalibrationEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """All that a calibration read, chose and found: `content/calibration/<version>.json`."""

    format: int = CALIBRATION_FORMAT
    version: str
    """The version made."""
    from_version: str
    """The version calibrated from."""
    from_digest: str
    made: date
    seed: str
    """64 hexadecimal digits: every resampling follows from it."""
    nights: tuple[date, ...]
    rule: CalibrationRule
    families: tuple[FamilyCalibration, ...]
    """Sorted by model and family."""
    threshold: ThresholdChoice
    latency: LatencyChoice
    letters: tuple[LettersSideBySide, ...]
    """Sorted by model and endpoint; the columns M, T, D, R, then the grade."""
    agreement: tuple[ColumnAgreement, ...]
    noise: tuple[NoiseRate, ...]
    """Sorted by model."""
    equal: tuple[EqualEndpoints, ...]
    """Sorted by model and k."""


def significant(value: int, digits: int) -> int:
    """Return a positive whole number rounded to so many significant digits, halves to the even neighbour."""
    places = max(len(str(value)) - digits, 0)
    return int(round(value, -places))


def percentile_index(percentile: int, count: int) -> int:
    """Return where in a sorted list of so many values a percentile stands: floor(p (n - 1)), no interpolation."""
    return percentile * (count - 1) // 100


def whole_percent(value: Fraction) -> int:
    """Return a ratio as a percentage, rounded down to a whole one."""
    return value * 100 // 1


def hundredths_of_points(value: Fraction) -> int:
    """Return a ratio in hundredths of a percentage point, rounded to the nearest."""
    return round(value * 10_000)
