"""The log's own files against its leaves: each tile and bundle, at each width, and nothing that does not belong."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from generator.errors import IntegrityError
from generator.records.canonical import sha256
from generator.records.finding import FindingKind
from generator.verification.findings import Findings
from generator.verification.interface import Kept

ARCHIVE = "archive/"


def check_tiles(
    kept: Kept,
    names: Iterable[str],
    required: Iterable[str],
    content: Callable[[str], bytes | None],
    findings: Findings,
) -> int:
    """Add a finding for each tile or bundle that is missing or changed; return how many belong to no leaf yet.

    Args:
        kept: the archive's files.
        names: of those under log/tile/.
        required: names that must be there.
        content: of a name, what the file must hold; None for one of a larger log, which an interrupted append leaves.
            It raises IntegrityError where no tile and no bundle has that name.
        findings: where mismatches are added.
    """
    found = set(names)
    for name in sorted(set(required) - found):
        findings.add(FindingKind.MISSING, ARCHIVE + name, expected="a tile of the log", found="none")
    beyond = 0
    for name in sorted(found):
        try:
            expected = content(name)
        except IntegrityError:
            expected_file = "no such file"
            findings.add(FindingKind.UNEXPECTED, ARCHIVE + name, expected=expected_file, found="one that is no tile")
            continue
        if expected is None:
            beyond += 1
            continue
        findings.checked("log tiles")
        with findings.reading(ARCHIVE + name):
            data = kept.read(name)
            if data != expected:
                wanted = f"SHA-256 {sha256(expected)}, which follows from the leaves"
                findings.add(FindingKind.CHANGED, ARCHIVE + name, expected=wanted, found=sha256(data))
    return beyond
