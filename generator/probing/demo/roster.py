"""The roster of a night: every endpoint that is listed then, under the tag, precision and price it has then."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import assert_never

import msgspec

from generator.probing.demo.faults import (
    Absent,
    Declared,
    Fault,
    Joins,
    ListingFault,
    Repriced,
)
from generator.probing.demo.recording import RecordedEndpoint, Recording


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint as it is listed on a night."""

    recorded: RecordedEndpoint
    """Whose answers it gives, whatever it is listed as."""
    tag: str
    quantization: str | None
    price_prompt: Decimal
    """USD per token."""
    price_completion: Decimal


def offers(recording: Recording, faults: Sequence[Fault], night_index: int) -> tuple[Offer, ...]:
    """Return what is listed on a night, in the recording's order.

    Args:
        recording: all endpoints.
        faults: the script, applied in its order.
        night_index: counted from 1.
    """
    listed = (_offer(endpoint, faults, night_index) for endpoint in recording.endpoints)
    return tuple(offer for offer in listed if offer is not None)


def _offer(endpoint: RecordedEndpoint, faults: Sequence[Fault], night_index: int) -> Offer | None:
    offer: Offer | None = Offer(
        recorded=endpoint,
        tag=endpoint.tag,
        quantization=endpoint.quantization,
        price_prompt=endpoint.price_prompt,
        price_completion=endpoint.price_completion,
    )
    for fault in faults:
        if (
            offer is not None
            and isinstance(fault, ListingFault)
            and (fault.model, fault.provider) == (endpoint.model, endpoint.provider_name)
        ):
            offer = _changed(offer, fault, night_index)
    return offer


def _changed(offer: Offer, fault: ListingFault, night_index: int) -> Offer | None:
    """Return what a fault makes of an offer on a night; None where it is not listed."""
    match fault:
        case Absent(nights=nights):
            return None if night_index in nights else offer
        case Joins(night=night):
            return None if night_index < night else offer
        case Declared(from_night=start, tag=tag, quantization=declared):
            return offer if night_index < start else msgspec.structs.replace(offer, tag=tag, quantization=declared)
        case Repriced(from_night=start, price_prompt=prompt, price_completion=completion):
            if night_index < start:
                return offer
            return msgspec.structs.replace(offer, price_prompt=prompt, price_completion=completion)
        case _:
            assert_never(fault)
