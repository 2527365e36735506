"""Seal a night: from its journal to the archive, recorded or void, whatever ended the asking."""

from __future__ import annotations

from datetime import date

import msgspec

from generator.archive import codec
from generator.method.window import is_void
from generator.probing.identity import first_listed_void
from generator.probing.sealing import (
    ask_key,
    context_probe,
    kinds_text,
    night_cost,
    night_counts,
    night_end,
    night_rows,
)
from generator.records.canonical import SEALED_FORMAT
from generator.records.night import NightRecord, NightState, PreviousNight, missed
from generator.records.observation import Observation, Outcome
from generator.settings import BudgetSettings
from generator.workflows.planning import planned_asks, planned_context_asks
from generator.workflows.spending import left_out_of, limited
from generator.workflows.world import Progress, Root


class Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """A night as it was sealed."""

    record: NightRecord
    unsent: tuple[Observation, ...]
    """Its graded observations that were not sent."""


def seal(root: Root, night: date, progress: Progress, budget: BudgetSettings | None = None) -> Sealed:
    """Seal a night from its journal: recorded if enough of it was sent, otherwise void; what is missing is unsent.

    Args:
        root: the site root.
        night: with a journal.
        progress: who is told.
        budget: in place of site.toml's: it says which endpoints were left out for want of a price.
    """
    store = root.store.nights
    settings = limited(root.content.settings(), budget)
    planned, decided = store.load_journal(night)
    asks, context_asks = planned_asks(planned), planned_context_asks(planned)
    left_out = {ask_key(ask) for ask in left_out_of(settings, (*asks, *context_asks))}
    rows = night_rows(asks, decided, left_out)
    probes = night_rows(context_asks, decided, left_out)
    counts = night_counts(rows)
    definition = root.content.method(settings.method).definition
    void = is_void(counts.planned, counts.sent, definition)
    reason = f"{counts.sent} of {counts.planned} planned observations were sent" if void else None
    previous = _previous(root, night)
    endpoints = first_listed_void(planned.endpoints, night) if void else planned.endpoints
    record = NightRecord(
        format=SEALED_FORMAT,
        night=night,
        state=NightState.VOID if void else NightState.RECORDED,
        reason=reason,
        late=planned.late,
        seed=planned.seed,
        prompt_set=planned.prompt_set,
        prompt_set_sha256=planned.prompt_set_sha256,
        router=planned.router,
        started_at=planned.started_at,
        finished_at=night_end(planned.started_at, rows),
        counts=counts,
        cost_usd=night_cost((*rows, *probes)),
        settings=planned.settings,
        files={},
        previous=previous,
        missed=missed(previous, night),
        tool_version=planned.tool_version,
        seal="",
    )
    tables = {
        "observations": codec.observations_table(rows),
        "listings": codec.listings_table(endpoints),
        "prompts": codec.prompts_table(planned.prompts),
        "context": codec.context_table(context_probe(row) for row in probes),
    }
    sealed = store.seal(record, tables)
    unsent = tuple(row for row in rows if row.outcome is Outcome.UNSENT)
    why = f"; unsent: {kinds_text(unsent)}" if void else ""
    progress.say(
        f"night {night} sealed: {record.state}, {counts.sent:,} of {counts.planned:,} sent, {record.cost_usd} USD{why}"
    )
    return Sealed(record=sealed, unsent=unsent)


def _previous(root: Root, night: date) -> PreviousNight | None:
    earlier = [each for each in root.store.nights.kept() if each < night]
    if not earlier:
        return None
    return PreviousNight(night=earlier[-1], sha256=root.store.nights.get(earlier[-1]).sha256)
