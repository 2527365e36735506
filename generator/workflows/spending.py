"""What a night has spent: its budget from the journal, and into the journal; and what is said of unpriced endpoints."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from generator.archive.journal import Journal, Loaded
from generator.probing.budget import Budget, unspent
from generator.probing.carrying_on import carried_on
from generator.probing.context import CONTEXT_FAMILY
from generator.probing.interface import Ask
from generator.probing.prices import prices_of
from generator.records.account import Account, AccountState
from generator.records.cost_plan import asked_words
from generator.settings import BudgetSettings, ProbingSettings, Settings
from generator.workflows.planning import planned_asks, planned_context_asks
from generator.workflows.world import Progress


def limited(settings: Settings, budget: BudgetSettings | None) -> Settings:
    """Return settings with another budget, where there is one."""
    return settings if budget is None else msgspec.structs.replace(settings, budget=budget)


def left_out_of(settings: Settings, asks: Sequence[Ask]) -> tuple[Ask, ...]:
    """Return which of a whole night's asks are left out for want of a price, where there is a cap."""
    return _left_out(asks, unspent(settings.budget, asks), settings.probing)


def budget_of(settings: Settings, loaded: Loaded, *, begun: bool) -> Budget:
    """Return a night's budget, with all counted that earlier runs of it spent or may have.

    Args:
        settings: with the cap.
        loaded: what the night's journal holds.
        begun: whether there was an earlier run.
    """
    return carried_on(
        settings.budget,
        (*planned_asks(loaded.plan), *planned_context_asks(loaded.plan)),
        loaded.observations,
        loaded.account,
        counted=loaded.counted,
        settings=settings.probing,
        begun=begun,
    )


def write_account(journal: Journal, budget: Budget, state: AccountState) -> None:
    """Write down what the night has cost, where there is a cap: a killed run leaves it to the next."""
    if budget.cap is not None:
        journal.add_account(Account(account=state, spent_usd=budget.spent))


def say_unpriced(asks: Sequence[Ask], budget: Budget, settings: ProbingSettings, progress: Progress) -> None:
    """Say what becomes of requests to endpoints that list no price, context probes included, where there is a cap."""
    left_out = _left_out(asks, budget, settings)
    if left_out:
        progress.say(
            f"{_words(left_out)} left out: their endpoints list no price, and there is a cap; "
            "--allow-unpriced asks them too, if it is given at the latest on the run that completes the night"
        )
    unpriced = [ask for ask in asks if prices_of(ask) is None and budget.hold(ask, settings) is not None]
    if unpriced and budget.cap is not None:
        progress.say(
            f"{_words(unpriced)} to endpoints that list no price: what they cost is not known beforehand, "
            "and the highest price listed beside them is held for it"
        )


def _words(asks: Sequence[Ask]) -> str:
    context = sum(ask.prompt.family == CONTEXT_FAMILY for ask in asks)
    return asked_words(len(asks) - context, context)


def _left_out(asks: Sequence[Ask], budget: Budget, settings: ProbingSettings) -> tuple[Ask, ...]:
    return tuple(ask for ask in asks if budget.hold(ask, settings) is None)
