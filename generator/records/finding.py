"""A finding: one thing that verification found to be other than recorded."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class FindingKind(StrEnum):
    """What is wrong with the thing named."""

    MISSING = "missing"
    CHANGED = "changed"
    UNEXPECTED = "unexpected"
    UNREADABLE = "unreadable"
    DIFFERENT = "different"
    """A figure that does not follow from what is kept."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One mismatch, with where it is and what was expected against what is there."""

    kind: FindingKind
    where: str
    """A path relative to the site root."""
    expected: str
    found: str


class VerificationReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was checked, what was found, and what could not be checked yet."""

    checked: dict[str, int]
    """How many of each kind of thing were checked."""
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    """Facts that are no mismatch: windows not graded yet, nothing rendered yet."""
    complete: bool = True
    """False where something could not be checked."""
