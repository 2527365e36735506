"""Where requests go and the key they carry, checked before anything is sent."""

from __future__ import annotations

import httpx

from generator.errors import RouterError
from generator.settings import Key

_DO = "Set it to the address alone; a key stands in the variable that key_variable names"


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
        raise RouterError(f"expected an address, found {error}", where=where, do=_DO) from None
    flaws = {
        "another scheme": url.scheme not in ("http", "https"),
        "no host": not url.host,
        "a user": bool(url.userinfo),
        "a query": bool(url.query),
        "a fragment": bool(url.fragment),
    }
    flaw = next((flaw for flaw, there in flaws.items() if there), None)
    if flaw is not None:
        raise RouterError(
            f"expected http(s)://host/path without user, query or fragment, found {flaw}", where=where, do=_DO
        )
    return str(url)


def sendable(key: Key) -> str:
    """Return a key's text.

    Raises:
        RouterError: where it cannot stand in a header, naming its variable and nothing of its text.
    """
    value = key.reveal().strip()
    if value and value.isascii() and value.isprintable():
        return value
    raise RouterError(
        f"expected a key of printable ASCII characters, found {_flaw(value)}",
        where=None if key.variable is None else f"variable {key.variable}",
        do=f"Set {key.variable or 'the variable of the key'} anew, to the key and nothing else",
    )


def _flaw(value: str) -> str:
    """Return what is wrong with a text that should be a key."""
    if not value:
        return "none"
    if any(each in value for each in "\r\n"):
        return "a line break in it"
    return "a control character in it" if value.isascii() else "a character in it that is not ASCII"
