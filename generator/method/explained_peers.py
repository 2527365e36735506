"""What a model's endpoints share in a window: who was there, the best share, the prompts without a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from generator.method.accuracy import Accuracy, best_accuracy
from generator.method.explained_rows import ModelRows
from generator.method.unrated import nights_reasons
from generator.records.definition import Definition
from generator.records.grade import TaskFamily, UnratedReason
from generator.records.observation import Outcome


class EndpointNights(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's nights, counted for U."""

    since_listed: int
    absent: int
    reasons: tuple[UnratedReason, ...]


class Peers(msgspec.Struct, frozen=True, kw_only=True):
    """What all endpoints of a model share: who was there, and the best share of keyed prompts."""

    nights: Mapping[str, EndpointNights]
    best: Accuracy | None
    """Of an endpoint that qualifies, whichever it is."""
    pairs: int
    pairs_without_reference: int


def peers(rows: ModelRows, recorded: Sequence[date], definition: Definition) -> Peers:
    """Return what a model's endpoints are held against together.

    Args:
        rows: the model's, over the window.
        recorded: every recorded night that had not been declared void.
        definition: says who qualifies as best.
    """
    nights = {endpoint: _nights(endpoint, rows, recorded, definition) for endpoint in rows.endpoints}
    accuracies = {endpoint: _accuracy(endpoint, rows) for endpoint in rows.endpoints}
    references = [found for night in rows.nights for found in night.references.values()]
    return Peers(
        nights=nights,
        best=best_accuracy(accuracies, {endpoint: each.reasons for endpoint, each in nights.items()}, definition),
        pairs=len(references),
        pairs_without_reference=sum(found.answer is None for found in references),
    )


def _nights(endpoint: str, rows: ModelRows, recorded: Sequence[date], definition: Definition) -> EndpointNights:
    listed = [night for night in rows.nights if endpoint in night.listed]
    first = listed[-1].listed[endpoint].first_listed or listed[0].night
    asked = {night.night for night in listed if any(row.outcome != Outcome.UNSENT for row in night.of(endpoint))}
    since = sum(first <= night <= rows.nights[-1].night for night in recorded)
    absent = sum(night.night >= first and night.night not in asked for night in rows.nights)
    reasons = nights_reasons(
        nights_since_listed=since, nights_in_window=len(rows.nights), nights_absent=absent, definition=definition
    )
    return EndpointNights(since_listed=since, absent=absent, reasons=reasons)


def _accuracy(endpoint: str, rows: ModelRows) -> Accuracy:
    keyed = [(row, night.counted(row)) for night in rows.nights for row in night.of(endpoint) if night.keyed(row)]
    families = tuple(
        TaskFamily(
            family=family,
            correct=sum(counts and bool(row.correct) for row, counts in keyed if row.family == family),
            counted=sum(counts for row, counts in keyed if row.family == family),
        )
        for family in rows.keyed_families
    )
    return Accuracy(
        correct=sum(family.correct for family in families),
        counted=sum(family.counted for family in families),
        planned=len(keyed),
        families=families,
    )
