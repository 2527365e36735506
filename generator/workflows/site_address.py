"""The address of a published site, as somebody types it."""

from __future__ import annotations

import re

import httpx

from generator.errors import UsageError

_LAST_PORT = 65_535
_HOST = re.compile(r"[\w.:-]+")


def is_address(text: str) -> bool:
    """True for what is meant as an address on the web, and not as a folder."""
    return text.lower().startswith(("http://", "https://"))


def site_address(text: str) -> str:
    """Return a site's address with its closing slash.

    Raises:
        UsageError: where it is none.
    """
    try:
        url = httpx.URL(text)
        host = url.host  # Read here: a name that no host can have is found out as it is decoded.
    except (httpx.InvalidURL, ValueError):
        url, host = httpx.URL(""), ""
    if (
        url.scheme not in {"http", "https"}
        or not _HOST.fullmatch(host)
        or not 0 < (url.port or 1) <= _LAST_PORT
        or url.userinfo
        or url.query
        or url.fragment
    ):
        raise UsageError(
            f"expected an address such as https://grades.example/, found '{text[:200]}'",
            do="Give scheme, host and path, without user name, query and fragment",
        )
    address = str(url).removesuffix("index.html")
    return address if address.endswith("/") else f"{address}/"
