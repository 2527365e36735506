"""Dated changes of endpoints: of the letter, always as 'A, then B'; of the declared precision, with its kind.

Letters are compared within one method version only: across versions it is the procedure that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise

import msgspec

from generator.records.definition import version_key
from generator.records.grade import DeclaredChange, Grade
from generator.site.between import Reported, between
from generator.site.interface import GradedWindow
from generator.site.past import Succession
from generator.site.stories import EndpointStory


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One dated change of one endpoint; exactly one of letter, precision and tag is there."""

    night: date
    shown: date
    """The end of the first window that shows it; of a tag, the night."""
    story: EndpointStory
    letter: tuple[Grade, Grade] | None = None
    """The grades before and after."""
    precision: DeclaredChange | None = None
    tag: Succession | None = None


class VersionChange(msgspec.Struct, frozen=True, kw_only=True):
    """Another method version became the current one."""

    issued: date
    """When the first of its grades as the current version were issued."""
    before: str
    after: str

    @property
    def day(self) -> date:
        """When it became known."""
        return self.issued


def changes(story: EndpointStory, version: str) -> tuple[Change, ...]:
    """Return an endpoint's changes under a method version in months that are not settled, newest first."""
    later = story.successions[len(story.past.successions) :]
    return changes_among(story, version, story.past.last_under(version), story.grades, later)


def changes_among(
    story: EndpointStory,
    version: str,
    before: Grade | None,
    grades: Iterable[Grade],
    successions: Iterable[Succession],
) -> tuple[Change, ...]:
    """Return the changes that some grades show under a method version, and some of tag, newest first.

    A change of precision stands in every window that holds its night; it is listed once.

    Args:
        story: of the endpoint.
        version: grades under another are passed over.
        before: the grade before them under that version; None where there is none.
        grades: the endpoint's, in any order.
        successions: changes of tag.
    """
    graded = sorted((g for g in grades if g.method_version == version), key=lambda g: g.window_end)
    found = [_told(each, story) for each in between(before, graded)]
    found += [Change(night=each.night, shown=each.night, story=story, tag=each) for each in successions]
    return tuple(sorted(found, key=lambda change: change.night, reverse=True))


def leading(windows: Iterable[GradedWindow]) -> Mapping[date, str]:
    """Return, by window end, the version that was current when it graded the window: of several, the first.

    Whatever a re-grade says of a window was reported under that version, when it was news.
    """
    found: dict[date, str] = {}
    for window in sorted(windows, key=lambda each: (each.regrade, version_key(each.method_version))):
        if window.was_current:
            found.setdefault(window.window_end, window.method_version)
    return found


def reported(story: EndpointStory, led: Mapping[date, str]) -> tuple[Reported, ...]:
    """Return an endpoint's changes of letter or declared precision as they became known, of months not settled.

    Args:
        story: the endpoint's.
        led: by window end, the version whose grade of it counts; a window that is not there is passed over.
    """
    every = story.held.of(story.model, story.endpoint)
    news = [grade for grade in every if led.get(grade.window_end) == grade.method_version]
    return between(story.past.last_led(), news)


def version_changes(
    windows: Iterable[GradedWindow], grades: Iterable[Grade], settled: Mapping[str, Mapping[date, date]] | None = None
) -> tuple[VersionChange, ...]:
    """Return when another version became current, oldest first: once, however many grades it re-made.

    Args:
        windows: each window that a version graded; none without a grade.
        grades: those of these windows that are not settled.
        settled: by version and window end, when a settled window's first grade was issued.
    """
    current = {(each.method_version, each.window_end): each.regrade for each in windows if each.was_current}
    if len({version for version, _ in current}) <= 1:  # Nearly always, and then no grade need be read.
        return ()
    issued = {(version, end): when for version, ends in (settled or {}).items() for end, when in ends.items()}
    for grade in grades:
        issued.setdefault((grade.method_version, grade.window_end), grade.issued)
    in_order = sorted((issued[key], regrade, version_key(key[0]), key[0]) for key, regrade in current.items())
    return tuple(
        VersionChange(issued=when, before=before, after=after)
        for (*_, before), (when, _, _, after) in pairwise(in_order)
        if before != after
    )


def _told(change: Reported, story: EndpointStory) -> Change:
    shown = change.grade.window_end
    if isinstance(change.what, Grade):
        return Change(night=change.night, shown=shown, story=story, letter=(change.what, change.grade))
    return Change(night=change.night, shown=shown, story=story, precision=change.what)
