"""The budget of a night as an earlier run left it: what the journal says was spent, and the most that it cannot say.

A run that was killed may have paid for requests that nobody heard of: no more at once than its concurrency, no more to
one endpoint than that allows, and only such whose observation the journal does not hold. Each run begins by writing
down what it counts as spent, so that what one kill leaves unknown stays counted after the next. This is of killed runs:
where the machine itself lost its power, the journal may lack its last lines too, and what they cost is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from generator.probing.budget import Budget, Held, unspent
from generator.probing.interface import Ask
from generator.probing.sealing import ask_key, row_key, undecided
from generator.records.account import Account, AccountState
from generator.records.observation import Observation, Outcome
from generator.settings import BudgetSettings, ProbingSettings


def carried_on(  # noqa: PLR0913 - a budget, and all that an earlier run left
    limits: BudgetSettings,
    asks: Sequence[Ask],
    decided: Sequence[Observation],
    account: Account | None,
    *,
    counted: int,
    settings: ProbingSettings,
    begun: bool,
) -> Budget:
    """Return a night's budget with all counted that earlier runs of it spent, or may have.

    Args:
        limits: the cap, and whether endpoints without a price may be asked.
        asks: every one of the night, context probes included.
        decided: what the journal holds of them.
        account: the journal's last; None where no earlier run had a cap.
        counted: how many of the decided ones it counts already, the first.
        settings: those of the night.
        begun: whether there was an earlier run.
    """
    budget = unspent(limits, asks)
    by_key = {ask_key(ask): ask for ask in asks}
    spent = account.spent_usd if account is not None else Decimal(0)
    for place, row in enumerate(decided):
        asked = by_key.get(row_key(row))
        held = None if asked is None else budget.hold(asked, settings)
        if place >= counted:
            spent += _cost(row, held)
        if held is not None and row.cost_usd is not None:
            budget.learn(held, row.cost_usd)
    if begun and (account is None or account.account is AccountState.BEGUN):
        spent += in_flight(undecided(asks, decided), budget, settings)
    budget.spent = spent
    return budget


def in_flight(asks: Iterable[Ask], budget: Budget, settings: ProbingSettings) -> Decimal:
    """Return the most that a budget holds at once in USD while it asks these, each endpoint within its share."""
    by_endpoint: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for ask in asks:
        held = budget.hold(ask, settings)
        if held is not None:
            by_endpoint[ask.model, ask.endpoint].append(held.usd)
    most = [
        usd
        for endpoint in by_endpoint.values()
        for usd in sorted(endpoint, reverse=True)[: settings.concurrency_per_endpoint]
    ]
    return sum(sorted(most, reverse=True)[: settings.concurrency], start=Decimal(0))


def _cost(row: Observation, held: Held | None) -> Decimal:
    """Return what a row cost: by its own account, else all that was held for it; nothing where it was not sent."""
    if row.cost_usd is not None:
        return row.cost_usd
    return Decimal(0) if held is None or row.outcome is Outcome.UNSENT else held.usd
