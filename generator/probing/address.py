"""Where requests go and the key they carry, checked before anything is sent."""

from __future__ import annotations

import httpx

from generator.errors import RouterError
from generator.settings import Key


def usable_address(address: str, field: str = "router.address") -> str:
    """Return an address without its closing slash.

    Args:
        address: http(s)://host/path.
        field: of site.toml, for the message.

    Raises:
        RouterError: where it is none, or holds a user, a query or a fragment.
    """
    where = f"site.toml, field '{field}'"
    try:
        url = httpx.URL(address.rstrip("/"))
    except httpx.InvalidURL as error:
        raise RouterError(f"expected an address, found {error}", where=where) from None
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise RouterError("expected http(s)://host/path without user, query or fragment", where=where)
    return str(url)


def sendable(key: Key) -> str:
    """Return a key's text.

    Raises:
        RouterError: where it cannot stand in a header.
    """
    value = key.reveal().strip()
    if not value or not value.isascii() or not value.isprintable():
        raise RouterError("expected a key of printable ASCII characters", do="Set the variable of the key anew")
    return value
