"""Grades and their kept pages: recorded figures against recomputed ones, pages against the grades they show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from generator.records.canonical import canonical_json, sha256
from generator.records.finding import FindingKind
from generator.records.grade import Grade
from generator.records.permalink import permalink_path
from generator.verification.findings import Findings

_SHOWN = 120


def check_grades(where: str, recorded: Sequence[Grade], recomputed: Sequence[Grade], findings: Findings) -> None:
    """Add a finding for every field of every grade of a window that does not follow from the nights.

    Args:
        where: the grades file's path from the site root.
        recorded: as the archive keeps them.
        recomputed: from the nights and the definition, issued on the recorded date.
        findings: where mismatches are added.
    """
    findings.checked("grades", len(recorded))
    expected, found = _by_endpoint(recomputed), _by_endpoint(recorded)
    for key in sorted(expected.keys() | found.keys()):
        place = f"{where}, {key[0]} {key[1]}"
        if key not in found:
            findings.add(FindingKind.MISSING, place, expected="a grade", found="none")
        elif key not in expected:
            findings.add(FindingKind.UNEXPECTED, place, expected="no grade", found="one")
        else:
            _check_fields(place, expected[key], found[key], findings)


def check_order(where: str, grades: Sequence[Grade], window_end: date, version: str, findings: Findings) -> None:
    """Require that a grades file holds each endpoint once, sorted, of its own window and version."""
    keys = [(grade.model, grade.endpoint) for grade in grades]
    if keys != sorted(set(keys)):
        findings.add(FindingKind.CHANGED, where, expected="each endpoint once, sorted", found="another order")
    for grade in grades:
        place = f"{where}, {grade.model} {grade.endpoint}"
        findings.require(place, expected=window_end, found=grade.window_end, what="window end")
        findings.require(place, expected=version, found=grade.method_version, what="method version")


def check_pages(where: str, grades: Iterable[Grade], pages: Mapping[str, bytes], findings: Findings) -> None:
    """Require that a window's kept pages are those of its grades, each with its record beside it.

    Args:
        where: the pages file's path from the site root.
        grades: of the window, as the archive keeps them.
        pages: by path within the site.
        findings: where mismatches are added.
    """
    findings.checked("permanent pages", len(pages))
    expected: set[str] = set()
    for grade in grades:
        folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
        expected |= {f"{folder}index.html", f"{folder}grade.json"}
        record, expected_record = pages.get(f"{folder}grade.json"), canonical_json(grade)
        page = pages.get(f"{folder}index.html")
        if page is not None and sha256(expected_record).encode() not in page:
            findings.add(
                FindingKind.DIFFERENT,
                f"{where}, {folder}index.html",
                expected=f"the record's SHA-256 {sha256(expected_record)}",
                found="a page without it",
            )
        if record is not None and record != expected_record:
            findings.add(
                FindingKind.DIFFERENT,
                f"{where}, {folder}grade.json",
                expected="the record of the grade",
                found="another record",
            )
    for path in sorted(expected - pages.keys()):
        findings.add(FindingKind.MISSING, f"{where}, {path}", expected="a kept page", found="none")
    for path in sorted(pages.keys() - expected):
        findings.add(FindingKind.UNEXPECTED, f"{where}, {path}", expected="no such page", found="one")


def _by_endpoint(grades: Iterable[Grade]) -> dict[tuple[str, str], Grade]:
    return {(grade.model, grade.endpoint): grade for grade in grades}


def _check_fields(where: str, expected: Grade, found: Grade, findings: Findings) -> None:
    for field in expected.__struct_fields__:
        wanted, there = getattr(expected, field), getattr(found, field)
        if wanted != there:
            findings.add(
                FindingKind.DIFFERENT, f"{where}, {field}", expected=str(wanted)[:_SHOWN], found=str(there)[:_SHOWN]
            )
