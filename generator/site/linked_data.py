"""The JSON-LD of all pages: schema.org's words under a context that stands in the page itself.

A context that is an address would have to be fetched before a page can be read, from somebody else, for ever; and what
it says then is what a permanent page would mean. Sources: JSON-LD 1.1, sections 4.1.2 (default vocabulary) and 4.2.3
(type coercion); schema.org's FAQ, by which its words may be written with 'https'.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from generator.settings import Settings

_SCHEMA = "https://schema.org/"
_ADDRESSES = ("contentUrl", "hasPart", "isBasedOn", "isPartOf", "license", "measurementTechnique", "url")
"""Properties whose values are addresses and not text."""
_CONTEXT = msgspec.Raw(
    msgspec.json.encode(
        {
            "@vocab": _SCHEMA,
            **{name: {"@type": "@id"} for name in _ADDRESSES},
            "datePublished": {"@type": "Date"},
        }
    )
)
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
"""Of all pages and data."""


def raw(value: object) -> msgspec.Raw:
    """Return what stands in the JSON-LD of page after page as JSON, so that it is written out once."""
    return msgspec.Raw(msgspec.json.encode(value))


def described(kind: str, address: str, settings: Settings, **properties: object) -> dict[str, object]:
    """Return the JSON-LD of something at an address: free to read, licensed, published by the site's publisher.

    Args:
        kind: its schema.org type.
        address: its own, full.
        settings: the site's settings.
        properties: the others, by their schema.org names.
    """
    publisher = _publisher(settings.publisher, settings.address)
    return {
        "@context": _CONTEXT,
        "@type": kind,
        "@id": address,
        "url": address,
        **properties,
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "license": LICENCE,
        "creator": publisher,
        "publisher": publisher,
    }


@lru_cache
def _publisher(name: str, address: str) -> msgspec.Raw:
    return raw({"@type": "Organization", "name": name, "url": address})


def collection(address: str, settings: Settings, name: str, parts: Iterable[str]) -> dict[str, object]:
    """Return the JSON-LD of a page that lists others by their addresses; what each is, it says itself."""
    return described("CollectionPage", address, settings, name=name, hasPart=list(parts))
