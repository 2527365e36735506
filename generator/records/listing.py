"""A listing: what a router says of a model and of the endpoints that serve it. Claims, not measurements."""

from __future__ import annotations

from decimal import Decimal

import msgspec


class ListedEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a router's listing, before identity is settled."""

    provider: str
    """Display name; the same spelling as `provider` in answers."""
    tag: str
    """The router's tag, or the provider's name where it gives none."""
    declared_precision: str | None
    """As the router says it; null when absent (null, '' and 'unknown')."""
    context_length: int | None
    max_completion_tokens: int | None
    price_prompt: Decimal | None
    """USD per token; null where the router gives none or -1."""
    price_completion: Decimal | None
    """USD per token; null where the router gives none or -1."""
    status: int | None
    """0, or negative where the router has lowered it."""
    supported_parameters: tuple[str, ...]
    """Names of request parameters that the endpoint lists."""
    raw: str
    """The router's JSON for this entry, as compact text."""
    model_id: str | None = None
    """What this endpoint is asked for, where that differs from its model's id; null where it does not."""


class ModelListing(msgspec.Struct, frozen=True, kw_only=True):
    """One model as listed tonight."""

    model: str
    """The router's permanent slug, `author/name`."""
    model_id: str
    """The id to ask for; can be repointed at another model by the router."""
    reasoning_mandatory: bool
    """True where the model cannot be told not to think."""
    reasoning_supported: bool
    """True where the model may think unless told not to."""
    endpoints: tuple[ListedEndpoint, ...]
