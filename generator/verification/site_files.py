"""The site as it is laid out: every file against the kept or rendered bytes that it must have."""

from __future__ import annotations

from collections.abc import Iterable

from generator.records.canonical import sha256
from generator.records.finding import FindingKind
from generator.verification.findings import Findings
from generator.verification.interface import Kept

SITE = "site/"


def check_site(expected: Iterable[tuple[str, bytes]], site: Kept, findings: Findings) -> None:
    """Add a finding for every file of the site that is missing, changed, or none of it.

    Args:
        expected: path and bytes of every file: kept pages as kept, views as rendered now.
        site: the files as they are laid out.
        findings: where mismatches are added.
    """
    names = set(site.names())
    for path, body in expected:
        check_file(path, body, site, findings, is_there=path in names)
        names.discard(path)
    for path in sorted(names):
        findings.add(FindingKind.UNEXPECTED, SITE + path, expected="no such file", found="one")


def check_file(path: str, body: bytes, site: Kept, findings: Findings, *, is_there: bool) -> None:
    """Add a finding where one file of the site is missing or changed.

    Args:
        path: within the site.
        body: the bytes that it must have.
        site: the files as they are laid out.
        findings: where mismatches are added.
        is_there: whether a file lies there.
    """
    findings.checked("site files")
    if not is_there:
        findings.add(FindingKind.MISSING, SITE + path, expected=f"SHA-256 {sha256(body)}", found="none")
        return
    with findings.reading(SITE + path):
        found = site.read(path)
        if found != body:
            findings.add(FindingKind.CHANGED, SITE + path, expected=f"SHA-256 {sha256(body)}", found=sha256(found))
