"""The list of all nights, newest first: recorded, void and late ones with their counts and cost, and dates missed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby

import msgspec

from generator.records.figures import counted, decimal_text
from generator.records.night import date_runs
from generator.site.frame import Step, frame, replayed_line
from generator.site.interface import NightMaterial
from generator.site.library import Library, counts_as_recorded
from generator.site.links import INDEX, Links
from generator.site.night_chart import over_nights
from generator.site.templates import Templates

PATH = f"nights/{INDEX}"
MOST_TOGETHER = 400
"""Nights that stand in one table; more stand by month."""


class NightRow(msgspec.Struct, frozen=True, kw_only=True):
    """One night, or a run of dates on which none was begun."""

    first: date
    last: date
    night: NightMaterial | None
    """None where no night was begun."""

    @property
    def standing(self) -> str:
        """What the night is: 'recorded', 'void' or 'missed', and whether it began late."""
        if self.night is None:
            return "missed"
        standing = "recorded" if counts_as_recorded(self.night) else "void"
        return f"{standing}, late" if self.night.record.late else standing


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one month, and how many of each standing there are."""

    name: str
    """As in '2026-11'."""
    rows: tuple[NightRow, ...]
    words: str


def rows(nights: Iterable[NightMaterial]) -> tuple[NightRow, ...]:
    """Return a row for each night and each run of missed dates, newest first; a run ends with its month."""
    found = []
    for night in nights:
        for _, days in groupby(night.record.missed, key=_month):
            found += [NightRow(first=first, last=last, night=None) for first, last in date_runs(days)]
        found.append(NightRow(first=night.record.night, last=night.record.night, night=night))
    return tuple(reversed(found))


def months(listed: Sequence[NightRow]) -> tuple[Month, ...]:
    """Return rows by month, in their own order."""
    grouped = ((name, tuple(each)) for name, each in groupby(listed, key=lambda row: _month(row.first)))
    return tuple(Month(name=name, rows=each, words=_words(each)) for name, each in grouped)


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the list; it is there before the first night too."""
    nights = library.material.nights
    listed = rows(nights)
    page = templates.render(
        "nights.html",
        page=frame(
            PATH,
            library.material.settings,
            title="Nights",
            description="Every night, newest first: what was asked, how much came back, and what it cost.",
            steps=(Step(text="nights", href=INDEX),),
            replayed=replayed_line(night.record for night in nights),
        ),
        links=Links(PATH),
        library=library,
        chart=over_nights(nights),
        listed=listed,
        words=_words(listed),
        months=months(listed) if len(nights) > MOST_TOGETHER else (),
    )
    yield PATH, page


def _words(listed: Iterable[NightRow]) -> str:
    """Return how many nights were recorded, void and missed, and what they cost together."""
    recorded = void = missed = 0
    cost = Decimal(0)
    for row in listed:
        if row.night is None:
            missed += (row.last - row.first).days + 1
            continue
        is_recorded = counts_as_recorded(row.night)
        recorded, void = recorded + is_recorded, void + (not is_recorded)
        cost += Decimal(row.night.record.cost_usd)
    words = [f"{counted(recorded, 'night')} recorded", f"{void:,} void", f"{missed:,} missed"]
    return f"{', '.join(words)}; USD {decimal_text(cost)}"


def _month(day: date) -> str:
    return day.isoformat()[:7]
