"""Declare a recorded night void after the fact: grades that used it stay, and no later window holds it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import msgspec

from generator.archive.nights import KeptNight
from generator.errors import UsageError
from generator.records.canonical import SEALED_FORMAT
from generator.records.night import NightState, VoidRecord
from generator.workflows.reasons import checked_reason
from generator.workflows.world import Root


class GradedWith(msgspec.Struct, frozen=True, kw_only=True):
    """One graded window that holds a night."""

    method_version: str
    window_end: date
    role: str
    """'current' or 'candidate', as it was graded."""
    grades: int


class Voided(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration, made or only looked at, and what was graded with the night."""

    night: date
    reason: str
    declared: VoidRecord | None
    """As written; null where nothing was written."""
    graded: tuple[GradedWith, ...]
    """By version and window end: each stays as it was issued."""


def void(root: Root, night: date, *, reason: str, now: datetime, dry_run: bool = False) -> Voided:
    """Return what was declared.

    Args:
        root: the site root; the caller holds its lock.
        night: a recorded one.
        reason: in words that a stranger understands.
        now: when it is declared, UTC.
        dry_run: write nothing.

    Raises:
        UsageError: where the night is not recorded, is void already, or the reason is none.
    """
    words = checked_reason(reason)
    _require_counting(night, kept_night(root, night))
    declared = None
    if not dry_run:
        record = VoidRecord(
            format=SEALED_FORMAT, night=night, reason=words, declared_at=now.replace(microsecond=0), seal=""
        )
        declared = root.store.nights.declare_void(record)
    return Voided(night=night, reason=words, declared=declared, graded=tuple(graded_with(root, night)))


def kept_night(root: Root, night: date) -> KeptNight:
    """Return a night that is sealed.

    Raises:
        UsageError: where it is none; the nearest that are sealed are named.
    """
    nights = root.store.nights.kept()
    if night not in nights:
        near = sorted(sorted(nights, key=lambda each: abs(each - night))[:3])
        raise UsageError(
            f"expected the date of a sealed night, found {night.isoformat()}",
            where="archive/nights",
            do=f"The nearest are {', '.join(each.isoformat() for each in near)}" if near else "None is sealed yet",
        )
    return root.store.nights.get(night)


def graded_with(root: Root, night: date) -> Iterator[GradedWith]:
    """Yield every graded window that holds a night, oldest version first."""
    grades = root.store.grades
    for version in grades.versions():
        for end in grades.windows(version):
            manifest = grades.manifest(version, end)
            if night.isoformat() in manifest.nights:
                yield GradedWith(method_version=version, window_end=end, role=manifest.role, grades=manifest.rows)


def _require_counting(night: date, kept: KeptNight) -> None:
    if kept.record.state is NightState.VOID:
        found = f"one that was sealed void: {kept.record.reason}"
    elif kept.void is not None:
        found = f"one that was declared void on {kept.void.declared_at.date().isoformat()}: {kept.void.reason}"
    else:
        return
    raise UsageError(
        f"expected a night that counts, found {found}",
        where=f"archive/nights/{night.isoformat()}",
        do="Nothing need be done: it is in no window",
    )
