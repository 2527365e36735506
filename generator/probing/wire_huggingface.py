"""The wire format of Hugging Face's router, where it differs from OpenRouter's: its listing, and who answered.

    GET  /models             data[].providers[]: who serves a model, at which price per million tokens
    POST /chat/completions   the model's id, a colon and the provider; the provider's own body comes back as it is

The router publishes no precision. Which provider served is told by a header; the body names the model as that
provider does, which no listing tells, and says nothing of the cost.

Source: https://huggingface.co/docs/inference-providers/hub-api, as of August 2026, and recorded answers of 2025 and
2026 (github.com/pydantic/pydantic-ai, tests/models/cassettes/test_huggingface).
"""

from __future__ import annotations

import re
from decimal import Decimal
from http import HTTPStatus

import msgspec

from generator.probing.interface import Reply
from generator.probing.wire_entries import compact, data_of, members, table, whole_name
from generator.probing.wire_listing import is_id
from generator.probing.wire_values import INT64_MAX, short, usd, whole
from generator.records.listing import ListedEndpoint, ModelListing

SERVED_HEADER = "x-inference-provider"
"""Names who served, as the listing names it."""

LIVE = "live"
"""The status of a provider whom the router passes requests on to; another, such as 'error', is not asked."""

_PROVIDER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
# The account is the operator's at the router: it is the router that refuses, whoever was asked.
_ACCOUNT = (HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN)


class _Providers(msgspec.Struct, frozen=True):
    providers: list[msgspec.Raw] = []


def parse_listing(body: bytes) -> tuple[ModelListing, ...]:
    """Return every model that the router lists with the providers who are live, in its order.

    Entries whose id is no `author/name` are left out, and providers whose name cannot stand in a request.

    Raises:
        RouterError: where the body is no list of models.
    """
    found = (_model(raw) for raw in data_of(body, "the list of models"))
    return tuple(model for model in found if model is not None)


def told(reply: Reply) -> Reply:
    """Return a reply with who spoke, where its header tells."""
    provider = None if reply.status in _ACCOUNT else short(reply.headers.get(SERVED_HEADER))
    return msgspec.structs.replace(reply, speaker=provider, model_is_providers=True)


def _model(raw: msgspec.Raw) -> ModelListing | None:
    model_id = whole_name(members(raw).get("id"))
    # What follows a colon would be taken for the provider.
    if model_id is None or not is_id(model_id) or ":" in model_id:
        return None
    found = (_endpoint(provider) for provider in _providers(raw))
    return ModelListing(
        model=model_id,
        model_id=model_id,
        reasoning_mandatory=False,
        reasoning_supported=False,
        endpoints=tuple(endpoint for endpoint in found if endpoint is not None),
    )


def _providers(raw: msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(bytes(raw), type=_Providers).providers
    except (msgspec.DecodeError, RecursionError):
        return []


def _endpoint(raw: msgspec.Raw) -> ListedEndpoint | None:
    entry = members(raw)
    provider = whole_name(entry.get("provider"))
    if provider is None or _PROVIDER.fullmatch(provider) is None or entry.get("status") != LIVE:
        return None
    pricing = table(entry.get("pricing"))
    return ListedEndpoint(
        provider=provider,
        tag=provider,
        declared_precision=None,
        context_length=whole(entry.get("context_length"), 0, INT64_MAX),
        max_completion_tokens=None,
        price_prompt=_per_token(pricing.get("input")),
        price_completion=_per_token(pricing.get("output")),
        status=None,
        supported_parameters=(),
        raw=compact(raw),
    )


def _per_token(per_million: object) -> Decimal | None:
    price = usd(per_million)
    return None if price is None else usd(price.scaleb(-6))
