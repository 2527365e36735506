"""The first page: the models, alphabetically, with their latest letters; the last night's counts; latest changes."""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.night import date_runs
from generator.records.reading import change_words
from generator.site.frame import frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.news import News
from generator.site.templates import Templates

MOST_NIGHTS = 14
"""Nights that the first page lists; each night's page links to the one before."""


def render(library: Library, news: News, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the first page, after the endpoints whose changes it lists."""
    material, settings = library.material, library.material.settings
    known = {story.model for story in library.models} | library.model_ids
    page = templates.render(
        "first.html",
        page=frame(
            INDEX,
            settings,
            title=f"{settings.title}: grades of endpoints that serve language models",
            description=(
                "Each night the same narrow prompts go to every endpoint of some models; each endpoint has a grade of "
                "what it returned, at an address that never changes."
            ),
            replayed=replayed_line(night.record for night in material.nights),
        ),
        links=Links(INDEX),
        library=library,
        models=library.models,
        last=library.recorded[-1] if library.recorded else None,
        nights=material.nights[: -MOST_NIGHTS - 1 : -1],
        date_runs=date_runs,
        watched=tuple(sorted(set(settings.models) - known)),
        changes=news.latest,
        change_words=change_words,
        has_demo=bool(material.demo),
    )
    yield INDEX, page
