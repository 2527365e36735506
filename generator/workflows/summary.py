"""One night in figures of our own: nothing that a provider, a model or a router wrote is among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

import msgspec

from generator.errors import IntegrityError, UsageError
from generator.probing.sealing import night_cost
from generator.records.figures import counted, decimal_text
from generator.records.grade import Letter
from generator.records.observation import Outcome
from generator.workflows.logged import log_head, newest_signed
from generator.workflows.planning import planned_asks, planned_context_asks
from generator.workflows.world import Root

NOT_SEALED, NOT_BEGUN = "not sealed", "not begun"


class NightSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a night came to."""

    night: date
    state: str
    """'recorded' or 'void', 'not sealed' while a journal holds it, 'not begun' where nothing does."""
    planned: int
    """Observations that it set out for."""
    outcomes: Mapping[str, int]
    """Observations by outcome; of a night that is not sealed, those decided so far."""
    cost_usd: str
    letters: Mapping[str, Mapping[str, int]]
    """By method version, how many grades of the window that the night ends read each letter."""
    log_size: int
    log_root: str | None
    """Hexadecimal; null where there is no log."""
    signed_size: int
    """Leaves that the newest signed checkpoint covers; 0 for a log that is unsigned."""


def summary(root: Root, night: date | None = None) -> NightSummary:
    """Return what a night came to; where none is named, the last one kept, or begun where none is kept.

    Raises:
        UsageError: where none is named and there is none.
        IntegrityError: where what is kept of it is not what it was.
    """
    nights = root.store.nights
    chosen = night or max((*nights.kept()[-1:], *(nights.unsealed()[-1:] if not nights.kept() else ())), default=None)
    if chosen is None:
        raise UsageError("expected a night, found none kept and none begun", do="Run 'bitdepth nightly' first")
    head, signed = log_head(root), newest_signed(root)
    state, planned, outcomes, cost = _probed(root, chosen)
    return NightSummary(
        night=chosen,
        state=state,
        planned=planned,
        outcomes=outcomes,
        cost_usd=cost,
        letters=dict(_letters(root, chosen)),
        log_size=0 if head is None else head.size,
        log_root=None if head is None else head.root.hex(),
        signed_size=0 if signed is None else signed.checkpoint.size,
    )


def summary_text(found: NightSummary) -> str:
    """Return a summary as Markdown."""
    rows = [("state", found.state), ("observations planned", f"{found.planned:,}")]
    rows += [(outcome, f"{number:,}") for outcome, number in found.outcomes.items()]
    rows.append(("cost", f"{found.cost_usd} USD"))
    rows += [
        (f"grades, method {version}", ", ".join(f"{letter} {number}" for letter, number in letters.items()))
        for version, letters in found.letters.items()
    ]
    rows.append(("log", counted(found.log_size, "leaf", "leaves")))
    if found.log_root is not None:
        rows.append(("log root", f"`{found.log_root}`"))
    rows.append(("signed", counted(found.signed_size, "leaf", "leaves") if found.signed_size else "no"))
    lines = [
        f"### Night {found.night}",
        "",
        "| | |",
        "| --- | --- |",
        *(f"| {name} | {value} |" for name, value in rows),
    ]
    return "\n".join(lines)


def _probed(root: Root, night: date) -> tuple[str, int, dict[str, int], str]:
    """Return a night's state, what it planned, its outcomes and its cost."""
    nights = root.store.nights
    if night in nights.kept():
        record = nights.get(night).record
        counts = {str(each): getattr(record.counts, each) for each in Outcome}
        return record.state, record.counts.planned, counts, _dollars(record.cost_usd, night)
    if night not in nights.unsealed():
        return NOT_BEGUN, 0, dict.fromkeys(map(str, Outcome), 0), "0"
    loaded = nights.read_journal(night)
    asks = planned_asks(loaded.plan)
    context = {ask.prompt.prompt_id for ask in planned_context_asks(loaded.plan)}
    found = Counter(row.outcome for row in loaded.observations if row.prompt_id not in context)
    return NOT_SEALED, len(asks), {str(each): found[each] for each in Outcome}, night_cost(loaded.observations)


def _dollars(text: str, night: date) -> str:
    """Return an amount as this program writes it.

    Raises:
        IntegrityError: where the night names none.
    """
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise IntegrityError("expected an amount in US dollars, found none", where=f"nights/{night}/night.json")
    return decimal_text(amount)


def _letters(root: Root, night: date) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each method version under which the window was graded that the night ends, with its letters."""
    for version in root.store.grades.versions():
        if night in root.store.grades.windows(version):
            found = Counter(grade.letter for grade in root.store.grades.get(version, night))
            yield version, {str(letter): found[letter] for letter in Letter}
