"""Which endpoint each listed entry is: settled once a night, from the listing and from what the archive knows.

The rules, from 'Endpoint and model identity' in the method:
1. the latest tag of a known endpoint of the model is that endpoint;
2. else, where exactly one known endpoint of the tag's base was listed on the last recorded night and is gone now, and
   exactly one newcomer has that base, it is the same endpoint, succeeded;
3. else it is a new endpoint, with a slug from its base, or from its full tag where the base is taken;
4. entries with one and the same tag are one endpoint;
5. the precision part of a tag is a last segment equal to the entry's own quantization, case ignored.

Of entries that share a tag, each claim is the one on which nobody relies in vain: the smallest context and completion
limit, the highest price (none where one entry has none) and the lowest status. Their precisions are sorted and
joined with '+'; an entry that declares none among others that do adds 'unknown'. The provider is the first by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

import msgspec

from generator.probing.wire_request import UNDECLARED
from generator.probing.wire_values import INT16_MAX
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.slug import unused_slug

JOIN = "+"
"""Between the precisions of inseparable entries."""


def base_of(tag: str, quantization: str | None) -> str:
    """Return a tag without its precision part.

    Args:
        tag: as listed.
        quantization: as declared; joined with '+' where several entries share the tag. None declares nothing.
    """
    head, slash, last = tag.rpartition("/")
    declared = {part.casefold() for part in (quantization or "").split(JOIN)} - {"", UNDECLARED}
    return head if slash and head and last.casefold() in declared else tag


def settle(
    night: date, listings: Iterable[ModelListing], known: Mapping[str, tuple[KnownEndpoint, ...]]
) -> tuple[Endpoint, ...]:
    """Return tonight's endpoints, sorted by model and slug.

    Args:
        night: stands as the first listing of what was never listed on a recorded night; `first_listed_void` takes
            it back where the night turns out void.
        listings: tonight's, one for each model.
        known: by model, every endpoint that the archive has ever named, void nights included.
    """
    endpoints = [
        endpoint for listing in listings for endpoint in _settle_model(night, listing, known.get(listing.model, ()))
    ]
    return tuple(sorted(endpoints, key=lambda endpoint: (endpoint.model, endpoint.endpoint)))


def first_listed_void(endpoints: Iterable[Endpoint], night: date) -> tuple[Endpoint, ...]:
    """Return a void night's endpoints: it is nobody's first recorded night."""
    return tuple(
        msgspec.structs.replace(endpoint, first_listed=None) if endpoint.first_listed == night else endpoint
        for endpoint in endpoints
    )


def _settle_model(night: date, listing: ModelListing, known: tuple[KnownEndpoint, ...]) -> list[Endpoint]:
    """Return the endpoints of one model."""
    entries = {entry.tag: _merged(listing, entry.tag) for entry in listing.endpoints}
    # A tag belongs to whoever bore it last; the order decides only in an archive that names it twice.
    by_tag = {past.tag: past for past in sorted(known, key=lambda past: (past.on_last_recorded_night, past.endpoint))}
    newcomers = sorted(tag for tag in entries if tag not in by_tag)
    successions = _successions(newcomers, entries, known)
    taken = {past.endpoint for past in known}
    settled: list[Endpoint] = []
    for tag, entry in sorted(entries.items()):
        past = by_tag.get(tag) or successions.get(tag)
        if past is None:
            slug = unused_slug((base_of(tag, entry.declared_precision), tag), frozenset(taken))
            taken.add(slug)
            settled.append(msgspec.structs.replace(entry, endpoint=slug, first_listed=night))
        else:
            settled.append(
                msgspec.structs.replace(
                    entry,
                    endpoint=past.endpoint,
                    first_listed=past.first_listed or night,
                    succeeded_from=past.tag if tag in successions else None,
                )
            )
    return settled


def _successions(
    newcomers: list[str], entries: Mapping[str, Endpoint], known: tuple[KnownEndpoint, ...]
) -> dict[str, KnownEndpoint]:
    """Return, by a newcomer's tag, the known endpoint that it succeeds."""
    gone = [past for past in known if past.on_last_recorded_night and past.tag not in entries]
    gone_of = Counter(past.base for past in gone)
    past_of = {past.base: past for past in gone}
    bases = {tag: base_of(tag, entries[tag].declared_precision) for tag in newcomers}
    newcomers_of = Counter(bases.values())
    return {tag: past_of[base] for tag, base in bases.items() if gone_of[base] == 1 and newcomers_of[base] == 1}


def _merged(listing: ModelListing, tag: str) -> Endpoint:
    """Return the entries of one tag as one endpoint, its identity still open."""
    entries = sorted(
        (entry for entry in listing.endpoints if entry.tag == tag), key=lambda entry: (entry.provider, entry.raw)
    )
    return Endpoint(
        model=listing.model,
        model_id=entries[0].model_id or listing.model_id,
        endpoint="",
        provider=entries[0].provider,
        tag=tag,
        listings=min(len(entries), INT16_MAX),
        declared_precision=_precision(entries),
        context_length=_smallest(entry.context_length for entry in entries),
        max_completion_tokens=_smallest(entry.max_completion_tokens for entry in entries),
        first_listed=None,
        succeeded_from=None,
        price_prompt=_highest([entry.price_prompt for entry in entries]),
        price_completion=_highest([entry.price_completion for entry in entries]),
        status=_smallest(entry.status for entry in entries),
        raw=entries[0].raw if len(entries) == 1 else f"[{','.join(sorted(entry.raw for entry in entries))}]",
    )


def _precision(entries: list[ListedEndpoint]) -> str | None:
    declared = {entry.declared_precision for entry in entries}
    if declared == {None}:
        return None
    return JOIN.join(sorted(precision or UNDECLARED for precision in declared))


def _smallest(claims: Iterable[int | None]) -> int | None:
    return min((claim for claim in claims if claim is not None), default=None)


def _highest(prices: list[Decimal | None]) -> Decimal | None:
    given = [price for price in prices if price is not None]
    return max(given) if len(given) == len(prices) else None
