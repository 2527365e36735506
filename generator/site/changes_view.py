"""The page of every change of letter or of declared precision that the feeds know, newest first; many, by month."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

import msgspec

from generator.site.feeds import CHANGES
from generator.site.fingerprints import Fingerprints, Lying
from generator.site.frame import Step, frame, replayed_line
from generator.site.history import VersionChange
from generator.site.ledger import Ledger, Line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.night_list_view import MOST_TOGETHER
from generator.site.templates import Templates


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The changes that became known in one month, which has a page of its own where there are many."""

    name: str
    """As in '2026-11'."""
    rows: tuple[Line | VersionChange, ...]


def render(
    library: Library, ledger: Ledger, templates: Templates, lying: Lying | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the page and, where there are more changes than stand together, a page for each month that has any.

    Args:
        library: the material, arranged.
        ledger: every change, noted while the feeds were made.
        templates: the site's templates.
        lying: knows which months' pages need not be made.
    """
    lying = lying or Lying(library, templates)
    rows = ledger.newest_first()
    months = _months(rows) if len(rows) > MOST_TOGETHER else ()
    yield _page(library, templates, rows[:MOST_TOGETHER], count=len(rows), months=months)
    for month in months:
        make = partial(_page, library, templates, month.rows, count=len(month.rows), month=month.name)
        yield lying.or_made(Fingerprints.of_changes, (_path(month.name), month.rows), make)


def _path(month: str | None) -> str:
    return f"{CHANGES}{INDEX}" if month is None else f"{CHANGES}{month}/{INDEX}"


def _months(rows: Sequence[Line | VersionChange]) -> tuple[Month, ...]:
    """Return rows by month, in their own order."""
    grouped = groupby(rows, key=lambda row: row.issued.isoformat()[:7])
    return tuple(Month(name=name, rows=tuple(of_month)) for name, of_month in grouped)


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
