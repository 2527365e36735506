"""A router's listings as records: every field that can be stored, null where it cannot, and the router's own JSON.

An entry without a provider's name cannot be asked nor shown and is left out; any other malformed field costs that
field alone. Unknown fields are tolerated and stay in `raw`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from generator.errors import RouterError
from generator.probing.wire_values import INT32_MAX, INT64_MAX, NotJsonError, read_json, short, usd, whole
from generator.records.listing import ListedEndpoint, ModelListing

ABSENT = ("", "unknown")
"""How a router says, besides null, that no precision is declared."""

_ID = re.compile(r"[A-Za-z0-9~][A-Za-z0-9._~-]*/[A-Za-z0-9][A-Za-z0-9._~-]*(?::[A-Za-z0-9._-]+)?")
# A JSON escape: a surrogate pair, half of one, or any other.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_MAX_PARAMETERS = 200
_Kind = TypeVar("_Kind", bound=msgspec.Struct)


class ListedModel(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the router's list of models."""

    model: str
    """The permanent slug; the id where the router gives none."""
    model_id: str
    reasoning_mandatory: bool
    reasoning_supported: bool


class _Page(msgspec.Struct, frozen=True):
    data: list[msgspec.Raw]


class _Endpoints(msgspec.Struct, frozen=True):
    endpoints: list[msgspec.Raw]


class _EndpointPage(msgspec.Struct, frozen=True):
    data: _Endpoints


def parse_models(body: bytes) -> tuple[ListedModel, ...]:
    """Return the models that a router lists, in its order; entries whose id is no `author/name` are left out.

    Raises:
        RouterError: where the body is no list of models.
    """
    entries = _decode(body, _Page, "the list of models").data
    found = (_model(_members(raw)) for raw in entries)
    return tuple(model for model in found if model is not None)


def parse_endpoints(body: bytes, model: ListedModel) -> ModelListing:
    """Return the listing of one model, its endpoints in the router's order; there may be none.

    Raises:
        RouterError: where the body is no list of endpoints.
    """
    entries = _decode(body, _EndpointPage, f"the endpoints of {model.model_id}").data.endpoints
    found = (_endpoint(raw) for raw in entries)
    return ModelListing(
        model=model.model,
        model_id=model.model_id,
        reasoning_mandatory=model.reasoning_mandatory,
        reasoning_supported=model.reasoning_supported,
        endpoints=tuple(endpoint for endpoint in found if endpoint is not None),
    )


def highest_prices(raw: str) -> tuple[Decimal | None, Decimal | None]:
    """Return the highest price per prompt token and per completion token that an entry names for any hour or length.

    Args:
        raw: `ListedEndpoint.raw`. Its `pricing.overrides` hold prices for some hours of the day or long prompts.
    """
    pricing = _table(_members(raw.encode()).get("pricing"))
    overrides = pricing.get("overrides")
    tables = [pricing, *(_table(item) for item in (overrides if isinstance(overrides, list) else []))]
    return _highest("prompt", tables), _highest("completion", tables)


def _highest(name: str, tables: list[dict[str, Any]]) -> Decimal | None:
    base = usd(tables[0].get(name))
    if base is None:
        return None
    others = (usd(table.get(name)) for table in tables[1:])
    return max([base, *(price for price in others if price is not None)])


def _decode(body: bytes, kind: type[_Kind], what: str) -> _Kind:
    # Bytes that are no UTF-8, and halves of surrogate pairs, cost the field they stand in, not the listing.
    text = _ESCAPE.sub(_whole_character, body.decode("utf-8-sig", "replace"))
    try:
        return msgspec.json.decode(text, type=kind)
    # What is nested too deep exhausts the decoder's recursion.
    except (msgspec.DecodeError, RecursionError) as error:
        raise RouterError(f"expected {what}, found {error}", do="Try again later") from None


def _whole_character(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape["half"] else escape[0]


def _model(members: dict[str, Any]) -> ListedModel | None:
    model_id = short(members.get("id"))
    if model_id is None or _ID.fullmatch(model_id) is None or ".." in model_id:
        return None
    slug = short(members.get("canonical_slug"))
    reasoning = members.get("reasoning")
    parameters = members.get("supported_parameters")
    return ListedModel(
        model=slug if slug is not None and _ID.fullmatch(slug) and ".." not in slug else model_id,
        model_id=model_id,
        reasoning_mandatory=_table(reasoning).get("mandatory") is True,
        reasoning_supported=isinstance(reasoning, dict) or (isinstance(parameters, list) and "reasoning" in parameters),
    )


def _endpoint(raw: msgspec.Raw) -> ListedEndpoint | None:
    members = _members(bytes(raw))
    provider = short(members.get("provider_name"))
    if provider is None:
        return None
    pricing = _table(members.get("pricing"))
    precision = short(members.get("quantization"))
    parameters = members.get("supported_parameters")
    named = (short(name) for name in (parameters[:_MAX_PARAMETERS] if isinstance(parameters, list) else []))
    return ListedEndpoint(
        provider=provider,
        tag=_tag(members.get("tag")) or provider,
        declared_precision=None if precision is None or precision.casefold() in ABSENT else precision,
        context_length=whole(members.get("context_length"), 0, INT64_MAX),
        max_completion_tokens=whole(members.get("max_completion_tokens"), 0, INT64_MAX),
        price_prompt=usd(pricing.get("prompt")),
        price_completion=usd(pricing.get("completion")),
        status=whole(members.get("status"), -INT32_MAX - 1, INT32_MAX),
        supported_parameters=tuple(name for name in named if name is not None),
        raw=_compact(raw),
    )


def _tag(value: object) -> str | None:
    # A shortened tag would pin nothing: one that is too long counts as missing.
    tag = short(value)
    return tag if isinstance(value, str) and tag == value.strip() else None


def _compact(raw: msgspec.Raw) -> str:
    return msgspec.json.format(bytes(raw), indent=-1).decode("utf-8", "replace")


def _members(raw: bytes | msgspec.Raw) -> dict[str, Any]:
    try:
        return _table(read_json(bytes(raw), unique_names=False))
    except NotJsonError:
        return {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
