"""What is said of a night that was stopped, or that came to nothing: what happened, and what its operator can do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import ROUND_UP, Decimal

from generator.errors import BitdepthError, BudgetError, PartialNightError, RouterError, VoidNightError
from generator.probing.giving_up import ROUTERS
from generator.probing.interface import Stop
from generator.probing.sealing import kind_counts, kinds_text
from generator.probing.wire import ErrorKind
from generator.records.figures import decimal_text
from generator.records.observation import Observation
from generator.workflows.collecting import Asked

_STEP = Decimal("0.000001")
_ERRORS: dict[Stop | None, type[BitdepthError]] = {
    Stop.NO_CREDIT: BudgetError,
    Stop.BUDGET: BudgetError,
    Stop.KEY_REFUSED: RouterError,
    Stop.INTERRUPTED: PartialNightError,
    None: PartialNightError,
}
_AGAINST_VOID: dict[str, str] = {
    ErrorKind.UNPRICED: "give --allow-unpriced on the run that completes it, or take these models off the list",
    ErrorKind.PRICE_CHANGED: "look at what 'bitdepth plan' says of the prices now",
    ErrorKind.ACCOUNT_SETTINGS: "allow these endpoints in the privacy settings of the account at the router",
    ErrorKind.REFUSED_REQUEST: "look at 'probing' and 'per_model' in content/site.toml, whose requests were refused",
    ErrorKind.NO_CREDIT: "look at the credit with each server, or with each provider at the router",
    ErrorKind.KEY_REFUSED: "look at the keys of providers in the account at the router: one is refused",
}
_ELSE = "look at the router and the network; 'bitdepth doctor' says what it finds"


def require_complete(night: date, asked: Asked, today: date) -> None:
    """Raise what ended the asking, where anything is left to ask; the journal keeps what was decided.

    Raises:
        PartialNightError: where something could not be sent yet.
        BudgetError: where the cap or the router's credit stopped it.
        RouterError: where the router refused the key.
    """
    stop, left = asked.collected.stop, asked.collected.undecided
    if stop is None and not left:
        return
    problems, todo = _stopped(asked)
    refused = [each for each in asked.collected.given_up if each.kind not in ROUTERS]
    if refused:
        names = ", ".join(f"server {each.provider} of {each.model}" for each in refused)
        problems.append(f"{names} refused {'its key' if len(refused) == 1 else 'their keys'}")
        todo.append("Mend the key: its variable is the server's key_variable in content/site.toml.")
    if not problems:
        problems.append(f"some requests never reached their endpoint ({kinds_text(each.observation for each in left)})")
    kept = f"{asked.kept:,} of {asked.planned:,} observations are kept"
    todo.append(_again(night, today))
    raise _ERRORS[stop](f"{'; '.join(problems)}: {kept}", where=f"night {night}", do=" ".join(todo))


def void_night(reason: str | None, unsent: Sequence[Observation]) -> VoidNightError:
    """Return what is to be said of a night that was sealed void.

    Args:
        reason: as night.json states it.
        unsent: its observations that were not sent.
    """
    most = next(iter(kind_counts(unsent)), "")
    return VoidNightError(
        f"the night is sealed and void: {reason}; unsent: {kinds_text(unsent)}",
        do=f"It stands in no window, and cannot be asked again. For the next night, {_AGAINST_VOID.get(most, _ELSE)}",
    )


def _stopped(asked: Asked) -> tuple[list[str], list[str]]:
    """Return what ended the sending, and what to do about it; nothing where every ask was tried."""
    match asked.collected.stop:
        case Stop.NO_CREDIT:
            return ["the router reports no credit"], ["Add credit."]
        case Stop.BUDGET:
            cap = decimal_text(asked.budget.cap or Decimal(0))
            cost = decimal_text(asked.budget.spent.quantize(_STEP, rounding=ROUND_UP))
            return (
                [f"the next request could pass the cap of {cap} USD; the night may have cost up to {cost} USD"],
                ["Raise 'budget.max_usd' in content/site.toml, or give --max-usd."],
            )
        case Stop.KEY_REFUSED:
            return ["the router refused the key"], ["Mend the key."]
        case Stop.INTERRUPTED:
            return ["interrupted"], []
        case None:
            return [], []


def _again(night: date, today: date) -> str:
    """Return how a night is carried on with: after its date a run without its name would seal it as it is."""
    if today == night:
        return f"Run the same command again to carry on; after midnight UTC add --night {night}"
    return f"Run the command again with --night {night} to carry on: without it the night is sealed as it is"
