"""A reply's body as typed values, parsed once: what cannot be read is null, what says that it failed is kept."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from generator.probing.wire_message import Message, read_message
from generator.probing.wire_routes import Routes, read_routes
from generator.probing.wire_values import INT32_MAX, NotJsonError, read_json, short, usd, whole

_MAX_MESSAGE = 2000
_STATUSES = (100, 599)


class ErrorObject(msgspec.Struct, frozen=True, kw_only=True):
    """An error as a router words it, whatever its shape."""

    code: int | None
    """Where it is a status, given as a number or as its text."""
    provider: str | None
    """The provider that it names."""
    limit_source: str | None
    """Whose limit a 429 is about."""
    words: str
    """Its message, and the step of routing that failed, in lower case, cut; never stored."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The first choice of an answer."""

    failed: bool
    """It, or one beside it, holds an error of its own."""
    finish_reason: str | None
    native_finish_reason: str | None
    message: Message


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """What of a body matters."""

    error: ErrorObject | None
    """The error on top; null only where there is none."""
    choice: Choice | None
    provider: str | None
    provider_readable: bool
    """The provider is a name, or none is given."""
    model: str | None
    generation_id: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    """May exceed the completion tokens: routers count in different ways."""
    cost_usd: Decimal | None
    routes: Routes

    @property
    def named_provider(self) -> str | None:
        """The provider that the body names, in its error or beside it."""
        return (self.error.provider if self.error is not None else None) or self.provider


def read_body(body: bytes) -> Body | None:
    """Return a body's values, or None where it is no JSON object; keep-alive white space before it is tolerated."""
    try:
        document = read_json(body)
    except NotJsonError:
        return None
    if not isinstance(document, dict):
        return None
    usage = _table(document.get("usage"))
    details = _table(usage.get("completion_tokens_details"))
    provider = document.get("provider")
    return Body(
        error=_error(document),
        choice=_choice(document.get("choices")),
        provider=short(provider),
        provider_readable=provider is None or isinstance(provider, str),
        model=short(document.get("model")),
        generation_id=short(document.get("id")),
        prompt_tokens=whole(usage.get("prompt_tokens"), 0, INT32_MAX),
        completion_tokens=whole(usage.get("completion_tokens"), 0, INT32_MAX),
        reasoning_tokens=whole(details.get("reasoning_tokens"), 0, INT32_MAX),
        cost_usd=usd(usage.get("cost")),
        routes=read_routes(document.get("openrouter_metadata")),
    )


def _error(document: dict[str, Any]) -> ErrorObject | None:
    """Return the error of a body: its member, or the body itself where it calls itself one as older vLLM does."""
    value = document.get("error")
    if value is None:
        if document.get("object") != "error":
            return None
        value = document
    members = _table(value)
    metadata = _table(members.get("metadata"))
    said = (members.get("message"), metadata.get("failed_routing_step"))
    return ErrorObject(
        code=_code(members.get("code")),
        provider=short(metadata.get("provider_name")),
        limit_source=short(metadata.get("limit_source")),
        words="\n".join(each[:_MAX_MESSAGE].lower() for each in said if isinstance(each, str)),
    )


def _code(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len("599"):
        return whole(int(value), *_STATUSES)
    return whole(value, *_STATUSES)


def _choice(value: object) -> Choice | None:
    if not isinstance(value, list) or not value:
        return None
    choice = _table(value[0])
    return Choice(
        failed=any(isinstance(each, dict) and each.get("error") is not None for each in value),
        finish_reason=short(choice.get("finish_reason")),
        native_finish_reason=short(choice.get("native_finish_reason")),
        message=read_message(choice.get("message")),
    )


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
