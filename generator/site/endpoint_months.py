"""The windows of an endpoint by month, each month on a page of its own where its page cannot list them all.

A month that is over changes no more, but for what becomes known of its windows later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

import msgspec

from generator.records.grade import Grade
from generator.records.permalink import endpoint_path
from generator.records.reading import change_words
from generator.site.frame import Step, frame
from generator.site.history import Change
from generator.site.library import EndpointStory, Library
from generator.site.links import INDEX, Links
from generator.site.templates import Templates
from generator.site.text import visible_plain

Row = tuple[date, Grade | None]
"""A window's end and its grade under one version; None where the current version has no grade of it."""


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The windows that ended in one month."""

    name: str
    """As in '2026-11'."""
    rows: tuple[Row, ...]
    """Newest first."""
    changes: tuple[Change, ...]
    """Whose night lies in the month, newest first."""


def months_of(rows: Iterable[Row], changes: Iterable[Change]) -> tuple[Month, ...]:
    """Return rows and changes, both newest first, by month."""
    found: dict[str, tuple[list[Row], list[Change]]] = defaultdict(lambda: ([], []))
    for row in rows:
        found[_month(row[0])][0].append(row)
    for change in changes:
        found[_month(change.night)][1].append(change)
    in_order = sorted(found.items(), reverse=True)
    return tuple(Month(name=name, rows=tuple(of), changes=tuple(changed)) for name, (of, changed) in in_order)


def _month(day: date) -> str:
    return day.isoformat()[:7]


def month_path(story: EndpointStory, name: str) -> str:
    """Return where the page of an endpoint's month lies."""
    return f"{endpoint_path(story.model, story.endpoint)}{name}/{INDEX}"


def render(
    story: EndpointStory, month: Month, library: Library, templates: Templates, replayed: str | None
) -> tuple[str, bytes]:
    """Return path and bytes of the page of an endpoint's month."""
    path = month_path(story, month.name)
    links = Links(path)
    name = f"{visible_plain(story.model)} at {visible_plain(story.provider)}"
    page = frame(
        path,
        library.material.settings,
        title=f"{name}, windows of {month.name}",
        description=f"{name}: the windows that ended in {month.name}, each with its permanent page, and what changed.",
        steps=(
            Step(text=story.model, href=links.model(story.model)),
            Step(text=story.provider, href=links.endpoint(story.model, story.endpoint)),
            Step(text=month.name, href=INDEX),
        ),
        replayed=replayed,
    )
    return path, templates.render(
        "endpoint_month.html",
        page=page,
        links=links,
        library=library,
        story=story,
        month=month,
        change_words=change_words,
    )
