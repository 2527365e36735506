"""Files of a published site against the digests that they must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.errors import SiteError
from generator.records.finding import FindingKind
from generator.verification.findings import Findings
from generator.workflows.published import Published


def nothing(_: int) -> None:
    """Count nothing: there is too little to be told of."""


def compare(
    site: Published,
    expected: Mapping[str, str],
    what: str,
    findings: Findings,
    advance: Callable[[int], None] = nothing,
) -> dict[str, int]:
    """Return the size in bytes of each file that is there; add a finding for each that has not its digest.

    Args:
        site: as somebody outside sees it.
        expected: by path within the site, the SHA-256.
        what: is compared, as a plural noun.
        findings: where mismatches are added.
        advance: takes how many more are done.

    Raises:
        SiteError: where nothing could be had several times in a row.
    """
    sizes: dict[str, int] = {}
    for path, found in site.digests(expected):
        where, digest = site.where + path, f"SHA-256 {expected[path]}"
        findings.checked(what)
        advance(1)
        if isinstance(found, SiteError):
            findings.unchecked(f"{found.problem} at {where}")
        elif found is None:
            findings.add(FindingKind.MISSING, where, expected=digest, found="none")
        else:
            sizes[path] = found.bytes
            if found.sha256 != expected[path]:
                findings.add(FindingKind.CHANGED, where, expected=digest, found=found.sha256)
    return sizes
