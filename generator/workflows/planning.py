"""Plan a night: the listing read, identities settled, the seed drawn; everything that it is fixed by before it asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

import msgspec

from generator import __version__
from generator.errors import ContentError, RouterError
from generator.probing.context import CONTEXT_FAMILY, CONTEXT_KIND, context_id, context_prompt, tonights_rung
from generator.probing.identity import settle
from generator.probing.interface import Ask, Remarks, Router, Watch
from generator.probing.night_prompts import check_prompt_set, night_prompts
from generator.probing.plan import plan
from generator.probing.wire import token_limit
from generator.records.endpoint import KnownEndpoint
from generator.records.listing import ModelListing
from generator.records.night import PLAN_FORMAT, ModelSettings, NightPlan, NightSettings
from generator.settings import ProbingSettings, Settings
from generator.settings_rules import watched_names
from generator.workflows.knowing import known_endpoints
from generator.workflows.night_hour import early_words, is_late
from generator.workflows.world import Progress, Root

SEED_BYTES = 16


async def plan_night(  # noqa: PLR0913, PLR0917 - one night, from both of its ends
    root: Root, settings: Settings, started_at: datetime, seed: str, router: Router, night: date, progress: Progress
) -> NightPlan:
    """Read the listing, settle identities, draw the seed: everything that a night is fixed by before it asks."""
    prompt_set = root.content.prompt_set(settings.prompt_set)
    check_prompt_set(prompt_set)
    known = known_endpoints(root)
    listings = await router.listing(_watch(settings, known))
    endpoints = settle(night, listings, known)
    listed = {endpoint.model for endpoint in endpoints} | {listing.model_id for listing in listings}
    for model in settings.models:
        if model not in listed:
            progress.say(f"model {model} has no endpoint in tonight's listing")
    remarks = router.remarks if isinstance(router, Remarks) else ()
    if not endpoints:
        raise _nobody(settings, remarks)
    for line in remarks:
        progress.say(line)
    models = own_settings(settings, listings)
    for model in sorted(models.keys() - listed - set(watched_names(settings))):
        progress.say(f'per_model."{model}" is for no model that is watched tonight: nothing is asked by it')
    early = early_words(night, started_at, settings.probing)
    if early is not None:
        progress.say(early)
    planned = NightPlan(
        format=PLAN_FORMAT,
        night=night,
        late=is_late(night, started_at, settings.probing),
        seed=seed,
        prompt_set=prompt_set.name,
        prompt_set_sha256=prompt_set.sha256,
        router=router.kind,
        started_at=started_at,
        settings=_night_settings(settings, router, models),
        kinds={family.name: family.kind for family in prompt_set.families},
        listings=listings,
        endpoints=endpoints,
        prompts=night_prompts(prompt_set, seed),
        context=tuple(context_prompt(seed, rung) for rung in settings.context.rungs),
        tool_version=__version__,
    )
    asked = {ask.prompt.prompt_id for ask in planned_context_asks(planned)}
    return msgspec.structs.replace(
        planned, context=tuple(prompt for prompt in planned.context if prompt.prompt_id in asked)
    )


def planned_asks(planned: NightPlan) -> tuple[Ask, ...]:
    """Return every ask of a planned night, in sending order: the same from the journal as from the listing."""
    return plan(
        planned.endpoints,
        planned.listings,
        planned.prompts,
        seed=planned.seed,
        kinds=planned.kinds,
        models=planned.settings.models,
    )


def planned_context_asks(planned: NightPlan) -> tuple[Ask, ...]:
    """Return every context probe of a planned night, in sending order: for each endpoint the one size of tonight."""
    asks = plan(
        planned.endpoints,
        planned.listings,
        planned.context,
        seed=planned.seed,
        kinds={CONTEXT_FAMILY: CONTEXT_KIND},
        models=planned.settings.models,
    )
    endpoints = {(endpoint.model, endpoint.endpoint): endpoint for endpoint in planned.endpoints}
    probing = ProbingSettings(reasoning_budget_tokens=planned.settings.reasoning_budget_tokens)

    def is_tonights(ask: Ask) -> bool:
        endpoint = endpoints[ask.model, ask.endpoint]
        rung = tonights_rung(
            planned.night,
            planned.settings.context_rungs,
            context_length=endpoint.context_length,
            raw=endpoint.raw,
            answer_tokens=token_limit(ask, probing),
        )
        return rung is not None and ask.prompt.prompt_id == context_id(rung)

    return tuple(ask for ask in asks if is_tonights(ask))


def _watch(settings: Settings, known: Mapping[str, tuple[KnownEndpoint, ...]]) -> Watch:
    """Return which models tonight is about."""
    if settings.router.kind == "direct":
        return Watch(models=tuple(dict.fromkeys(server.model for server in settings.servers)))
    stay = {model for model, endpoints in known.items() if any(each.on_last_recorded_night for each in endpoints)}
    return Watch(
        models=settings.models,
        min_providers=settings.min_providers,
        stay=frozenset(stay),
        exclude=frozenset(settings.exclude),
    )


def own_settings(settings: Settings, listings: Iterable[ModelListing]) -> dict[str, ModelSettings]:
    """Return what is asked of one model otherwise, by slug where it is listed, whether by slug or by id in settings."""
    slugs = {listing.model_id: listing.model for listing in listings} | {each.model: each.model for each in listings}
    by_slug = {slugs.get(name, name): own for name, own in settings.per_model.items()}
    # Where both are named, the slug is the closer word.
    return by_slug | {name: own for name, own in settings.per_model.items() if slugs.get(name) == name}


def _nobody(settings: Settings, remarks: Sequence[str]) -> RouterError:
    """Return the error of a night with nobody to ask."""
    if settings.router.kind == "direct":
        return RouterError(
            f"expected at least one server that can be asked, found none: {'; '.join(remarks)}",
            where="content/site.toml, field 'servers'",
            do="Run the same command again once one of them answers",
        )
    return RouterError(
        "expected at least one endpoint of the watched models, found none",
        where="the router's listing",
        do="Correct 'models' or 'min_providers' in content/site.toml, or wait",
    )


def _night_settings(settings: Settings, router: Router, models: dict[str, ModelSettings]) -> NightSettings:
    probing = settings.probing
    return NightSettings(
        temperature=probing.temperature,
        sampling_seed=probing.sampling_seed,
        total_deadline_ms=round(probing.total_deadline_s * 1000),
        idle_deadline_ms=round(probing.idle_deadline_s * 1000),
        max_body_bytes=probing.max_body_bytes,
        concurrency=probing.concurrency,
        concurrency_per_endpoint=probing.concurrency_per_endpoint,
        attempts=probing.attempts,
        reasoning_budget_tokens=probing.reasoning_budget_tokens,
        models=models,
        context_rungs=settings.context.rungs,
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
