"""Which nights a window holds, and when a night is void."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from generator.records.definition import Definition, ratio


def window_nights(recorded: Sequence[date], end: date, definition: Definition) -> tuple[date, ...]:
    """Return the nights of the window that ends with a recorded night.

    Args:
        recorded: every recorded night that is not void, ascending; nights after the end are left out.
        end: the window's last night, which names it.
        definition: says how many nights, within how many calendar days that end with `end`.
    """
    after = end - timedelta(days=definition.window.calendar_days)
    within = [night for night in recorded if after < night <= end]
    return tuple(within[-definition.window.nights :])


def is_void(planned: int, sent: int, definition: Definition) -> bool:
    """True where less than the definition's share of a night's planned observations was sent."""
    return sent < planned * ratio(definition.night.void_below_sent_percent)
