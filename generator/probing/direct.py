"""Servers asked directly, without a router between: one's own vLLM, SGLang, llama.cpp or Ollama.

Each server of the settings is an endpoint of the model that it names, listed on the nights on which it answers.
Whatever it says is its own: a 5xx, a 429 or a refused key concerns that server alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from types import TracebackType
from typing import Self

import msgspec

from generator.errors import ContentError
from generator.probing.interface import Ask, Checkup, End, Reply, Watch
from generator.probing.service import Service, well
from generator.probing.wire_plain import chat_body
from generator.probing.wire_server import ServedModel, check_parameters, endpoint_of, tag_of
from generator.probing.wire_server_list import REFUSED, remark, server_list
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
        self.remarks: tuple[str, ...] = ()
        self._settings = settings
        self._clocks = (clock, monotonic)
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
        a file, is left out tonight; `remarks` says why. One that says that it has no such list is listed all the same.

        Args:
            watch: which models; a rule finds none here.
        """
        servers = [(server, service) for server, service in self._servers.values() if server.model in watch.models]
        replies = await asyncio.gather(*(service.read("/models") for _, service in servers))
        lists = [(server, server_list(server, reply)) for (server, _), reply in zip(servers, replies, strict=True)]
        self.remarks = tuple(line for server, each in lists if (line := remark(server, each)) is not None)
        found: dict[str, list[ListedEndpoint]] = {model: [] for model in watch.models}
        for server, each in lists:
            if each.problem is None:
                found[server.model].append(endpoint_of(server, each.served))
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
        return msgspec.structs.replace(await service.post("/chat/completions", body), speaker=server.name, alone=True)

    async def checkup(self) -> tuple[Checkup, ...]:
        """Return what each server says of itself and its key. Asks no endpoint and never raises."""
        return tuple(
            await asyncio.gather(*(self._checkup(server, service) for server, service in self._servers.values()))
        )

    async def _checkup(self, server: ServerSettings, service: Service) -> Checkup:
        reply, checkup = await service.look("/models")
        found = server_list(server, reply)
        if found.lists_nothing is not None:
            return msgspec.structs.replace(checkup, lists_nothing=found.lists_nothing, problem=None)
        if reply.end is End.COMPLETE and reply.status in REFUSED:
            return msgspec.structs.replace(checkup, key_accepted=False, problem=None)
        problem = found.problem
        if problem is None and found.served is None:
            problem = f"expected '{server.model_id or server.model}' among its models, found {_names(found.models)}"
        elif problem is not None and well(reply):
            problem = f"{problem}: {found.do}"
        accepted = True if well(reply) and service.has_key and await self._asks_for_a_key(server) else None
        return msgspec.structs.replace(checkup, key_accepted=accepted, problem=problem)

    async def _asks_for_a_key(self, server: ServerSettings) -> bool:
        """Return whether a server refuses its list of models to somebody without a key: else a key proves nothing."""
        clock, monotonic = self._clocks
        async with Service(server.address, None, self._settings, clock=clock, monotonic=monotonic) as stranger:
            reply = await stranger.get("/models")
        return reply.end is End.COMPLETE and reply.status in REFUSED


def _names(listed: Sequence[ServedModel]) -> str:
    return ", ".join(f"'{model.model_id}'" for model in listed[:_SHOWN_NAMES]) or "none"
