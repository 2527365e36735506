"""A grade's figures counted again from what an explanation shows, so that the record can be held against them.

What is added up here is what the reader of an explanation would add up: its nights, prompts, pairs, wrong answers and
failures. Times, prices and contexts, which are shown and not graded, are left out.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from generator.method.declared import change_kind
from generator.method.explained_peers import Peers
from generator.method.explained_rows import ModelRows
from generator.method.letters import declared_letter, match_letter, reliability_letter, task_letter, worst
from generator.method.night_tally import OutcomeCounts
from generator.method.unrated import column_reasons
from generator.records.definition import Definition, ratio
from generator.records.explanation import (
    ExplainedMatch,
    ExplainedReliability,
    ExplainedTask,
    Explanation,
)
from generator.records.grade import (
    DeclaredChange,
    DeclaredState,
    Letter,
    MatchFamily,
    MatchNight,
    UnratedReason,
)
from generator.records.observation import Outcome


def recounted_figures(
    endpoint: str, explanation: Explanation, rows: ModelRows, shared: Peers, definition: Definition
) -> dict[str, object]:
    """Return, by field of the grade, what an endpoint's figures come to.

    Args:
        endpoint: whose grade it is.
        explanation: of the grade, with all four columns.
        rows: its model's, over the window.
        shared: what its model's endpoints share.
        definition: that the grade was made under.
    """
    match, task, reliability = explanation.match, explanation.task, explanation.reliability
    if match is None or task is None or reliability is None:
        return {}
    figures = (
        _match_figures(match, definition)
        | _task_figures(task, shared, definition)
        | _declared_figures(endpoint, rows, definition)
        | _reliability_figures(reliability, definition)
    )
    nights = shared.nights[endpoint]
    columns = (figures["m_letter"], figures["t_letter"], figures["d_letter"], figures["r_letter"])
    reasons = (
        *nights.reasons,
        *_model_reasons(shared, match, definition),
        *column_reasons(columns, definition),  # type: ignore[arg-type]  # letters, as made above
    )
    last = next(night.listed[endpoint] for night in reversed(rows.nights) if endpoint in night.listed)
    dates = tuple(night.night for night in rows.nights)
    return figures | {
        "provider": last.provider,
        "tag": last.tag,
        "listings": last.listings,
        "nights": dates,
        "window_start": dates[0],
        "window_end": dates[-1],
        "method_version": explanation.method_version,
        "method_digest": explanation.method_digest,
        "nights_since_listed": nights.since_listed,
        "nights_absent": nights.absent,
        "pairs": shared.pairs,
        "pairs_without_reference": shared.pairs_without_reference,
        "unrated_reasons": reasons,
        "letter": Letter.U if reasons else worst(columns),  # type: ignore[arg-type]  # letters, as made above
    }


def _match_figures(match: ExplainedMatch, definition: Definition) -> dict[str, object]:
    measured = [night for night in match.nights if any(prompt.compared for prompt in night.prompts)]
    outside = sum(night.reading == "outside" for night in measured)
    own = match.own_variation
    letter = match_letter(outside, own_variation_above_floor=own.above, definition=definition) if measured else None
    return {
        "m_letter": letter,
        "m_nights_observed": len(measured),
        "m_nights_outside": outside,
        "m_own_variation_above_floor": own.above,
        "m_night": tuple(
            MatchNight(
                night=night.night,
                prompts=sum(prompt.compared for prompt in night.prompts),
                mismatches=sum(prompt.differs for prompt in night.prompts),
                allowed_numerator=night.allowed.numerator,
                allowed_denominator=night.allowed.denominator,
            )
            for night in measured
        ),
        "m_family": tuple(
            MatchFamily(
                family=floor.family,
                stable=floor.stable,
                floor_numerator=None if floor.floor is None else floor.floor.numerator,
                floor_denominator=None if floor.floor is None else floor.floor.denominator,
                prompts=floor.compared,
                mismatches=floor.mismatches,
                pairs=floor.pairs,
                pairs_differing=sum(pair.family == floor.family for pair in own.differ),
            )
            for floor in match.floors
        ),
    }


def _task_figures(task: ExplainedTask, shared: Peers, definition: Definition) -> dict[str, object]:
    best, letter = shared.best, None
    if task.counted and best is not None:
        shortfall = max(best.share - Fraction(task.counted - len(task.wrong), task.counted), Fraction(0))
        letter = task_letter(Fraction(0) if task.within_floor else shortfall, definition)
    return {
        "t_letter": letter,
        "t_correct": task.counted - len(task.wrong),
        "t_counted": task.counted,
        "t_planned": task.planned,
        "t_best_correct": None if best is None else best.correct,
        "t_best_counted": None if best is None else best.counted,
        "t_within_floor": task.within_floor,
        "t_family": task.families,
    }


def _declared_figures(endpoint: str, rows: ModelRows, definition: Definition) -> dict[str, object]:
    declared = [(n.night, n.listed[endpoint].declared_precision) for n in rows.nights if endpoint in n.listed]
    changes = tuple(
        DeclaredChange(night=night, before=before, after=after, kind=change_kind(before, after, definition))
        for (_, before), (night, after) in pairwise(declared)
        if before != after
    )
    last = declared[-1][1]
    state = DeclaredState.ABSENT if last is None else DeclaredState.PRESENT
    state = DeclaredState.CHANGED if changes else state
    return {
        "d_letter": declared_letter(state, definition),
        "d_state": state,
        "d_precision": last,
        "d_changes": changes,
    }


def _reliability_figures(reliability: ExplainedReliability, definition: Definition) -> dict[str, object]:
    failed = dict.fromkeys(Outcome, 0)
    for failure in reliability.failures:
        failed[failure.outcome] += len(failure.prompts)
    counts = OutcomeCounts(
        sent=reliability.sent,
        errors=failed[Outcome.ERROR] + failed[Outcome.EMPTY],
        answered=reliability.answered,
        truncated=failed[Outcome.TRUNCATED],
        misrouted=failed[Outcome.MISROUTED],
    )
    return {
        "r_letter": reliability_letter(counts, definition) if counts.sent else None,
        "r_sent": counts.sent,
        "r_errors": counts.errors,
        "r_answered": counts.answered,
        "r_truncated": counts.truncated,
        "r_misrouted": counts.misrouted,
    }


def _model_reasons(shared: Peers, match: ExplainedMatch, definition: Definition) -> tuple[UnratedReason, ...]:
    rule, found = definition.unrated, []
    most = rule.max_without_reference_percent
    if most is not None and shared.pairs_without_reference > ratio(most) * shared.pairs:
        found.append(UnratedReason.NO_REFERENCE)
    if rule.no_stable_family and not any(floor.stable for floor in match.floors):
        found.append(UnratedReason.NO_STABLE_FAMILY)
    return tuple(found)
