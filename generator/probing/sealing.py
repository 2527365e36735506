"""What a night came to: a row for every ask planned, and the counts, cost and time that night.json says. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from generator.probing.context import rung_of
from generator.probing.interface import Ask
from generator.probing.wire_kinds import ErrorKind
from generator.records.context import ContextProbe
from generator.records.figures import decimal_text
from generator.records.night import NightCounts
from generator.records.observation import Observation, Outcome

NOT_ASKED = "not_asked"
"""The error_kind of a row whose prompt was never sent before its night was sealed."""


def ask_key(ask: Ask) -> tuple[str, str, str]:
    """Return what names one observation of a night: model, endpoint, prompt_id."""
    return (ask.model, ask.endpoint, ask.prompt.prompt_id)


def row_key(row: Observation) -> tuple[str, str, str]:
    """Return what names one observation of a night: model, endpoint, prompt_id."""
    return (row.model, row.endpoint, row.prompt_id)


def undecided(asks: Iterable[Ask], decided: Iterable[Observation]) -> tuple[Ask, ...]:
    """Return the asks that have no observation yet, in their order."""
    done = {row_key(row) for row in decided}
    return tuple(ask for ask in asks if ask_key(ask) not in done)


def night_rows(
    asks: Sequence[Ask], decided: Sequence[Observation], left_out: Container[tuple[str, str, str]] = ()
) -> tuple[Observation, ...]:
    """Return one row for every ask: as decided, or unsent where the night ended before it was.

    Args:
        asks: the night's graded ones, or its context probes.
        decided: all that the night's journal holds, of both.
        left_out: what names those that were left out for want of a price; they are unsent for that reason.
    """
    wanted = {ask_key(ask) for ask in asks}
    unsent = (
        Observation(
            model=ask.model,
            endpoint=ask.endpoint,
            prompt_id=ask.prompt.prompt_id,
            family=ask.prompt.family,
            fixed=ask.prompt.fixed,
            outcome=Outcome.UNSENT,
            error_kind=ErrorKind.UNPRICED if ask_key(ask) in left_out else NOT_ASKED,
        )
        for ask in undecided(asks, decided)
    )
    return (*(row for row in decided if row_key(row) in wanted), *unsent)


def context_probe(row: Observation) -> ContextProbe:
    """Return what is kept of a context probe."""
    return ContextProbe(
        model=row.model,
        endpoint=row.endpoint,
        rung_tokens=rung_of(row.prompt_id),
        prompt_tokens=row.prompt_tokens,
        outcome=row.outcome,
        correct=row.correct,
        latency_ms=row.latency_ms,
        cost_usd=row.cost_usd,
    )


def kind_counts(rows: Iterable[Observation]) -> dict[str, int]:
    """Return how many rows there are of each error kind, the most frequent first."""
    counted = Counter(row.error_kind or "" for row in rows)
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def kinds_text(rows: Iterable[Observation]) -> str:
    """Return the same in words: 'network 1,012, cache_hit 1'."""
    return ", ".join(f"{kind} {count:,}" for kind, count in kind_counts(rows).items())


def night_counts(rows: Iterable[Observation]) -> NightCounts:
    """Return how many rows a night has, sent, and of each outcome."""
    counted = Counter(row.outcome for row in rows)
    planned = counted.total()
    return NightCounts(
        planned=planned,
        sent=planned - counted[Outcome.UNSENT],
        **{outcome.value: counted[outcome] for outcome in Outcome},
    )


def night_cost(rows: Iterable[Observation]) -> str:
    """Return what a night's answers cost by their own account, in US dollars; context probes cost too."""
    return decimal_text(sum((row.cost_usd for row in rows if row.cost_usd is not None), Decimal(0)))


def night_end(started_at: datetime, rows: Iterable[Observation]) -> datetime:
    """Return when a night's last graded answer was complete: a fact of its observations, whenever it is sealed."""
    ends = (
        row.requested_at + timedelta(milliseconds=row.latency_ms or 0) for row in rows if row.requested_at is not None
    )
    return max(ends, default=started_at)
