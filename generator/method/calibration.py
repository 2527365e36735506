"""What fourteen recorded nights say the thresholds are: exact, and each with the list that it was chosen from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from generator.method.disagreement import median
from generator.records.calibration import (
    CalibrationRule,
    ColumnAgreement,
    EndpointDisagreement,
    EndpointLatency,
    FamilyCalibration,
    LatencyChoice,
    LettersSideBySide,
    ThresholdChoice,
    percentile_index,
    significant,
    whole_percent,
)
from generator.records.definition import Definition
from generator.records.grade import Column, Grade, Letter
from generator.records.night import REPLAYED
from generator.records.share import Share


def families_of(grades: Sequence[Grade]) -> tuple[FamilyCalibration, ...]:
    """Return every family of every model, with its endpoints' self-disagreement.

    Args:
        grades: over all the calibration's nights taken as one window, under the definition calibrated from.
    """
    found: dict[tuple[str, str], list[EndpointDisagreement]] = {}
    floors: dict[tuple[str, str], Share | None] = {}
    for grade in grades:
        for family in grade.m_family:
            key = (grade.model, family.family)
            endpoints = found.setdefault(key, [])
            if family.pairs:
                endpoints.append(
                    EndpointDisagreement(endpoint=grade.endpoint, pairs=family.pairs, differing=family.pairs_differing)
                )
            numerator, denominator = family.floor_numerator, family.floor_denominator
            known = numerator is not None and denominator is not None
            floors[key] = share(Fraction(numerator or 0, denominator or 1)) if known else None
    return tuple(_family(model, family, found[model, family], floors[model, family]) for model, family in sorted(found))


def choose_threshold(families: Iterable[FamilyCalibration], rule: CalibrationRule) -> ThresholdChoice | None:
    """Return the stability threshold: a percentile of the median self-agreements, as a whole percent within bounds.

    The values are sorted, the one at index floor(p (n - 1)) is taken and rounded down. None without any value.
    """
    medians = [family.median_self_agreement for family in families if family.enters]
    values = sorted(Fraction(each.part, each.whole) for each in medians if each is not None)
    if not values:
        return None
    index = percentile_index(rule.threshold_percentile, len(values))
    whole = whole_percent(values[index])
    return ThresholdChoice(
        values=tuple(share(value) for value in values),
        percentile=rule.threshold_percentile,
        index=index,
        rounded_down_percent=whole,
        lowest_percent=rule.threshold_lowest_percent,
        highest_percent=rule.threshold_highest_percent,
        threshold_percent=min(max(whole, rule.threshold_lowest_percent), rule.threshold_highest_percent),
    )


def choose_latency(grades: Iterable[Grade], definition: Definition, rule: CalibrationRule) -> LatencyChoice:
    """Return the latency class boundaries: percentiles of the endpoints' medians, to so many significant digits.

    Args:
        grades: over all the calibration's nights taken as one window.
        definition: the one calibrated from, whose boundaries stay where none can be made.
        rule: which percentiles, and how many digits.
    """
    answered = [grade for grade in grades if grade.median_latency_ms is not None]
    medians = tuple(
        EndpointLatency(
            model=grade.model, endpoint=grade.endpoint, answers=grade.r_answered, median_ms=grade.median_latency_ms or 0
        )
        for grade in answered
    )
    ordered = sorted(each.median_ms for each in medians)
    kept = tuple(each.below_ms for each in definition.latency.classes if each.below_ms is not None)
    made: tuple[int, ...] = ()
    reason = None
    if any(grade.latency_class == REPLAYED for grade in answered):
        reason = "Recorded answers were played back on these nights, so that no latency was measured."
    elif not ordered:
        reason = "No endpoint answered anything on these nights."
    else:
        places = [percentile_index(percentile, len(ordered)) for percentile in rule.latency_percentiles]
        made = tuple(significant(ordered[place], rule.latency_digits) for place in places)
        if not made[0] or list(made) != sorted(set(made)):
            reason = "The endpoints' medians lie so close together that two boundaries would be the same."
        elif len(made) != len(kept):
            reason = f"There are names for {len(kept)} boundaries, and {len(made)} were asked for."
    return LatencyChoice(medians=medians, boundaries_ms=made if reason is None else kept, kept_because=reason)


def side_by_side(
    first: Iterable[Grade], second: Iterable[Grade]
) -> tuple[tuple[LettersSideBySide, ...], tuple[ColumnAgreement, ...]]:
    """Return each endpoint's letters in both halves, and how many endpoints read alike, per column and in all."""
    before = {(grade.model, grade.endpoint): grade for grade in first}
    after = {(grade.model, grade.endpoint): grade for grade in second}
    columns: tuple[Column | None, ...] = (*Column, None)
    rows = [
        LettersSideBySide(
            model=model,
            endpoint=endpoint,
            column=column,
            first=_letter(before.get((model, endpoint)), column),
            second=_letter(after.get((model, endpoint)), column),
        )
        for model, endpoint in sorted(before.keys() | after.keys())
        for column in columns
    ]
    agreement = []
    for column in columns:
        both = [row for row in rows if row.column == column and row.first is not None and row.second is not None]
        agreement.append(
            ColumnAgreement(column=column, both=len(both), same=sum(row.first == row.second for row in both))
        )
    return tuple(rows), tuple(agreement)


def share(value: Fraction) -> Share:
    """Return a ratio in lowest terms."""
    return Share(part=value.numerator, whole=value.denominator)


def _family(
    model: str, family: str, endpoints: Sequence[EndpointDisagreement], floor: Share | None
) -> FamilyCalibration:
    agreed = [1 - Fraction(each.differing, each.pairs) for each in endpoints]
    return FamilyCalibration(
        model=model,
        family=family,
        endpoints=tuple(endpoints),
        floor=floor,
        median_self_agreement=share(median(agreed)) if agreed else None,
        enters=bool(agreed),
    )


def _letter(grade: Grade | None, column: Column | None) -> Letter | None:
    if grade is None:
        return None
    return grade.letter if column is None else grade.column_letter(column)
