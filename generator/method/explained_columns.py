"""Columns T, D and R of one endpoint: each wrong answer with its key, each change dated, each failure by kind."""

from __future__ import annotations

from fractions import Fraction

from generator.method.explained_noise import ModelNoise
from generator.method.explained_rows import ModelRows, NightRows
from generator.records.comparison import is_difference
from generator.records.definition import CONDITION_LETTERS, Definition
from generator.records.explanation import (
    ExplainedDeclared,
    ExplainedReliability,
    ExplainedTask,
    Failure,
    WrongAnswer,
)
from generator.records.grade import Grade, TaskFamily
from generator.records.observation import Observation, Outcome
from generator.records.reading import declared_words, reliability_words, task_points, task_words
from generator.records.telling import exact_points, exact_ratio


def explained_task(grade: Grade, rows: ModelRows, noise: ModelNoise, definition: Definition) -> ExplainedTask:
    """Return column T, its keyed prompts counted again; the best share stands as the grade records it."""
    counted = [(night, row) for night in rows.nights for row in night.of(grade.endpoint) if night.counted(row)]
    planned = sum(night.keyed(row) for night in rows.nights for row in night.of(grade.endpoint))
    families = tuple(_task_family(family, counted) for family in rows.keyed_families)
    correct = sum(family.correct for family in families)
    floor = _task_floor(families, noise, definition)
    points = task_points(grade)
    limits = [Fraction(definition.letters.T[letter].max_points) for letter in CONDITION_LETTERS]
    return ExplainedTask(
        letter=grade.t_letter,
        words=task_words(grade, definition),
        families=families,
        correct=correct,
        counted=len(counted),
        planned=planned,
        best_correct=grade.t_best_correct,
        best_counted=grade.t_best_counted,
        floor=None if floor is None else exact_ratio(floor),
        within_floor=_within_floor(correct, len(counted), grade, floor),
        points=None if points is None else exact_points(points, limits),
        wrong=tuple(_wrong(night, row) for night, row in counted if not row.correct),
    )


def explained_declared(grade: Grade) -> ExplainedDeclared:
    """Return column D."""
    return ExplainedDeclared(letter=grade.d_letter, words=declared_words(grade), changes=grade.d_changes)


def explained_reliability(grade: Grade, rows: ModelRows, definition: Definition) -> ExplainedReliability:
    """Return column R, its requests counted again."""
    of_endpoint = [(night, row) for night in rows.nights for row in night.of(grade.endpoint)]
    outcomes = [row.outcome for _, row in of_endpoint]
    return ExplainedReliability(
        letter=grade.r_letter,
        words=reliability_words(grade, definition),
        sent=len(outcomes) - outcomes.count(Outcome.UNSENT),
        errors=outcomes.count(Outcome.ERROR) + outcomes.count(Outcome.EMPTY),
        answered=outcomes.count(Outcome.ANSWERED),
        truncated=outcomes.count(Outcome.TRUNCATED),
        misrouted=outcomes.count(Outcome.MISROUTED),
        failures=_failures(of_endpoint),
    )


def _task_family(family: str, counted: list[tuple[NightRows, Observation]]) -> TaskFamily:
    of_family = [row for _, row in counted if row.family == family]
    return TaskFamily(family=family, correct=sum(bool(row.correct) for row in of_family), counted=len(of_family))


def _task_floor(families: tuple[TaskFamily, ...], noise: ModelNoise, definition: Definition) -> Fraction | None:
    """Return the mean floor of the keyed families, weighted by the counted prompts of those that have one."""
    if definition.task.floor is None:
        return None
    weighed = [(family.counted, floor) for family in families if (floor := noise.floors[family.family]) is not None]
    weight = sum(counted for counted, _ in weighed)
    return sum((counted * floor for counted, floor in weighed), Fraction(0)) / weight if weight else None


def _within_floor(correct: int, counted: int, grade: Grade, floor: Fraction | None) -> bool:
    if not counted or grade.t_best_correct is None or grade.t_best_counted is None:
        return False
    shortfall = Fraction(grade.t_best_correct, grade.t_best_counted) - Fraction(correct, counted)
    return not is_difference(max(shortfall, Fraction(0)), floor)


def _wrong(night: NightRows, row: Observation) -> WrongAnswer:
    prompt = night.prompts[row.prompt_id]
    return WrongAnswer(
        night=night.night,
        prompt_id=row.prompt_id,
        family=row.family,
        prompt=prompt.prompt,
        expected=prompt.expected or "",
        outcome=row.outcome,
        answer=row.answer,
        text=row.text,
    )


def _failures(rows: list[tuple[NightRows, Observation]]) -> tuple[Failure, ...]:
    """Return what was not answered, grouped by night and by how it ended."""
    groups: dict[tuple[object, ...], list[tuple[NightRows, Observation]]] = {}
    for night, row in rows:
        if row.outcome != Outcome.ANSWERED:
            key = (
                night.night,
                row.outcome,
                row.error_kind,
                row.http_status,
                row.finish_reason,
                row.served_provider,
                row.served_model,
            )
            groups.setdefault(key, []).append((night, row))
    found = [_failure(group) for group in groups.values()]
    return tuple(sorted(found, key=lambda each: (each.night, each.outcome, each.kind or "", each.prompts)))


def _failure(group: list[tuple[NightRows, Observation]]) -> Failure:
    night, row = group[0]
    return Failure(
        night=night.night,
        outcome=row.outcome,
        kind=row.error_kind,
        http_status=row.http_status,
        finish_reason=row.finish_reason,
        served_provider=row.served_provider,
        served_model=row.served_model,
        prompts=tuple(sorted(each.prompt_id for _, each in group)),
    )
