"""The hour at which a night is meant to begin, and how far from it one begins."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from generator.settings import ProbingSettings

_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)


def meant_at(night: date, settings: ProbingSettings) -> datetime:
    """Return when a night is meant to begin, UTC."""
    return datetime(night.year, night.month, night.day, settings.hour_utc, tzinfo=UTC)


def latest_at(night: date, settings: ProbingSettings) -> datetime:
    """Return until when a night may begin without being marked late, UTC."""
    return meant_at(night, settings) + timedelta(hours=settings.late_after_h)


def is_late(night: date, started_at: datetime, settings: ProbingSettings) -> bool:
    """True where a night that begins now is marked late."""
    return started_at > latest_at(night, settings)


def early_words(night: date, started_at: datetime, settings: ProbingSettings) -> str | None:
    """Return that a night begins before its hour, in one line; None where it does not."""
    meant = meant_at(night, settings)
    ahead = meant - started_at
    if ahead <= timedelta(0):
        return None
    if ahead >= _HOUR:
        amount = f"{ahead // _HOUR} h"
    else:
        amount = f"{ahead // _MINUTE} min" if ahead >= _MINUTE else "less than a minute"
    return f"night {night} begins {amount} before its hour ({meant:%H:%M} UTC)"
