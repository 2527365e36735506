"""The glossary: every word that has one meaning here, alphabetically, each at an address of its own.

Its text is content/pages/glossary.md. There `[...](method:floor)` leads to the sentence of the current method that
defines a thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from generator.errors import ContentError
from generator.site.anchors import ANCHORS
from generator.site.frame import Step, frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.prose import to_html
from generator.site.templates import Templates

NAME = "glossary"
_WHERE = f"content/pages/{NAME}.md"
_METHOD_LINK = re.compile(r"\]\(method:([a-z-]*)\)")


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the glossary.

    Raises:
        ContentError: where its text is missing, two of its words are out of order, or a link names no sentence of the
            method.
    """
    path = f"{NAME}/{INDEX}"
    links = Links(path)
    prose = to_html(_markdown(library, links), where=_WHERE)
    words = tuple(heading for heading in prose.headings if heading.level == 2)  # noqa: PLR2004 - as in h2
    for before, after in pairwise(words):
        if before.text.casefold() > after.text.casefold():
            raise ContentError(
                f"expected the words in alphabetical order, found '{after.text}' after '{before.text}'", where=_WHERE
            )
    title = prose.title or NAME.capitalize()
    page = templates.render(
        "glossary.html",
        page=frame(
            path,
            library.material.settings,
            title=title,
            description="Every word that has one meaning here, alphabetically, with the sentence that defines it.",
            steps=(Step(text=NAME, href=INDEX),),
            replayed=replayed_line(night.record for night in library.material.nights),
        ),
        links=links,
        title=title,
        body=prose.html,
        words=words,
    )
    yield path, page


def _markdown(library: Library, links: Links) -> str:
    """Return the text with its links to the method."""
    if NAME not in library.material.pages:
        raise ContentError("expected the glossary, found none", where=_WHERE, do="Restore it: every page links to it")

    def linked(found: re.Match[str]) -> str:
        if found[1] not in ANCHORS:
            raise ContentError(
                f"expected a link to one of {', '.join(sorted(ANCHORS))}, found 'method:{found[1]}'", where=_WHERE
            )
        return f"]({links.method(library.current, found[1])})"

    return _METHOD_LINK.sub(linked, library.material.pages[NAME])
