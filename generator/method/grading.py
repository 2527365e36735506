"""The grades of a window: one for each endpoint listed on at least one of its nights."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import date

import msgspec

from generator.method.accuracy import Accuracy, accuracy, best_accuracy, task_column
from generator.method.declared import declared_column
from generator.method.interface import Issue
from generator.method.latency import latency_class, median_latency_ms
from generator.method.letters import reliability_letter, worst
from generator.method.match import match_column
from generator.method.tally import NightTally
from generator.method.totals import EndpointWindow, ModelWindow, model_windows
from generator.method.unrated import column_reasons, model_reasons, nights_reasons
from generator.records.definition import Method
from generator.records.grade import Grade, Letter, UnratedReason


class _Window(msgspec.Struct, frozen=True, kw_only=True):
    """What all grades of a window share."""

    method: Method
    nights: tuple[date, ...]
    recorded: tuple[date, ...]
    latency_replayed: bool
    issue: Issue


class _Nights(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint's nights, counted for U."""

    since_listed: int
    absent: int
    reasons: tuple[UnratedReason, ...]


def grade_window(
    tallies: Sequence[NightTally], *, method: Method, recorded: Sequence[date], issue: Issue
) -> tuple[Grade, ...]:
    """Return the grades of one window, sorted by model and endpoint.

    Args:
        tallies: the window's nights, ascending, at least one; the last one names the window.
        method: the definition that grades, and its digest.
        recorded: every recorded night that is not void, up to the window's end.
        issue: the date of issue, and what the grades replace.
    """
    window = _Window(
        method=method,
        nights=tuple(tally.night for tally in tallies),
        recorded=tuple(sorted(recorded)),
        latency_replayed=any(tally.latency_replayed for tally in tallies),
        issue=issue,
    )
    return tuple(grade for model in model_windows(tallies, method.definition) for grade in _grade_model(model, window))


def _grade_model(model: ModelWindow, window: _Window) -> list[Grade]:
    """Return the grades of one model's endpoints, each held against the best accuracy among them."""
    nights = {endpoint.endpoint: _count_nights(endpoint, window) for endpoint in model.endpoints}
    accuracies = {endpoint.endpoint: accuracy(endpoint, model) for endpoint in model.endpoints}
    reasons = {endpoint: counted.reasons for endpoint, counted in nights.items()}
    best = best_accuracy(accuracies, reasons, window.method.definition)
    return [
        _grade(endpoint, model, window, nights[endpoint.endpoint], accuracies[endpoint.endpoint], best)
        for endpoint in model.endpoints
    ]


def _count_nights(endpoint: EndpointWindow, window: _Window) -> _Nights:
    """Count the recorded nights since an endpoint's first listing, and those of the window that it missed.

    A night before the first listing is no absence; a night on which nothing was sent to a listed endpoint is one.
    """
    first = endpoint.last.listed.first_listed or endpoint.nights[0][0]
    asked = {night for night, counts in endpoint.nights if counts.outcomes.sent}
    # Looked up, not run through: an archive may be years long, and every endpoint of every window asks.
    since = max(bisect_right(window.recorded, window.nights[-1]) - bisect_left(window.recorded, first), 0)
    absent = sum(night >= first and night not in asked for night in window.nights)
    reasons = nights_reasons(
        nights_since_listed=since,
        nights_in_window=len(window.nights),
        nights_absent=absent,
        definition=window.method.definition,
    )
    return _Nights(since_listed=since, absent=absent, reasons=reasons)


def _grade(  # noqa: PLR0913, PLR0917 - a grade is what its window, model and endpoint say together
    endpoint: EndpointWindow, model: ModelWindow, window: _Window, nights: _Nights, own: Accuracy, best: Accuracy | None
) -> Grade:
    definition = window.method.definition
    match = match_column(endpoint, model, definition)
    task = task_column(own, best, model, definition)
    declared = declared_column(endpoint, definition)
    outcomes = endpoint.outcomes
    reliability = reliability_letter(outcomes, definition) if outcomes.sent else None
    columns = (match.letter, task.letter, declared.letter, reliability)
    reasons = (*nights.reasons, *model_reasons(model, definition), *column_reasons(columns, definition))
    latencies = [latency for _, counts in endpoint.nights for latency in counts.latencies_ms]
    contexts = [counts.context_observed for _, counts in endpoint.nights if counts.context_observed is not None]
    listed = endpoint.last.listed
    return Grade(
        model=model.model,
        endpoint=endpoint.endpoint,
        provider=listed.provider,
        tag=listed.tag,
        listings=listed.listings,
        window_start=window.nights[0],
        window_end=window.nights[-1],
        nights=window.nights,
        method_version=window.method.version,
        method_digest=window.method.digest,
        letter=Letter.U if reasons else worst(columns),
        provisional=definition.provisional,
        m_letter=match.letter,
        t_letter=task.letter,
        d_letter=declared.letter,
        r_letter=reliability,
        m_nights_observed=len(match.nights),
        m_nights_outside=match.nights_outside,
        m_own_variation_above_floor=match.own_variation_above_floor,
        m_night=match.nights,
        m_family=match.families,
        t_correct=own.correct,
        t_counted=own.counted,
        t_planned=own.planned,
        t_best_correct=None if best is None else best.correct,
        t_best_counted=None if best is None else best.counted,
        t_within_floor=task.within_floor,
        t_family=own.families,
        d_state=declared.state,
        d_precision=declared.precision,
        d_changes=declared.changes,
        r_sent=outcomes.sent,
        r_errors=outcomes.errors,
        r_answered=outcomes.answered,
        r_truncated=outcomes.truncated,
        r_misrouted=outcomes.misrouted,
        unrated_reasons=reasons,
        nights_since_listed=nights.since_listed,
        nights_absent=nights.absent,
        pairs=model.pairs,
        pairs_without_reference=model.pairs_without_reference,
        issued=window.issue.issued,
        latency_class=latency_class(latencies, replayed=window.latency_replayed, definition=definition),
        median_latency_ms=median_latency_ms(latencies),
        price_prompt=listed.price_prompt,
        price_completion=listed.price_completion,
        context_declared=listed.context_length,
        context_observed=max(contexts, default=None),
        supersedes=window.issue.supersedes.get((model.model, endpoint.endpoint), ()),
    )
