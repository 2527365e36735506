"""One ask as a plain chat request, as every server of OpenAI's protocol takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.probing.interface import Ask
from generator.probing.wire_request import token_limit
from generator.settings import ProbingSettings

OWN_MEMBERS = frozenset(
    {"max_completion_tokens", "max_tokens", "messages", "model", "n", "seed", "stream", "temperature"}
)
"""What a request holds by the night's settings: nothing else may set it."""


def chat_body(
    model_id: str, ask: Ask, settings: ProbingSettings, parameters: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the body of a request, to be sent as JSON; `seed` is sent only where the endpoint lists it.

    Args:
        model_id: what the far end calls the model.
        ask: what is asked.
        settings: temperature, seed and the thinking budget.
        parameters: further members, none of `OWN_MEMBERS`.
    """
    body = {
        **(parameters or {}),
        "model": model_id,
        "messages": [{"role": "user", "content": ask.prompt.prompt}],
        "stream": False,
        "temperature": settings.temperature,
        "max_tokens": token_limit(ask, settings),
    }
    if settings.sampling_seed is not None and "seed" in ask.parameters:
        body["seed"] = settings.sampling_seed
    return body
