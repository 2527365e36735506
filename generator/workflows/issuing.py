"""A window's grades and pages from its nights' tallies: what fixes them, and both made, alone or on a worker.

Nothing here reads the archive but `earlier_grades`; whoever holds the same tallies makes the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import msgspec

from generator.method.grading import grade_window
from generator.method.interface import Issue
from generator.method.night_tally import NightTally
from generator.records.definition import Method, version_key
from generator.records.grade import Grade, Superseded
from generator.settings import Settings
from generator.site import grade_page
from generator.site.interface import GradeContext
from generator.site.templates import Templates
from generator.workflows.world import Root

CURRENT, CANDIDATE = "current", "candidate"

Key = tuple[str, str]
"""Model and endpoint."""
Earlier = Mapping[str, Mapping[Key, Grade]]
"""By version, oldest first, and by endpoint: grades of one window under versions that were current."""


class Issuing(msgspec.Struct, frozen=True, kw_only=True):
    """What all windows of one grading share."""

    method: Method
    settings: Settings
    role: str
    """'current' or 'candidate'."""
    recorded: tuple[date, ...]
    """Every night that may stand in a window, ascending."""


class WindowPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What fixes one window besides the nights themselves."""

    end: date
    nights: tuple[date, ...]
    """Ascending."""
    issued: date
    regrade: bool
    """Whether another version had graded it before."""
    replaced: tuple[tuple[str, str], ...]
    """Versions that were current when they graded it, oldest first, each with the SHA-256 of its grades."""


def earlier_grades(root: Root, end: date, versions: Sequence[str]) -> Earlier:
    """Return the grades of a window under some versions."""
    store = root.store.grades
    return {
        version: {(grade.model, grade.endpoint): grade for grade in store.get(version, end)} for version in versions
    }


def replaced_versions(root: Root, version: str, end: date) -> tuple[str, ...]:
    """Return the versions before one that were current when they graded a window, oldest first."""
    store = root.store.grades
    return tuple(
        each
        for each in store.versions()
        if version_key(each) < version_key(version)
        and end in store.windows(each)
        and store.manifest(each, end).role == CURRENT
    )


def superseded_letters(earlier: Earlier) -> dict[Key, tuple[Superseded, ...]]:
    """Return, by endpoint, the letters that earlier grades gave."""
    found: dict[Key, tuple[Superseded, ...]] = {}
    for version, grades in earlier.items():
        for key, grade in grades.items():
            found[key] = (*found.get(key, ()), Superseded(method_version=version, letter=grade.letter))
    return found


def window_grades(
    shared: Issuing, plan: WindowPlan, tallies: Sequence[NightTally], earlier: Earlier
) -> tuple[Grade, ...]:
    """Return the grades of every endpoint that the tallies of a window's nights list, sorted by model and endpoint."""
    issue = Issue(issued=plan.issued, supersedes=superseded_letters(earlier))
    return grade_window(tallies, method=shared.method, recorded=shared.recorded, issue=issue)


def window_pages(
    shared: Issuing, grades: Sequence[Grade], tallies: Sequence[NightTally], earlier: Earlier, templates: Templates
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of the permanent page of each of a window's grades, and of the record beside it."""
    declared = _declared(tallies)
    for grade in grades:
        key = (grade.model, grade.endpoint)
        context = GradeContext(
            settings=shared.settings,
            method=shared.method,
            precision_before=declared.get(key, {}),
            superseded=tuple(earlier[each.method_version][key] for each in grade.supersedes),
        )
        yield from grade_page.files(grade, context, templates)


def _declared(tallies: Sequence[NightTally]) -> dict[Key, dict[date, str | None]]:
    """Return what each endpoint declared on each night of a window."""
    found: dict[Key, dict[date, str | None]] = {}
    for tally in tallies:
        for key, precision in zip(tally.keys, tally.listings.column("declared_precision").to_pylist(), strict=True):
            found.setdefault(key, {})[tally.night] = precision
    return found
