"""Why a grade is U: every reason that holds, whatever the columns say."""

from __future__ import annotations

from generator.method.totals import ModelWindow
from generator.records.definition import Definition, ratio
from generator.records.grade import Letter, UnratedReason


def nights_reasons(
    *, nights_since_listed: int, nights_in_window: int, nights_absent: int, definition: Definition
) -> tuple[UnratedReason, ...]:
    """Return the reasons that lie in the nights themselves: too few of them, or too many absences."""
    rule = definition.unrated
    needed, in_window, absent = rule.min_nights_since_listed, rule.min_nights_in_window, rule.nights_absent
    reasons = []
    if (needed is not None and nights_since_listed < needed) or (
        in_window is not None and nights_in_window < in_window
    ):
        reasons.append(UnratedReason.TOO_FEW_NIGHTS)
    if absent is not None and nights_absent >= absent:
        reasons.append(UnratedReason.ABSENT)
    return tuple(reasons)


def model_reasons(model: ModelWindow, definition: Definition) -> tuple[UnratedReason, ...]:
    """Return the reasons that lie in the model as a whole: too few references, or no stable family."""
    rule = definition.unrated
    most = rule.max_without_reference_percent
    reasons = []
    if most is not None and model.pairs_without_reference > ratio(most) * model.pairs:
        reasons.append(UnratedReason.NO_REFERENCE)
    if rule.no_stable_family and not model.stable_families:
        reasons.append(UnratedReason.NO_STABLE_FAMILY)
    return tuple(reasons)


def column_reasons(
    columns: tuple[Letter | None, Letter | None, Letter, Letter | None], definition: Definition
) -> tuple[UnratedReason, ...]:
    """Return the reason that lies in the columns: M, the first of them, is not measured and none reads D."""
    if definition.unrated.not_measured and columns[0] is None and Letter.D not in columns:
        return (UnratedReason.NOT_MEASURED,)
    return ()
