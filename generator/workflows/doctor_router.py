"""The router, or each server of a direct one, as a night needs it: reached, key taken, clocks alike, money there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

import msgspec

from generator.errors import BitdepthError
from generator.probing.condition import (
    FarEnd,
    cap_check,
    far_end_checks,
    money_checks,
    other_address_check,
    together,
)
from generator.probing.interface import Checkup
from generator.records.check import Check, failed
from generator.settings import Settings
from generator.workflows.probing import RouterOf
from generator.workflows.world import World

ANSWER_S = 10.0
"""Longest wait for one answer: whoever takes longer to say what a key has left is as good as not there."""
ALL_S = 30.0
"""Longest wait for everything."""


async def router_checks(
    settings: Settings, world: World, open_router: RouterOf, is_set: Callable[[str], bool]
) -> tuple[Check, ...]:
    """Return the checks of whatever tonight's requests would go to.

    Args:
        settings: as site.toml says them.
        world: clocks.
        open_router: makes the router.
        is_set: whether an environment variable holds anything.
    """
    cap = cap_check(settings.budget, charges=settings.router.charges)
    asked = _impatient(_without_missing_keys(settings, is_set))
    try:
        async with asyncio.timeout(ALL_S), open_router(asked, world) as router:
            checkups = await router.checkup()
    except BitdepthError as error:
        return cap, failed("router", "settings that it can be asked with", error, "Mend content/site.toml")
    except TimeoutError:
        checkups = ()
    if settings.router.kind == "direct":
        return cap, *_servers_checks(settings, checkups, is_set)
    return cap, *_router_checks(settings, checkups, is_set)


def _router_checks(settings: Settings, checkups: Sequence[Checkup], is_set: Callable[[str], bool]) -> Iterator[Check]:
    """Yield the checks of a router: its own address's, and whether any other that it needs is reached."""
    router = settings.router
    end = _far_end("router", router.key_variable, is_set, key_needed=router.charges)
    first, *others = checkups or (_silent(router.address or ""),)
    whole = together(first, others)
    yield from far_end_checks(end, whole)
    yield from (other_address_check(other) for other in others)
    if router.charges:
        yield from money_checks(settings.budget, whole, key_set=end.key_set)


def _servers_checks(settings: Settings, checkups: Sequence[Checkup], is_set: Callable[[str], bool]) -> Iterator[Check]:
    """Yield the checks of each server, in the settings' order."""
    for server, checkup in zip_longest(settings.servers, checkups):
        end = _far_end(f"server {server.name}", server.key_variable, is_set, key_needed=False, direct=True)
        yield from far_end_checks(end, checkup or _silent(server.address))


def _far_end(
    name: str, variable: str | None, is_set: Callable[[str], bool], *, key_needed: bool, direct: bool = False
) -> FarEnd:
    key_set = variable is not None and is_set(variable)
    return FarEnd(name=name, key_variable=variable, key_set=key_set, key_needed=key_needed, direct=direct)


def _silent(address: str) -> Checkup:
    """Return the checkup of an address that has not answered by the end of the longest wait."""
    return Checkup(address=address, problem=f"no answer within {ALL_S:g} s")


def _without_missing_keys(settings: Settings, is_set: Callable[[str], bool]) -> Settings:
    """Return settings that ask without a key where its variable holds none: the rest can be checked all the same."""
    router, servers = settings.router, settings.servers
    if router.key_variable is not None and not is_set(router.key_variable):
        router = msgspec.structs.replace(router, key_variable=None)
    servers = tuple(
        msgspec.structs.replace(server, key_variable=None)
        if server.key_variable is not None and not is_set(server.key_variable)
        else server
        for server in servers
    )
    return msgspec.structs.replace(settings, router=router, servers=servers)


def _impatient(settings: Settings) -> Settings:
    """Return settings under which no answer is waited for long, nor asked for twice."""
    probing = msgspec.structs.replace(
        settings.probing,
        total_deadline_s=min(ANSWER_S, settings.probing.total_deadline_s),
        idle_deadline_s=min(ANSWER_S, settings.probing.idle_deadline_s),
        attempts=1,
    )
    return msgspec.structs.replace(settings, probing=probing)
