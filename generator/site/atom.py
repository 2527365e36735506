"""An Atom feed as bytes (RFC 4287): equal feeds give equal bytes, and no clock has a part in them.

Made with xml.etree and not with the package feedgenerator, which reads the clock for every entry and for a feed
without one, gives an entry a single link, and knows no text but HTML. What strangers wrote must have come through
`visible_plain` or `visible`: XML has no way to write a control character.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from xml.etree import ElementTree as ET

import msgspec
from markupsafe import Markup

TYPE = "application/atom+xml"
_ATOM = "http://www.w3.org/2005/Atom"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a feed."""

    id: str
    """An IRI that no other entry has and that never changes."""
    title: str
    """Without markup."""
    updated: date
    content: Markup
    """HTML."""
    page: str
    """The full address of the page that it announces."""
    related: tuple[str, ...] = ()
    """Full addresses of other pages that it speaks of."""


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed; every address is a full one."""

    id: str
    """An IRI that no other feed has and that never changes."""
    address: str
    """The feed's own."""
    title: str
    subtitle: str
    updated: date
    author: str
    author_address: str
    licence: str
    rights: str
    page: str
    """The page that it belongs to."""
    entries: Sequence[Entry]
    """Newest first."""


def atom(feed: Feed) -> bytes:
    """Return a feed as an Atom document in UTF-8."""
    root = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
    _text(root, "id", feed.id)
    _text(root, "title", feed.title)
    _text(root, "subtitle", feed.subtitle)
    _text(root, "updated", _moment(feed.updated))
    _link(root, "self", feed.address, TYPE)
    _link(root, "alternate", feed.page, "text/html")
    _link(root, "license", feed.licence)
    author = ET.SubElement(root, "author")
    _text(author, "name", feed.author)
    _text(author, "uri", feed.author_address)
    _text(root, "rights", feed.rights)
    for entry in feed.entries:
        _entry(ET.SubElement(root, "entry"), entry)
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'.encode()


def _entry(element: ET.Element, entry: Entry) -> None:
    _text(element, "id", entry.id)
    _text(element, "title", entry.title)
    _text(element, "updated", _moment(entry.updated))
    _text(element, "published", _moment(entry.updated))
    _link(element, "alternate", entry.page, "text/html")
    for address in entry.related:
        _link(element, "related", address, "text/html")
    content = _text(element, "content", str(entry.content))
    content.set("type", "html")


def _text(parent: ET.Element, name: str, text: str) -> ET.Element:
    element = ET.SubElement(parent, name)
    element.text = text
    return element


def _link(parent: ET.Element, rel: str, href: str, kind: str | None = None) -> None:
    link = ET.SubElement(parent, "link", rel=rel, href=href)
    if kind is not None:
        link.set("type", kind)


def _moment(day: date) -> str:
    """Return a day's first moment as RFC 3339 writes it: all dates are UTC."""
    return f"{day.isoformat()}T00:00:00Z"
