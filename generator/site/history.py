"""Dated changes of endpoints: of the letter, always as 'A, then B'; of the declared precision, with its kind.

Letters are compared within one method version only: across versions it is the procedure that changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import pairwise

import msgspec

from generator.records.grade import DeclaredChange, Grade
from generator.site.library import EndpointStory, Succession


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One dated change of one endpoint; exactly one of letter, precision and tag is there."""

    night: date
    story: EndpointStory
    letter: tuple[Grade, Grade] | None = None
    """The grades before and after."""
    precision: DeclaredChange | None = None
    tag: Succession | None = None


def changes(story: EndpointStory, version: str) -> tuple[Change, ...]:
    """Return an endpoint's changes under a method version, newest first.

    A change of precision stands in every window that holds its night; it is listed once.
    """
    graded = sorted((g for g in story.grades if g.method_version == version), key=lambda g: g.window_end)
    found = [
        Change(night=after.window_end, story=story, letter=(before, after))
        for before, after in pairwise(graded)
        if before.letter is not after.letter
    ]
    declared: dict[date, DeclaredChange] = {}
    for grade in graded:
        for change in grade.d_changes:
            declared.setdefault(change.night, change)
    found += [Change(night=night, story=story, precision=change) for night, change in declared.items()]
    found += [Change(night=succession.night, story=story, tag=succession) for succession in story.successions]
    return tuple(sorted(found, key=lambda change: change.night, reverse=True))


def latest_changes(stories: Iterable[EndpointStory], version: str, most: int) -> tuple[Change, ...]:
    """Return the newest changes of letter or declared precision of many endpoints.

    Newest first; on one night in the order the endpoints come in.
    """
    found = [change for story in stories for change in changes(story, version) if change.tag is None]
    return tuple(sorted(found, key=lambda change: change.night, reverse=True)[:most])
