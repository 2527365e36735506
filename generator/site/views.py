"""Every page that may change, rendered from the material each time: paths and bytes, in a settled order."""

from __future__ import annotations

from collections.abc import Iterator

from generator.site import (
    badges,
    calibration_views,
    changes_view,
    data_view,
    differences_view,
    endpoint_views,
    feeds,
    first_view,
    folders_view,
    glossary_view,
    grade_schema,
    guide_view,
    hosting,
    log_view,
    night_list_view,
    night_views,
    pictures,
    plain_files,
    prose_views,
    search_view,
    settled_views,
    sitemap,
)
from generator.site.fingerprints import Lying
from generator.site.interface import Material, SettledPages, Unchanged
from generator.site.library import Library, arrange
from generator.site.news import News
from generator.site.search import Indexer
from generator.site.templates import Templates


def render(material: Material, templates: Templates, indexer: Indexer | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield each view's path, relative to the site's folder, and its bytes, all of them made.

    Permanent pages are not among them, but for the page of a method version that nothing was graded under yet.

    Args:
        material: everything that the views are rendered from.
        templates: the site's templates.
        indexer: makes the search page's index; without one the page is a list alone.

    Raises:
        ContentError: naming a template or a prose page that is missing or broken.
    """
    newest, settled = parted(material, templates, indexer)
    yield from newest
    for group in settled:
        yield from group.pages()


def parted(
    material: Material, templates: Templates, indexer: Indexer | None = None, unchanged: Unchanged | None = None
) -> tuple[Iterator[tuple[str, bytes]], Iterator[SettledPages]]:
    """Return the views that any night may change, and those of settled months, which are made where they are asked for.

    Args:
        material: everything that the views are rendered from.
        templates: the site's templates.
        indexer: makes the search page's index; without one the page is a list alone.
        unchanged: says what need not be rendered again: `UNCHANGED` stands in place of its bytes. Without it, all is.

    Raises:
        ContentError: naming a template or a prose page that is missing or broken.
    """
    library = arrange(material)
    lying = Lying(library, templates, unchanged)
    newest = hosting.ruled(sitemap.mapped(_views(library, templates, indexer, lying), library), library)
    return newest, settled_views.render(library, templates, lying)


def _views(
    library: Library, templates: Templates, indexer: Indexer | None, lying: Lying
) -> Iterator[tuple[str, bytes]]:
    news = News(library)
    yield from endpoint_views.render(library, templates, lying, news)
    yield from first_view.render(library, news, templates)
    yield from folders_view.render(library, templates)
    yield from night_views.render(library, templates, lying)
    yield from night_list_view.render(library, templates)
    yield from prose_views.render(library, templates)
    yield from guide_view.render(library, templates)
    yield from data_view.render(library, templates)
    yield from log_view.render(library, templates)
    yield from glossary_view.render(library, templates)
    yield from calibration_views.render(library, templates)
    yield from differences_view.render(library, templates)
    yield from search_view.render(library, templates, indexer)
    yield feeds.of_site(news, library)
    yield from changes_view.render(library, news.ledger, templates, lying)
    yield from badges.render(library)
    yield from pictures.render(templates)
    yield grade_schema.render(library.material.settings)
    yield from plain_files.render(library)
