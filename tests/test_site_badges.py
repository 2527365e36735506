"""Badges: a letter never without its version, columns and window end, in words that need no colour and no font."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import html5lib
import msgspec
import pytest
import site_material as made
from markdown_it import MarkdownIt
from test_site_style import colours, contrast

from generator.records.grade import Grade, Letter
from generator.records.permalink import badge_path
from generator.records.reading import NO_LETTER, short_form
from generator.settings import RouterSettings
from generator.site import badges
from generator.site.library import arrange
from generator.site.text import visible_plain

SVG = "{http://www.w3.org/2000/svg}"
COLUMN = f"[A-D{NO_LETTER}]"
SHORT = rf"[ABCDU] \d+\.\d+ · M {COLUMN} T {COLUMN} D {COLUMN} R {COLUMN}"
SAYS = rf"([ABCDU]) \d+\.\d+ · M {COLUMN} T {COLUMN} D {COLUMN} R {COLUMN} · .*to \d{{4}}-\d\d-\d\d( · .*)?"
LIVE = {path: body for path, body in made.sites()["live"].items() if path.startswith("badges/")}
PICTURES = [pytest.param(path, id=path[-40:]) for path in LIVE if path.endswith(".svg")]
SHIELDS = [pytest.param(path, id=path[-40:]) for path in LIVE if path.endswith(".json")]


def page_of(path: str) -> str:
    """Return the path of the page of a badge's endpoint."""
    return f"models/{path.removeprefix('badges/').removesuffix('.svg')}/index.html"


def tree(body: bytes) -> ET.Element:
    """Return a picture's tree."""
    return ET.fromstring(body)  # noqa: S314 - our own picture


def texts(body: bytes) -> list[str]:
    """Return what a picture's texts say, from left to right."""
    return ["".join(text.itertext()) for text in tree(body).iter(f"{SVG}text")]


def message(grade: Grade, **changes: Any) -> str:
    """Return the message of a grade's badge."""
    of = made.material(grades=(grade,), **changes)
    body = dict(badges.render(arrange(of)))[f"{badge_path(grade.model, grade.endpoint)}.json"]
    said: str = msgspec.json.decode(body)["message"]
    return said


class TestEveryPicture:
    """'own SVG (flat, no external font …), readable without colour'."""

    @pytest.mark.parametrize("path", PICTURES)
    def test_says_the_same_in_texts_title_and_label(self, path: str):
        """What is drawn is the message; title and aria-label name model and provider too."""
        root = tree(LIVE[path])
        label, letter, rest = texts(LIVE[path])
        said = msgspec.json.decode(LIVE[path.replace(".svg", ".json")])["message"]
        assert (label, f"{letter} {rest}") == ("bitdepth", said)
        title = root.findtext(f"{SVG}title") or ""
        assert root.get("role") == "img"
        assert root.get("aria-label") == title
        assert title.endswith(f": {said}")
        assert re.search(r"Grade of .+ served by .+, window \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d: ", title)

    @pytest.mark.parametrize("path", PICTURES)
    def test_fits_and_asks_for_nothing(self, path: str):
        """Each text ends before the next begins and inside the picture; nothing is fetched, nothing runs."""
        root = tree(LIVE[path])
        end = 0
        for text in root.iter(f"{SVG}text"):
            assert int(text.get("x", "0")) >= end
            end = int(text.get("x", "0")) + int(text.get("textLength", "0"))
        assert end < int(root.get("width", "0"))
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
            *("svg", "title", "g", "rect", "path", "text", "tspan"),
        }
        assert not re.search(r"https?:|url\(|style=|\son\w+=", LIVE[path].decode().split("<rect", 1)[1])

    def test_every_letter_has_a_frame_of_its_own(self):
        """Five letters, five patterns: no two frames are drawn alike but for their colour."""
        frames = set()
        for letter in Letter:
            body = badges.picture(badges.Badge(label="b", message=f"{letter} 0.1 · M A · x", letter=letter, title="t"))
            frames.add(re.sub("#[0-9a-f]{6}", "", re.findall(r'<g fill="none".*?</g>', body.decode())[0]))
        assert len(frames) == len(Letter)

    def test_colours_are_those_of_the_pages(self):
        """The letters' colours are the pages' own by day, and every text stands at 4.5 to 1 or more on its ground."""
        named = colours("light")
        assert {letter.lower(): colour for letter, colour in badges.COLOURS.items()} == {
            letter: named[letter] for letter in "abcdu"
        }
        paper, ink = named["bg"], named["ink"]
        body = LIVE[f"{badge_path(made.TREES, 'alder')}.svg"].decode()
        assert set(re.findall('fill="(#[0-9a-f]{6})"', body)) == {paper, ink, named["a"]}
        assert all(contrast(colour, paper) >= 4.5 for colour in (*badges.COLOURS.values(), ink))


class TestShields:
    """'shields.io endpoint JSON (schemaVersion 1 …, isError only never)'."""

    @pytest.mark.parametrize("path", SHIELDS)
    def test_is_what_shields_reads(self, path: str):
        """Version 1, a label, a message and a colour that shields takes, and no member beside them."""
        said = msgspec.json.decode(LIVE[path])
        assert list(said) == ["schemaVersion", "label", "message", "color"]
        assert said["schemaVersion"] == 1
        assert said["label"] == "bitdepth"
        found = re.fullmatch(SAYS, said["message"])
        assert found
        assert said["color"] == badges.COLOURS[Letter(found[1])]


class TestWhatABadgeSays:
    """'Never a letter without version, columns, window end'."""

    def test_a_grade_in_one_line(self):
        """Letter, version, columns, standing, window end."""
        grade = made.kinds()[1]
        assert message(grade) == f"{short_form(grade)} · provisional · to 2026-11-27"
        assert message(msgspec.structs.replace(grade, provisional=False)).endswith(" · final · to 2026-11-27")

    def test_unrated_in_words(self):
        """U reads U, and 'unrated'."""
        assert message(made.kinds()[4]) == "U 0.1 · M – T – D B R – · unrated, provisional · to 2026-11-27"  # noqa: RUF001

    def test_no_longer_listed(self):
        """An endpoint that the last recorded night does not list says so, with its last night."""
        said = msgspec.json.decode(LIVE[f"{badge_path(made.TREES, 'fir')}.json"])["message"]
        assert said.endswith(" · to 2026-11-24 · no longer listed, last night 2026-11-24")

    def test_not_separable(self):
        """An endpoint of several listings says of how many."""
        assert message(made.kinds()[3]).endswith(" · 2 listings, not separable")

    def test_replayed(self):
        """A badge of the demo says that its answers were replayed, also where nothing was answered."""
        demo = made.settings(router=RouterSettings(kind="demo", address="http://127.0.0.1"))
        grade = made.kinds()[0]
        replayed = msgspec.structs.replace(grade, latency_class="replayed")
        assert " · provisional, replayed · to " in message(replayed)
        assert " · provisional, replayed · to " in message(grade, settings=demo)

    def test_no_grade_yet(self):
        """An endpoint without a grade under the current version says that, and no letter of another version."""
        of = made.material(settings=made.settings(method="0.2"), grades=made.kinds())
        files = dict(badges.render(arrange(of)))
        path = badge_path(made.TREES, "alder")
        assert msgspec.json.decode(files[f"{path}.json"]) == {
            "schemaVersion": 1,
            "label": "bitdepth",
            "message": "no grade under method version 0.2 yet",
            "color": badges.NO_GRADE_COLOUR,
        }
        assert texts(files[f"{path}.svg"]) == ["bitdepth", "no grade under method version 0.2 yet"]
        title = tree(files[f"{path}.svg"]).findtext(f"{SVG}title")
        assert title == (f"bitdepth. {made.TREES} served by Alder (alder/int4): no grade under method version 0.2 yet")
        assert contrast(badges.NO_GRADE_COLOUR, "#ffffff") >= 4.5

    def test_every_known_endpoint_has_both(self):
        """Each endpoint of the site has a picture and a JSON, and nothing else is a badge."""
        paths = {badge_path(each.model, each.endpoint) for each in made.history()}
        assert LIVE.keys() == {f"{path}.{kind}" for path in paths for kind in ("svg", "json")}


class TestOnTheEndpointsPage:
    """The page of an endpoint shows its badge, says where it lies, and has what other pages paste."""

    @pytest.mark.parametrize("path", PICTURES)
    def test_shows_it_as_it_is(self, path: str):
        """The picture is the badge's own bytes, and its alternative text what the badge calls itself."""
        page = made.parsed(made.sites()["live"][page_of(path)])
        (image,) = page.iter("img")
        assert unquote_to_bytes(image.get("src", "").removeprefix("data:image/svg+xml,")) == LIVE[path]
        assert image.get("alt") == tree(LIVE[path]).findtext(f"{SVG}title")

    @pytest.mark.parametrize("path", PICTURES)
    def test_what_is_pasted_leads_to_the_page(self, path: str):
        """Markdown and HTML alike: the picture at its full address, whose it is, and never its letter."""
        page = made.parsed(made.sites()["live"][page_of(path)])
        markdown, html = (pre.text or "" for pre in page.findall(".//main/pre"))
        address = f"https://bitdepth.example/grades-of/{page_of(path).removesuffix('index.html')}"
        for text in (MarkdownIt("commonmark").render(markdown), html):
            (link,) = html5lib.parseFragment(text, namespaceHTMLElements=False).iter("a")
            (image,) = link
            assert link.get("href") == address
            assert image.get("src") == f"https://bitdepth.example/grades-of/{path}"
            name = image.get("alt", "")
            assert name.startswith("bitdepth: grade of ")
            assert name.removeprefix("bitdepth: g") in (tree(LIVE[path]).findtext(f"{SVG}title") or "")
            assert not re.search(SHORT, name)

    def test_names_both_files(self):
        """The addresses of SVG and JSON stand there in full, and their links lead to the files."""
        page = made.parsed(made.sites()["live"][f"models/{made.TREES}/alder/index.html"])
        path = badge_path(made.TREES, "alder")
        found = {made.text_of(each): each.get("href") for each in page.iterfind(".//main/dl/dd/a")}
        assert found == {
            f"https://bitdepth.example/grades-of/{path}{ending}": f"../../../../{path}{ending}"
            for ending in (".svg", ".json")
        }


class TestHostileNames:
    """'hostile provider names escaped'."""

    @pytest.mark.parametrize("index", range(len(made.HOSTILE_PROVIDERS)))
    def test_read_back(self, index: int):
        """The title reads as the name made visible, and the picture is no other than an honest name's."""
        provider = made.HOSTILE_PROVIDERS[index]
        body = LIVE[f"{badge_path(made.HOSTILE_MODEL, f'hostile-{index}')}.svg"]
        title = tree(body).findtext(f"{SVG}title") or ""
        assert f"Grade of {visible_plain(made.HOSTILE_MODEL)} served by {visible_plain(provider)} (" in title
        honest = LIVE[f"{badge_path(made.TREES, 'alder')}.svg"]
        assert body.decode().split("<rect", 1)[1] == honest.decode().split("<rect", 1)[1]

    def test_a_long_title_is_shortened_and_wide_characters_have_room(self):
        """A label of more than 40 characters ends in an ellipsis; East Asian characters take two places, marks none."""
        long = badges.picture(badges.Badge(label="x" * 41, message="none", letter=None, title="t"))
        assert texts(long)[0] == "x" * 39 + "\N{HORIZONTAL ELLIPSIS}"
        whole = badges.picture(badges.Badge(label="x" * 40, message="none", letter=None, title="t"))
        assert texts(whole)[0] == "x" * 40

        def length(label: str) -> str | None:
            body = badges.picture(badges.Badge(label=label, message="none", letter=None, title="t"))
            return next(tree(body).iter(f"{SVG}text")).get("textLength")

        assert [length(label) for label in ("ab", "\u65e5\u672c", "e\u0301")] == ["14", "28", "7"]
