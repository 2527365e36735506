"""A router's listings as records: every field that can be stored, null where it cannot, and the router's own JSON.

An entry without a provider's name cannot be asked nor shown and is left out; any other malformed field costs that
field alone. Unknown fields are tolerated and stay in `raw`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from generator.probing.wire_entries import compact, data_of, decode, members, table, whole_name
from generator.probing.wire_values import INT32_MAX, INT64_MAX, short, usd, whole
from generator.records.listing import ListedEndpoint, ModelListing

ABSENT = ("", "unknown")
"""How a router says, besides null, that no precision is declared."""

_ID = re.compile(r"[A-Za-z0-9~][A-Za-z0-9._~-]*/[A-Za-z0-9][A-Za-z0-9._~-]*(?::[A-Za-z0-9._-]+)?")
_MAX_PARAMETERS = 200


class ListedModel(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the router's list of models."""

    model: str
    """The permanent slug; the id where the router gives none."""
    model_id: str
    reasoning_mandatory: bool
    reasoning_supported: bool
    priced: bool = True
    """False for an entry that is no model but chooses one, and says so by a price of -1."""


class _Endpoints(msgspec.Struct, frozen=True):
    endpoints: list[msgspec.Raw]


class _EndpointPage(msgspec.Struct, frozen=True):
    data: _Endpoints


def parse_models(body: bytes) -> tuple[ListedModel, ...]:
    """Return the models that a router lists, in its order; entries whose id is no `author/name` are left out.

    Raises:
        RouterError: where the body is no list of models.
    """
    found = (_model(members(raw)) for raw in data_of(body, "the list of models"))
    return tuple(model for model in found if model is not None)


def parse_endpoints(body: bytes, model: ListedModel) -> ModelListing:
    """Return the listing of one model, its endpoints in the router's order; there may be none.

    Raises:
        RouterError: where the body is no list of endpoints.
    """
    entries = decode(body, _EndpointPage, f"the endpoints of {model.model_id}").data.endpoints
    found = (_endpoint(raw) for raw in entries)
    return ModelListing(
        model=model.model,
        model_id=model.model_id,
        reasoning_mandatory=model.reasoning_mandatory,
        reasoning_supported=model.reasoning_supported,
        endpoints=tuple(endpoint for endpoint in found if endpoint is not None),
    )


def is_id(text: str) -> bool:
    """True where a text is `author/name`, and so can stand in an address that leads nowhere else."""
    return _ID.fullmatch(text) is not None and ".." not in text


def _model(entry: dict[str, Any]) -> ListedModel | None:
    model_id = whole_name(entry.get("id"))
    if model_id is None or not is_id(model_id):
        return None
    slug = whole_name(entry.get("canonical_slug"))
    reasoning = entry.get("reasoning")
    parameters = entry.get("supported_parameters")
    return ListedModel(
        model=slug if slug is not None and is_id(slug) else model_id,
        model_id=model_id,
        reasoning_mandatory=table(reasoning).get("mandatory") is True,
        reasoning_supported=isinstance(reasoning, dict) or (isinstance(parameters, list) and "reasoning" in parameters),
        priced=not str(table(entry.get("pricing")).get("prompt")).startswith("-"),
    )


def _endpoint(raw: msgspec.Raw) -> ListedEndpoint | None:
    entry = members(raw)
    provider = short(entry.get("provider_name"))
    if provider is None:
        return None
    pricing = table(entry.get("pricing"))
    precision = short(entry.get("quantization"))
    parameters = entry.get("supported_parameters")
    named = (short(name) for name in (parameters[:_MAX_PARAMETERS] if isinstance(parameters, list) else []))
    return ListedEndpoint(
        provider=provider,
        tag=whole_name(entry.get("tag")) or provider,
        declared_precision=None if precision is None or precision.casefold() in ABSENT else precision,
        context_length=whole(entry.get("context_length"), 0, INT64_MAX),
        max_completion_tokens=whole(entry.get("max_completion_tokens"), 0, INT64_MAX),
        price_prompt=usd(pricing.get("prompt")),
        price_completion=usd(pricing.get("completion")),
        status=whole(entry.get("status"), -INT32_MAX - 1, INT32_MAX),
        supported_parameters=tuple(name for name in named if name is not None),
        raw=compact(raw),
    )
