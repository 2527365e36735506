"""Seal a night: from its journal to the archive, recorded or void, whatever ended the asking."""

from __future__ import annotations

from datetime import date

from generator.archive import codec
from generator.method.window import is_void
from generator.probing.identity import first_listed_void
from generator.probing.sealing import context_probe, night_cost, night_counts, night_end, night_rows
from generator.records.canonical import SEALED_FORMAT
from generator.records.night import NightRecord, NightState, PreviousNight, missed
from generator.workflows.planning import planned_asks, planned_context_asks
from generator.workflows.world import Progress, Root


def seal(root: Root, night: date, progress: Progress) -> NightRecord:
    """Seal a night from its journal: recorded if enough of it was sent, otherwise void; what is missing is unsent."""
    store = root.store.nights
    planned, decided = store.load_journal(night)
    rows = night_rows(planned_asks(planned), decided)
    probes = night_rows(planned_context_asks(planned), decided)
    counts = night_counts(rows)
    definition = root.content.method(root.content.settings().method).definition
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
    progress.say(f"night {night} sealed: {record.state}, {counts.sent} of {counts.planned} sent, {record.cost_usd} USD")
    return sealed


def _previous(root: Root, night: date) -> PreviousNight | None:
    earlier = [each for each in root.store.nights.kept() if each < night]
    if not earlier:
        return None
    return PreviousNight(night=earlier[-1], sha256=root.store.nights.get(earlier[-1]).sha256)
