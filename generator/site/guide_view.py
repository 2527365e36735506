"""The guide: its chapters as pages of prose, and the page that lists them.

Each file of content/pages/guide/ is a chapter; its first heading is the title and its first paragraph says what it is
about. `index` opens the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from generator.errors import ContentError
from generator.site.frame import Step, frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.prose import Prose, to_html
from generator.site.prose_views import ADDRESS
from generator.site.templates import Templates

NAME = "guide"
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "To read grades": ("cite", "check", "dispute"),
    "To run it": ("demo", "own-endpoints", "nightly", "github-actions", "hosting", "keys", "corrections"),
    "To change it": ("families", "routers", "method-versions", "scale", "benchmarks"),
}
"""Chapters in the order in which they are listed; one that is not there is left out."""
_LAST = "To change it"
"""Where a chapter stands that no group names."""


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """One chapter."""

    name: str
    title: str
    prose: Prose

    @property
    def path(self) -> str:
        """Its folder in the site."""
        return f"{NAME}/{self.name}/"


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the list of chapters, and each chapter.

    Raises:
        ContentError: where the list's own text is missing: every page links to it.
    """
    address = library.material.settings.address
    pages = {name: text.replace(ADDRESS, address) for name, text in library.material.pages.items()}
    groups = _groups(pages)
    chapters = chapter_order(pages)
    yield _index(library, templates, groups)
    for place, chapter in enumerate(chapters):
        before = chapters[place - 1] if place else None
        after = chapters[place + 1] if place + 1 < len(chapters) else None
        yield _chapter(library, templates, chapter, before, after)


def chapter_order(pages: Mapping[str, str]) -> tuple[Chapter, ...]:
    """Return the chapters among pages of prose, in the order in which one leads to the next."""
    return tuple(chapter for group in _groups(pages).values() for chapter in group)


def _groups(pages: Mapping[str, str]) -> Mapping[str, tuple[Chapter, ...]]:
    """Return the chapters that are there, by group; a group without one is left out."""
    there = {name.removeprefix(f"{NAME}/"): text for name, text in pages.items() if name.startswith(f"{NAME}/")}
    there.pop("index", None)
    named = {name for names in _GROUPS.values() for name in names}
    others = tuple(name for name in sorted(there) if name not in named)
    groups = {}
    for group, names in _GROUPS.items():
        found = [name for name in names if name in there] + [*(others if group == _LAST else ())]
        if found:
            groups[group] = tuple(_read(name, there[name]) for name in found)
    return groups


def _read(name: str, text: str) -> Chapter:
    prose = to_html(text, where=f"content/pages/{NAME}/{name}.md")
    return Chapter(name=name, title=prose.title or name.capitalize(), prose=prose)


def _index(library: Library, templates: Templates, groups: Mapping[str, tuple[Chapter, ...]]) -> tuple[str, bytes]:
    path, where = f"{NAME}/{INDEX}", f"content/pages/{NAME}/index.md"
    text = library.material.pages.get(f"{NAME}/index")
    if text is None:
        raise ContentError("expected a prose page, found none", where=where, do="Restore it: every page links to it")
    prose = to_html(text, where=where)
    title = prose.title or NAME.capitalize()
    return path, templates.render(
        "guide.html",
        page=frame(
            path,
            library.material.settings,
            title=title,
            description=prose.lead or f"{title}: {library.material.settings.title}",
            steps=(Step(text=NAME, href=INDEX),),
            replayed=replayed_line(night.record for night in library.material.nights),
        ),
        links=Links(path),
        title=title,
        body=prose.html,
        groups=groups,
    )


def _chapter(
    library: Library, templates: Templates, chapter: Chapter, before: Chapter | None, after: Chapter | None
) -> tuple[str, bytes]:
    path = chapter.path + INDEX
    links = Links(path)
    return path, templates.render(
        "chapter.html",
        page=frame(
            path,
            library.material.settings,
            title=chapter.title,
            description=chapter.prose.lead or f"{chapter.title}: {library.material.settings.title}",
            links=links,
            steps=(Step(text=NAME, href=links.page(NAME)), Step(text=chapter.title, href=INDEX)),
            replayed=replayed_line(night.record for night in library.material.nights),
        ),
        links=links,
        title=chapter.title,
        body=chapter.prose.html,
        contents=chapter.prose.headings,
        before=before,
        after=after,
    )
