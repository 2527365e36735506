"""The right of reply: a file under content/replies/, shown on pages that may change, as text that can do nothing."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import kept_site
import pytest
import site_material as made

from generator.content import Content
from generator.errors import ContentError
from generator.records.permalink import endpoint_path, grade_index_path
from generator.records.reply import MOST_CHARACTERS, Reply, parse_reply
from generator.site import views
from generator.site.frame import CSP
from generator.site.reply_text import reply_html
from generator.workflows.rendering import render
from generator.workflows.verifying import verify

FOLDER = "aster/sphinx-8b/kiln"
HEAD = "From: Kiln, serving team\nDate: 2026-03-10\n"
WHOLE = f"{HEAD}Window: 2026-03-07\n\nThe **quincunx** was asked again.\n"
HOSTILE = """\
<script>alert(1)</script> <img src=x onerror=alert(2)> <style>body{display:none}</style>

![picture](https://evil.example/p.png) ![ref][r] [r]: https://evil.example/r.png

[click](javascript:alert(3)) [x](data:text/html;base64,PHN2Zz4=) [y](//evil.example/) [z](../../../index.html)
[bitdepth.example](https://evil.example/?"onclick="alert(4)) <https://evil.example/<b>> &#x202e;&lt;b&gt;

# A heading of their own
Another
=======

| a | b |
|---|---|
| \u202e1 | \u200b2 |

> quoted \u2066text\u2069 `co\u202ede <b>`

```html" onmouseover="alert(5)
</pre></blockquote><script>alert(6)</script>
```

<div
style="position:fixed">
"""


def parsed(body: str) -> Element:
    """Return the tree of a fragment, which must be strict HTML."""
    page = f"<!doctype html><html lang=en><head><title>t</title></head><body>{body}</body></html>"
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page).find("body")


def attributes(tree: Element) -> set[tuple[str, str]]:
    """Return each element's name with each of its attributes'."""
    return {(element.tag, name) for element in tree.iter() for name in element.attrib}


class TestAFile:
    def test_says_who_replied_when_and_to_what(self):
        """The lines above the reply are taken apart, whatever their order and line ends."""
        reply = parse_reply(WHOLE, folder=FOLDER, name="first")
        assert reply == Reply(
            folder=FOLDER,
            name="first",
            who="Kiln, serving team",
            day=date(2026, 3, 10),
            window_end=date(2026, 3, 7),
            text="The **quincunx** was asked again.\n",
        )
        other = "\ufeffDate: 2026-03-10\r\nFrom: Kiln\r\n\r\nWord.\r\n\r\nMore.\r\n"
        assert parse_reply(other, folder=FOLDER, name="x").text == "Word.\n\nMore.\n"
        assert parse_reply(other, folder=FOLDER, name="x").window_end is None

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "expected one line each of 'From:'"),
            ("Just words.\n", "line 1"),
            ("From: a\nDate: 2026-03-10\nSubject: b\n\nWord.", "line 3"),
            ("From: a\nFrom: b\nDate: 2026-03-10\n\nWord.", "line 2"),
            ("Date: 2026-03-10\n\nWord.", "expected who replied, in 1 to 200 characters, found none"),
            (f"From: {'a' * 201}\nDate: 2026-03-10\n\nWord.", "found 201 characters"),
            ("From: a\n\nWord.", "expected a date such as 2026-11-20, found 'none'"),
            ("From: a\nDate: 10 March\n\nWord.", "found '10 March'"),
            ("From: a\nDate: 20260310\n\nWord.", "found '20260310'"),
            ("From: a\nDate: 2026-03-10\nWindow: \u202e\n\nWord.", r"found '\u202e'"),
            (HEAD, "expected a reply below an empty line, found none"),
            (f"{HEAD}\n \n", "expected a reply below an empty line, found none"),
            (f"{HEAD}\n{'a' * (MOST_CHARACTERS + 1)}", "at most 20,000 characters, found 20,001"),
        ],
    )
    def test_that_is_no_reply_is_refused_in_one_message(self, text: str, said: str):
        """The message names the file, what is wrong, and what to do."""
        with pytest.raises(ContentError) as refused:
            parse_reply(text, folder=FOLDER, name="first")
        message = str(refused.value)
        assert said in message
        assert "content/replies/aster/sphinx-8b/kiln/first.md" in message
        assert "\n" not in message
        assert refused.value.do

    def test_lies_in_the_folder_of_its_endpoint(self, tmp_path: Path):
        """All replies are found, in the order of their names; hidden files are passed over."""
        write(tmp_path, f"{FOLDER}/b.md", WHOLE)
        write(tmp_path, f"{FOLDER}/a.md", WHOLE)
        write(tmp_path, ".gitkeep", "")
        assert [reply.name for reply in Content(tmp_path).replies()] == ["a", "b"]
        assert Content(tmp_path / "none").replies() == ()

    @pytest.mark.parametrize("name", ["reply.md", "aster/reply.md", f"{FOLDER}/reply.txt", f"{FOLDER}/deeper/reply.md"])
    def test_elsewhere_is_refused(self, name: str, tmp_path: Path):
        """No reply is left out in silence."""
        write(tmp_path, name, WHOLE)
        with pytest.raises(ContentError, match=re.escape(f"content/replies/{name}")):
            Content(tmp_path).replies()

    def test_that_is_not_utf_8_is_refused(self, tmp_path: Path):
        """The message names the byte."""
        path = write(tmp_path, f"{FOLDER}/a.md", WHOLE)
        path.write_bytes(path.read_bytes() + b"\xff")
        with pytest.raises(ContentError, match="expected UTF-8"):
            Content(tmp_path).replies()


class TestItsWords:
    def test_are_paragraphs_lists_quotes_emphasis_and_code(self):
        """What a reply needs comes through."""
        tree = parsed(reply_html("One *two* **three**\n\n- a\n- `b`\n\n1. c\n\n> d\n\n```\ne  f\n```\n\n    g\n"))
        assert {element.tag for element in tree.iter()} == {
            "body", "p", "em", "strong", "ul", "ol", "li", "code", "blockquote", "pre", "bdi",
        }  # fmt: skip
        assert ["".join(pre.itertext()) for pre in tree.iter("pre")] == ["e  f\n", "g\n"]

    def test_of_a_link_are_followed_by_where_it_leads(self):
        """Nobody is led anywhere but where the page says."""
        html = reply_html("[our notes](https://kiln.example/n 'title') <https://kiln.example/> <me@kiln.example>")
        tree = parsed(html)
        assert "".join(tree.itertext()) == (
            "our notes (https://kiln.example/n) https://kiln.example/ me@kiln.example\n"
        )
        links = [link.attrib for link in tree.iter("a")]
        assert [link["href"] for link in links] == [
            "https://kiln.example/n",
            "https://kiln.example/",
            "mailto:me@kiln.example",
        ]
        assert all(link == {"href": link["href"], "rel": "nofollow"} for link in links)

    def test_that_are_hostile_stand_there_and_do_nothing(self):
        """No element, attribute, address or invisible character of a stranger's gets onto the page."""
        tree = parsed(reply_html(HOSTILE))
        assert {element.tag for element in tree.iter()} <= {
            "body", "p", "a", "bdi", "span", "blockquote", "code", "pre", "ul", "li", "br",
        }  # fmt: skip
        assert attributes(tree) == {("a", "href"), ("a", "rel"), ("span", "class")}
        for link in tree.iter("a"):
            assert link.attrib["href"].startswith("https://evil.example/")
            assert "".join(link.itertext()) == link.attrib["href"]
        words = "".join(tree.itertext())
        for text in (
            "<script>alert(1)</script>",
            "# A heading of their own",
            "javascript:alert(3)",
            "&#x202e;",
            "<div",
        ):
            assert text in words
        assert not set(words) & set("\u202e\u200b\u2066\u2069")
        assert r"\u202e" in words

    def test_nested_without_end_are_bounded(self):
        """Ten thousand quotes in one another are rendered in time, and are strict HTML."""
        parsed(reply_html("> " * 10_000 + "x"))
        parsed(reply_html("[" * 10_000))
        parsed(reply_html("*_" * 5_000))


@pytest.fixture(scope="module")
def shown() -> dict[str, bytes]:
    """Return the views of a site with replies of two strangers, one about one window and one about all of them."""
    endpoint, window = made.TREES, made.RECORDED[-1]
    folder = endpoint_path(endpoint, "alder").removeprefix("models/").removesuffix("/")
    about = {"who": "<b>Alder\u202e</b>", "day": date(2026, 11, 30), "text": HOSTILE}
    first = Reply(folder=folder, name="b", window_end=window, **about)
    second = Reply(folder=folder, name="a", window_end=None, **{**about, "day": date(2026, 12, 1), "text": "Later."})
    return dict(views.render(made.material(replies=(second, first)), made.TEMPLATES))


class TestThePages:
    """'shown on the endpoint's page and the grade's index page; never on the permanent page'."""

    def test_of_the_endpoint_shows_all_oldest_first(self, shown: dict[str, bytes]):
        """Each stands with its date and who gave it, and the page says that there are some."""
        tree = made.parsed(shown[endpoint_path(made.TREES, "alder") + "index.html"])
        heads = [made.text_of(head) for head in tree.iter("h3") if "2026-1" in made.text_of(head)]
        assert heads == [r"<b>Alder\u202e</b>, 2026-11-30", r"<b>Alder\u202e</b>, 2026-12-01"]
        assert len(list(tree.iter("blockquote"))) >= 2
        assert tree.find(".//a[@href='#replies']") is not None
        policy = tree.find(".//meta[@http-equiv='Content-Security-Policy']")
        assert policy is not None
        assert policy.get("content") == CSP
        assert {script.get("type") for script in tree.iter("script")} <= {"application/ld+json"}
        assert len(list(tree.iter("img"))) == 1, "the endpoint's own badge"

    def test_of_a_grades_index_shows_those_about_its_window_and_about_all(self, shown: dict[str, bytes]):
        """A reply about one window stands on the index of no other."""
        last = made.page_text(shown[grade_index_path(made.TREES, "alder", made.RECORDED[-1]) + "index.html"])
        assert "alert(6)" in last
        assert "Later." in last
        others = [
            made.page_text(body)
            for path, body in shown.items()
            if path.startswith(f"grades/{made.TREES}/alder/2") and made.RECORDED[-1].isoformat() not in path
        ]
        assert all("Later." in page and "alert(6)" not in page for page in others)

    def test_of_others_show_none(self, shown: dict[str, bytes]):
        """Nothing of a reply stands on any other page."""
        own, grades = endpoint_path(made.TREES, "alder"), f"grades/{made.TREES}/alder/"
        for path, body in shown.items():
            if path.endswith(".html") and path != f"{own}index.html" and not path.startswith(grades):
                assert b"Later." not in body, path
                assert b"alert(6)" not in body, path

    @pytest.mark.parametrize(
        ("folder", "window", "said"),
        [
            ("google/gemma-3-270m/nobody", None, "expected a reply to an endpoint that is known here"),
            ("google/gemma-3-270m/alder", date(2020, 1, 1), "expected the last night of a window that was graded"),
        ],
    )
    def test_are_not_made_for_a_reply_to_nothing(self, folder: str, window: date | None, said: str):
        """The message names the file."""
        reply = Reply(folder=folder, name="a", who="x", day=date(2026, 12, 1), window_end=window, text="x")
        with pytest.raises(ContentError, match=said) as refused:
            list(views.render(made.material(replies=(reply,)), made.TEMPLATES))
        assert f"content/replies/{folder}/a.md" in str(refused.value)


def test_a_reply_changes_no_permanent_page(tmp_path: Path):
    """A root is rendered with a reply and verified: kept pages stay byte for byte, and two views show the reply."""
    root = kept_site.make_root(tmp_path)
    site = tmp_path / "site"
    before = {path: path.read_bytes() for path in site.rglob("v0.1/*")}
    write(tmp_path, f"{FOLDER}/first.md", WHOLE)
    render(root, progress=kept_site.Silent())
    assert {path: path.read_bytes() for path in site.rglob("v0.1/*")} == before
    holding = [path for path in site.rglob("*.html") if b"quincunx" in path.read_bytes()]
    assert {path.relative_to(site).as_posix() for path in holding} == {
        f"models/{FOLDER}/index.html",
        f"grades/{FOLDER}/2026-03-07/index.html",
    }
    assert verify(root, progress=kept_site.Silent()).findings == ()
    (tmp_path / f"content/replies/{FOLDER}/first.md").unlink()
    render(root, progress=kept_site.Silent())
    assert not [path for path in site.rglob("*.html") if b"quincunx" in path.read_bytes()]


def write(root: Path, name: str, text: str) -> Path:
    """Write a file below a root's replies."""
    path = root / "content/replies" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path
