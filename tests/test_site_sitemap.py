"""Sitemap, robots.txt and llms.txt: every page of the site, permanent ones included, at its full address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import msgspec
import pytest
import site_material as made
from markdown_it import MarkdownIt
from markdown_it.token import Token

from generator.records.permalink import endpoint_path, model_path, permalink_path
from generator.site import plain_files, sitemap
from generator.site.library import Library, arrange
from generator.site.text import visible_plain

ADDRESS = "https://bitdepth.example/grades-of/"
SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
INDEX = "index.html"
SITES = list(made.sites())


def located(body: bytes, kind: str) -> list[tuple[str, str | None]]:
    """Return each address of a sitemap or index with its date, in order."""
    root = ET.fromstring(body)  # noqa: S314 - our own sitemap
    assert root.tag == SPACE + {"url": "urlset", "sitemap": "sitemapindex"}[kind]
    assert {each.tag for each in root} <= {SPACE + kind}
    return [(each.findtext(f"{SPACE}loc") or "", each.findtext(f"{SPACE}lastmod")) for each in root]


def library(**changes: object) -> Library:
    """Return the material, arranged."""
    return arrange(made.material(**changes))


class TestSitemap:
    """'Sitemap index …, with all pages incl. permanent ones, absolute URLs'."""

    @pytest.mark.parametrize("name", SITES)
    def test_names_every_page_once(self, name: str):
        """The index names its one file, and this file every page but the one for wrong addresses."""
        files = made.sites()[name]
        assert located(files["sitemap.xml"], "sitemap") == [(f"{ADDRESS}sitemaps/1.xml", None)]
        found = [address for address, _ in located(files["sitemaps/1.xml"], "url")]
        assert len(found) == len(set(found))
        assert set(found) == {ADDRESS + path.removesuffix(INDEX) for path in files if path.endswith(INDEX)}

    def test_dates_what_never_changes(self):
        """A permanent page has the date of its issue; no page that may change has a date."""
        dated = {address: when for address, when in located(made.sites()["live"]["sitemaps/1.xml"], "url") if when}
        assert dated == {made.address(each): each.issued.isoformat() for each in made.history()}

    @pytest.mark.parametrize("most", [1, 7, 41])
    def test_no_file_has_more_than_the_most(self, most: int):
        """Full files and a last one, named in the index in order, hold together what one file held."""
        of = library()
        endpoint = endpoint_path(made.TREES, "alder") + INDEX
        views = [*((f"p{number}/{INDEX}", b"page") for number in range(50)), (endpoint, b"page")]
        files = dict(sitemap.mapped(views, of, most))
        parts = located(files.pop("sitemap.xml"), "sitemap")
        found = [located(files.pop(address.removeprefix(ADDRESS)), "url") for address, _ in parts]
        assert [address for address, _ in parts] == [f"{ADDRESS}sitemaps/{n}.xml" for n in range(1, len(parts) + 1)]
        assert [len(each) for each in found[:-1]] == [most] * (len(found) - 1)
        assert 1 <= len(found[-1]) <= most
        whole = located(dict(sitemap.mapped(views, of))["sitemaps/1.xml"], "url")
        assert [each for part in found for each in part] == whole
        assert files == dict(views)

    def test_no_page_no_file(self):
        """Without any page there is an index of nothing."""
        none = library(grades=(), kept_methods=frozenset())
        assert [path for path, _ in sitemap.mapped([], none)] == ["sitemap.xml"]

    def test_is_done_as_pages_pass(self):
        """A file is yielded as soon as it is full: no more pages are asked for than have been passed on."""
        asked = 0

        def pages() -> Iterator[tuple[str, bytes]]:
            nonlocal asked
            for number in range(10):
                asked += 1
                yield f"p{number}/{INDEX}", b""

        passed = []
        for path, _ in sitemap.mapped(pages(), library(), 4):
            passed.append(path)
            if path == "sitemaps/2.xml":
                break
        assert asked == 8
        assert passed == [
            *(f"p{number}/{INDEX}" for number in range(4)),
            "sitemaps/1.xml",
            *(f"p{number}/{INDEX}" for number in range(4, 8)),
            "sitemaps/2.xml",
        ]

    def test_the_longest_addresses_fit(self):
        """So many of the longest addresses that there can be stay below 50 MiB, and each below 2,048 characters."""
        longest = permalink_path("a" * 90 + "!/" + "b" * 90 + "!", "c" * 90 + "!", made.RECORDED[0], "9999.9999")
        line = f"<url><loc>{'x' * 200}{longest}</loc><lastmod>2026-11-29</lastmod></url>\n"
        assert len(longest) < 400
        assert sitemap.MOST_ADDRESSES * len(line) < 50 * 2**20


class TestRobots:
    """'robots.txt with the sitemap's address'."""

    @pytest.mark.parametrize("name", SITES)
    def test_allows_everything_and_names_the_sitemap(self, name: str):
        """Nothing is forbidden to anybody."""
        body = made.sites()[name]["robots.txt"]
        assert body.decode() == f"User-agent: *\nAllow: /\n\nSitemap: {ADDRESS}sitemap.xml\n"

    def test_stands_at_the_address_of_the_settings(self):
        """Another base address is another sitemap's."""
        files = dict(plain_files.render(library(settings=made.settings(address="http://localhost:8080/"))))
        assert b"Sitemap: http://localhost:8080/sitemap.xml\n" in files["robots.txt"]
        assert b"(http://localhost:8080/method/)" in files["llms.txt"]
        assert ADDRESS.encode() not in files["llms.txt"]


def tokens(body: bytes) -> list[Token]:
    """Return the blocks of a Markdown file."""
    return MarkdownIt("commonmark").parse(body.decode())


def words(token: Token) -> str:
    """Return what an inline token says, without its markup."""
    return "".join(child.content for child in token.children or () if child.type in {"text", "text_special"})


def links(body: bytes) -> dict[str, str]:
    """Return the address of each link by its words."""
    found = {}
    for token in tokens(body):
        children = token.children or []
        for place, child in enumerate(children):
            if child.type == "link_open":
                end = next(n for n in range(place, len(children)) if children[n].type == "link_close")
                label = "".join(each.content for each in children[place:end])
                found[label] = str(child.attrs["href"])
    return found


class TestLlms:
    """'llms.txt per its convention (title, summary, links; nothing that ranks)'."""

    @pytest.mark.parametrize("name", SITES)
    def test_is_title_summary_and_sections_of_links(self, name: str):
        """One H1, then a block quote, then words, then H2 sections that hold nothing but lists of links with notes."""
        body = made.sites()[name]["llms.txt"]
        kinds = [(token.type, token.tag) for token in tokens(body) if token.level == 0 and token.nesting >= 0]
        first = kinds.index(("heading_open", "h2"))
        head = [kind for kind, _ in kinds[:first] if kind != "inline"]
        assert kinds[0] == ("heading_open", "h1")
        assert head[:2] == ["heading_open", "blockquote_open"]
        assert set(head[2:]) == {"paragraph_open"}
        sections = [kind for kind, _ in kinds[first:]]
        assert sections == ["heading_open", "bullet_list_open"] * (len(sections) // 2)
        items = re.findall("^- .*$", body.decode(), re.MULTILINE)
        assert all(re.fullmatch(r"- \[.+\]\(https://\S+\): .+", item) for item in items)

    @pytest.mark.parametrize("name", SITES)
    def test_leads_to_files_of_the_site(self, name: str):
        """Every link is a full address, and that of a page or file of the site."""
        files = made.sites()[name]
        for href in links(files["llms.txt"]).values():
            path = href.removeprefix(ADDRESS)
            assert path != href
            assert path in files or path + INDEX in files, href

    def test_has_every_model_alphabetically_by_its_name(self):
        """Models stand in alphabetical order, and a name that means harm reads back as itself made visible."""
        found = links(made.sites()["live"]["llms.txt"])
        models = sorted({each.model for each in made.history()})
        assert list(found)[-len(models) :] == [visible_plain(model) for model in models]
        assert list(found.values())[-len(models) :] == [ADDRESS + model_path(model) for model in models]

    @pytest.mark.parametrize(
        "name",
        ["*a* _b_", "](http://x/)", "`c`", "<b>&amp;", "![i](j)", "~~s~~", "a#b", "\\", "&#42;", "1. x", "d\u202e"],
    )
    def test_a_name_is_no_markdown(self, name: str):
        """Whatever a title or a model holds that Markdown reads as markup is said as it is."""
        each = msgspec.structs.replace(made.kinds()[0], model=name)
        of = library(grades=(each,), nights=(), settings=made.settings(title=f"{name} #"))
        body = dict(plain_files.render(of))["llms.txt"]
        assert list(links(body))[-1] == visible_plain(name)
        assert words(tokens(body)[1]) == visible_plain(f"{name} #")

    def test_names_where_badges_lie(self):
        """With an endpoint's own names in the pattern's places, it leads to a page and to both of its badges."""
        files = made.sites()["live"]
        found = re.findall(rf" at {ADDRESS}([^ ;]*)", files["llms.txt"].decode())
        author, name = made.TREES.split("/")
        filled = [each.format(author=author, name=name, endpoint="alder") for each in found]
        assert filled == [f"models/{made.TREES}/alder/", f"badges/{made.TREES}/alder.svg"]
        assert {filled[0] + INDEX, filled[1], filled[1].replace(".svg", ".json")} <= files.keys()

    def test_says_that_answers_were_replayed(self):
        """The demo's says that no live endpoint was asked."""
        assert b"no live endpoint was asked" in made.sites()["demo"]["llms.txt"]
        assert b"no live endpoint was asked" not in made.sites()["live"]["llms.txt"]
