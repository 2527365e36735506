"""The sitemap: every page's full address, in files of at most 50,000, and an index of these files.

Pages are passed through as they are rendered, and a file is done as soon as it is full, so that a site of any size
takes the memory of one file. Source of the format and its limits: https://www.sitemaps.org/protocol.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from markupsafe import escape

from generator.records.permalink import endpoint_path, method_path, permalink_path
from generator.site.library import Library
from generator.site.links import INDEX

PATH = "sitemap.xml"
MOST_ADDRESSES = 50_000
"""The protocol's limit of one file; so many of our longest addresses are far below its 50 MiB."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def part_path(number: int) -> str:
    """Return where the sitemap's file of a number lies, counted from 1."""
    return f"sitemaps/{number}.xml"


def mapped(
    views: Iterable[tuple[str, bytes]], library: Library, most: int = MOST_ADDRESSES
) -> Iterator[tuple[str, bytes]]:
    """Yield every view, and between and after them the sitemap of them and of all permanent pages.

    Args:
        views: path and bytes of each view, the page of every endpoint among them.
        library: knows the permanent pages, and the site's address.
        most: addresses in one file.
    """
    address = library.material.settings.address
    files, lines = 0, []
    for path, body, issued in _passed(views, library):
        if body is not None:
            yield path, body
        if path.endswith(INDEX):
            lines.append(_line(address + path.removesuffix(INDEX), issued))
        if len(lines) == most:
            files += 1
            yield part_path(files), _document("urlset", lines)
            lines = []
    if lines:
        files += 1
        yield part_path(files), _document("urlset", lines)
    parts = [f"<sitemap><loc>{escape(address + part_path(number))}</loc></sitemap>" for number in range(1, files + 1)]
    yield PATH, _document("sitemapindex", parts)


def _passed(views: Iterable[tuple[str, bytes]], library: Library) -> Iterator[tuple[str, bytes | None, date | None]]:
    """Yield each view, and each permanent page with the day on which it was issued and without its bytes.

    An endpoint's permanent pages follow its own page, for which its grades have just been read.
    """
    stories = {endpoint_path(each.model, each.endpoint): each for of in library.models for each in of.endpoints}
    for path, body in views:
        yield path, body, None
        story = stories.get(path.removesuffix(INDEX))
        for grade in story.held.of(story.model, story.endpoint) if story else ():
            folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
            yield folder + INDEX, None, grade.issued
    for version in sorted(library.material.kept_methods):
        yield method_path(version) + INDEX, None, None


def _line(address: str, issued: date | None) -> str:
    changed = "" if issued is None else f"<lastmod>{issued.isoformat()}</lastmod>"
    return f"<url><loc>{escape(address)}</loc>{changed}</url>"


def _document(kind: str, lines: Iterable[str]) -> bytes:
    return "\n".join([f'{_HEAD}<{kind} xmlns="{_NAMESPACE}">', *lines, f"</{kind}>", ""]).encode()
