"""The night's plan: every prompt for every endpoint, in an order that the seed draws and that spreads the load.

Each provider's asks lie evenly over the whole night: its i-th of n stands at a drawn point of the i-th of n equal
stretches. Which of its asks is the i-th is drawn too. All draws are SHA-256 over seed, model, endpoint and prompt, so
that an ask's draw does not depend on what else is planned.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from generator.probing.interface import Ask
from generator.probing.prices import listed_prices
from generator.probing.wire_request import UNDECLARED
from generator.records.endpoint import Endpoint
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.night import ModelSettings
from generator.records.prompt import Prompt

_BITS = 64


def plan(  # noqa: PLR0913 - a night is planned from all of these
    endpoints: Iterable[Endpoint],
    listings: Iterable[ModelListing],
    prompts: Sequence[Prompt],
    *,
    seed: str,
    kinds: Mapping[str, str],
    models: Mapping[str, ModelSettings] = MappingProxyType({}),
) -> tuple[Ask, ...]:
    """Return one ask for each endpoint and prompt, in sending order.

    Args:
        endpoints: tonight's, identity settled.
        listings: tonight's, which the endpoints were settled from.
        prompts: tonight's, fixed and generated.
        seed: the night's, in hexadecimal.
        kinds: by family, the kind that normalises its answers.
        models: by model, what is asked of it otherwise than of the others.
    """
    listed = {listing.model: listing for listing in listings}
    asks = [
        ask
        for endpoint in endpoints
        for ask in _asks(endpoint, listed[endpoint.model], prompts, kinds, models.get(endpoint.model, ModelSettings()))
    ]
    return _spread(asks, seed)


def _asks(
    endpoint: Endpoint, listing: ModelListing, prompts: Sequence[Prompt], kinds: Mapping[str, str], own: ModelSettings
) -> list[Ask]:
    entries = [entry for entry in listing.endpoints if entry.tag == endpoint.tag]
    prices = listed_prices(endpoint, entries)
    quantization = _filter(endpoint, listing)
    parameters = _parameters(entries)
    return [
        Ask(
            model=endpoint.model,
            model_id=endpoint.model_id,
            endpoint=endpoint.endpoint,
            provider=endpoint.provider,
            tag=endpoint.tag,
            quantization=quantization,
            parameters=parameters,
            reasoning_mandatory=listing.reasoning_mandatory,
            reasoning_supported=listing.reasoning_supported,
            price_prompt=prices.prompt if prices else None,
            price_completion=prices.completion if prices else None,
            price_request=prices.request if prices else Decimal(0),
            reasoning_budget_tokens=own.reasoning_budget_tokens,
            max_tokens=own.max_tokens,
            prompt=prompt,
            kind=kinds[prompt.family],
        )
        for prompt in prompts
    ]


def _filter(endpoint: Endpoint, listing: ModelListing) -> str | None:
    """Return the precision to filter by too, where the tag alone also matches longer tags of the model."""
    prefix = f"{endpoint.tag}/".casefold()
    matches_siblings = any(entry.tag.casefold().startswith(prefix) for entry in listing.endpoints)
    return (endpoint.declared_precision or UNDECLARED) if matches_siblings else None


def _parameters(entries: list[ListedEndpoint]) -> tuple[str, ...]:
    """Return the parameters that every entry behind an endpoint lists."""
    listed = [set(entry.supported_parameters) for entry in entries]
    return tuple(sorted(set.intersection(*listed))) if listed else ()


def _spread(asks: list[Ask], seed: str) -> tuple[Ask, ...]:
    """Return the asks in sending order."""
    by_provider: dict[str, list[tuple[int, int, Ask]]] = defaultdict(list)
    for ask in asks:
        order, place = _draws(ask, seed)
        by_provider[ask.provider].append((order, place, ask))
    placed: list[tuple[int, int, str, Ask]] = []
    for provider, drawn in by_provider.items():
        drawn.sort(key=lambda item: item[0])
        placed.extend(
            (((index << _BITS) + place) // len(drawn), order, provider, ask)
            for index, (order, place, ask) in enumerate(drawn)
        )
    placed.sort(key=lambda item: item[:3])
    return tuple(ask for *_, ask in placed)


def _draws(ask: Ask, seed: str) -> tuple[int, int]:
    # None of these can hold a line break, so that no two asks hash the same text.
    text = f"plan\n{seed}\n{ask.model}\n{ask.endpoint}\n{ask.prompt.prompt_id}"
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return int.from_bytes(digest[:16]), int.from_bytes(digest[16 : 16 + _BITS // 8])
