"""The page of every change of letter or of declared precision that the feeds know, newest first; many, by month."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import groupby

import msgspec

from generator.records.grade import Grade
from generator.site.between import between
from generator.site.endpoint_months import last_before
from generator.site.feeds import CHANGES
from generator.site.fingerprints import Fingerprints, Lying
from generator.site.frame import Step, frame, replayed_line
from generator.site.history import VersionChange
from generator.site.ledger import Ledger, Line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.night_list_view import MOST_TOGETHER
from generator.site.past import month_of
from generator.site.templates import Templates


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The changes that became known in one month, which has a page of its own where there are many."""

    name: str
    """As in '2026-11'."""
    count: int
    """How many rows its page has."""
    rows: tuple[Line | VersionChange, ...] = ()
    """None are held of a settled month."""


def render(
    library: Library, ledger: Ledger, templates: Templates, lying: Lying | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the page and, where there are more changes than stand together, a page for each month that has any.

    Args:
        library: the material, arranged.
        ledger: every change, noted while the pages of endpoints and the feeds were made.
        templates: the site's templates.
        lying: knows which months' pages need not be made.
    """
    lying = lying or Lying(library, templates)
    is_settled = library.material.past.is_settled
    rows = tuple(row for row in ledger.newest_first() if not is_settled(row.day))
    settled = tuple(_settled(library, ledger))
    count = len(rows) + sum(month.count for month in settled)
    months = _months(rows) if settled or count > MOST_TOGETHER else ()
    yield _page(library, templates, rows[:MOST_TOGETHER], count=count, months=(*months, *settled))
    for month in months:
        make = partial(_page, library, templates, month.rows, count=len(month.rows), month=month.name)
        yield lying.or_made(Fingerprints.of_changes, (_path(month.name), month.rows), make)


def _settled(library: Library, ledger: Ledger) -> Iterator[Month]:
    """Yield each settled month, newest first."""
    for month in reversed(library.material.past.months):
        versions = sum(month_of(each.day) == month.name for each in ledger.versions)
        yield Month(name=month.name, count=month.changes + versions)


def settled_pages(
    name: str,
    library: Library,
    led: Mapping[date, str],
    versions: Callable[[], tuple[VersionChange, ...]],
    templates: Templates,
) -> Iterator[tuple[str, bytes]]:
    """Yield the page of a settled month's changes, made from the month's grades.

    Args:
        name: of the month.
        library: the material, arranged.
        led: by window end, the version whose grade of it was news.
        versions: returns every change of the current version.
        templates: the site's templates.
    """

    def is_news(grade: Grade) -> bool:
        return led.get(grade.window_end) == grade.method_version

    ledger = Ledger()
    for story in library.by_slug:
        news = [grade for grade in reversed(story.grades_of(name)) if is_news(grade)]
        if news:
            before = last_before(story, name, (each.name for each in story.past.months), is_news)
            deque(ledger.noting(between(before, news)), maxlen=0)
    ledger.note_versions(each for each in versions() if month_of(each.day) == name)
    rows = ledger.newest_first()
    yield _page(library, templates, rows, count=len(rows), month=name)


def _path(month: str | None) -> str:
    return f"{CHANGES}{INDEX}" if month is None else month_path(month)


def month_path(name: str) -> str:
    """Return where the page of a month's changes lies."""
    return f"{CHANGES}{name}/{INDEX}"


def _months(rows: Sequence[Line | VersionChange]) -> tuple[Month, ...]:
    """Return rows by month, in their own order."""
    grouped = ((name, tuple(of_month)) for name, of_month in groupby(rows, key=lambda row: month_of(row.day)))
    return tuple(Month(name=name, count=len(of_month), rows=of_month) for name, of_month in grouped)


def _page(  # noqa: PLR0913 - what differs between the page and a month's is named
    library: Library,
    templates: Templates,
    rows: Sequence[Line | VersionChange],
    *,
    count: int,
    months: Sequence[Month] = (),
    month: str | None = None,
) -> tuple[str, bytes]:
    path = _path(month)
    above = () if month is None else (Step(text="changes", href=f"../{INDEX}"),)
    page = frame(
        path,
        library.material.settings,
        title="Changes" if month is None else f"Changes of {month}",
        description="Every change of letter and of declared precision, newest first, with the permanent pages.",
        steps=(*above, Step(text=month or "changes", href=INDEX)),
        replayed=replayed_line(night.record for night in library.material.nights),
    )
    return path, templates.render(
        "changes.html",
        page=page,
        links=Links(path),
        library=library,
        rows=rows,
        count=count,
        months=months,
        month=month,
    )
