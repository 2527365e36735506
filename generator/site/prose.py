"""Markdown prose as HTML: no raw HTML, headings with settled ids, tables with captions, scopes and labels.

Two additions to CommonMark with tables: `## The floor {#floor}` gives a heading its id, and a paragraph
`Table: ...` right before a table is that table's caption.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from generator.errors import ContentError
from generator.records.slug import slug

_HEADING_ID = re.compile(r"\s*\{#([a-z][a-z0-9-]*)\}\s*$")
_CAPTION = "Table: "
_REMEMBERED = 128
"""Pieces of prose that are kept as HTML: more than a site has."""
_WIDE = 6
"""Columns from which a table is stacked also on screens of a middling width, as a template's wide ones are."""


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """One heading."""

    level: int
    id: str
    text: str


class Prose(msgspec.Struct, frozen=True, kw_only=True):
    """Prose as HTML, without its title."""

    title: str | None
    """The first-level heading that opens it; None where none does."""
    lead: str
    """The words of the first paragraph, in one line; empty where none opens the prose."""
    html: Markup
    headings: tuple[Heading, ...]


@lru_cache(_REMEMBERED)
def to_html(markdown: str, *, where: str) -> Prose:
    """Return prose as HTML; of the same words the same, so a site that is laid out and then verified reads them once.

    Args:
        markdown: CommonMark with tables; raw HTML in it is shown as text.
        where: the file it comes from, for messages.

    Raises:
        ContentError: naming a heading id that stands twice.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    title = None
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title = tokens[1].content
        tokens = tokens[3:]
    headings = _name_headings(tokens, where)
    tokens = _dress_tables(tokens)
    html = Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - rendered with raw HTML off
    return Prose(title=title, lead=_lead(tokens), html=html, headings=headings)


def _lead(tokens: Sequence[Token]) -> str:
    """Return the words of the paragraph that opens the tokens."""
    if not tokens or tokens[0].type != "paragraph_open":
        return ""
    return "".join(" " if each.type == "softbreak" else each.content for each in tokens[1].children or ())


def _name_headings(tokens: Sequence[Token], where: str) -> tuple[Heading, ...]:
    headings: dict[str, Heading] = {}
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        given = _HEADING_ID.search(inline.content)
        if given is not None and inline.children:
            last = inline.children[-1]
            last.content = _HEADING_ID.sub("", last.content)
        text = "".join(child.content for child in inline.children or ())
        name = given.group(1) if given else slug(text).replace(".", "-")
        if name in headings:
            raise ContentError(f"expected each heading id once, found '{name}' twice", where=where)
        headings[name] = Heading(level=int(token.tag[1:]), id=name, text=text)
        token.attrSet("id", name)
    return tuple(headings.values())


def _dress_tables(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with captions moved into their tables, wide ones named so, scopes and labels on cells."""
    dressed: list[Token] = []
    labels: list[str] = []
    column = 0
    opened = Token("table_open", "table", 1)
    for position, token in enumerate(tokens):
        match token.type:
            case "table_open":
                caption = _take_caption(dressed)
                dressed += [token, *caption]
                opened, labels = token, []
                continue
            case "th_open":
                labels.append("".join(child.content for child in tokens[position + 1].children or ()))
                _set_cell(token, scope="col")
                if len(labels) == _WIDE:
                    opened.attrSet("class", "wide")
            case "tr_open":
                column = 0
            case "td_open":
                if column == 0:
                    token.tag = "th"
                    _set_cell(token, scope="row")
                else:
                    _set_cell(token, label=labels[column])
            case "td_close":
                token.tag = "th" if column == 0 else "td"
                column += 1
            case _:
                pass
        dressed.append(token)
    return dressed


def _take_caption(dressed: list[Token]) -> list[Token]:
    """Take the paragraph that ends the tokens so far as a caption, where it is meant as one."""
    if len(dressed) < len(("open", "inline", "close")) or dressed[-1].type != "paragraph_close":
        return []
    inline = dressed[-2]
    if not inline.content.startswith(_CAPTION) or not inline.children:
        return []
    del dressed[-3:]
    inline.children[0].content = inline.children[0].content.removeprefix(_CAPTION)
    return [Token("caption_open", "caption", 1), inline, Token("caption_close", "caption", -1)]


def _set_cell(token: Token, *, scope: str | None = None, label: str | None = None) -> None:
    """Give a cell its scope or label; a right-aligned column holds figures."""
    if "right" in str(token.attrs.pop("style", "")):
        token.attrSet("class", "n")
    if scope is not None:
        token.attrSet("scope", scope)
    if label is not None:
        token.attrSet("data-label", label)
