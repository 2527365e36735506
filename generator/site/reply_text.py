"""The words of a reply as HTML: Markdown of a stranger, of which text, lists, quotes and code come through.

No HTML, no image, no heading and no table of theirs stands on a page; each link says in the open where it leads; and
what is invisible in their text is made visible, as it is everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from generator.site.text import visible_lines

_OFF = ("html_block", "html_inline", "image", "heading", "lheading", "entity")
"""Without `entity`, a character can only stand as itself, where it is made visible."""
_SCHEMES = ("https://", "http://", "mailto:")


class _Rendered(RendererHTML):
    """Writes text as a stranger's, and links with their addresses in the open."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        """Return a run of words."""
        return visible_lines(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        """Return code within a line."""
        return f"<code>{visible_lines(tokens[idx].content)}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG002
        """Return lines of code, whatever they say that they are."""
        return f"<pre>{visible_lines(tokens[idx].content)}</pre>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return lines of code that say what they are written in, which nobody needs here."""
        return self.code_block(tokens, idx, options, env)

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """Return what opens a link that is nothing but its address; the words of any other are no link."""
        return _anchor(tokens[idx]) if tokens[idx].info == "auto" else ""

    def link_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        """Return what closes such a link, or the address of another, after its words."""
        if tokens[idx].info == "auto":
            return "</a>"
        opened = next(each for each in reversed(tokens[:idx]) if each.type == "link_open")
        return f" ({_anchor(opened)}{escape(opened.attrs['href'])}</a>)"


class _Parser(MarkdownIt):
    """Takes for a link what leads to the same place from every page."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - what the parser asks
        """True for an address with a host or a mailbox."""
        return url.lower().startswith(_SCHEMES)


def reply_html(markdown: str) -> Markup:
    """Return the words of a reply as HTML that a page can hold.

    Args:
        markdown: CommonMark, of anybody.
    """
    parser = _Parser("commonmark", {"html": False}, renderer_cls=_Rendered).disable(list(_OFF))
    return Markup(parser.render(markdown))  # noqa: S704 - every run of text is escaped, and no HTML of theirs is kept


def _anchor(opened: Token) -> str:
    return f'<a href="{escape(opened.attrs["href"])}" rel="nofollow">'
