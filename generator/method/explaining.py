"""Grades explained: every figure counted again, prompt by prompt, from the window's nights.

    explain_grades(grades, evidence, definition) -> Explanation of each grade, in their order
                                                    and what its figures come to, for the recorded ones to equal

This is a second count: it shares with the grader the reference, the percentile and the letters' conditions, and goes
its own way through the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import groupby

import msgspec

from generator.method.explained_columns import explained_declared, explained_reliability, explained_task
from generator.method.explained_match import explained_match
from generator.method.explained_noise import model_noise
from generator.method.explained_peers import peers
from generator.method.explained_rows import ModelRows, model_rows, night_by_model
from generator.method.interface import NightTables
from generator.method.recounting import recounted_figures
from generator.method.turning import turns
from generator.records.definition import Method
from generator.records.explanation import EXPLANATION_FORMAT, Explanation, NightPart, Reason, WindowNight
from generator.records.grade import Grade
from generator.records.observation import Outcome
from generator.records.reading import reason_words


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a window's grades were made from."""

    nights: tuple[NightTables, ...]
    """As the grades' manifest lists them, ascending."""
    digests: Mapping[date, str]
    """By night, the SHA-256 of its night.json."""
    voided: tuple[date, ...]
    """Recorded nights that had been declared void by then."""
    recorded: tuple[date, ...]
    """Every recorded night that had not, ascending, up to the window's end or past it."""


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """A grade explained, and what its figures come to when they are counted again."""

    explanation: Explanation
    figures: dict[str, object]
    """By field of the grade; in a sound archive each equals what is recorded."""


def explain_grades(grades: Sequence[Grade], evidence: Evidence, method: Method) -> Iterator[Explained]:
    """Yield each grade explained; each model's rows are read once.

    Args:
        grades: of one window under one method, sorted by model.
        evidence: what the window's grades were made from.
        method: that they were made under.
    """
    definition = method.definition
    nights = tuple(night_by_model(tables) for tables in evidence.nights)
    for model, of_model in groupby(grades, key=lambda grade: grade.model):
        rows = model_rows(nights, model, definition)
        noise = model_noise(rows, definition)
        shared = peers(rows, evidence.recorded, definition)
        for grade in of_model:
            task = explained_task(grade, rows, noise, definition)
            floor = None if task.floor is None else Fraction(task.floor.numerator, task.floor.denominator)
            explanation = Explanation(
                format=EXPLANATION_FORMAT,
                grade=grade,
                method_version=method.version,
                method_digest=method.digest,
                nights=_nights(grade, rows, evidence),
                voided=evidence.voided,
                reasons=tuple(
                    Reason(reason=reason, words=reason_words(reason, grade, definition))
                    for reason in grade.unrated_reasons
                ),
                turns=turns(grade, floor, definition),
                match=explained_match(grade, rows, noise, definition),
                task=task,
                declared=explained_declared(grade),
                reliability=explained_reliability(grade, rows, definition),
            )
            yield Explained(
                explanation=explanation,
                figures=recounted_figures(grade.endpoint, explanation, rows, shared, definition),
            )


def _nights(grade: Grade, rows: ModelRows, evidence: Evidence) -> tuple[WindowNight, ...]:
    """Return what each night of the window is to an endpoint."""
    listings = [(night.night, night.listed[grade.endpoint]) for night in rows.nights if grade.endpoint in night.listed]
    first = listings[-1][1].first_listed or listings[0][0]
    found = []
    for night in rows.nights:
        listed = night.listed.get(grade.endpoint)
        sent = sum(row.outcome != Outcome.UNSENT for row in night.of(grade.endpoint))
        part = NightPart.NOT_YET_LISTED if night.night < first else NightPart.NOT_LISTED
        if listed is not None:
            part = NightPart.ASKED if sent else NightPart.NOTHING_SENT
        found.append(
            WindowNight(
                night=night.night,
                sha256=evidence.digests[night.night],
                part=part,
                sent=sent,
                declared=None if listed is None else listed.declared_precision,
                tag=None if listed is None else listed.tag,
            )
        )
    return tuple(found)
