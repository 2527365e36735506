"""The heads of the made sites' pages as programs read them: links, names, and JSON-LD that is expanded offline."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NoReturn

import lxml.html
import pytest
import site_material as made
from lxml.html import HtmlElement
from pyld import jsonld

from generator.records.grade import Grade
from generator.records.permalink import grade_index_path, permalink_path
from generator.site.interface import Material

LIVE, DEMO = made.material(), made.demo_material()
SITES: Mapping[str, Material] = {"live": LIVE, "demo": DEMO}
GRADES = [
    pytest.param(site, grade, id=f"{site}-{grade.endpoint}-{grade.window_end}-{grade.method_version}")
    for site, of in SITES.items()
    for grade in of.grades
]
ADDRESS = LIVE.settings.address
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
SCHEMA = "https://schema.org/"


def page_path(grade: Grade) -> str:
    """Return where a grade's permanent page lies."""
    return permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version) + "index.html"


def index_path(grade: Grade) -> str:
    """Return where a grade's index lies."""
    return grade_index_path(grade.model, grade.endpoint, grade.window_end) + "index.html"


def head_of(body: bytes) -> HtmlElement:
    """Return a page's head."""
    return lxml.html.document_fromstring(body.decode("utf-8")).head


def head(site: str, grade: Grade) -> HtmlElement:
    """Return the head of a grade's permanent page."""
    return head_of(made.sites()[site][page_path(grade)])


def links(of: HtmlElement) -> dict[str, list[tuple[str, str | None]]]:
    """Return, by relation, the target and the type of each link."""
    found: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
    for link in of.iter("link"):
        found[link.get("rel")].append((link.get("href"), link.get("type")))
    return found


def metas(of: HtmlElement, attribute: str) -> dict[str, str]:
    """Return what each `<meta>` says by its name or property; none stands twice."""
    said: dict[str, str] = {}
    for meta in of.iter("meta"):
        if meta.get(attribute):
            assert meta.get(attribute) not in said
            said[meta.get(attribute)] = meta.get("content")
    return said


def refuse(url: str, options: object) -> NoReturn:
    """Fetch nothing."""
    raise AssertionError(f"a context was fetched: {url} {options}")


def expanded(of: HtmlElement) -> dict[str, Any]:
    """Return a page's JSON-LD, expanded without fetching anything: its one node."""
    (script,) = of.iter("script")
    assert script.get("type") == "application/ld+json"
    assert script.text.isascii()
    (node,) = jsonld.expand(json.loads(script.text), {"documentLoader": refuse})
    assert isinstance(node, dict)
    return node


def values(node: Mapping[str, Any], name: str) -> list[Any]:
    """Return the values, or the addresses, that a node has for a word of schema.org."""
    return [each.get("@value", each.get("@id")) for each in node[SCHEMA + name]]


def lies(site: str, address: str) -> bool:
    """True where a full address is a file of the site, or a folder's page."""
    path = address.removeprefix(ADDRESS)
    return path != address and (path + "index.html" if path.endswith("/") or not path else path) in made.sites()[site]
