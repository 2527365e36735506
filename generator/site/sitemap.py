"""The sitemap: every page's full address, in files of at most 50,000, and an index of these files.

The pages of grades of a settled month have files of their own, which change no more.

Pages are passed through as they are rendered, and a file is done as soon as it is full, so that a site of any size
takes the memory of one file. Source of the format and its limits: https://www.sitemaps.org/protocol.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby, islice

from markupsafe import escape

from generator.records.grade import Grade
from generator.records.permalink import endpoint_path, grade_index_path, method_path, night_path, permalink_path
from generator.site import changes_view, endpoint_months
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
        views: path and bytes of each view that is not settled, the page of every endpoint among them.
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
    settled = (
        settled_path(month.name, number)
        for month in library.material.past.months
        for number in range(1, _parts(month.pages, most) + 1)
    )
    paths = (*map(part_path, range(1, files + 1)), *settled)
    yield PATH, _document("sitemapindex", [f"<sitemap><loc>{escape(address + path)}</loc></sitemap>" for path in paths])


def settled_path(name: str, number: int) -> str:
    """Return where a file of the grades of a settled month lies, counted from 1."""
    return f"sitemaps/{name}-{number}.xml"


def settled_pages(name: str, library: Library, most: int = MOST_ADDRESSES) -> Iterator[tuple[str, bytes]]:
    """Yield the sitemap of the grades of a settled month: their permanent pages, and each window's index of versions.

    Args:
        name: of the month.
        library: knows the grades, and the site's address.
        most: addresses in one file.
    """
    address = library.material.settings.address
    every = (
        _line(address + folder, issued)
        for story in library.by_slug
        for folder, issued in _graded(story.grades_of(name))
    )
    number = 0
    while lines := list(islice(every, most)):
        number += 1
        yield settled_path(name, number), _document("urlset", lines)


def _parts(pages: int, most: int) -> int:
    return -(-pages // most)


def _graded(grades: Iterable[Grade]) -> Iterator[tuple[str, date | None]]:
    """Yield the folder of each window's index, and of each grade with the day on which it was issued."""
    for _, versions in groupby(grades, key=lambda grade: grade.window_end):
        of_window = tuple(versions)
        yield grade_index_path(of_window[0].model, of_window[0].endpoint, of_window[0].window_end), None
        for grade in of_window:
            yield permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version), grade.issued


def _passed(views: Iterable[tuple[str, bytes]], library: Library) -> Iterator[tuple[str, bytes | None, date | None]]:
    """Yield each view, and each other page with the day on which it was issued and without its bytes.

    An endpoint's permanent pages follow its own page, for which its grades have just been read.
    """
    stories = {endpoint_path(each.model, each.endpoint): each for of in library.models for each in of.endpoints}
    for path, body in views:
        yield path, body, None
        story = stories.get(path.removesuffix(INDEX))
        if story is None:
            continue
        for settled in endpoint_months.settled(story, library):
            yield endpoint_months.month_path(story, settled.name), None, None
        for grade in story.held.of(story.model, story.endpoint):
            folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
            yield folder + INDEX, None, grade.issued
    for version in sorted(library.material.kept_methods):
        yield method_path(version) + INDEX, None, None
    for month in library.material.past.months:
        yield changes_view.month_path(month.name), None, None
    for night in library.material.nights:
        if library.material.past.is_settled(night.record.night):
            yield night_path(night.record.night) + INDEX, None, None


def _line(address: str, issued: date | None) -> str:
    changed = "" if issued is None else f"<lastmod>{issued.isoformat()}</lastmod>"
    return f"<url><loc>{escape(address)}</loc>{changed}</url>"


def _document(kind: str, lines: Iterable[str]) -> bytes:
    return "\n".join([f'{_HEAD}<{kind} xmlns="{_NAMESPACE}">', *lines, f"</{kind}>", ""]).encode()
