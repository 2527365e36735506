"""What a night would ask and cost at most, from the live listing or from a journal: nothing is asked or written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from decimal import ROUND_UP, Context, Decimal

import msgspec

from generator.archive.journal import Loaded
from generator.probing.budget import Budget
from generator.probing.carrying_on import in_flight
from generator.probing.interface import Ask
from generator.probing.prices import PRICE_HEADROOM, prices_of
from generator.probing.sealing import undecided
from generator.records.cost_plan import CostPlan, EndpointCost, ModelCost, Pricing, model_cost
from generator.settings import BudgetSettings, ProbingSettings, Settings
from generator.workflows.planning import SEED_BYTES, as_begun, plan_night, planned_asks, planned_context_asks
from generator.workflows.probing import RouterOf, chosen_night
from generator.workflows.spending import budget_of, limited
from generator.workflows.windows import bound_method
from generator.workflows.world import Progress, Root, World

_ANY_CAP = "999999"
_FINEST = Decimal("1e-12")
"""Of a US dollar: as fine as prices per token are given."""
_WIDE = Context(prec=60)
"""More digits than any sum of bounded prices has."""
_TELL_COSTS = ("openrouter", "demo")
"""Routers whose answers say what they cost."""


async def cost_plan(  # noqa: PLR0913 - the arguments of `probe`
    root: Root,
    world: World,
    open_router: RouterOf,
    *,
    progress: Progress,
    night: date | None = None,
    budget: BudgetSettings | None = None,
) -> CostPlan:
    """Return what `probe` would ask and what that would cost at most. No lock is needed, no file is touched.

    A night that is not begun is sized with a seed of its own: the night draws another, and prompts of the same kinds
    and about the same lengths. One that is begun has its prompts and prices; what it misses is counted.

    Args:
        root: the site root.
        world: clocks and entropy.
        open_router: makes the router, whose listing alone is read.
        progress: who is told.
        night: an unsealed night, instead of today's.
        budget: in place of site.toml's.

    Raises:
        UsageError: where that night is over.
        RouterError: where no listing can be read.
        ContentError: where the settings name a method that cannot be graded under.
    """
    settings = limited(root.content.settings(), budget)
    for version in (settings.method, *settings.candidates):
        bound_method(root, version)  # What `nightly` refuses before it pays is refused here too.
    cap = settings.budget.cap
    if settings.router.charges and cap is None:
        # `probe` refuses this; what it would do under a cap is shown all the same.
        settings = limited(settings, msgspec.structs.replace(settings.budget, max_usd=_ANY_CAP))
    now = world.now()
    chosen = chosen_night(root, now.date(), night)
    store = root.store.nights
    if chosen in store.kept():
        return _plan(chosen, settings, (), (), Budget(cap), cap=cap, sealed=True, begun=False)
    begun = chosen in store.unsealed()
    if begun:
        loaded = store.read_journal(chosen)
        settings = as_begun(settings, loaded.plan)
    else:
        loaded = await _sized(root, settings, world, open_router, chosen, now, progress)
    return _plan(
        chosen,
        settings,
        undecided(planned_asks(loaded.plan), loaded.observations),
        undecided(planned_context_asks(loaded.plan), loaded.observations),
        budget_of(settings, loaded, begun=begun),
        cap=cap,
        sealed=False,
        begun=begun,
    )


async def _sized(  # noqa: PLR0913, PLR0917 - what a night is planned from
    root: Root,
    settings: Settings,
    world: World,
    open_router: RouterOf,
    night: date,
    now: datetime,
    progress: Progress,
) -> Loaded:
    """Return a night planned from the live listing, as a journal would hold it."""
    seed = world.entropy(SEED_BYTES).hex()
    async with open_router(settings, world) as router:
        planned = await plan_night(root, settings, now, seed, router, night, progress)
    return Loaded(plan=planned, observations=(), account=None, counted=0)


def _plan(  # noqa: PLR0913 - a night, and how far it is
    night: date,
    settings: Settings,
    asks: Sequence[Ask],
    probes: Sequence[Ask],
    budget: Budget,
    *,
    cap: Decimal | None,
    sealed: bool,
    begun: bool,
) -> CostPlan:
    models = _models(asks, probes, budget, settings.probing)
    worst = sum((each.worst_usd for each in models), start=Decimal(0))
    context = sum((each.context_worst_usd for each in models), start=Decimal(0))
    spare = _up(in_flight((*asks, *probes), budget, settings.probing) * (PRICE_HEADROOM - 1) / PRICE_HEADROOM)
    spent = _up(budget.spent)
    most = spent + PRICE_HEADROOM * (worst + context)
    told = settings.router.kind in _TELL_COSTS
    needed = spent + worst + context + spare if told else most
    unpriced = [[ask for ask in each if prices_of(ask) is None] for each in (asks, probes)]
    unknown, context_unknown = (
        sum(budget.hold(ask, settings.probing) is not None for ask in each) for each in unpriced
    )
    return CostPlan(
        night=night,
        router=settings.router.kind,
        sealed=sealed,
        carried_on=begun,
        charges=settings.router.charges,
        requests=sum(each.requests for each in models),
        worst_usd=worst,
        context_requests=sum(each.context_requests for each in models),
        context_worst_usd=context,
        headroom=PRICE_HEADROOM,
        spent_usd=spent,
        needed_usd=needed,
        most_usd=most,
        costs_told=told,
        cap_usd=cap,
        suffices=None if cap is None else needed <= cap,
        left_out=len(unpriced[0]) - unknown,
        context_left_out=len(unpriced[1]) - context_unknown,
        unknown=unknown,
        context_unknown=context_unknown,
        models=models,
    )


def _models(
    asks: Sequence[Ask], probes: Sequence[Ask], budget: Budget, settings: ProbingSettings
) -> tuple[ModelCost, ...]:
    """Return what is asked and costs at most, by model and endpoint, both alphabetically."""
    graded: dict[tuple[str, str], list[Ask]] = defaultdict(list)
    context: dict[tuple[str, str], list[Ask]] = defaultdict(list)
    for found, among in ((graded, asks), (context, probes)):
        for ask in among:
            found[ask.model, ask.endpoint].append(ask)
    by_model: dict[str, list[EndpointCost]] = defaultdict(list)
    for key in sorted(graded.keys() | context.keys()):
        by_model[key[0]].append(_endpoint(graded[key], context[key], budget, settings))
    return tuple(model_cost(model, endpoints) for model, endpoints in by_model.items())


def _endpoint(graded: Sequence[Ask], context: Sequence[Ask], budget: Budget, settings: ProbingSettings) -> EndpointCost:
    first = (*graded, *context)[0]
    prices = prices_of(first)
    asked = budget.hold(first, settings) is not None
    unpriced = Pricing.UNKNOWN if asked else Pricing.LEFT_OUT
    return EndpointCost(
        endpoint=first.endpoint,
        provider=first.provider,
        pricing=unpriced if prices is None else Pricing.LISTED,
        price_prompt=prices.prompt if prices else None,
        price_completion=prices.completion if prices else None,
        price_request=prices.request if prices else None,
        requests=len(graded) if asked else 0,
        worst_usd=_worst(graded, budget, settings),
        context_requests=len(context) if asked else 0,
        context_worst_usd=_worst(context, budget, settings),
    )


def _worst(asks: Sequence[Ask], budget: Budget, settings: ProbingSettings) -> Decimal:
    """Return what some requests cost at most at tonight's prices."""
    held = (budget.hold(ask, settings) for ask in asks)
    return _up(sum((each.usd for each in held if each is not None), start=Decimal(0)) / PRICE_HEADROOM)


def _up(value: Decimal) -> Decimal:
    """Return an amount with no more digits than are printed of it, so that sums are those of what is printed."""
    return value.quantize(_FINEST, rounding=ROUND_UP, context=_WIDE)
