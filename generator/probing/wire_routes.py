"""What a router's own metadata says of who answered and who failed.

Source: https://openrouter.ai/docs/guides/routing/routers/router-metadata, as of 2026, which calls its shape unstable:
what is not there, or of another shape, says nothing. `endpoints.available` lists what could have been asked, marked
`selected` where it was; `attempts`, if there are any, has a status each. A failed attempt before the one that answered
is no misrouting.
"""

from __future__ import annotations

from typing import Any

import msgspec

from generator.probing.wire_values import short, whole

_OK = range(200, 300)
_FAILED = (400, 599)


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint as metadata names it."""

    provider: str | None
    model: str | None
    """As the router names models, author and name; null where it is a name of the provider's own."""


class Routes(msgspec.Struct, frozen=True, kw_only=True):
    """Who answered, and who failed."""

    answered: tuple[Route, ...] = ()
    """Each endpoint that is said to have been selected, or whose attempt succeeded."""
    failed_provider: str | None = None
    """Of the last attempt that failed."""


_NOTHING = Routes()


def read_routes(value: object) -> Routes:
    """Return what a body's metadata says."""
    if not isinstance(value, dict):
        return _NOTHING
    endpoints = value.get("endpoints")
    available = _objects(endpoints.get("available") if isinstance(endpoints, dict) else None)
    attempts = _objects(value.get("attempts"))
    answered = [_route(each) for each in available if each.get("selected") is True]
    answered += [_route(each) for each in attempts if whole(each.get("status"), _OK.start, _OK.stop - 1)]
    failed = [short(each.get("provider")) for each in attempts if whole(each.get("status"), *_FAILED)]
    return Routes(answered=tuple(answered), failed_provider=failed[-1] if failed else None)


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _route(value: dict[str, Any]) -> Route:
    model = short(value.get("model"))
    return Route(provider=short(value.get("provider")), model=model if model and model.count("/") == 1 else None)
