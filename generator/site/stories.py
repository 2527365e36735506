"""What is known of an endpoint and of a model, as pages ask for it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import msgspec

from generator.records.definition import version_key
from generator.records.grade import Grade
from generator.site.interface import Agreement, EndpointMaterial, Grades, ModelMaterial
from generator.site.past import Keeping, Succession, month_of


class VersionCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many windows of an endpoint were graded under one method version."""

    version: str
    windows: int
    first: date
    """The first window's end."""
    last: date


class EndpointStory(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one endpoint."""

    model: str
    endpoint: str
    provider: str
    """As last listed, like tag and listings."""
    tag: str
    listings: int
    first_listed: date | None
    last_listed: date | None
    """The last recorded night that listed it."""
    listed_now: bool
    """Whether the last recorded night lists it."""
    model_listed_now: bool
    """Whether the last recorded night lists any endpoint of its model; where not, nobody may have asked."""
    successions: tuple[Succession, ...]
    latest: Grade | None
    """The newest under the current method."""
    counts: tuple[VersionCount, ...]
    """Of each version that graded it, newest version first."""
    past: Keeping
    """What is known of settled months."""
    shown: EndpointMaterial | None
    """What is shown of it and not graded."""
    held: Grades
    """Where `grades` are read."""
    current: str
    """The current method version."""

    @property
    def grades(self) -> tuple[Grade, ...]:
        """Those of months that are not settled, newest window first; of a window, the current version's first."""
        return newest_first(self.held.of(self.model, self.endpoint), self.current)

    def grades_of(self, month: str) -> tuple[Grade, ...]:
        """Return those of a settled month, in the same order."""
        return newest_first(self.held.of_month(month, self.model, self.endpoint), self.current)

    def was_graded(self, window_end: date) -> bool:
        """True for the end of a window that was graded, under any version."""
        found = {month.name: month.ends for month in self.past.months}
        if (ends := found.get(month_of(window_end))) is not None:
            return bool(ends >> window_end.day & 1)
        return any(grade.window_end == window_end for grade in self.grades)

    @property
    def gone_words(self) -> str:
        """What is said of an endpoint that the last recorded night does not list."""
        if self.model_listed_now:
            return "no longer listed"
        return "its model was not among those listed on the last recorded night"


class ModelStory(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one model."""

    model: str
    endpoints: tuple[EndpointStory, ...]
    """Alphabetically by provider, then by slug."""
    agreements: tuple[Agreement, ...]
    shown: ModelMaterial
    """What is shown of it and not graded."""


def newest_first(grades: Iterable[Grade], current: str) -> tuple[Grade, ...]:
    """Return grades by window, the newest first, and of one window the current version's before the others'."""

    def place(grade: Grade) -> tuple[object, ...]:
        return grade.window_end, grade.method_version == current, version_key(grade.method_version)

    return tuple(sorted(grades, key=place, reverse=True))
