"""An endpoint: one provider's serving of one model, under a slug that is settled once a night and never changes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import msgspec


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One row of listings.parquet: an endpoint listed on a night, identity settled. Fields in column order."""

    model: str
    model_id: str
    endpoint: str
    """The permanent slug: ASCII, safe as a path, never reused."""
    provider: str
    tag: str
    listings: int
    """How many entries of the listing stand behind it: more than 1 means not separable."""
    declared_precision: str | None
    """Null when absent; sorted and joined with '+' where inseparable listings differ."""
    context_length: int | None
    max_completion_tokens: int | None
    first_listed: date | None
    """The first recorded night that listed it; null on a void night before any."""
    succeeded_from: str | None
    """The earlier tag, on the night of a succession alone."""
    price_prompt: Decimal | None
    price_completion: Decimal | None
    status: int | None
    raw: str
    """The router's JSON for this endpoint; a JSON array where listings are inseparable."""


class KnownEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What the archive knows of an endpoint of a model before tonight's listing is read."""

    model: str
    endpoint: str
    tag: str
    """Its latest tag."""
    base: str
    """Its latest tag without the precision part."""
    first_listed: date | None
    """Its first recorded night that is not void."""
    on_last_recorded_night: bool
    """Whether the last recorded night listed it."""
