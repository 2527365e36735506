"""The windows of an endpoint by month, each month on a page of its own where its page cannot list them all.

A month that is over changes no more, but for what becomes known of its windows later.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import groupby

import msgspec

from generator.records.grade import Grade
from generator.records.permalink import endpoint_path
from generator.site.frame import Step, frame
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


def months_of(rows: Iterable[Row]) -> tuple[Month, ...]:
    """Return rows, newest first, by month."""
    grouped = groupby(rows, key=lambda row: row[0].isoformat()[:7])
    return tuple(Month(name=name, rows=tuple(of_month)) for name, of_month in grouped)


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
        description=f"{name}: every permanent grade of the windows that ended in {month.name}.",
        steps=(
            Step(text=story.model, href=links.model(story.model)),
            Step(text=story.provider, href=links.endpoint(story.model, story.endpoint)),
            Step(text=month.name, href=INDEX),
        ),
        replayed=replayed,
    )
    return path, templates.render(
        "endpoint_month.html", page=page, links=links, library=library, story=story, month=month
    )
