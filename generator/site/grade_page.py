"""The permanent page of a grade: rendered once, when the grade is issued, and never again.

It must read the same in ten years from a saved file: style inline, no script, nothing fetched from anywhere.
"""

from __future__ import annotations

from generator.records.canonical import canonical_json, sha256
from generator.records.figures import counted
from generator.records.grade import Grade
from generator.records.permalink import grade_index_path, permalink_path
from generator.records.reading import (
    NOT_MEASURED,
    change_words,
    error_percent,
    readings,
    reason_words,
    short_form,
    truncation_words,
)
from generator.site.citation import cite, is_candidate, named, script_json, standing_words
from generator.site.frame import Step, frame, frame_values, is_replayed_grade
from generator.site.grade_rows import (
    column_row,
    family_rows,
    night_rows,
    short_cells,
    superseded,
    task_rows,
    without_columns,
)
from generator.site.interface import GradeContext
from generator.site.links import INDEX, Links
from generator.site.metadata import RECORD, dataset, description
from generator.site.templates import Templates
from generator.site.text import visible_plain
from generator.site.unit import attributes


def record_bytes(grade: Grade) -> bytes:
    """Return the bytes of grade.json: the record as canonical JSON, exactly what is hashed."""
    return canonical_json(grade)


def paths(grade: Grade) -> tuple[str, str]:
    """Return where a grade's page and its record lie in the site."""
    folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
    return folder + INDEX, folder + RECORD


def files(grade: Grade, context: GradeContext, templates: Templates) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    """Return path and bytes of a grade's permanent page, and of the record beside it.

    Raises:
        ContentError: naming a template that is missing or broken.
    """
    page, beside = paths(grade)
    record = record_bytes(grade)
    return (page, templates.fill("grade.html", values(grade, context, sha256(record)))), (beside, record)


def values(grade: Grade, context: GradeContext, digest: str) -> dict[str, object]:
    """Return what the template of a permanent page asks for, by name, as `Templates.fill` takes it.

    Args:
        grade: the grade.
        context: what the page says beside it.
        digest: the SHA-256 of grade.json.
    """
    settings, definition = context.settings, context.method.definition
    path, _ = paths(grade)
    links = Links(path)
    name, columns = named(grade, settings), readings(grade, definition)
    citation = cite(grade, name, settings)
    index_href = f"../{INDEX}"  # The page's folder lies in its index's, under the method version.
    issued = grade.issued.isoformat()
    page = frame(
        path,
        settings,
        title=_title(grade),
        description=description(name),
        links=links,
        steps=(
            Step(text=grade.model, href=links.model(grade.model)),
            Step(text=grade.provider, href=links.endpoint(grade.model, grade.endpoint)),
            Step(text=grade.window_end.isoformat(), href=index_href),
        ),
        method_version=grade.method_version,
        replayed=_replayed_line(grade, context),
    )
    return {
        **frame_values(page),
        "grade.letter": grade.letter,
        "grade.model": grade.model,
        "grade.provider": grade.provider,
        "grade.tag": grade.tag,
        "grade.method_version": grade.method_version,
        "grade.method_digest": grade.method_digest,
        "grade.window_start": grade.window_start.isoformat(),
        "grade.window_end": grade.window_end.isoformat(),
        "grade.issued": issued,
        "grade.t_planned": grade.t_planned,
        "grade.t_correct": grade.t_correct,
        "grade.t_counted": grade.t_counted,
        "grade.t_best_correct": grade.t_best_correct,
        "grade.t_best_counted": grade.t_best_counted,
        "grade.d_precision": grade.d_precision or "absent",
        "grade.r_sent": grade.r_sent,
        "grade.r_errors": grade.r_errors,
        "grade.r_truncated": grade.r_truncated,
        "grade.r_misrouted": grade.r_misrouted,
        "method_href": links.method(grade.method_version),
        "shared_title": f"{page.title}: {short_form(grade)}, {name.standing}",
        "standing": standing_words(grade, settings),
        "listings": grade.listings if grade.listings > 1 else None,
        "recorded": counted(len(grade.nights), "recorded night"),
        "is_candidate": is_candidate(grade, settings),
        "current": settings.method,
        "columns": tuple(column_row(reading, grade, links) for reading in columns),
        "reasons": tuple((reason_words(reason, grade, definition),) for reason in grade.unrated_reasons),
        "unit": attributes(grade, columns),
        "nights": night_rows(grade, context, links),
        "shows_declared": bool(context.precision_before),
        "families": family_rows(grade),
        "is_task_measured": grade.t_letter is not None,
        "is_task_within_floor": grade.t_within_floor,
        "tasks": task_rows(grade),
        "sent": f"{grade.r_sent:,}",
        "begun": grade.r_answered + grade.r_truncated,
        "errors": NOT_MEASURED if grade.r_sent == 0 else f"{error_percent(grade, definition)} %",
        "truncation": truncation_words(grade, definition),
        "changes": tuple((change_words(change),) for change in grade.d_changes),
        "citation.text": citation.text,
        "citation.bibtex": citation.bibtex,
        "citation.csl_json": citation.csl_json,
        "named.title": name.title,
        "named.result": name.result,
        "issued_slashed": issued.replace("-", "/"),
        "permalink": name.permalink,
        "site": settings.address,
        "index_href": index_href,
        "index_address": settings.address + grade_index_path(grade.model, grade.endpoint, grade.window_end),
        "record_sha256": digest,
        "predecessor": grade.supersedes[-1].method_version if grade.supersedes else None,
        "superseded": tuple(
            (*short_cells(earlier, links, ", superseded"), *short_cells(grade, links))
            for earlier in superseded(grade, context)
        ),
        "superseded_elsewhere": tuple(
            (version, links.version_of(grade, version)) for version in without_columns(grade, context)
        ),
        "json_ld": script_json(dataset(grade, name, columns, settings, digest)),
    }


def _title(grade: Grade) -> str:
    """Return what a browser calls the page: no two versions of a grade have one title."""
    of = f"{visible_plain(grade.model)} at {visible_plain(grade.provider)}"
    return f"{of}, {grade.window_end.isoformat()}, method {grade.method_version}"


def _replayed_line(grade: Grade, context: GradeContext) -> str | None:
    if is_replayed_grade(grade, context.settings):
        return "Demo. The answers behind this grade were replayed from a recording: no live endpoint was asked."
    return None
