"""What is known of settled months, counted once and kept beside the archive until something of them changed.

It depends on every night and every window of these months; each of them is told by the digest that its own files are
sealed with. Months come one after another, so that of an archive that grew by one only that month is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from generator.records.canonical import sha256
from generator.records.grade import Grade
from generator.site.history import leading
from generator.site.interface import GradedWindow, NightMaterial
from generator.site.library import counts_as_recorded
from generator.site.past import Past, and_month, month_of, settled_months
from generator.workflows.program import program_sha256
from generator.workflows.sealed_cache import SealedCache

_DECODER = msgspec.json.Decoder(Past)


def months_settled(windows: Sequence[GradedWindow], nights: Iterable[NightMaterial]) -> tuple[str, ...]:
    """Return every settled month of an archive, ascending."""
    ends = [window.window_end for window in windows]
    return settled_months((*ends, *(night.record.night for night in nights)), max(ends, default=None))


def settled_past(  # noqa: PLR0913 - what is known, and where it is kept
    names: Sequence[str],
    windows: Sequence[GradedWindow],
    nights: Sequence[NightMaterial],
    grades_of: Callable[[str], Iterable[Grade]],
    *,
    current: str,
    cache: SealedCache | None,
) -> Past:
    """Return what is known of some months.

    Args:
        names: of the settled months, ascending.
        windows: each window that has grades.
        nights: every night, ascending.
        grades_of: reads the grades of a month, sorted by model, endpoint, window end and version.
        current: the current method version.
        cache: where it lies once it was counted; None to count everything anew.
    """
    keys = dict(_keys(names, windows, nights, current))
    past, counted = _known(names, keys, cache)
    led = leading(windows)
    of_month = _by_month(nights)
    for name in names[counted:]:
        listed = ((night.record.night, counts_as_recorded(night), night.endpoints) for night in of_month[name])
        past = and_month(past, name, listed, grades_of(name), current=current, led=led)
    if cache is not None and len(names) > counted:
        cache.write(names[-1], keys[names[-1]], msgspec.json.encode(past))
        cache.drop_others(names[-1])
    return past


def _known(names: Sequence[str], keys: Mapping[str, str], cache: SealedCache | None) -> tuple[Past, int]:
    """Return what is kept of the most months, and of how many that is."""
    for counted in range(0 if cache is None else len(names), 0, -1):
        name = names[counted - 1]
        found = None if cache is None else cache.read(name, keys[name])
        if found is not None:
            return _DECODER.decode(found), counted
    return Past(), 0


def _keys(
    names: Sequence[str], windows: Iterable[GradedWindow], nights: Iterable[NightMaterial], current: str
) -> Iterator[tuple[str, str]]:
    """Yield each month with a line that says all that is known to its end depends on."""
    of_month: dict[str, list[object]] = defaultdict(list)
    for night in nights:
        of_month[month_of(night.record.night)].append((night.record.night, night.night_json_sha256, night.void))
    for window in windows:
        of_month[month_of(window.window_end)].append(window)
    chained = f"{program_sha256()} {current}"
    for name in names:
        told = msgspec.json.encode((chained, name, of_month[name]), order="deterministic")
        chained = sha256(told)
        yield name, chained


def _by_month(nights: Iterable[NightMaterial]) -> Mapping[str, list[NightMaterial]]:
    found: dict[str, list[NightMaterial]] = defaultdict(list)
    for night in nights:
        found[month_of(night.record.night)].append(night)
    return found
