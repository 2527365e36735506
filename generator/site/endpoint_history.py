"""An endpoint's windows as its page shows them: one picture, the newest in a table, and what stands by month."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from generator.site import endpoint_months, history_chart
from generator.site.endpoint_months import Month, Row, SettledMonth
from generator.site.history import Change, changes
from generator.site.library import Library
from generator.site.past import month_of
from generator.site.stories import EndpointStory
from generator.site.tables import Table

MOST_TOGETHER = 31
"""Grades that stand in the table of an endpoint's page, but for those of the newest window's month, which all do; where
there are more, those of the months before stand by month."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint's windows under the current version as one picture, and every permanent grade as one table."""

    svg: Markup | None
    """None where nothing was graded under the current version."""
    months: Table | None
    """The figures of the picture where its windows stand by month."""
    rows: tuple[Row, ...]
    """The newest, newest first, all of the newest window's month and none of a settled one; a row's grade is None where
    the current version has none of a window between two that it graded."""
    caption: str
    """Of the table of rows: which they are."""
    changes: tuple[Change, ...]
    """Newest first; the newest of them where rows stand by month, and all of the newest window's month."""
    every_change: tuple[Change, ...]
    """Likewise, all that settled months did not show."""
    by_month: tuple[Month, ...]
    """Rows and changes of months before the newest window's, newest month first, where there are more rows than stand
    together, or settled months."""
    settled: tuple[SettledMonth, ...]
    """The months before them, newest first."""


def history(story: EndpointStory, library: Library) -> History:
    """Return an endpoint's windows, those of settled months without their grades."""
    version, grades, past = library.current, story.grades, endpoint_months.settled(story, library)
    drawn = tuple(month.drawn for month in past if month.drawn.windows)
    since = next((each.first for each in story.counts if each.version == version), None)
    is_settled = library.material.past.is_settled
    windows = history_chart.history(
        (each for each in grades if each.method_version == version),
        (night.record.night for night in library.recorded if not is_settled(night.record.night)),
        since,
    )
    many = bool(drawn) or len(windows) > history_chart.MOST_IN_LETTERS
    missing = [(window.end, None) for window in windows if window.grade is None]
    rows = sorted([*((grade.window_end, grade) for grade in grades), *missing], key=lambda row: row[0], reverse=True)
    changed = changes(story, version)
    newest = max((month_of(row[0]) for row in rows), default="")
    months = endpoint_months.months_of(rows, changed) if past or len(rows) > MOST_TOGETHER else ()
    by_month = tuple(month for month in months if month.name < newest)
    shown = [row for place, row in enumerate(rows) if place < MOST_TOGETHER or month_of(row[0]) >= newest]
    count = len(rows) + sum(month.count for month in past)
    return History(
        svg=history_chart.chart("history-chart", windows, version, drawn) if windows or drawn else None,
        months=history_chart.month_table((*drawn, *history_chart.months(windows)), version) if many else None,
        rows=tuple(shown),
        caption=f"The newest {len(shown)} of {count:,}" if months else "Newest window first",
        by_month=by_month,
        settled=past[::-1],
        changes=_newest(changed, newest) if months else changed,
        every_change=changed,
    )


def _newest(changed: tuple[Change, ...], month: str) -> tuple[Change, ...]:
    """Return the newest changes, among them all that a month's windows or nights showed first."""
    return tuple(each for place, each in enumerate(changed) if place < MOST_TOGETHER or month_of(each.shown) >= month)
