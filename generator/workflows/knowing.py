"""Which endpoints the archive has ever listed: every night's listings read once, and remembered from night to night."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import accumulate

import msgspec

from generator.archive import codec
from generator.archive.nights import KeptNight
from generator.probing.identity import base_of
from generator.records.canonical import sha256
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.world import Root

_FORMAT = 1
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


_Known = dict[str, dict[str, _Listed]]
"""By model and endpoint."""
_DECODER = msgspec.json.Decoder(_Known)


def known_endpoints(root: Root) -> dict[str, tuple[KnownEndpoint, ...]]:
    """Return, by model, every endpoint that the archive has ever listed, with what identity is settled by."""
    store = root.store.nights
    nights = [store.get(night) for night in store.kept()]
    known = _through(root, nights)
    last = next((kept.record.night for kept in reversed(nights) if kept.counts), None)
    return {
        model: tuple(
            KnownEndpoint(
                model=model,
                endpoint=endpoint,
                tag=listed.tag,
                base=base_of(listed.tag, listed.precision),
                first_listed=listed.first,
                on_last_recorded_night=last is not None and listed.last == last,
            )
            for endpoint, listed in sorted(endpoints.items())
        )
        for model, endpoints in sorted(known.items())
    }


def _through(root: Root, nights: Sequence[KeptNight]) -> _Known:
    """Return what some nights list; only those are read that come after what is remembered."""
    if not nights:
        return {}
    cache = SealedCache(root.path, "endpoints")
    # What is remembered of so many nights depends on them in their order, and on which of them were declared void.
    keys = list(accumulate((f"{kept.sha256} {kept.void_sha256}" for kept in nights), _chained, initial=f"{_FORMAT}"))
    known, begin = {}, 0
    for count in range(len(nights), 0, -1):
        found = cache.read(_name(nights[count - 1]), keys[count])
        if found is not None:
            known, begin = _DECODER.decode(found), count
            break
    for kept in nights[begin:]:
        _add(root, known, kept)
    if begin < len(nights):
        cache.write(_name(nights[-1]), keys[-1], msgspec.json.encode(known))
        cache.drop_others(_name(nights[-1]))
    return known


def _add(root: Root, known: _Known, kept: KeptNight) -> None:
    for endpoint in codec.records_of(root.store.nights.table(kept.record, "listings"), Endpoint):
        endpoints = known.setdefault(endpoint.model, {})
        before = endpoints.get(endpoint.endpoint)
        first, last = (None, None) if before is None else (before.first, before.last)
        if kept.counts:
            first, last = first or kept.record.night, kept.record.night
        endpoints[endpoint.endpoint] = _Listed(
            tag=endpoint.tag, precision=endpoint.declared_precision, first=first, last=last
        )


def _name(kept: KeptNight) -> str:
    return f"{kept.record.night.isoformat()}.json"


def _chained(before: str, each: str) -> str:
    return sha256(f"{before} {each}".encode())
