"""As what grades were issued: over which nights, when, and what they replace; none of it may be chosen freely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from generator.records.grade import Grade, Superseded
from generator.records.manifest import GradesManifest
from generator.verification.findings import Findings


def check_issue(  # noqa: PLR0913 - what was issued, against each thing that fixes it
    where: str,
    manifest: GradesManifest,
    grades: Sequence[Grade],
    *,
    nights: Sequence[date],
    finished: date,
    superseded: Mapping[tuple[str, str], tuple[Superseded, ...]],
    findings: Findings,
) -> None:
    """Add a finding where a window's nights, dates of issue or replaced letters are not what they must be.

    Args:
        where: the grades file's path from the site root.
        manifest: beside it.
        grades: recorded in it.
        nights: of the window, by the definition, from every recorded night that had not been declared void by then.
        finished: the date on which the window's last night finished.
        superseded: by endpoint, the letters of earlier versions that were current.
        findings: where mismatches are added.
    """
    listed = ", ".join(night.isoformat() for night in nights)
    findings.require(where, expected=listed, found=", ".join(sorted(manifest.nights)), what="the window's nights")
    for grade in grades:
        place = f"{where}, {grade.model} {grade.endpoint}"
        if manifest.regrade:
            findings.require(
                f"{place}, issued", expected=True, found=grade.issued >= finished, what="not before the night"
            )
        else:
            findings.require(f"{place}, issued", expected=finished, found=grade.issued, what="the night's finish")
        replaced = () if manifest.role != "current" else superseded.get((grade.model, grade.endpoint), ())
        findings.require(f"{place}, supersedes", expected=replaced, found=grade.supersedes, what="earlier letters")
