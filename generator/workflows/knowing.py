"""Which endpoints the archive has ever listed: every night's listings read once, and remembered from night to night.

What is remembered through a night is believed where that night's record is the very one, and the same nights are kept
and declared void up to it. Written once, a night never changes; its record names the one before it by its digest, and
so on to the first, so that the digest of one stands for all before it. Where one does not, nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date

import msgspec

from generator.archive import codec
from generator.archive.nights import KeptNight
from generator.probing.identity import base_of
from generator.records.canonical import sha256
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.records.night import PreviousNight
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.world import Root

_FORMAT = 2
"""Counts up whenever what is remembered of the same nights may be otherwise, or is written otherwise."""


class _Listed(msgspec.Struct, kw_only=True):
    """What is remembered of one endpoint."""

    tag: str
    """The latest."""
    precision: str | None
    """Declared beside that tag."""
    first: date | None
    """The first night that counts."""
    last: date | None
    """The last one."""


class _Known(msgspec.Struct, kw_only=True):
    """What is remembered of some nights."""

    models: dict[str, dict[str, _Listed]] = {}
    """By model and endpoint."""
    last: date | None = None
    """The last night that counts."""


_DECODER = msgspec.json.Decoder(_Known)


def known_endpoints(root: Root) -> dict[str, tuple[KnownEndpoint, ...]]:
    """Return, by model, every endpoint that the archive has ever listed, with what identity is settled by."""
    known = _through(root, root.store.nights.kept())
    return {
        model: tuple(
            KnownEndpoint(
                model=model,
                endpoint=endpoint,
                tag=listed.tag,
                base=base_of(listed.tag, listed.precision),
                first_listed=listed.first,
                on_last_recorded_night=known.last is not None and listed.last == known.last,
            )
            for endpoint, listed in sorted(endpoints.items())
        )
        for model, endpoints in sorted(known.models.items())
    }


def _through(root: Root, nights: Sequence[date]) -> _Known:
    """Return what some nights list; only those are read that come after what is remembered, and the one before them."""
    store, cache = root.store.nights, SealedCache(root.path, "endpoints")
    voided = store.declared_void()
    known, begin, before = _Known(), 0, None
    held = cache.names()
    for count in range(len(nights), 0, -1):
        if _name(nights[count - 1]) not in held:
            continue
        newest = store.get(nights[count - 1])
        found = cache.read(_name(nights[count - 1]), _key(nights[:count], voided, newest))
        if found is not None:
            known, begin, before = _DECODER.decode(found), count, newest
            break
    chained = True
    for night in nights[begin:]:
        kept = store.get(night)
        chained &= kept.record.previous == _as_previous(before)
        _add(root, known, kept)
        before = kept
    if before is not None and begin < len(nights) and chained:
        cache.write(_name(nights[-1]), _key(nights, voided, before), msgspec.json.encode(known))
        cache.drop_others(_name(nights[-1]))
    return known


def _key(nights: Sequence[date], voided: Collection[date], newest: KeptNight) -> str:
    """Return what says all that is remembered of some nights: which they are, and the digest of the newest one."""
    names = (f"{night.isoformat()} void" if night in voided else night.isoformat() for night in nights)
    return f"{_FORMAT} {sha256(' '.join(names).encode())} {newest.sha256}"


def _as_previous(kept: KeptNight | None) -> PreviousNight | None:
    """Return how the night after one names it."""
    return None if kept is None else PreviousNight(night=kept.record.night, sha256=kept.sha256)


def _add(root: Root, known: _Known, kept: KeptNight) -> None:
    if kept.counts:
        known.last = kept.record.night
    for endpoint in codec.records_of(root.store.nights.table(kept.record, "listings"), Endpoint):
        endpoints = known.models.setdefault(endpoint.model, {})
        before = endpoints.get(endpoint.endpoint)
        first, last = (None, None) if before is None else (before.first, before.last)
        if kept.counts:
            first, last = first or kept.record.night, kept.record.night
        endpoints[endpoint.endpoint] = _Listed(
            tag=endpoint.tag, precision=endpoint.declared_precision, first=first, last=last
        )


def _name(night: date) -> str:
    return f"{night.isoformat()}.json"
