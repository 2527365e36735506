"""Take a text that must not be shown out of a night's observations, and declare that it was taken out and why."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

import msgspec
import pyarrow as pa

from generator.archive.nights import KeptNight
from generator.archive.withheld_rows import place_of, without
from generator.errors import UsageError
from generator.records.canonical import SEALED_FORMAT, sha256
from generator.records.withheld import WithheldRecord, WithheldRow
from generator.workflows.near import did_you_mean
from generator.workflows.reasons import checked_reason
from generator.workflows.tally_cache import TallyCache
from generator.workflows.voiding import kept_night
from generator.workflows.world import Root


class ObservationKey(msgspec.Struct, frozen=True, kw_only=True):
    """One observation of a night."""

    model: str
    endpoint: str
    prompt_id: str


class Withheld(msgspec.Struct, frozen=True, kw_only=True):
    """What was withheld, and who else gave the same."""

    declared: WithheldRecord
    same: tuple[ObservationKey, ...]
    """Observations of the same night with the same text, or with the same answer where that was withheld too; each is
    withheld apart."""


def withhold(  # noqa: PLR0913 - what is taken out of where, and why
    root: Root, night: date, key: ObservationKey, *, answer: bool, reason: str, now: datetime
) -> Withheld:
    """Return what was withheld. Interrupted anywhere, the same call completes.

    Args:
        root: the site root; the caller holds its lock.
        night: that the observation is of.
        key: the observation.
        answer: take the normalised answer out too.
        reason: in words that a stranger understands, without what is withheld.
        now: when it is declared, UTC.

    Raises:
        UsageError: where there is no such observation, nothing to take out of it, or the reason is none.
        IntegrityError: where the night is not what was recorded; then nothing is removed.
    """
    words = checked_reason(reason)
    kept, store = kept_night(root, night), root.store.nights
    table = store.table(kept.record, "observations")
    place = place_of(table, key.model, key.endpoint, key.prompt_id)
    if place is None:
        raise _no_such(night, key, table)
    text, given = table.column("text")[place].as_py(), table.column("answer")[place].as_py()
    is_hidden = any(row.answer_sha256 is not None for row in _rows_of(kept, key))
    taken = sha256(given.encode()) if answer and not is_hidden and given is not None else None
    if text is None and taken is None:
        declared = _declared_alike(kept, key, words, answer=answer)
        if declared is None:
            raise _nothing_left(night, kept, key)
        store.end_withholding(kept.record)
    else:
        row = WithheldRow(model=key.model, endpoint=key.endpoint, prompt_id=key.prompt_id, answer_sha256=taken)
        declaration = WithheldRecord(
            format=SEALED_FORMAT,
            night=night,
            file="",
            before_sha256="",
            after_sha256="",
            reason=words,
            declared_at=now.replace(microsecond=0),
            rows=(row,),
            seal="",
        )
        declared = store.withhold(kept.record, without(table, place, taken), declaration)
    if answer:
        TallyCache(root.path).forget()
    return Withheld(declared=declared, same=tuple(_same(table, key, text, given if taken else None)))


def _rows_of(kept: KeptNight, key: ObservationKey) -> Iterable[WithheldRow]:
    wanted = (key.model, key.endpoint, key.prompt_id)
    return (row for row in kept.withheld_rows if (row.model, row.endpoint, row.prompt_id) == wanted)


def _declared_alike(kept: KeptNight, key: ObservationKey, reason: str, *, answer: bool) -> WithheldRecord | None:
    """Return the declaration that an interrupted call with the same words has made."""
    for each in reversed(kept.withheld):
        for row in each.record.rows:
            is_it = (row.model, row.endpoint, row.prompt_id) == (key.model, key.endpoint, key.prompt_id)
            if is_it and each.record.reason == reason and (row.answer_sha256 is not None) == answer:
                return each.record
    return None


def _same(table: pa.Table, key: ObservationKey, text: str | None, answer: str | None) -> Iterable[ObservationKey]:
    """Yield the other observations of a night with a text, or with an answer; None is like no other."""
    columns = (table.column(name).to_pylist() for name in ("model", "endpoint", "prompt_id", "text", "answer"))
    for model, endpoint, prompt_id, other_text, other_answer in zip(*columns, strict=True):
        other = ObservationKey(model=model, endpoint=endpoint, prompt_id=prompt_id)
        is_alike = (text is not None and other_text == text) or (answer is not None and other_answer == answer)
        if is_alike and other != key:
            yield other


def _no_such(night: date, key: ObservationKey, table: pa.Table) -> UsageError:
    """Return what is wrong with the first name that leads nowhere."""
    columns = (table.column(name).to_pylist() for name in ("model", "endpoint", "prompt_id"))
    rows, wanted = set(zip(*columns, strict=True)), (key.model, key.endpoint, key.prompt_id)
    depth = next(at for at in range(len(wanted)) if wanted[: at + 1] not in {row[: at + 1] for row in rows})
    what = ("model", "endpoint", "prompt")[depth]
    known = {row[depth] for row in rows if row[:depth] == wanted[:depth]}
    article = "an" if what == "endpoint" else "a"
    return UsageError(
        f"expected {article} {what} of the night {night.isoformat()}, found '{wanted[depth]}'",
        where=f"--{what}",
        do=did_you_mean(wanted[depth], known),
    )


def _nothing_left(night: date, kept: KeptNight, key: ObservationKey) -> UsageError:
    is_withheld = any(True for _ in _rows_of(kept, key))
    return UsageError(
        "expected a text that is not withheld yet, found "
        + ("one that is" if is_withheld else "an observation without any text"),
        where=f"archive/nights/{night.isoformat()}, {key.model} {key.endpoint} {key.prompt_id}",
        do="Give --answer to withhold the normalised answer too" if is_withheld else None,
    )
