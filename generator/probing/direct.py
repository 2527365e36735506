"""Servers asked directly, without a router between: one's own vLLM, SGLang, llama.cpp or Ollama.

Each server of the settings is an endpoint of the model that it names, listed on the nights on which it answers.
Whatever it says is its own: a 5xx, a 429 or a refused key concerns that server alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from http import HTTPStatus
from types import TracebackType
from typing import Self

import msgspec

from generator.errors import ContentError, RouterError
from generator.probing.interface import Ask, Checkup, Reply, Watch
from generator.probing.service import Service, well
from generator.probing.wire_plain import chat_body
from generator.probing.wire_server import (
    ServedModel,
    check_parameters,
    endpoint_of,
    names_a_path,
    parse_served,
    served_by,
    tag_of,
)
from generator.records.listing import ListedEndpoint, ModelListing
from generator.settings import Key, ProbingSettings, ServerSettings

_WHERE = "content/site.toml, field 'servers"
_SHOWN_NAMES = 5


class Direct:
    """A `Router` over some servers, open inside `async with`."""

    kind = "direct"
    latency = "measured"

    def __init__(  # noqa: PLR0913, PLR0917 - the servers and their keys, and the three ways in which it touches the world
        self,
        servers: Sequence[ServerSettings],
        keys: Mapping[str, Key],
        settings: ProbingSettings,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Prepare a client of each server.

        Args:
            servers: as settings list them.
            keys: by the variable that each stands in; one for every server that names a variable.
            settings: deadlines and caps, and what a request asks for.
            clock: the time, UTC.
            monotonic: seconds that never run backwards.
            sleep: waits between two attempts to read a listing.

        Raises:
            ContentError: where two servers of a model have one tag, or a server's parameters cannot be sent.
            RouterError: where an address is none, or a key cannot stand in a header.
        """
        self._settings = settings
        self._stack = AsyncExitStack()
        self._servers: dict[tuple[str, str], tuple[ServerSettings, Service]] = {}
        for number, server in enumerate(servers):
            check_parameters(server, f"{_WHERE}[{number}].parameters'")
            if (server.model, tag_of(server)) in self._servers:
                raise ContentError(
                    f"expected names that differ in letters or digits, found '{server.name}' beside one like it",
                    where=f"{_WHERE}[{number}].name'",
                    do="Rename one of the servers",
                )
            service = Service(
                server.address,
                keys[server.key_variable] if server.key_variable is not None else None,
                settings,
                clock=clock,
                monotonic=monotonic,
                field=f"servers[{number}].address",
                sleep=sleep,
            )
            self._servers[server.model, tag_of(server)] = (server, service)

    async def __aenter__(self) -> Self:
        """Open the connections."""
        for _, service in self._servers.values():
            await self._stack.enter_async_context(service)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._stack.aclose()

    async def listing(self, watch: Watch) -> tuple[ModelListing, ...]:
        """Return tonight's listing: each watched model with the servers that answer, in the settings' order.

        A server that does not answer, or with anything but a list of models, or that lists its model by the path of
        a file, is left out tonight; `checkup` says why.

        Args:
            watch: which models; a rule finds none here.
        """
        servers = [(server, service) for server, service in self._servers.values() if server.model in watch.models]
        endpoints = await asyncio.gather(*(_listed(server, service) for server, service in servers))
        found: dict[str, list[ListedEndpoint]] = {model: [] for model in watch.models}
        for (server, _), endpoint in zip(servers, endpoints, strict=True):
            if endpoint is not None:
                found[server.model].append(endpoint)
        return tuple(
            ModelListing(
                model=model,
                model_id=model,
                reasoning_mandatory=False,
                reasoning_supported=False,
                endpoints=tuple(listed),
            )
            for model, listed in found.items()
            if listed
        )

    async def ask(self, ask: Ask) -> Reply:
        """Return what came back for one request. Never raises for anything that the far end or the network does.

        Raises:
            ContentError: where the settings no longer hold the server that the night was begun with.
        """
        found = self._servers.get((ask.model, ask.tag))
        if found is None:
            raise ContentError(
                f"expected server '{ask.provider}' of {ask.model} with tag '{ask.tag}', as this night was begun with, "
                "found none",
                where=f"{_WHERE}'",
                do="Put it back until the night is sealed; it is sealed by itself once its date has passed",
            )
        server, service = found
        body = chat_body(ask.model_id, ask, self._settings, server.parameters)
        return msgspec.structs.replace(await service.post("/chat/completions", body), speaker=server.name)

    async def checkup(self) -> tuple[Checkup, ...]:
        """Return what each server says of itself and its key. Asks no endpoint and never raises."""
        return tuple(await asyncio.gather(*(_checkup(server, service) for server, service in self._servers.values())))


async def _listed(server: ServerSettings, service: Service) -> ListedEndpoint | None:
    """Return a server as an endpoint; None where it gives no list of models tonight."""
    try:
        listed = parse_served(await service.listing("/models"))
    except RouterError:
        return None
    served = served_by(server, listed)
    if served is not None and names_a_path(served):
        return None
    return endpoint_of(server, served)


async def _checkup(server: ServerSettings, service: Service) -> Checkup:
    reply, checkup = await service.look("/models")
    if reply.status == HTTPStatus.FORBIDDEN:
        return msgspec.structs.replace(checkup, key_accepted=False, problem=None)
    if not well(reply):
        return checkup
    try:
        listed = parse_served(reply.body)
    except RouterError as error:
        return msgspec.structs.replace(checkup, problem=error.problem)
    problem = None
    served = served_by(server, listed)
    if served is not None and names_a_path(served):
        problem = "expected a name for the model, found the path of a file: start the server with an alias for it"
    elif served is None:
        problem = f"expected '{server.model_id or server.model}' among its models, found {_names(listed)}"
    return msgspec.structs.replace(checkup, key_accepted=True if service.has_key else None, problem=problem)


def _names(listed: Sequence[ServedModel]) -> str:
    return ", ".join(f"'{model.model_id}'" for model in listed[:_SHOWN_NAMES]) or "none"
