"""JSON bodies as OpenRouter shapes them; every word of a message is our own.

The shapes follow real bodies of OpenRouter's, seen from 2025 to 2026. Members that hold nothing here stand as null,
as they do there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from generator.probing.demo.recording import Sample
from generator.probing.demo.request import SUPPORTED
from generator.probing.demo.roster import Offer

# The day of the recording: a body names a time, and nothing here reads a clock.
_RECORDED_AT = 1_795_910_400

_ENCODER = msgspec.json.Encoder(decimal_format="number")


def encode(body: object) -> bytes:
    """Return the JSON of a body, with prices that are no strings as plain numbers."""
    return _ENCODER.encode(body)


def models_body(listed: Sequence[Offer]) -> bytes:
    """Return the body of the list of models.

    Args:
        listed: the night's roster.
    """
    first: dict[str, Offer] = {}
    for offer in listed:
        first.setdefault(offer.recorded.model, offer)
    return encode({"data": [_model(model, offer) for model, offer in sorted(first.items())]})


def endpoints_body(model: str, listed: Sequence[Offer]) -> bytes:
    """Return the body of one model's endpoints.

    Args:
        model: a model of the recording.
        listed: the night's roster; other models' endpoints are left out.
    """
    entries = [_endpoint(offer) for offer in listed if offer.recorded.model == model]
    return encode(
        {
            "data": {
                "id": model,
                "name": model,
                "created": _RECORDED_AT,
                "description": "Recorded answers, played back.",
                "architecture": _architecture(),
                "endpoints": entries,
            }
        }
    )


def key_body() -> bytes:
    """Return the body of what is known of a key: nothing is charged, and so nothing is limited."""
    return encode(
        {
            "data": {
                "label": "demo",
                "limit": None,
                "limit_remaining": None,
                "limit_reset": None,
                "usage": 0,
                "is_free_tier": False,
                "is_management_key": False,
            }
        }
    )


def answer_body(generation: str, offer: Offer, provider: str, sample: Sample) -> bytes:
    """Return the body of a good answer.

    Args:
        generation: its id.
        offer: the endpoint asked, at whose price it is charged.
        provider: who served it.
        sample: the recorded answer.
    """
    choice = {
        "index": 0,
        "logprobs": None,
        "finish_reason": sample.finish_reason,
        "native_finish_reason": sample.finish_reason,
        "message": {"role": "assistant", "content": sample.text, "refusal": None, "reasoning": None},
    }
    return encode(_completion(generation, offer, provider, choice) | {"usage": _usage(offer, sample)})


def error_body(code: int | str, message: str, metadata: Mapping[str, object] | None = None) -> bytes:
    """Return the body of an error.

    Args:
        code: mostly the HTTP status.
        message: in words.
        metadata: which provider it concerns, and its own words; None where the router speaks for itself.
    """
    return encode({"error": _error(code, message, metadata)})


def provider_metadata(offer: Offer, raw: str) -> dict[str, object]:
    """Return the metadata of an error that is the provider's.

    Args:
        offer: the endpoint asked.
        raw: what the provider is said to have answered.
    """
    return {"provider_name": offer.recorded.provider_name, "raw": raw}


def bodies_without_answer(generation: str, offer: Offer) -> tuple[bytes, ...]:
    """Return the shapes in which an HTTP 200 carries no answer: error on top, in the choice, no choice, null content.

    Args:
        generation: the id.
        offer: the endpoint asked.
    """
    provider = offer.recorded.provider_name
    metadata = provider_metadata(offer, "The worker went away")
    error = _error(502, "Provider returned an error", metadata)
    empty = {"role": "assistant", "content": "", "refusal": None, "reasoning": None}
    failed = {"index": 0, "finish_reason": "error", "native_finish_reason": None, "message": empty, "error": error}
    null = {"index": 0, "finish_reason": "stop", "native_finish_reason": "stop", "message": empty | {"content": None}}
    without_choices = _completion(generation, offer, provider, failed)
    without_choices.pop("choices")
    return (
        error_body(502, "Provider returned an error", metadata),
        encode(_completion(generation, offer, provider, failed)),
        encode(without_choices),
        encode(_completion(generation, offer, provider, null)),
    )


def _model(model: str, offer: Offer) -> dict[str, Any]:
    return {
        "id": model,
        "canonical_slug": model,
        "name": model,
        "created": _RECORDED_AT,
        "description": "Recorded answers, played back.",
        "context_length": offer.recorded.context_length,
        "architecture": _architecture(),
        "pricing": _pricing(offer),
        "top_provider": {
            "context_length": offer.recorded.context_length,
            "max_completion_tokens": None,
            "is_moderated": False,
        },
        "per_request_limits": None,
        "supported_parameters": SUPPORTED,
        "links": {"details": f"/api/v1/models/{model}/endpoints"},
    }


def _endpoint(offer: Offer) -> dict[str, Any]:
    return {
        "name": f"{offer.recorded.provider_name} | {offer.recorded.model}",
        "model_id": offer.recorded.model,
        "model_name": offer.recorded.model,
        "context_length": offer.recorded.context_length,
        "pricing": _pricing(offer),
        "provider_name": offer.recorded.provider_name,
        "tag": offer.tag,
        "quantization": offer.quantization,
        "max_completion_tokens": None,
        "max_prompt_tokens": None,
        "supported_parameters": SUPPORTED,
        "status": 0,
        "uptime_last_30m": None,
        "supports_implicit_caching": False,
        "latency_last_30m": None,
        "throughput_last_30m": None,
    }


def _completion(generation: str, offer: Offer, provider: str, choice: Mapping[str, object]) -> dict[str, Any]:
    return {
        "id": generation,
        "object": "chat.completion",
        "created": _RECORDED_AT,
        "model": offer.recorded.model,
        "provider": provider,
        "system_fingerprint": None,
        "choices": [choice],
    }


def _usage(offer: Offer, sample: Sample) -> dict[str, Any]:
    return {
        "prompt_tokens": sample.prompt_tokens,
        "completion_tokens": sample.completion_tokens,
        "total_tokens": sample.prompt_tokens + sample.completion_tokens,
        "cost": _usd(offer.price_prompt * sample.prompt_tokens + offer.price_completion * sample.completion_tokens),
        "is_byok": False,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _usd(amount: Decimal) -> Decimal:
    # Without trailing zeros, so that a number is written in one way only.
    return amount.normalize()


def _pricing(offer: Offer) -> dict[str, object]:
    return {
        "prompt": f"{offer.price_prompt:f}",
        "completion": f"{offer.price_completion:f}",
        "request": "0",
        "image": "0",
        "discount": 0,
    }


def _architecture() -> dict[str, object]:
    return {
        "modality": "text->text",
        "input_modalities": ["text"],
        "output_modalities": ["text"],
        "tokenizer": "Other",
        "instruct_type": None,
    }


def _error(code: int | str, message: str, metadata: Mapping[str, object] | None) -> dict[str, object]:
    error: dict[str, object] = {"message": message, "code": code}
    return error | {"metadata": metadata} if metadata is not None else error
