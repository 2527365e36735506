"""One night: read the listing, settle identities, ask everything that is not decided yet, and seal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import date, datetime, timedelta
from decimal import Decimal

import msgspec
import pyarrow as pa

from generator import __version__
from generator.archive import codec, schema
from generator.errors import BudgetError, PartialNightError, RouterError, UsageError
from generator.method.window import is_void
from generator.probing.budget import Budget
from generator.probing.collect import Collected, collect
from generator.probing.families import FAMILIES
from generator.probing.identity import base_of, first_listed_void, settle
from generator.probing.interface import Ask, Router, Stop
from generator.probing.night_prompts import check_prompt_set, night_prompts
from generator.probing.plan import plan
from generator.probing.sealing import night_cost, night_counts, night_end, night_rows, undecided
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.records.night import (
    NIGHT_FORMAT,
    PLAN_FORMAT,
    NightPlan,
    NightRecord,
    NightSettings,
    NightState,
    PreviousNight,
)
from generator.settings import ProbingSettings, Settings
from generator.workflows.world import Progress, Root, World

SEED_BYTES = 16

RouterOf = Callable[[Settings], AbstractAsyncContextManager[Router]]
"""Makes the router that settings name; its connections end with the context."""


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe did."""

    night: date
    record: NightRecord | None
    """The night as sealed; None where it was sealed before this run."""
    overdue: tuple[NightRecord, ...]
    """Earlier nights that this run sealed."""


async def probe(
    root: Root, world: World, open_router: RouterOf, *, progress: Progress, night: date | None = None
) -> Probed:
    """Probe today's night, or carry on with one whose journal is not sealed; the caller holds the lock.

    Args:
        root: the site root.
        world: clocks and entropy.
        open_router: makes the router.
        progress: who is told.
        night: an unsealed night to carry on with, instead of today's.

    Raises:
        PartialNightError: where something could not be sent yet; the journal is kept.
        BudgetError: where the cap or the router's credit stopped it; the journal is kept.
        RouterError: where no listing can be read, or the key is refused.
    """
    settings = root.content.settings()
    today = world.now().date()
    chosen = night or today
    store = root.store.nights
    if chosen != today and chosen not in store.unsealed():
        raise UsageError(
            f"expected today's night ({today}) or one with an unsealed journal, found {chosen}",
            do="A night that is over cannot be measured any more",
        )
    if store.kept() and chosen not in store.kept() and chosen < store.kept()[-1]:
        raise UsageError(
            f"expected a night after the last one kept ({store.kept()[-1]}), found {chosen}",
            do="Check this machine's clock",
        )
    overdue = tuple(seal(root, each, progress) for each in store.unsealed() if each < min(chosen, today))
    if chosen in store.kept():
        progress.say(f"night {chosen} is sealed already: nothing to ask")
        return Probed(night=chosen, record=None, overdue=overdue)
    async with open_router(settings) as router:
        if chosen not in store.unsealed():
            store.start_journal(await _plan_night(root, settings, world, router, chosen))
        collected = await _collect(root, settings, world, router, chosen, progress)
    _require_complete(chosen, collected)
    return Probed(night=chosen, record=seal(root, chosen, progress), overdue=overdue)


def seal(root: Root, night: date, progress: Progress) -> NightRecord:
    """Seal a night from its journal: recorded if enough of it was sent, otherwise void; what is missing is unsent."""
    store = root.store.nights
    planned, decided = store.load_journal(night)
    rows = night_rows(_asks(planned), decided)
    counts = night_counts(rows)
    definition = root.content.method(root.content.settings().method).definition
    void = is_void(counts.planned, counts.sent, definition)
    reason = f"{counts.sent} of {counts.planned} planned observations were sent" if void else None
    endpoints = first_listed_void(planned.endpoints, night) if void else planned.endpoints
    record = NightRecord(
        format=NIGHT_FORMAT,
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
        cost_usd=night_cost(rows),
        settings=planned.settings,
        files={},
        previous=_previous(root, night),
        tool_version=planned.tool_version,
        seal="",
    )
    tables = {
        "observations": codec.observations_table(rows),
        "listings": codec.listings_table(endpoints),
        "prompts": codec.prompts_table(planned.prompts),
        "context": pa.Table.from_pylist([], schema=schema.CONTEXT),
    }
    sealed = store.seal(record, tables)
    progress.say(f"night {night} sealed: {record.state}, {counts.sent} of {counts.planned} sent, {record.cost_usd} USD")
    return sealed


async def _plan_night(root: Root, settings: Settings, world: World, router: Router, night: date) -> NightPlan:
    """Read the listing, settle identities, draw the seed: everything that a night is fixed by before it asks."""
    prompt_set = root.content.prompt_set(settings.prompt_set)
    check_prompt_set(prompt_set)
    seed = world.entropy(SEED_BYTES).hex()
    started_at = world.now()
    listings = await router.listing(settings.models)
    endpoints = settle(night, listings, known_endpoints(root))
    if not endpoints:
        raise RouterError(
            "expected at least one endpoint of the watched models, found none", do="See 'models' in site.toml"
        )
    return NightPlan(
        format=PLAN_FORMAT,
        night=night,
        late=_late(started_at, night, settings.probing),
        seed=seed,
        prompt_set=prompt_set.name,
        prompt_set_sha256=prompt_set.sha256,
        router=router.kind,
        started_at=started_at,
        settings=_night_settings(settings.probing, router),
        kinds={family.name: family.kind for family in prompt_set.families},
        listings=listings,
        endpoints=endpoints,
        prompts=night_prompts(prompt_set, seed),
        tool_version=__version__,
    )


async def _collect(  # noqa: PLR0913, PLR0917 - one night between its two ends
    root: Root, settings: Settings, world: World, router: Router, night: date, progress: Progress
) -> Collected:
    """Ask what the journal does not hold yet, and journal each observation as it is decided."""
    store = root.store.nights
    planned, decided = store.load_journal(night)
    missing = undecided(_asks(planned), decided)
    spent = sum((row.cost_usd for row in decided if row.cost_usd is not None), start=Decimal(0))
    with store.open_journal(night) as journal, progress.bar(f"asking, night {night}", len(missing)) as advance:
        return await collect(
            router,
            missing,
            families=FAMILIES,
            settings=settings.probing,
            budget=Budget(settings.budget.max_usd, spent=spent),
            sink=journal.add,
            progress=lambda _done, _total: advance(1),
            monotonic=world.monotonic,
            sleep=world.sleep,
        )


def known_endpoints(root: Root) -> dict[str, tuple[KnownEndpoint, ...]]:
    """Return, by model, every endpoint that the archive has ever listed, with what identity is settled by."""
    store = root.store.nights
    latest: dict[tuple[str, str], Endpoint] = {}
    first: dict[tuple[str, str], date] = {}
    last_listed: set[tuple[str, str]] = set()
    for night in store.kept():
        kept = store.get(night)
        listed = codec.records_of(store.table(kept.record, "listings"), Endpoint)
        for endpoint in listed:
            latest[endpoint.model, endpoint.endpoint] = endpoint
            if kept.counts:
                first.setdefault((endpoint.model, endpoint.endpoint), night)
        if kept.counts:
            last_listed = {(endpoint.model, endpoint.endpoint) for endpoint in listed}
    known: dict[str, tuple[KnownEndpoint, ...]] = {}
    for (model, slug), endpoint in sorted(latest.items()):
        found = KnownEndpoint(
            model=model,
            endpoint=slug,
            tag=endpoint.tag,
            base=base_of(endpoint.tag, endpoint.declared_precision),
            first_listed=first.get((model, slug)),
            on_last_recorded_night=(model, slug) in last_listed,
        )
        known[model] = (*known.get(model, ()), found)
    return known


def _asks(planned: NightPlan) -> tuple[Ask, ...]:
    return plan(planned.endpoints, planned.listings, planned.prompts, seed=planned.seed, kinds=planned.kinds)


def _previous(root: Root, night: date) -> PreviousNight | None:
    earlier = [each for each in root.store.nights.kept() if each < night]
    if not earlier:
        return None
    return PreviousNight(night=earlier[-1], sha256=root.store.nights.get(earlier[-1]).sha256)


def _late(started_at: datetime, night: date, settings: ProbingSettings) -> bool:
    meant = datetime(night.year, night.month, night.day, settings.hour_utc, tzinfo=started_at.tzinfo)
    return started_at > meant + timedelta(hours=settings.late_after_h)


def _night_settings(settings: ProbingSettings, router: Router) -> NightSettings:
    return NightSettings(
        temperature=settings.temperature,
        sampling_seed=settings.sampling_seed,
        total_deadline_ms=round(settings.total_deadline_s * 1000),
        idle_deadline_ms=round(settings.idle_deadline_s * 1000),
        max_body_bytes=settings.max_body_bytes,
        concurrency=settings.concurrency,
        concurrency_per_endpoint=settings.concurrency_per_endpoint,
        attempts=settings.attempts,
        reasoning_budget_tokens=settings.reasoning_budget_tokens,
        latency=router.latency,
    )


def _require_complete(night: date, collected: Collected) -> None:
    """Raise what ended the asking, where anything is left to ask; the journal keeps what was decided."""
    left = f"{collected.decided} observations are kept, {len(collected.undecided)} are missing"
    again = "Run the same command again to carry on"
    match collected.stop:
        case Stop.NO_CREDIT:
            raise BudgetError(
                f"the router reports no credit: {left}", where=f"night {night}", do=f"Add credit. {again}"
            )
        case Stop.BUDGET:
            raise BudgetError(
                f"the next request could pass the budget's cap: {left}",
                where=f"night {night}",
                do=f"Raise 'budget.max_usd' in content/site.toml. {again}",
            )
        case Stop.KEY_REFUSED:
            raise RouterError(
                f"the router refused the key: {left}", where=f"night {night}", do=f"Mend the key. {again}"
            )
        case Stop.INTERRUPTED:
            raise PartialNightError(f"interrupted: {left}", where=f"night {night}", do=again)
        case None if collected.undecided:
            raise PartialNightError(
                f"some requests never reached their endpoint: {left}", where=f"night {night}", do=again
            )
        case None:
            return
