"""A check: one thing that a night needs, held against what is there before the night begins."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from generator.errors import BitdepthError


class CheckState(StrEnum):
    """How one check ended."""

    OK = "ok"
    ATTENTION = "attention"
    """A night can be run, but somebody should look."""
    FAILED = "failed"
    """A night would fail, or would be wrong."""
    NOT_CHECKED = "not checked"
    """What it depends on is not there, or nobody says."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What one check expected and found, and what to do about it."""

    name: str
    state: CheckState
    expected: str
    found: str
    do: str | None = None
    """For whoever can act; null where nothing is to be done."""


def failed(name: str, expected: str, error: BitdepthError | OSError, do: str) -> Check:
    """Return the check that an error is the outcome of.

    Args:
        name: of the check.
        expected: what it looked for.
        error: what came of looking.
        do: what to do where the error does not say.
    """
    if isinstance(error, OSError):
        found = f"cannot read: {error.strerror}"
        return Check(name=name, state=CheckState.FAILED, expected=expected, found=found, do=do)
    # Most of our messages say what they expected themselves, and closer than the check does.
    closer, separated, found = error.problem.removeprefix("expected ").partition(", found")
    if separated and error.problem.startswith("expected "):
        expected, found = closer, found.lstrip(" :")
    else:
        found = error.problem
    where = "" if error.where is None else f", in {error.where}"
    return Check(name=name, state=CheckState.FAILED, expected=expected, found=f"{found}{where}", do=error.do or do)
