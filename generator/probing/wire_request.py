"""One ask as the request that OpenRouter's chat API takes: pinned to one endpoint, greedy, nothing added or cached.

Source: https://openrouter.ai/docs, as of 2026 (provider routing, reasoning tokens, message transforms, caching).
"""

from __future__ import annotations

from typing import Any

from generator.probing.interface import Ask
from generator.probing.prices import price_limit
from generator.settings import ProbingSettings

MIN_MAX_TOKENS = 16
"""Some endpoints refuse a smaller `max_tokens`."""

UNDECLARED = "unknown"
"""The router's word, in filters, for a precision that is not declared."""


def token_limit(ask: Ask, settings: ProbingSettings) -> int:
    """Return how many tokens a request allows: the prompt's cut, and the thinking budget where it must think."""
    budget = thinking_budget(ask, settings) if ask.reasoning_mandatory else 0
    return max(MIN_MAX_TOKENS, ask.max_tokens or ask.prompt.max_tokens) + budget


def thinking_budget(ask: Ask, settings: ProbingSettings) -> int:
    """Return how many tokens a model that must think may think for: its own budget, else the night's."""
    own = ask.reasoning_budget_tokens
    return settings.reasoning_budget_tokens if own is None else own


def request_body(ask: Ask, settings: ProbingSettings) -> dict[str, Any]:
    """Return the body of a request, to be sent as JSON.

    Temperature, token limit and, for models that think, `reasoning` are always sent; `seed` only where listed. What
    an endpoint does not list the router drops in silence, and then nothing is required of it: `require_parameters`
    is true only where everything sent is listed, because the router would else find no endpoint at all.
    """
    limit_name = "max_tokens"
    if "max_tokens" not in ask.parameters and "max_completion_tokens" in ask.parameters:
        limit_name = "max_completion_tokens"
    optional: dict[str, Any] = {"temperature": settings.temperature, limit_name: token_limit(ask, settings)}
    if settings.sampling_seed is not None and "seed" in ask.parameters:
        optional["seed"] = settings.sampling_seed
    if ask.reasoning_mandatory and thinking_budget(ask, settings):
        optional["reasoning"] = {"max_tokens": thinking_budget(ask, settings)}
    elif ask.reasoning_supported and not ask.reasoning_mandatory:
        optional["reasoning"] = {"effort": "none"}
    provider: dict[str, Any] = {
        "only": [ask.tag],
        "allow_fallbacks": False,
        "require_parameters": all(name in ask.parameters for name in optional),
    }
    if ask.quantization is not None:
        provider["quantizations"] = ask.quantization.split("+")
    limit = price_limit(ask)
    if limit is not None:
        provider["max_price"] = limit
    return {
        "model": ask.model_id,
        "messages": [{"role": "user", "content": ask.prompt.prompt}],
        "stream": False,
        **optional,
        "provider": provider,
        # On by default where the context is small, it would rewrite the prompt.
        "plugins": [{"id": "context-compression", "enabled": False}],
        "usage": {"include": True},
    }


def request_headers() -> dict[str, str]:
    """Return the headers of every request, but for the key's."""
    return {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "X-OpenRouter-Cache": "false",
        "X-OpenRouter-Metadata": "enabled",
    }
