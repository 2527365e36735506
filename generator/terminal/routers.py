"""The router that settings name, with its keys from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import assert_never

from generator.errors import RouterError
from generator.probing.demo_client import Demo
from generator.probing.direct import Direct
from generator.probing.huggingface import HuggingFace
from generator.probing.interface import Router
from generator.probing.openrouter import OpenRouter
from generator.settings import Key, Settings
from generator.workflows.probing import RouterOf
from generator.workflows.world import World


def router_of(settings: Settings, world: World) -> AbstractAsyncContextManager[Router]:
    """Return the router that settings name, not yet open.

    Raises:
        ContentError: where the settings of a server cannot be used.
        RouterError: where a key is missing or cannot be sent, or an address is none.
    """
    router = settings.router
    clocks = (world.now, world.monotonic)
    address = router.address or ""
    match router.kind:
        case "openrouter":
            return OpenRouter(address, _router_key(settings), settings.probing, *clocks, sleep=world.sleep)
        case "demo":
            return Demo(address, _router_key(settings), settings.probing, *clocks, sleep=world.sleep)
        case "huggingface":
            return HuggingFace(address, _router_key(settings), settings.probing, *clocks, sleep=world.sleep)
        case "direct":
            return Direct(settings.servers, _server_keys(settings), settings.probing, *clocks, sleep=world.sleep)
        case _:
            assert_never(router.kind)


def demo_at(address: str) -> RouterOf:
    """Return what makes the client of a demo router at an address."""
    return lambda settings, world: Demo(address, Key("demo"), settings.probing, world.now, world.monotonic)


def _router_key(settings: Settings) -> Key | None:
    variable = settings.router.key_variable
    return None if variable is None else _key(variable, "the router", "router.key_variable")


def _server_keys(settings: Settings) -> Mapping[str, Key]:
    return {
        server.key_variable: _key(server.key_variable, f"server '{server.name}'", f"servers[{number}].key_variable")
        for number, server in enumerate(settings.servers)
        if server.key_variable is not None
    }


def _key(variable: str, whose: str, field: str) -> Key:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise RouterError(
            f"expected the key of {whose} in the environment, found none",
            where=f"variable {variable}",
            do=f"Set {variable}, or change {field} in content/site.toml",
        )
    return Key(value, variable)
