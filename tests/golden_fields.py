"""How the golden grades are written down: short rows, and the fields that all of them share."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

from generator.records.grade import MatchFamily, MatchNight, TaskFamily
from tests.golden_archive import NIGHTS
from tests.method_variants import PROSE, TOML


def measured(*rows: tuple[date, int, int, int, int]) -> tuple[MatchNight, ...]:
    """Night, prompts, mismatches, allowed over its denominator."""
    return tuple(
        MatchNight(night=night, prompts=prompts, mismatches=x, allowed_numerator=over, allowed_denominator=under)
        for night, prompts, x, over, under in rows
    )


def stable(name: str, floor: tuple[int, int], judged: tuple[int, int], own: tuple[int, int]) -> MatchFamily:
    """Floor, prompts with mismatches, own pairs with those that differ."""
    return _family(name, floor, judged, own, stands=True)


def unstable(name: str, floor: tuple[int, int], judged: tuple[int, int], own: tuple[int, int]) -> MatchFamily:
    """Floor, prompts with mismatches, own pairs with those that differ."""
    return _family(name, floor, judged, own, stands=False)


def _family(
    name: str, floor: tuple[int, int], judged: tuple[int, int], own: tuple[int, int], *, stands: bool
) -> MatchFamily:
    return MatchFamily(
        family=name,
        stable=stands,
        floor_numerator=floor[0],
        floor_denominator=floor[1],
        prompts=judged[0],
        mismatches=judged[1],
        pairs=own[0],
        pairs_differing=own[1],
    )


def tides(correct: int, counted: int) -> tuple[TaskFamily, ...]:
    """Column T over the one keyed family."""
    return (TaskFamily(family="tides", correct=correct, counted=counted),)


COMMON: dict[str, Any] = {
    "listings": 1,
    "window_start": date(2031, 5, 1),
    "window_end": date(2031, 5, 9),
    "nights": NIGHTS,
    "method_version": "0.1",
    "method_digest": hashlib.sha256(TOML.encode() + PROSE).hexdigest(),
    "provisional": True,
    "m_own_variation_above_floor": False,
    "d_state": "present",
    "d_precision": "fp8",
    "d_changes": (),
    "r_errors": 0,
    "r_truncated": 0,
    "r_misrouted": 0,
    "unrated_reasons": (),
    "nights_absent": 0,
    "issued": date(2031, 6, 1),
    "price_prompt": None,
    "price_completion": None,
    "context_declared": None,
    "context_observed": None,
    "supersedes": (),
}
