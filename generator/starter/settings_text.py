"""The settings file of a new site root: content/site.toml in words for its owner; whatever was chosen, it is TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal, assert_never

import msgspec

RouterKind = Literal["openrouter", "huggingface", "direct"]

EXAMPLE_ADDRESS = "https://grades.example/"
EXAMPLE_TITLE = "Endpoint grades"
EXAMPLE_MODEL = {
    "openrouter": "meta-llama/llama-3.3-70b-instruct",
    "huggingface": "meta-llama/Llama-3.3-70B-Instruct",
    "direct": "meta-llama/llama-3.1-8b-instruct",
}
_EXAMPLE_SERVERS = ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8001/v1", "http://127.0.0.1:8002/v1")
"""Of two, no difference is either one's."""

_HEAD = """\
# The settings of this site: what it is called, what it watches, whom it asks, and what a night may cost.
# A key never stands here: only the name of the environment variable that holds it.
# 'bitdepth doctor' checks all of this; 'bitdepth plan' says what a night would ask, and cost at most.

format = 1

# The title stands on every page, the publisher in every citation.
title = {title}
publisher = {publisher}

# Where the site will stand, with a slash at the end. Each permanent page keeps the address that it was issued at:
# settle it before the first night.
address = {address}

# Where corrections are sent: an e-mail or web address.
contact = {contact}

# The current method version; versions graded beside it, which replace nothing; the prompts that are asked.
method = {method}
candidates = [{candidates}]
prompt_set = {prompt_set}
"""

_MODELS = """
# The models watched, as author/name. Every endpoint that the router lists for them is asked.
models = [
{models}]

# Every model that so many providers serve, beside those above:
# min_providers = 4
# exclude = ["author/name"]
"""

_ROUTER = """
[router]
kind = {kind}
address = {address}
key_variable = {key_variable}

# The most that one night may cost, in US dollars. What no longer fits is not asked.
[budget]
max_usd = "2.00"
"""

_DIRECT = """
# Servers of the OpenAI protocol, asked without a router between: vLLM, SGLang, llama.cpp, Ollama.
[router]
kind = "direct"
"""

_SERVER = """
[[servers]]
name = {name}
address = {address}
model = {model}
"""

_SERVER_MORE = """
# What else a server may say of itself: what it calls the model, what its owner declares, its key, its price per token.
# model_id = "llama3.1:8b"
# declared_precision = "fp8"
# context_length = 8192
# key_variable = "RACK_KEY"
# price_prompt = "0.00000005"
# price_completion = "0.00000008"
"""

_PROBING = """
# The hour, UTC, at which a night is meant to begin; one that begins more than six hours after it is marked late.
[probing]
hour_utc = 3
"""


class Shipped(msgspec.Struct, frozen=True, kw_only=True):
    """What the program brings along, and a new root is asked and graded with."""

    method: str
    candidates: tuple[str, ...]
    prompt_set: str


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What the owner of a new root chose; examples stand where nothing was chosen."""

    address: str = EXAMPLE_ADDRESS
    title: str = EXAMPLE_TITLE
    router: RouterKind = "openrouter"
    models: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    """Addresses of a direct router's servers, each of which serves every one of the models."""


def site_toml(choices: Choices, shipped: Shipped) -> str:
    """Return the text of content/site.toml.

    Args:
        choices: as typed; whether they are sound is for whoever reads the settings.
        shipped: the program's own.
    """
    head = _HEAD.format(
        title=_quoted(choices.title),
        publisher=_quoted(choices.title),
        address=_quoted(choices.address),
        contact=_quoted(f"mailto:corrections@{_host(choices.address)}"),
        method=_quoted(shipped.method),
        candidates=", ".join(map(_quoted, shipped.candidates)),
        prompt_set=_quoted(shipped.prompt_set),
    )
    models = choices.models or (EXAMPLE_MODEL[choices.router],)
    return "".join((head, *_asked(choices, models), _PROBING, *_servers(choices, models)))


def key_variable(router: RouterKind) -> str | None:
    """Return the environment variable that a new root's settings name for the router's key; None where none is."""
    match router:
        case "openrouter":
            return "OPENROUTER_API_KEY"
        case "huggingface":
            return "HF_TOKEN"
        case "direct":
            return None
        case _:
            assert_never(router)


def _asked(choices: Choices, models: tuple[str, ...]) -> Iterator[str]:
    """Yield the parts that say who is asked, and of a router for which models."""
    match choices.router:
        case "openrouter" | "huggingface":
            yield _MODELS.format(models="".join(f"  {_quoted(model)},\n" for model in models))
            yield _ROUTER.format(
                kind=_quoted(choices.router),
                address=_quoted(_router_address(choices.router)),
                key_variable=_quoted(key_variable(choices.router) or ""),
            )
        case "direct":
            yield _DIRECT
        case _:
            assert_never(choices.router)


def _servers(choices: Choices, models: tuple[str, ...]) -> Iterator[str]:
    """Yield a direct router's servers: the last part, for whoever writes them anew."""
    if choices.router != "direct":
        return
    for model in models:
        for number, address in enumerate(choices.servers or _EXAMPLE_SERVERS, start=1):
            yield _SERVER.format(name=_quoted(f"server {number}"), address=_quoted(address), model=_quoted(model))
    yield _SERVER_MORE


def _router_address(router: Literal["openrouter", "huggingface"]) -> str:
    match router:
        case "openrouter":
            return "https://openrouter.ai/api/v1"
        case "huggingface":
            return "https://router.huggingface.co/v1"
        case _:
            assert_never(router)


def _host(address: str) -> str:
    """Return the host of an address, without its port."""
    return address.partition("://")[2].partition("/")[0].partition(":")[0]


def _quoted(text: str) -> str:
    """Return a text as a TOML string: one line, whatever stands in it.

    JSON's escapes are among TOML's; the one control character that JSON leaves as it is, TOML does not.
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
