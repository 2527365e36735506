"""The permanent page of a grade: rendered once, when the grade is issued, and never again.

It must read the same in ten years from a saved file: style inline, no script, nothing fetched from anywhere.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import msgspec

from generator.records.canonical import canonical_json, sha256
from generator.records.figures import printed
from generator.records.grade import Grade, MatchFamily
from generator.records.permalink import grade_index_path, permalink_path
from generator.records.reading import (
    COLUMN_WORDS,
    NOT_MEASURED,
    allowed_figure,
    change_words,
    error_percent,
    night_words,
    readings,
    reason_words,
    truncation_words,
)
from generator.site.anchors import COLUMN_ANCHORS
from generator.site.citation import cite, is_candidate, named, script_json, standing_words
from generator.site.frame import Step, frame, is_replayed_grade
from generator.site.interface import GradeContext
from generator.site.links import INDEX, Links
from generator.site.metadata import RECORD, dataset, description
from generator.site.templates import Templates
from generator.site.text import visible_plain
from generator.site.unit import attributes


class NightRow(NamedTuple):
    """One night of the window as printed; figures are null where nothing was measured."""

    night: date
    href: str
    prompts: int | None
    mismatches: int | None
    allowed: str | None
    reading: str
    declared: str | None
    """None where the page does not say it; otherwise a stranger's word, 'absent' or 'not listed'."""


class FamilyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One family as printed."""

    family: MatchFamily
    floor: str


def record_bytes(grade: Grade) -> bytes:
    """Return the bytes of grade.json: the record as canonical JSON, exactly what is hashed."""
    return canonical_json(grade)


def paths(grade: Grade) -> tuple[str, str]:
    """Return where a grade's page and its record lie in the site."""
    folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
    return folder + INDEX, folder + RECORD


def render(grade: Grade, context: GradeContext, templates: Templates) -> bytes:
    """Return the bytes of a grade's permanent page.

    Raises:
        ContentError: naming a template that is missing or broken.
    """
    return templates.render("grade.html", **values(grade, context))


def values(grade: Grade, context: GradeContext) -> dict[str, object]:
    """Return what the template of a permanent page asks for, by name."""
    settings, definition = context.settings, context.method.definition
    path, _ = paths(grade)
    links = Links(path)
    digest = sha256(record_bytes(grade))
    name, columns = named(grade, settings), readings(grade, definition)
    model = Step(text=grade.model, href=links.model(grade.model))
    endpoint = Step(text=grade.provider, href=links.endpoint(grade.model, grade.endpoint))
    window = Step(text=grade.window_end.isoformat(), href=links.grade_index(grade))
    page_frame = frame(
        path,
        settings,
        title=_title(grade),
        description=description(name),
        links=links,
        steps=(model, endpoint, window),
        method_version=grade.method_version,
        replayed=_replayed_line(grade, context),
    )
    return {
        "page": page_frame,
        "links": links,
        "grade": grade,
        "standing": standing_words(grade, settings),
        "is_candidate": is_candidate(grade, settings),
        "current": settings.method,
        "readings": columns,
        "column_words": COLUMN_WORDS,
        "why": {column: links.method(grade.method_version, anchor) for column, anchor in COLUMN_ANCHORS.items()},
        "reasons": tuple(reason_words(reason, grade, definition) for reason in grade.unrated_reasons),
        "unit": attributes(grade, columns),
        "nights": night_rows(grade, context, links),
        "shows_declared": bool(context.precision_before),
        "families": family_rows(grade),
        "tasks": tuple(sorted(grade.t_family, key=lambda family: family.family)),
        "errors": NOT_MEASURED if grade.r_sent == 0 else f"{error_percent(grade, definition)} %",
        "truncation": truncation_words(grade, definition),
        "changes": tuple(change_words(change) for change in grade.d_changes),
        "citation": cite(grade, name, settings),
        "named": name,
        "permalink": name.permalink,
        "site": settings.address,
        "index_address": settings.address + grade_index_path(grade.model, grade.endpoint, grade.window_end),
        "record_sha256": digest,
        "superseded": superseded(grade, context),
        "superseded_elsewhere": _without_columns(grade, context),
        "json_ld": script_json(dataset(grade, name, columns, settings, digest)),
    }


def night_rows(grade: Grade, context: GradeContext, links: Links) -> tuple[NightRow, ...]:
    """Return every night of the window in order, measured or not."""
    measured = {night.night: night for night in grade.m_night}
    rows = []
    for night in grade.nights:
        match = measured.get(night)
        rows.append(
            NightRow(
                night=night,
                href=links.night(night),
                prompts=match.prompts if match else None,
                mismatches=match.mismatches if match else None,
                allowed=allowed_figure(match) if match else None,
                reading=night_words(match, context.method.definition) if match else NOT_MEASURED,
                declared=_declared_on(night, context),
            )
        )
    return tuple(rows)


def superseded(grade: Grade, context: GradeContext) -> tuple[Grade, ...]:
    """Return the earlier grades that a grade names as superseded, oldest first: a letter and its columns, whole.

    A letter never stands without its columns: where the context lacks one, the page links to it and says no letter.
    """
    known = {each.method_version: each for each in context.superseded}
    named = (earlier.method_version for earlier in grade.supersedes)
    return tuple(known[version] for version in named if version in known)


def _without_columns(grade: Grade, context: GradeContext) -> tuple[str, ...]:
    known = {each.method_version for each in context.superseded}
    return tuple(each.method_version for each in grade.supersedes if each.method_version not in known)


def family_rows(grade: Grade) -> tuple[FamilyRow, ...]:
    """Return the families of a grade with their floors in percent, alphabetically."""
    families = sorted(grade.m_family, key=lambda family: family.family)
    return tuple(FamilyRow(family=family, floor=floor_words(family)) for family in families)


def floor_words(family: MatchFamily) -> str:
    """Return a family's floor in percent with its sign, or that it has none."""
    if family.floor_numerator is None or family.floor_denominator is None:
        return "no floor"
    return _percent(family.floor_numerator, family.floor_denominator)


@lru_cache(1024)  # A floor is its model's: it stands on the pages of every endpoint.
def _percent(numerator: int, denominator: int) -> str:
    return f"{printed(Fraction(100 * numerator, denominator), digits=2)} %"


def _title(grade: Grade) -> str:
    """Return what a browser calls the page: no two versions of a grade have one title."""
    of = f"{visible_plain(grade.model)} at {visible_plain(grade.provider)}"
    return f"{of}, {grade.window_end.isoformat()}, method {grade.method_version}"


def _declared_on(night: date, context: GradeContext) -> str | None:
    if not context.precision_before:
        return None
    return (context.precision_before[night] or "absent") if night in context.precision_before else "not listed"


def _replayed_line(grade: Grade, context: GradeContext) -> str | None:
    if is_replayed_grade(grade, context.settings):
        return "Demo. The answers behind this grade were replayed from a recording: no live endpoint was asked."
    return None
