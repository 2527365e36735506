"""Whether there is anything to do for a night: to ask what it lacks, or to log and publish what is sealed."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

import msgspec

from generator.records.night import NightState
from generator.workflows.logged import log_head
from generator.workflows.night_hour import meant_at
from generator.workflows.probing import chosen_night
from generator.workflows.world import Root


class Standing(StrEnum):
    """How a night stands."""

    NOT_BEGUN = "not_begun"
    """Nothing was asked yet, and it can be."""
    EARLY = "early"
    """Nothing was asked yet, and its hour has not come."""
    UNSEALED = "unsealed"
    """A journal holds what was asked."""
    NOT_LOGGED = "not_logged"
    """Sealed, and no leaf of the log: nothing is left to ask, and it is not published."""
    SEALED = "sealed"
    """Recorded and logged."""
    VOID = "void"
    """Void and logged: no further run changes that."""


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done."""

    night: date
    standing: Standing
    due: bool
    """Whether anything is to be done, for this night or for an earlier one that is not logged."""
    probe: bool
    """Whether that begins with asking."""
    not_logged: int
    """Nights that are sealed and no leaves of the log."""


def due(root: Root, now: datetime, night: date | None = None) -> Due:
    """Return whether a run has anything to do; nothing is asked, written or waited for.

    Args:
        root: the site root.
        now: UTC.
        night: one that is named, whose hour is not waited for; None for tonight's.

    Raises:
        UsageError: where the named night is neither today's, nor kept, nor one with an unsealed journal.
    """
    nights = root.store.nights
    chosen = night if night is not None and night in nights.kept() else chosen_night(root, now.date(), night)
    waiting = _not_logged(root)
    standing = _standing(root, chosen, waiting)
    if standing is Standing.NOT_BEGUN and night is None and now < meant_at(chosen, root.content.settings().probing):
        standing = Standing.EARLY
    probe = standing in {Standing.NOT_BEGUN, Standing.UNSEALED}
    return Due(night=chosen, standing=standing, due=probe or bool(waiting), probe=probe, not_logged=len(waiting))


def _standing(root: Root, night: date, waiting: frozenset[date]) -> Standing:
    nights = root.store.nights
    if night in waiting:
        return Standing.NOT_LOGGED
    if night in nights.kept():
        return Standing.VOID if nights.get(night).record.state is NightState.VOID else Standing.SEALED
    return Standing.UNSEALED if night in nights.unsealed() else Standing.NOT_BEGUN


def _not_logged(root: Root) -> frozenset[date]:
    """Return the nights that are sealed and no leaves of the log as its head counts them."""
    head = log_head(root)
    size = 0 if head is None else head.size
    found = set()
    for night in root.store.nights.kept():
        index = root.store.log.index(f"nights/{night.isoformat()}")
        if index is None or index.first >= size:
            found.add(night)
    return frozenset(found)
