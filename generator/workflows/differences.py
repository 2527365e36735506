"""Where the current version and a candidate read otherwise, and which of the candidate's rules that comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

import msgspec

from generator.method.interface import Issue
from generator.records.definition import Definition, Method
from generator.records.grade import Column, Grade
from generator.site.interface import LetterDifference, VersionLetters
from generator.workflows.windows import Windows, bound_method
from generator.workflows.world import Root

_RULES = {
    "reference": "the share that a reference needs",
    "floor": "the fleet floor",
    "margin": "the margin",
}
"""By table of a definition, what its rule is called where two versions differ in it."""


def letter_differences(root: Root, current: Method, candidates: tuple[str, ...]) -> tuple[LetterDifference, ...]:
    """Return every endpoint whose letters differ in the latest window that both graded, alphabetically."""
    store = root.store.grades
    found: list[LetterDifference] = []
    for version in candidates:
        shared = sorted(set(store.windows(current.version)) & set(store.windows(version)))
        if shared:
            found += _differences(root, current, bound_method(root, version), shared[-1])
    return tuple(sorted(found, key=lambda each: (each.candidate_version, each.model, each.endpoint)))


def _differences(root: Root, current: Method, candidate: Method, end: date) -> Iterator[LetterDifference]:
    store = root.store.grades
    ours = _by_endpoint(store.get(current.version, end))
    theirs = _by_endpoint(store.get(candidate.version, end))
    differing = sorted(key for key in ours.keys() & theirs.keys() if _letters(ours[key]) != _letters(theirs[key]))
    alone = _with_one_rule(root, current, candidate, end) if differing else {}
    for key in differing:
        wanted = _letters(theirs[key])
        by = tuple(rule for rule, grades in alone.items() if _letters(grades[key]) == wanted)
        yield LetterDifference(
            model=key[0],
            endpoint=key[1],
            window_end=end,
            current_version=current.version,
            candidate_version=candidate.version,
            current=_letters(ours[key]),
            candidate=wanted,
            by=by or (" together with ".join(alone) or "other settings",),
        )


def _with_one_rule(
    root: Root, current: Method, candidate: Method, end: date
) -> Mapping[str, Mapping[tuple[str, str], Grade]]:
    """Return, for each rule that the versions differ in, the window's grades under the current version and it alone."""
    found: dict[str, dict[tuple[str, str], Grade]] = {}
    for table, name in _RULES.items():
        rule = getattr(candidate.definition, table)
        if rule != getattr(current.definition, table):
            definition: Definition = msgspec.structs.replace(current.definition, **{table: rule})
            windows = Windows(root, msgspec.structs.replace(current, definition=definition))
            grades = windows.grade(windows.of(end), windows.voided, Issue(issued=end, supersedes={}))
            found[name] = _by_endpoint(grades)
    return found


def _letters(grade: Grade) -> VersionLetters:
    m, t, d, r = (grade.column_letter(column) for column in Column)
    return VersionLetters(letter=grade.letter, columns=(m, t, d, r))


def _by_endpoint(grades: tuple[Grade, ...]) -> dict[tuple[str, str], Grade]:
    return {(grade.model, grade.endpoint): grade for grade in grades}
