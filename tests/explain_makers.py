"""Explanations of nights written by hand: the grader's grades, explained from the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from generator.method.explaining import Evidence, Explained, explain_grades
from generator.method.interface import NightTables
from generator.records.definition import Method
from generator.records.explanation import Explanation, Turn
from generator.records.grade import Column
from tests.method_archive import MODEL, Fleet, graded

Key = tuple[str, str]


def explained(
    tables: Sequence[NightTables], method: Method, recorded: Sequence[date] | None = None
) -> dict[Key, Explained]:
    """Return every grade of a window explained, by model and endpoint."""
    nights = tuple(each.night for each in tables)
    evidence = Evidence(
        nights=tuple(tables),
        digests={night: f"{night:%d}" * 32 for night in nights},
        voided=(),
        recorded=nights if recorded is None else tuple(recorded),
    )
    found = explain_grades(graded(tables, method, recorded), evidence, method)
    return {(each.explanation.grade.model, each.explanation.grade.endpoint): each for each in found}


def of_fleet(fleet: Fleet, method: Method, endpoint: str = "dune") -> Explanation:
    """Return the explanation of one endpoint of a fleet."""
    return explained(fleet.tables(), method)[MODEL, endpoint].explanation


def turns_of(explanation: Explanation, column: Column | None) -> list[Turn]:
    """Return what would have changed a column, or the grade."""
    return [turn for turn in explanation.turns if turn.column == column]


def unequal(explained: Explained) -> dict[str, tuple[object, object]]:
    """Return the figures that do not equal what is recorded: recounted, recorded."""
    grade = explained.explanation.grade
    return {
        field: (value, getattr(grade, field))
        for field, value in explained.figures.items()
        if getattr(grade, field) != value
    }
