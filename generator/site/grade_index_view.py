"""The page of all versions of one grade: what a permanent page calls its latest version and its history.

It alone may say what happened after a grade was issued: a re-grade, a later version, a night that was declared void.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import msgspec

from generator.records.canonical import sha256
from generator.records.definition import version_key
from generator.records.grade import Grade
from generator.records.night import VoidRecord
from generator.records.permalink import PROOF, grade_index_path
from generator.records.reading import COLUMN_WORDS, Reading, readings
from generator.site.anchors import COLUMN_ANCHORS
from generator.site.citation import permalink, script_json, title
from generator.site.frame import Step, frame
from generator.site.grade_page import record_bytes
from generator.site.library import Library
from generator.site.linked_data import collection
from generator.site.links import INDEX, Links
from generator.site.replies import Replies
from generator.site.stories import EndpointStory
from generator.site.templates import Templates


class Later(msgspec.Struct, frozen=True, kw_only=True):
    """What became known of windows after a grade of them was issued, by what it is looked up with."""

    regrades: frozenset[tuple[str, date]]
    """(version, window end) of windows that another version had graded before."""
    voided: Mapping[date, VoidRecord]
    """Recorded nights that were declared void."""


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """One version's grade as the page lists it."""

    grade: Grade
    status: str
    """What the version is now: 'current', 'candidate', 'superseded' or 'not current'."""
    readings: tuple[Reading, ...]
    why: Mapping[str, str]
    """By column, the address of the sentences that define it."""
    record_sha256: str
    is_regrade: bool
    voided: tuple[VoidRecord, ...]
    """Of nights that the grade counts, ascending: a grade issued after such a declaration leaves the night out."""


def later(library: Library) -> Later:
    """Return what became known after grades were issued, for all of a site's grades."""
    material = library.material
    return Later(
        regrades=frozenset((each.method_version, each.window_end) for each in material.windows if each.regrade),
        voided={night.record.night: night.void for night in material.nights if night.void is not None},
    )


def render(  # noqa: PLR0913, PLR0917 - what all such pages share is made once, before the first
    story: EndpointStory,
    grades: tuple[Grade, ...],
    library: Library,
    known: Later,
    replied: Replies,
    templates: Templates,
    replayed: str | None,
) -> tuple[str, bytes]:
    """Return path and bytes of the page that lists the grades of one window, each version's in its place."""
    in_order = sorted(grades, key=lambda grade: _place(grade.method_version, library), reverse=True)
    grade, settings = in_order[0], library.material.settings
    folder = grade_index_path(grade.model, grade.endpoint, grade.window_end)
    path = folder + INDEX
    links = Links(path)
    addresses = {each.method_version: permalink(each, settings) for each in in_order}
    page = frame(
        path,
        settings,
        title=f"{title(grade)}, all versions",
        description=f"{title(grade)}: every method version it was graded under, the current one first.",
        links=links,
        steps=(
            Step(text=story.model, href=links.model(story.model)),
            Step(text=story.provider, href=links.endpoint(story.model, story.endpoint)),
            Step(text=grade.window_end.isoformat(), href=INDEX),
        ),
        replayed=replayed,
    )
    return path, templates.render(
        "grade_index.html",
        page=page,
        links=links,
        library=library,
        story=story,
        grade=grade,
        versions=tuple(_version(each, library, known, links) for each in in_order),
        column_words=COLUMN_WORDS,
        proof=PROOF,
        replies=replied.about(grade.model, grade.endpoint, grade.window_end),
        by_version={each.method_version: each for each in in_order},
        addresses=addresses,
        json_ld=script_json(collection(settings.address + folder, settings, page.title, addresses.values())),
    )


def _place(version: str, library: Library) -> tuple[int, tuple[int, ...]]:
    """Return what orders versions, highest first: the current one, candidates, then all others, newest first."""
    rank = {"current": 2, "candidate": 1}.get(library.status(version), 0)
    return rank, version_key(version)


def _version(grade: Grade, library: Library, known: Later, links: Links) -> Version:
    version = grade.method_version
    return Version(
        grade=grade,
        status=library.status(version),
        readings=readings(grade, library.definition(grade)),
        why={column: links.method(version, anchor) for column, anchor in COLUMN_ANCHORS.items()},
        record_sha256=sha256(record_bytes(grade)),
        is_regrade=(version, grade.window_end) in known.regrades,
        voided=tuple(known.voided[night] for night in grade.nights if night in known.voided),
    )
