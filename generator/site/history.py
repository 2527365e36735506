"""Dated changes of endpoints: of the letter, always as 'A, then B'; of the declared precision, with its kind.

Letters are compared within one method version only: across versions it is the procedure that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise

import msgspec

from generator.records.definition import version_key
from generator.records.grade import DeclaredChange, Grade
from generator.site.interface import GradedWindow
from generator.site.library import EndpointStory, Succession


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One dated change of one endpoint; exactly one of letter, precision and tag is there."""

    night: date
    story: EndpointStory
    letter: tuple[Grade, Grade] | None = None
    """The grades before and after."""
    precision: DeclaredChange | None = None
    tag: Succession | None = None


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One change of letter or declared precision, with the first grade that shows it."""

    night: date
    grade: Grade
    what: Grade | DeclaredChange
    """The grade before, where it is the letter that changed."""
    before: Grade | None
    """The endpoint's grade before; None where it has none."""


class VersionChange(msgspec.Struct, frozen=True, kw_only=True):
    """Another method version became the current one."""

    issued: date
    """When the first of its grades as the current version were issued."""
    before: str
    after: str


def changes(story: EndpointStory, version: str) -> tuple[Change, ...]:
    """Return an endpoint's changes under a method version, newest first.

    A change of precision stands in every window that holds its night; it is listed once.
    """
    graded = sorted((g for g in story.grades if g.method_version == version), key=lambda g: g.window_end)
    found = [_told(each, story) for each in _between(graded)]
    found += [Change(night=succession.night, story=story, tag=succession) for succession in story.successions]
    return tuple(sorted(found, key=lambda change: change.night, reverse=True))


def latest_changes(stories: Iterable[EndpointStory], version: str, most: int) -> tuple[Change, ...]:
    """Return the newest changes of letter or declared precision of many endpoints.

    Newest first; on one night in the order the endpoints come in.
    """
    found = [change for story in stories for change in changes(story, version) if change.tag is None]
    return tuple(sorted(found, key=lambda change: change.night, reverse=True)[:most])


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
    """Return an endpoint's changes of letter or declared precision as they became known, in order.

    Args:
        story: the endpoint's.
        led: by window end, the version whose grade of it counts; a window that is not there is passed over.
    """
    every = story.held.of(story.model, story.endpoint)
    return _between([grade for grade in every if led.get(grade.window_end) == grade.method_version])


def version_changes(windows: Iterable[GradedWindow], grades: Iterable[Grade]) -> tuple[VersionChange, ...]:
    """Return when another version became current, oldest first: once, however many grades it re-made.

    Args:
        windows: each window that a version graded; none without a grade.
        grades: those of these windows.
    """
    current = {(each.method_version, each.window_end): each.regrade for each in windows if each.was_current}
    if len({version for version, _ in current}) <= 1:  # Nearly always, and then no grade need be read.
        return ()
    issued: dict[tuple[str, date], date] = {}
    for grade in grades:
        issued.setdefault((grade.method_version, grade.window_end), grade.issued)
    in_order = sorted((issued[key], regrade, version_key(key[0]), key[0]) for key, regrade in current.items())
    return tuple(
        VersionChange(issued=when, before=before, after=after)
        for (*_, before), (when, _, _, after) in pairwise(in_order)
        if before != after
    )


def _between(graded: Sequence[Grade]) -> tuple[Reported, ...]:
    """Return the changes of letter from each grade to the next, then each change of precision once."""
    found = [
        Reported(night=after.window_end, grade=after, what=before, before=before)
        for before, after in pairwise(graded)
        if before.letter is not after.letter and before.method_version == after.method_version
    ]
    declared: dict[date, Reported] = {}
    for before, grade in zip((None, *graded), graded, strict=False):
        for change in grade.d_changes:
            told = Reported(night=change.night, grade=grade, what=change, before=before)
            declared.setdefault(change.night, told)
    return (*found, *declared.values())


def _told(change: Reported, story: EndpointStory) -> Change:
    if isinstance(change.what, Grade):
        return Change(night=change.night, story=story, letter=(change.what, change.grade))
    return Change(night=change.night, story=story, precision=change.what)
