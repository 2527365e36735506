"""What a night has spent: its budget from the journal, and into the journal; and what is said of unpriced endpoints."""

from __future__ import annotations

from collections.abc import Sequence

from generator.archive.journal import Journal, Loaded
from generator.probing.budget import Budget
from generator.probing.carrying_on import carried_on
from generator.probing.interface import Ask
from generator.probing.prices import prices_of
from generator.records.account import Account, AccountState
from generator.records.figures import counted
from generator.settings import Settings
from generator.workflows.planning import planned_asks, planned_context_asks
from generator.workflows.world import Progress


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


def say_unpriced(asks: Sequence[Ask], left_out: int, budget: Budget, progress: Progress) -> None:
    """Say what becomes of requests to endpoints that list no price, where there is a cap."""
    if left_out:
        progress.say(
            f"{counted(left_out, 'request')} left out: their endpoints list no price, and there is a cap; "
            "--allow-unpriced asks them too"
        )
    unpriced = sum(prices_of(ask) is None for ask in asks) - left_out
    if unpriced and budget.cap is not None:
        progress.say(
            f"{counted(unpriced, 'request')} to endpoints that list no price: what they cost is not known beforehand, "
            "and the highest price listed beside them is held for it"
        )
