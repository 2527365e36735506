"""The whole demo as laid out: every link, fragment and source leads somewhere, every page is reached, all in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote, urldefrag, urlsplit

import lxml.html
import pytest
from lxml.html import HtmlElement

from generator.content import Content

ADDRESSES = ("href", "src", "action", "poster", "data", "cite", "formaction")
"""Attributes that hold one address."""
LISTS = ("srcset", "imagesrcset")
"""Attributes that hold several."""
IDS = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "headers")
"""Attributes that name ids of their own page."""
NAMED = {"Endpoint", "Family", "Model", "Version"}
"""First columns that hold names: such a table is in the order of the alphabet."""

MODELS = {"Counted", "By which rule"}
"""Heads of tables over all models, in which a row's model stands below its name."""


class Laid:
    """One page of the site."""

    def __init__(self, path: Path) -> None:
        """Read it."""
        self.path = path
        self.tree: HtmlElement = lxml.html.document_fromstring(path.read_bytes())

    @cached_property
    def ids(self) -> list[str]:
        """Every id."""
        return [str(value) for value in self.tree.xpath("//@id")]

    def addresses(self) -> Iterator[str]:
        """Yield every address of every element."""
        for element in self.tree.iter(lxml.etree.Element):
            for name in ADDRESSES:
                if element.get(name) is not None and (name, element.tag) != ("data", "data"):
                    yield element.get(name)
            for name in LISTS:
                for each in (element.get(name) or "").split(","):
                    yield from each.split()[:1]

    def named_ids(self) -> Iterator[str]:
        """Yield every id that another element names, inside pictures too."""
        for element in self.tree.iter(lxml.etree.Element):
            for name in IDS:
                yield from (element.get(name) or "").split()
            for value in element.attrib.values():
                yield from re.findall(r"url\(#([^)]+)\)", value)


@pytest.fixture(scope="module")
def site(demo: Path) -> Path:
    """Return the demo's site."""
    return demo / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Laid]:
    """Return every page by its file; a page that was kept is below data/ too, but is read at its own address."""
    kept = site / "data/pages"
    found = {path: Laid(path) for path in sorted(site.rglob("*.html")) if not path.is_relative_to(kept)}
    assert len(found) > 500
    return found


def target_of(site: Path, page: Laid, address: str) -> tuple[Path, str] | None:
    """Return the file and the fragment that an address leads to; None for what lies elsewhere."""
    path, fragment = urldefrag(address)
    parts = urlsplit(path)
    if parts.scheme or parts.netloc:
        assert parts.scheme in {"https", "mailto", "data"}, (page.path, address)
        return None
    if page.path == site / "404.html" and parts.path.startswith("/"):  # It is served at any depth.
        return site / unquote(parts.path).lstrip("/"), fragment
    assert not parts.path.startswith("/"), (page.path, address)
    return (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path, fragment


class TestLinks:
    """'All internal links and fragments resolve'."""

    def test_every_address_leads_to_a_file_and_every_fragment_to_an_id(self, site: Path, pages: dict[Path, Laid]):
        """Links are relative and name files of the site, so they work from disk as over HTTP."""
        followed = fragments = 0
        for page in pages.values():
            for address in page.addresses():
                led = target_of(site, page, address)
                if led is None:
                    continue
                target, fragment = led
                assert target.is_relative_to(site), (page.path, address)
                assert target.is_file(), (page.path, address)
                if fragment:
                    assert fragment in pages[target].ids, (page.path, address)
                    fragments += 1
                followed += 1
        assert followed > 10_000
        assert fragments > 5_000

    def test_full_addresses_of_the_site_lead_to_a_file_too(self, demo: Path, site: Path, pages: dict[Path, Laid]):
        """Whatever a head, a citation or JSON-LD calls by its full address lies there, if it is the site's own."""
        own = Content(demo).settings().address
        found = {
            address
            for page in pages
            for address in re.findall(re.escape(own) + r"""[^"'<>\s\\&#})]*""", page.read_text("utf-8"))
        }
        assert len(found) > 1000
        for address in found:
            path = unquote(address.removeprefix(own))
            assert (site / (path + "index.html" if path.endswith("/") or not path else path)).is_file(), address

    def test_ids_stand_once_and_are_there_where_they_are_named(self, pages: dict[Path, Laid]):
        """No id stands twice on a page, and what names one names one of the same page."""
        for page in pages.values():
            assert len(page.ids) == len(set(page.ids)), page.path
            assert set(page.named_ids()) <= set(page.ids), page.path

    @pytest.mark.ci
    def test_every_page_is_reached_from_the_first(self, site: Path, pages: dict[Path, Laid]):
        """Following links from the first page leads to every page but the one for wrong addresses."""
        seen, queue = {site / "index.html"}, [site / "index.html"]
        while queue:
            page = pages[queue.pop()]
            for href in page.tree.xpath("//a/@href"):
                led = target_of(site, page, str(href))
                if led is not None and led[0] not in seen and led[0] in pages:
                    seen.add(led[0])
                    queue.append(led[0])
        assert set(pages) - seen == {site / "404.html"}

    def test_a_letter_leads_to_its_permanent_page(self, site: Path, pages: dict[Path, Laid]):
        """Every letter in its short form is a link to a permanent page that bears the same letter and version."""
        letters: dict[Path, str] = {}
        checked = 0
        for page in pages.values():
            for short in page.tree.xpath("//span[@class='short']"):
                (link,) = short.xpath("./a")
                led = target_of(site, page, link.get("href"))
                assert led is not None
                said = " ".join(link.text_content().split())
                found = re.match(r"([A-DU]) (\d+\.\d+) · M", said)
                assert found, (page.path, said)
                assert led[0].parent.name == f"v{found[2]}", (page.path, said)
                if led[0] not in letters:
                    (letters[led[0]],) = pages[led[0]].tree.xpath("//p[starts-with(@class,'glyph')]/b/text()")
                assert letters[led[0]] == found[1], (page.path, said)
                checked += 1
        assert checked > 500


class TestDeepLinks:
    """'each figure links to the sentence of the method that defines it'; marks of what is declared and measured."""

    COLUMNS: ClassVar[dict[str, str]] = {
        "M, match": "match",
        "T, task accuracy": "task-accuracy",
        "D, declared precision": "declared-precision",
        "R, reliability": "reliability",
    }

    def test_every_column_leads_to_its_rule(self, site: Path, pages: dict[Path, Laid]):
        """Wherever a column's name heads an endpoint's figures it is a link to its rule, under a version."""
        checked = 0
        of_no_endpoint = {site / "calibration/index.html", *(site / "method").rglob("*.html")}
        for page in pages.values():
            for head in page.tree.xpath("//th"):
                name = " ".join(head.text_content().split())
                if name not in self.COLUMNS or page.path in of_no_endpoint:
                    continue
                (href,) = head.xpath("./a/@href")
                assert re.search(rf"method/\d+\.\d+/index\.html#{self.COLUMNS[name]}$", href), page.path
                checked += 1
        assert checked > 2000

    def test_every_attribute_of_a_unit_is_marked_in_words(self, pages: dict[Path, Laid]):
        """Each attribute says by word what it depends on, and leads to the sentence that defines it."""
        marks = {"declared", "measured", "declared, held to consistency", "declared and measured"}
        units = [page for page in pages.values() if page.tree.xpath("//h2[@id='unit']/a[contains(@href, '#unit')]")]
        assert len(units) > 200
        for page in units:
            rows = page.tree.xpath("//h2[@id='unit']/following-sibling::table[1]/tbody/tr")
            assert {row.xpath("string(./td[last()])") for row in rows} == marks
            assert all(row.xpath("./th/a/@href")[0].partition("#")[2] for row in rows)

    def test_every_outcome_leads_to_what_it_means(self, site: Path, pages: dict[Path, Laid]):
        """A night's outcomes lead to their words in the glossary, which no version of the method moves."""
        nights = [page for page in pages.values() if page.path.parent.parent == site / "nights"]
        assert len(nights) == 14
        for page in nights:
            rows = page.tree.xpath("//h2[@id='counts']/following-sibling::table[1]/tbody/tr/th/a")
            assert {row.get("href") for row in rows} == {
                f"../../glossary/index.html#{row.text_content()}" for row in rows
            }
            assert len(rows) == 6


class TestOrder:
    """'Tables sort alphabetically; no ranking'."""

    def test_every_table_of_names_is_alphabetical(self, pages: dict[Path, Laid]):
        """A table whose first column holds names has them in the order of the alphabet, within each model."""
        checked = 0
        for page in pages.values():
            for table in page.tree.iter("table"):
                heads = [" ".join(head.text_content().split()) for head in table.xpath("./thead/tr/th")]
                if heads[0] not in NAMED:
                    continue
                keys = [key(row, heads) for row in table.xpath("./tbody/tr")]
                if heads[0] == "Version":
                    keys.reverse()  # Newest first.
                assert keys == sorted(keys), (page.path, heads, keys)
                checked += len(keys) > 1
        assert checked > 500


def key(row: HtmlElement, heads: list[str]) -> tuple[str, ...]:
    """Return what a row is sorted by: its model, where it says one, and its name."""
    (head,) = row.xpath("./th")
    named = head.xpath("./a|./bdi|./code") or [head]
    name = " ".join(named[0].text_content().split()).casefold()
    model = row.xpath("./td[@data-label='Model']") or (head.xpath("./span[@class='s']") if MODELS & set(heads) else [])
    if not model and ", " in name:  # 'alder, google/gemma-3-270m'
        return tuple(reversed(name.split(", ")))
    return (*(each.text_content().casefold() for each in model), name)
