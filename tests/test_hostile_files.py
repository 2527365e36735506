"""Hostile names and answers in every file: each is what it says it is, and reads as it went in."""

from __future__ import annotations

import re
from pathlib import Path

import hostile_payloads
import msgspec
import pytest
from hostile_site import ALL, FEW, hostile
from lxml import etree
from markdown_it import MarkdownIt

from generator.records import permalink
from generator.records.grade import Grade
from generator.site.grade_page import paths
from generator.site.text import visible_plain

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
ADDRESS = "https://bitdepth.example/grades-of/"
SIZES = [FEW, pytest.param(ALL, marks=pytest.mark.ci)]


@pytest.mark.parametrize("count", SIZES)
class TestFiles:
    """'Through every page, feed, badge, JSON, CSV'."""

    def test_no_file_that_is_read_hides_a_character(self, count: int):
        """No page, picture, feed, map or text file holds a character that hides, reorders or controls."""
        for path, body in hostile(count).files.items():
            if path.endswith((".html", ".svg", ".xml", ".txt")):
                found = UNSEEN.search(body.decode())
                assert found is None, f"{path}: {found}"

    def test_records_are_exact(self, count: int):
        """grade.json decodes to the very grade, letter by letter."""
        of = hostile(count)
        for grade in of.material.grades:
            assert msgspec.json.decode(of.files[paths(grade)[1]], type=Grade) == grade

    def test_every_json_is_json(self, count: int):
        """Whatever ends in .json decodes, and what a badge says is nothing but what can be seen."""
        of = hostile(count)
        for path, body in of.files.items():
            if path.endswith((".json", ".jsonld")):
                found = msgspec.json.decode(body)
                if path.startswith("badges/"):
                    assert UNSEEN.search(found["label"] + found["message"]) is None, path

    def test_every_xml_is_xml(self, count: int):
        """Every feed, map and picture is well-formed, declares no entity, and holds no element of a stranger's."""
        of = hostile(count)
        for path, body in of.files.items():
            if not path.endswith((".xml", ".svg")):
                continue
            tree = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True))
            assert tree.getroottree().docinfo.internalDTD is None, path
            names = {etree.QName(each).localname for each in tree.iter(etree.Element)}
            assert names <= XML_NAMES, f"{path}: {names - XML_NAMES}"
            assert not [name for each in tree.iter() for name in each.attrib if name.startswith("on")], path

    def test_feeds_read_as_it_went_in(self, count: int):
        """Each model's feed has an entry for its change of precision, whose title reads as the names do."""
        of = hostile(count)
        for grade in of.material.grades:
            tree = etree.fromstring(of.files[permalink.feed_path(grade.model)])
            who = f"{visible_plain(grade.model)} at {visible_plain(grade.provider)}: "
            titles = [str(each.text) for each in tree.iter(f"{ATOM}title")]
            assert any(each.startswith(who) for each in titles), who
            for each in tree.iter(f"{ATOM}content"):
                assert harmless_html(str(each.text)) == [], permalink.feed_path(grade.model)

    def test_llms_txt_is_markdown_that_says_the_names(self, count: int):
        """Read as Markdown, llms.txt has a link to each model, and no link or element of a stranger's."""
        of = hostile(count)
        tokens = MarkdownIt("commonmark").parse(of.files["llms.txt"].decode())
        inline = [child for token in tokens for child in token.children or ()]
        assert {token.type for token in tokens} & {"html_block", "fence", "code_block"} == set()
        assert {child.type for child in inline} <= {"text", "link_open", "link_close", "softbreak", "text_special"}
        links = [str(child.attrs["href"]) for child in inline if child.type == "link_open"]
        assert all(link.startswith(ADDRESS) for link in links)
        assert {ADDRESS + permalink.model_path(text) for text in of.texts.all} <= set(links)
        said = "".join(child.content for child in inline)
        assert [text for text in of.texts.all if visible_plain(text) not in said] == []

    def test_every_file_is_of_a_kind_that_is_read_here(self, count: int):
        """None is a table of text, in which a spreadsheet would take a name for a formula."""
        read_here = {".html", ".svg", ".xml", ".txt", ".json", ".jsonld"}
        of_ours = {".png", ".js", ".md", ".pagefind", ".pf_index", ".pf_meta", ""}
        assert {Path(path).suffix for path in hostile(count).files} <= read_here | of_ours

    def test_paths_are_plain(self, count: int):
        """No path of the site holds anything but letters, figures and '.', '-', '_'; no two differ by case alone."""
        found = list(hostile(count).files)
        assert [
            path for path in found if not re.fullmatch(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9._-]+", path)
        ] == []
        assert [path for path in found if ".." in path] == []
        assert len({path.casefold() for path in found}) == len(found)


ATOM = "{http://www.w3.org/2005/Atom}"
FEED_NAMES = {
    "author", "category", "content", "entry", "feed", "id", "link", "name", "published", "rights", "subtitle",
    "summary", "title", "updated", "uri",
}  # fmt: skip
BADGE_NAMES = {"svg", "title", "rect", "g", "text", "tspan", "path"}
XML_NAMES = FEED_NAMES | BADGE_NAMES | {"urlset", "url", "loc", "lastmod", "sitemapindex", "sitemap"}
"""What feeds, maps and badges are made of."""
HARM = re.compile(r"<(?!/?(?:p|a|ul|li|bdi|span|time)\b)|<[^>]*\son\w+\s*=|href=\"(?!https://bitdepth\.example/)")


def harmless_html(markup: str) -> list[str]:
    """Return what does not belong in the HTML of a feed's entry."""
    return HARM.findall(markup)


def test_harm_is_found_where_there_is_some():
    """The search for foreign markup finds it."""
    assert harmless_html('<p>x</p><script>1</script><a href="javascript:1">x</a><p onclick="x">') != []
    assert UNSEEN.search("a\u202eb") is not None
    assert len({payload.kind for payload in hostile_payloads.payloads(FEW)}) == 21
    assert len({payload.text for payload in hostile_payloads.payloads()}) == ALL
