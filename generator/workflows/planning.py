"""Plan a night: the listing read, identities settled, the seed drawn; everything that it is fixed by before it asks."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import msgspec

from generator import __version__
from generator.archive import codec
from generator.errors import ContentError, RouterError
from generator.probing.identity import base_of, settle
from generator.probing.interface import Ask, Router
from generator.probing.night_prompts import check_prompt_set, night_prompts
from generator.probing.plan import plan
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.records.night import PLAN_FORMAT, NightPlan, NightSettings
from generator.settings import ProbingSettings, Settings
from generator.workflows.world import Progress, Root

SEED_BYTES = 16


async def plan_night(  # noqa: PLR0913, PLR0917 - one night, from both of its ends
    root: Root, settings: Settings, started_at: datetime, seed: str, router: Router, night: date, progress: Progress
) -> NightPlan:
    """Read the listing, settle identities, draw the seed: everything that a night is fixed by before it asks."""
    prompt_set = root.content.prompt_set(settings.prompt_set)
    check_prompt_set(prompt_set)
    listings = await router.listing(settings.models)
    endpoints = settle(night, listings, known_endpoints(root))
    listed = {endpoint.model for endpoint in endpoints} | {listing.model_id for listing in listings}
    for model in settings.models:
        if model not in listed:
            progress.say(f"model {model} has no endpoint in tonight's listing")
    if not endpoints:
        raise RouterError(
            f"expected at least one endpoint of the watched models ({', '.join(settings.models)}), found none",
            where="the router's listing",
            do="Correct 'models' in content/site.toml, or wait",
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


def planned_asks(planned: NightPlan) -> tuple[Ask, ...]:
    """Return every ask of a planned night, in sending order: the same from the journal as from the listing."""
    return plan(planned.endpoints, planned.listings, planned.prompts, seed=planned.seed, kinds=planned.kinds)


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


def as_begun(settings: Settings, planned: NightPlan) -> Settings:
    """Return settings with everything that can move a result as it was when a night began: a night has one.

    Raises:
        ContentError: where the settings name another kind of router than the night was begun on.
    """
    if settings.router.kind != planned.router:
        raise ContentError(
            f"expected the router that night {planned.night} was begun on ('{planned.router}'), "
            f"found '{settings.router.kind}'",
            where="content/site.toml, field 'router.kind'",
            do="Set it back until the night is sealed; it is sealed by itself once its date has passed",
        )
    begun = planned.settings
    probing = msgspec.structs.replace(
        settings.probing,
        temperature=begun.temperature,
        sampling_seed=begun.sampling_seed,
        total_deadline_s=begun.total_deadline_ms / 1000,
        idle_deadline_s=begun.idle_deadline_ms / 1000,
        max_body_bytes=begun.max_body_bytes,
        concurrency=begun.concurrency,
        concurrency_per_endpoint=begun.concurrency_per_endpoint,
        attempts=begun.attempts,
        reasoning_budget_tokens=begun.reasoning_budget_tokens,
    )
    return msgspec.structs.replace(settings, probing=probing)
