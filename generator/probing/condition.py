"""What a router's checkup says of tonight: each fact held against what a night needs. Pure.

Of what a router's account is, figures alone are repeated, in our own form and a few digits; of a problem, so many
characters as make a message. Whoever prints them escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import msgspec

from generator.probing.interface import Checkup
from generator.records.check import Check, CheckState
from generator.settings import BudgetSettings

CLOCK_SHOWN = timedelta(seconds=2)
"""A `Date` header has whole seconds, and an answer takes a while: less is no difference."""
CLOCK_ATTENTION = timedelta(seconds=60)
"""More than a network and a rounded header explain."""
CLOCK_FAILED = timedelta(seconds=600)
"""Of the minutes around midnight so many would bear another night's date."""

_MOST_USD = 1_000_000_000
"""An amount from here on is told as 'over', because a decimal may have a million digits."""
_MOST_WORDS = 300
"""Characters of a problem: a server's may name the models that it has instead."""
_NO_ANSWER = "no answer to go by"
_NOT_TOLD = "none told to this key"
_LOOK = "Look at the account's page at the router"
_UNTOLD = {
    "credit": f"{_LOOK}; some keys alone are told the account's credit",
    "key limit": f"{_LOOK}; a key without a limit has none to tell",
}
"""By check, what to do where nothing was told."""


class FarEnd(msgspec.Struct, frozen=True, kw_only=True):
    """A router, or a server that is asked directly, as the settings name it."""

    name: str
    """'router', or which server."""
    key_variable: str | None
    key_set: bool
    """Whether that variable holds anything."""
    key_needed: bool
    """True where nobody is answered without a key."""
    direct: bool = False
    """True for a server that is asked without a router between."""


def together(first: Checkup, others: Sequence[Checkup]) -> Checkup:
    """Return the checkup of a router's own address with what its other addresses say of key and credit."""
    for other in others:
        first = msgspec.structs.replace(
            first,
            key_accepted=other.key_accepted if first.key_accepted is None else first.key_accepted,
            credit_left_usd=other.credit_left_usd if first.credit_left_usd is None else first.credit_left_usd,
            key_limit_left_usd=(
                other.key_limit_left_usd if first.key_limit_left_usd is None else first.key_limit_left_usd
            ),
        )
    return first


def other_address_check(checkup: Checkup) -> Check:
    """Return whether another address of a router is reached; a night can do without what it says."""
    end = FarEnd(name="accounts", key_variable=None, key_set=False, key_needed=False)
    return _reached(end, checkup, CheckState.ATTENTION)


def far_end_checks(end: FarEnd, checkup: Checkup) -> tuple[Check, ...]:
    """Return whether a far end is reached, takes the key, and tells the same time as this machine."""
    return (_reached(end, checkup, CheckState.FAILED), _key(end, checkup), _clock(end, checkup))


def money_checks(budget: BudgetSettings, checkup: Checkup, *, key_set: bool = True) -> tuple[Check, ...]:
    """Return whether what is left of credit, and of the key's own limit, covers the most that a night may cost.

    Where nothing could be told of either, one check says why.
    """
    if checkup.key_accepted is False or checkup.problem is not None:
        why = "the key is refused" if key_set else "no key is set"
        if checkup.problem is not None:
            why = "the router gave no answer that can be read"
        expected = "what the router says is left to this key"
        return (
            Check(
                name="credit and key limit", state=CheckState.NOT_CHECKED, expected=expected, found=f"none, as {why}"
            ),
        )
    return (
        _money("credit", checkup.credit_left_usd, budget.cap, "Add credit to the router's account"),
        _money("key limit", checkup.key_limit_left_usd, budget.cap, "Raise the key's limit at the router"),
    )


def cap_check(budget: BudgetSettings, *, charges: bool) -> Check:
    """Return whether a night's cost has a cap, where the router charges."""
    expected = "the most that one night may cost, above 0, where the router charges"
    found = "none" if budget.cap is None else _usd(budget.cap)
    if charges and not budget.cap:
        do = "Set budget.max_usd in content/site.toml; without it no night is begun"
        return Check(name="budget cap", state=CheckState.FAILED, expected=expected, found=found, do=do)
    told = found if charges else f"{found}; this router charges nothing"
    return Check(name="budget cap", state=CheckState.OK, expected=expected, found=told)


def _reached(end: FarEnd, checkup: Checkup, unreached: CheckState) -> Check:
    expected = "an answer that can be read"
    if checkup.lists_nothing is not None:
        return Check(
            name=end.name,
            state=CheckState.ATTENTION,
            expected="a list of its models",
            found=f"{checkup.address} answers and has none (HTTP status {checkup.lists_nothing})",
            do="Check the address in content/site.toml, as a wrong one is answered so too; "
            "the server is asked all the same",
        )
    if checkup.problem is None:
        return Check(name=end.name, state=CheckState.OK, expected=expected, found=f"{checkup.address} answers")
    return Check(
        name=end.name,
        state=unreached,
        expected=expected,
        found=f"{checkup.address}: {checkup.problem[:_MOST_WORDS]}",
        do="Check the address in content/site.toml and this machine's network, or wait and run doctor again",
    )


def _key(end: FarEnd, checkup: Checkup) -> Check:
    name = _of("key", end)
    variable = end.key_variable
    state, do = CheckState.OK, None
    if variable is None:
        expected = "a key's variable named in content/site.toml" if end.key_needed else "no key"
        found = "none named"
        if end.key_needed or checkup.key_accepted is False:
            state, do = CheckState.FAILED, "Name it as key_variable; the key itself stands in the environment alone"
        return Check(name=name, state=state, expected=expected, found=found, do=do)
    expected = f"a key in the variable {variable}, and that it is accepted"
    if not end.key_set:
        state, found, do = (
            CheckState.FAILED,
            "no such variable, or an empty one",
            f"Set {variable} where the night runs",
        )
    elif checkup.key_accepted:
        found = "set and accepted"
    elif checkup.key_accepted is False:
        state, found, do = (
            CheckState.FAILED,
            "set and refused",
            f"Set {variable} to a key that the server takes"
            if end.direct
            else f"Make a new key at the router and set {variable} to it",
        )
    elif end.direct and checkup.problem is None and checkup.lists_nothing is None:
        state, found = CheckState.NOT_CHECKED, "set; its list of models is open to anybody and says nothing of a key"
    else:
        state, found = CheckState.NOT_CHECKED, "set; nobody says whether it is accepted"
    return Check(name=name, state=state, expected=expected, found=found, do=do)


def _clock(end: FarEnd, checkup: Checkup) -> Check:
    name, expected = _of("clock", end), f"within {CLOCK_ATTENTION.seconds} s of the Date header of the {end.name}"
    if checkup.date is None or checkup.asked_at is None:
        found = "no date in its answer" if checkup.problem is None else _NO_ANSWER
        return Check(name=name, state=CheckState.NOT_CHECKED, expected=expected, found=found)
    ahead = checkup.asked_at - checkup.date
    seconds = round(abs(ahead).total_seconds())
    side = "ahead" if ahead > timedelta(0) else "behind"
    found = f"this machine {seconds:,} s {side}"
    if abs(ahead) < CLOCK_SHOWN:
        found = "no difference that the Date header could show"
    if abs(ahead) <= CLOCK_ATTENTION:
        return Check(name=name, state=CheckState.OK, expected=expected, found=found)
    other_night = checkup.asked_at.date() != checkup.date.date()
    if other_night:
        found += f"; it is {checkup.asked_at.date()} here and {checkup.date.date()} there"
    wrong = other_night or abs(ahead) > CLOCK_FAILED
    return Check(
        name=name,
        state=CheckState.FAILED if wrong else CheckState.ATTENTION,
        expected=expected,
        found=found,
        do="Set this machine's clock by NTP: a night is named by its UTC date, "
        "so that one begun near midnight would bear the wrong one",
    )


def _money(name: str, left: Decimal | None, cap: Decimal | None, do: str) -> Check:
    expected = "more than 0 USD left" if cap is None else f"at least the cap of one night left, {_usd(cap)}"
    if left is None:
        return Check(name=name, state=CheckState.NOT_CHECKED, expected=expected, found=_NOT_TOLD, do=_UNTOLD[name])
    if not left.is_finite():
        return Check(name=name, state=CheckState.ATTENTION, expected=expected, found="no amount", do=_LOOK)
    state = CheckState.OK if left > 0 and (cap is None or left >= cap) else CheckState.ATTENTION
    if left <= 0:
        state = CheckState.FAILED
    return Check(name=name, state=state, expected=expected, found=_usd(left), do=None if state is CheckState.OK else do)


def _of(what: str, end: FarEnd) -> str:
    """Return a check's name, which says whose it is where there are several."""
    return what if end.name == "router" else f"{what}, {end.name}"


def _usd(amount: Decimal) -> str:
    """Return an amount of US dollars in at most a few digits."""
    if abs(amount) >= _MOST_USD:
        return f"over {_MOST_USD:,} USD" if amount > 0 else f"under -{_MOST_USD:,} USD"
    return f"{amount:,.4f} USD"
