"""The windows of an endpoint by month, each month on a page of its own where its page cannot list them all.

A month that is over changes no more, but for what becomes known of its windows later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import date

import msgspec

from generator.records.grade import Grade, Letter
from generator.records.permalink import endpoint_path
from generator.records.reading import change_words
from generator.site import history_bars
from generator.site.frame import Step, frame
from generator.site.history import Change, changes_among
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.past import PastMonth, Succession, days_of, mask_of, month_of
from generator.site.stories import EndpointStory
from generator.site.templates import Templates
from generator.site.text import visible_plain

_NO_LANES: tuple[dict[Letter, int], ...] = ({},) * len(history_bars.LANES)

Row = tuple[date, Grade | None]
"""A window's end and its grade under one version; None where the current version has no grade of it."""


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The windows that ended in one month."""

    name: str
    """As in '2026-11'."""
    rows: tuple[Row, ...]
    """Newest first."""
    changes: tuple[Change, ...]
    """Those that the month's windows or nights showed first, newest first."""

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)


class SettledMonth(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the windows that ended in a settled month, without its grades."""

    name: str
    count: int
    """How many rows its page has."""
    missing: int
    """Bit n is set where the current version has no grade of the n-th's window, between two that it graded."""
    successions: tuple[Succession, ...]
    """Of the month's nights."""
    drawn: history_bars.Month
    """As the strip draws it; of no window where the current version graded none before and after."""


def months_of(rows: Iterable[Row], changes: Iterable[Change]) -> tuple[Month, ...]:
    """Return rows and changes, both newest first, by month, newest first."""
    found: dict[str, tuple[list[Row], list[Change]]] = defaultdict(lambda: ([], []))
    for row in rows:
        found[month_of(row[0])][0].append(row)
    for change in changes:
        found[month_of(change.shown)][1].append(change)
    in_order = sorted(found.items(), reverse=True)
    return tuple(Month(name=name, rows=tuple(of), changes=tuple(changed)) for name, (of, changed) in in_order)


def settled(story: EndpointStory, library: Library) -> tuple[SettledMonth, ...]:
    """Return each settled month in which the endpoint has a row or changed its tag, ascending."""
    span = next(((each.first, each.last) for each in story.counts if each.version == library.current), None)
    kept = {month.name: month for month in story.past.months}
    found = (
        _settled(each.name, kept.get(each.name), story, library.recorded_days.get(each.name, 0), span)
        for each in library.material.past.months
    )
    return tuple(month for month in found if month.count or month.successions)


def _settled(
    name: str, kept: PastMonth | None, story: EndpointStory, recorded: int, span: tuple[date, date] | None
) -> SettledMonth:
    graded = 0 if kept is None else kept.current
    missing = 0
    if span is not None and recorded & ~graded:
        within = (day for day in days_of(name, recorded & ~graded) if span[0] < day < span[1])
        missing = mask_of(within)
    return SettledMonth(
        name=name,
        count=(0 if kept is None else kept.grades) + missing.bit_count(),
        missing=missing,
        successions=tuple(each for each in story.successions if month_of(each.night) == name),
        drawn=history_bars.Month(
            name=name,
            windows=(graded | missing).bit_count(),
            graded=graded.bit_count(),
            lanes=_NO_LANES if kept is None else kept.lanes,
        ),
    )


def with_grades(story: EndpointStory, month: SettledMonth, version: str) -> Month:
    """Return a settled month with its grades, which are read now.

    Args:
        story: of the endpoint.
        month: what is known of it.
        version: the current method version.
    """
    grades = story.grades_of(month.name)
    missing = ((day, None) for day in days_of(month.name, month.missing))
    rows = sorted([*((grade.window_end, grade) for grade in grades), *missing], key=lambda row: row[0], reverse=True)
    graded = (each.name for each in story.past.months if each.current)
    before = last_before(story, month.name, graded, lambda grade: grade.method_version == version)
    changed = changes_among(story, version, before, grades, month.successions)
    return Month(name=month.name, rows=tuple(rows), changes=changed)


def last_before(
    story: EndpointStory, name: str, months: Iterable[str], counts: Callable[[Grade], bool]
) -> Grade | None:
    """Return the last grade before a settled month that counts; None where there is none.

    Args:
        story: of the endpoint.
        name: of the month.
        months: settled months that may have such a grade, ascending: no other is read.
        counts: says whether a grade does.
    """
    for earlier in sorted((each for each in months if each < name), reverse=True):
        for grade in story.grades_of(earlier):  # Newest first.
            if counts(grade):
                return grade
    return None


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
