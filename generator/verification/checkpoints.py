"""Checkpoints that were seen, at any time, against the log as it is: it may have grown, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from generator.records.finding import FindingKind
from generator.verification.findings import Findings


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint, and where it was seen."""

    where: str
    origin: str
    size: int
    root: bytes


def check_seen(seen: Seen, *, origin: str, size: int, root_of: Callable[[int], bytes], findings: Findings) -> None:
    """Add a finding where a log is not the one that a checkpoint was made of, grown or as it was.

    Args:
        seen: the checkpoint.
        origin: of the log.
        size: of the log, in leaves.
        root_of: of a size no larger than the log's, the root over so many of its first leaves.
        findings: where mismatches are added.
    """
    findings.checked("checkpoints")
    if seen.origin != origin:
        findings.add(FindingKind.CHANGED, seen.where, expected=f"a checkpoint of {origin}", found=seen.origin[:160])
    elif seen.size > size:
        findings.add(
            FindingKind.MISSING,
            seen.where,
            expected=f"a log of at least the {seen.size} leaves that this checkpoint was made of",
            found=f"{size}",
        )
    elif (root := root_of(seen.size)) != seen.root:
        findings.add(
            FindingKind.DIFFERENT,
            seen.where,
            expected=f"the root {root.hex()} of the log's first {seen.size} leaves",
            found=f"{seen.root.hex()}: two logs have grown from one",
        )
