"""What is known of months that are settled, so that a build reads none of their grades and listings again. Pure.

A month is settled once the newest window ended so many days after it that an endpoint's newest windows, which stand on
its page, all lie later. What is known of it then changes only where a window is graded anew or a night is declared
void: then everything is counted again from the first month on.
"""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby

import msgspec

from generator.records.endpoint import Endpoint
from generator.records.grade import Column, Grade, Letter
from generator.site.between import between

SETTLED_DAYS = 31
"""Days after a month's last one on which the newest window has to end."""
_DECODER = msgspec.json.Decoder(Grade)


class Succession(msgspec.Struct, frozen=True, kw_only=True):
    """A night on which an endpoint was listed under another tag than before."""

    night: date
    before: str
    after: str


class PastMonth(msgspec.Struct, frozen=True, kw_only=True):
    """The windows of an endpoint that ended in one settled month."""

    name: str
    """As in '2026-11'."""
    grades: int
    """Under every version."""
    ends: int
    """Bit n is set where a window that ended on the n-th was graded under any version."""
    current: int
    """Likewise, under the current version."""
    lanes: tuple[dict[Letter, int], ...]
    """For the grade and each column, how many windows read each letter under the current version."""


class Keeping(msgspec.Struct, kw_only=True):
    """What is gathered of one endpoint while nights and grades are read in order."""

    provider: str = ""
    """As last listed, like tag and listings."""
    tag: str = ""
    listings: int = 1
    first_listed: date | None = None
    last_listed: date | None = None
    """The last recorded night that listed it."""
    successions: tuple[Succession, ...] = ()
    counts: dict[str, tuple[int, date, date]] = {}
    """By version: windows, the end of the first and of the last."""
    months: tuple[PastMonth, ...] = ()
    """Those settled months in which a window ended that was graded, ascending."""
    last: dict[str, msgspec.Raw] = {}
    """By version, the last grade of a settled month, as JSON."""
    led: tuple[msgspec.Raw, ...] = ()
    """Likewise the last of those that were news when they were made; none or one."""

    def listed(self, night: date, endpoint: Endpoint) -> None:
        """Take how a later recorded night lists it."""
        self.named(endpoint.provider, endpoint.tag, endpoint.listings)
        self.first_listed = self.first_listed or endpoint.first_listed or night
        self.last_listed = night
        if endpoint.succeeded_from is not None:
            change = Succession(night=night, before=endpoint.succeeded_from, after=endpoint.tag)
            self.successions = (*self.successions, change)

    def named(self, provider: str, tag: str, listings: int) -> None:
        """Take the names of a later night."""
        self.provider, self.tag, self.listings = provider, tag, listings

    def graded(self, grade: Grade) -> None:
        """Count a grade; a version's come in the order of their windows."""
        windows, first, _ = self.counts.get(grade.method_version, (0, grade.window_end, grade.window_end))
        self.counts = {**self.counts, grade.method_version: (windows + 1, first, grade.window_end)}
        if self.last_listed is None:
            self.named(grade.provider, grade.tag, grade.listings)

    def last_under(self, version: str) -> Grade | None:
        """Return the last grade of a settled month under a version."""
        found = self.last.get(version)
        return None if found is None else _DECODER.decode(found)

    def last_led(self) -> Grade | None:
        """Return the last grade of a settled month that was news when it was made."""
        return _DECODER.decode(self.led[0]) if self.led else None


class MonthTotals(msgspec.Struct, frozen=True, kw_only=True):
    """One settled month of the whole archive."""

    name: str
    pages: int
    """Pages of grades and of their versions, under every version: what its sitemap lists."""
    changes: int
    """Changes of letter or declared precision that its windows showed first."""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of settled months."""

    months: tuple[MonthTotals, ...] = ()
    """Ascending, without a gap from the archive's first on."""
    endpoints: dict[str, dict[str, Keeping]] = {}
    """By model and endpoint."""
    superseded: frozenset[str] = frozenset()
    """Versions whose letters a grade under the current version names as those that it supersedes."""
    issued: dict[str, dict[date, date]] = {}
    """By version and window end, when the first of its grades was issued."""
    model_ids: frozenset[str] = frozenset()
    """Every model that a recorded night listed, as the router calls it."""
    listed: dict[date, int] = {}
    """By night, recorded or void, how many endpoints it lists."""

    def is_settled(self, day: date) -> bool:
        """True for a day in one of its months."""
        return bool(self.months) and month_of(day) <= self.months[-1].name


def month_of(day: date) -> str:
    """Return the month of a day, as in '2026-11'."""
    return day.isoformat()[:7]


def settled_months(days: Iterable[date], newest: date | None) -> tuple[str, ...]:
    """Return every settled month, ascending, and between the first and the last those without a night too.

    Args:
        days: every night and the end of every window, in any order.
        newest: the end of the newest window; None where nothing was graded.
    """
    if newest is None:
        return ()
    found = []
    last = _last_day(min(days))
    while last + timedelta(days=SETTLED_DAYS) <= newest:
        found.append(month_of(last))
        last = _last_day(last + timedelta(days=1))
    return tuple(found)


def _last_day(day: date) -> date:
    """Return the last day of a day's month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def days_of(name: str, mask: int) -> tuple[date, ...]:
    """Return the days of a month whose bits are set, ascending."""
    year, month = map(int, name.split("-"))
    return tuple(date(year, month, day) for day in range(1, 32) if mask >> day & 1)


def mask_of(days: Iterable[date]) -> int:
    """Return the bits of some days of one month."""
    mask = 0
    for day in days:
        mask |= 1 << day.day
    return mask


def and_month(  # noqa: PLR0913 - a month, and what its grades are judged by
    past: Past,
    name: str,
    nights: Iterable[tuple[date, bool, Sequence[Endpoint]]],
    grades: Iterable[Grade],
    *,
    current: str,
    led: Mapping[date, str],
) -> Past:
    """Return what is known once the next month is settled too.

    Args:
        past: what is known of all months before.
        name: of the month.
        nights: its nights, ascending, whether each counts, and the endpoints that it lists.
        grades: of the windows that ended in it, sorted by model, endpoint, window end and version.
        current: the current method version.
        led: by window end, the version whose grade of it was news.
    """
    endpoints = {
        model: {endpoint: msgspec.structs.replace(kept) for endpoint, kept in of.items()}
        for model, of in past.endpoints.items()
    }
    model_ids = set(past.model_ids)
    listed = dict(past.listed)
    for night, counts, listing in nights:
        every = tuple(listing)
        listed[night] = len(every)
        for each in every if counts else ():
            model_ids.add(each.model_id)
            endpoints.setdefault(each.model, {}).setdefault(each.endpoint, Keeping()).listed(night, each)
    superseded, pages, changes = set(past.superseded), 0, 0
    issued = {version: dict(ends) for version, ends in past.issued.items()}
    for (model, endpoint), group in groupby(grades, key=lambda grade: (grade.model, grade.endpoint)):
        kept, of_endpoint = endpoints.setdefault(model, {}).setdefault(endpoint, Keeping()), tuple(group)
        news = [grade for grade in of_endpoint if led.get(grade.window_end) == grade.method_version]
        changes += len(between(kept.last_led(), news))
        month = _month(name, of_endpoint, current)
        pages += len(of_endpoint) + month.ends.bit_count()
        kept.months = (*kept.months, month)
        last = {grade.method_version: grade for grade in of_endpoint}
        kept.last = {**kept.last, **{version: _raw(grade) for version, grade in last.items()}}
        kept.led = (_raw(news[-1]),) if news else kept.led
        for grade in of_endpoint:
            kept.graded(grade)
            issued.setdefault(grade.method_version, {}).setdefault(grade.window_end, grade.issued)
            if grade.method_version == current:
                superseded.update(earlier.method_version for earlier in grade.supersedes)
    return Past(
        months=(*past.months, MonthTotals(name=name, pages=pages, changes=changes)),
        endpoints=endpoints,
        superseded=frozenset(superseded),
        issued=issued,
        model_ids=frozenset(model_ids),
        listed=listed,
    )


def _month(name: str, grades: tuple[Grade, ...], current: str) -> PastMonth:
    under = [grade for grade in grades if grade.method_version == current]
    letters = [(grade.letter, *map(grade.column_letter, Column)) for grade in under]
    lanes = tuple(dict(Counter(letter for letter in lane if letter)) for lane in zip(*letters, strict=True))
    return PastMonth(
        name=name,
        grades=len(grades),
        ends=mask_of(grade.window_end for grade in grades),
        current=mask_of(grade.window_end for grade in under),
        lanes=lanes or ({},) * (1 + len(Column)),
    )


def _raw(grade: Grade) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(grade))
