"""Makers of asks, replies, listings and settings for tests of probing; each takes what a test is about."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, End, Reply
from generator.probing.wire import observe
from generator.records.endpoint import KnownEndpoint
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.observation import Observation
from generator.records.prompt import Prompt
from generator.settings import ProbingSettings

BODIES = Path(__file__).parent / "data" / "router-bodies"
SETTINGS = ProbingSettings(total_deadline_s=0.5, idle_deadline_s=0.25, max_body_bytes=20_000, attempts=3)
LINE = FAMILIES["line"]
CONTINUATION = FAMILIES["continuation"]


def prompt(**changes: Any) -> Prompt:
    """Return a prompt."""
    fields = {
        "prompt_id": "capital-f01",
        "family": "capital",
        "fixed": True,
        "prompt": "Name the capital of France.",
        "expected": "paris",
        "max_tokens": 24,
    }
    return Prompt(**(fields | changes))


def ask(**changes: Any) -> Ask:
    """Return an ask of endpoint elm, provider Elm."""
    fields = {
        "model": "author/model-20260101",
        "model_id": "author/model",
        "endpoint": "elm",
        "provider": "Elm",
        "tag": "elm/fp8",
        "quantization": None,
        "parameters": ("max_tokens", "seed", "temperature"),
        "reasoning_mandatory": False,
        "reasoning_supported": False,
        "price_prompt": Decimal("0.000001"),
        "price_completion": Decimal("0.000002"),
        "prompt": prompt(),
        "kind": "line",
    }
    return Ask(**(fields | changes))


def completion(content: object = "Paris", *, choice: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """Return the body of a good answer, changed where a test says so; a change to ... takes the member out."""
    first = {
        "index": 0,
        "finish_reason": "stop",
        "native_finish_reason": "stop",
        "message": {"role": "assistant", "content": content},
    } | (choice or {})
    body = {
        "id": "gen-1",
        "provider": "Elm",
        "model": "author/model",
        "choices": [first],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.000013},
    } | changes
    return {name: value for name, value in body.items() if value is not ...}


def error(code: object, *, provider: str | None = None, **metadata: object) -> dict[str, Any]:
    """Return the body of an error."""
    named = {"provider_name": provider} if provider is not None else {}
    return {"error": {"code": code, "message": "It failed", "metadata": {**named, **metadata}}}


def reply(body: object, status: int | None = 200, end: End = End.COMPLETE, **headers: str) -> Reply:
    """Return a reply; a body that is no bytes is written as JSON, header names take - for _."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(end=end, status=status, headers=named, body=data, latency_ms=120)


def seen(body: object, status: int | None = 200, *, of: Ask | None = None, end: End = End.COMPLETE) -> Observation:
    """Return what is observed of a body."""
    asked = of or ask()
    return observe(asked, reply(body, status, end), FAMILIES[asked.kind])


def listed(tag: str, precision: str | None = None, **changes: Any) -> ListedEndpoint:
    """Return one entry of a listing."""
    fields = {
        "provider": tag.partition("/")[0].title(),
        "tag": tag,
        "declared_precision": precision,
        "context_length": 8192,
        "max_completion_tokens": None,
        "price_prompt": Decimal("0.000001"),
        "price_completion": Decimal("0.000002"),
        "status": 0,
        "supported_parameters": ("max_tokens", "temperature"),
        "raw": json.dumps({"tag": tag, "quantization": precision}, separators=(",", ":")),
    }
    return ListedEndpoint(**(fields | changes))


def listing(*entries: ListedEndpoint, model: str = "author/model", **changes: Any) -> ModelListing:
    """Return the listing of one model."""
    fields = {"model_id": model, "reasoning_mandatory": False, "reasoning_supported": False}
    return ModelListing(model=model, endpoints=entries, **(fields | changes))


def known(endpoint: str, tag: str, base: str, **changes: Any) -> KnownEndpoint:
    """Return an endpoint that the archive knows."""
    fields = {"model": "author/model", "first_listed": None, "on_last_recorded_night": True}
    return KnownEndpoint(endpoint=endpoint, tag=tag, base=base, **(fields | changes))


def with_settings(**changes: Any) -> ProbingSettings:
    """Return the settings, changed."""
    return msgspec.structs.replace(SETTINGS, **changes)
