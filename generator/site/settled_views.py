"""The views of settled months, in groups that a build leaves alone while nothing of what they are made from changed.

Of each month, one after another: the pages of every endpoint's windows, the nights, the changes and the sitemap.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import groupby

from generator.records.canonical import sha256
from generator.records.permalink import endpoint_path
from generator.site import changes_view, endpoint_months, endpoint_views, grade_index_view, night_views, sitemap
from generator.site.fingerprints import Lying
from generator.site.frame import replayed_line
from generator.site.history import VersionChange, leading, version_changes
from generator.site.interface import SettledPages
from generator.site.library import Library
from generator.site.past import month_of
from generator.site.replies import replies
from generator.site.templates import Templates


def render(library: Library, templates: Templates, lying: Lying) -> Iterator[SettledPages]:
    """Yield every group, month by month, so that whoever makes all of them reads each month's grades once."""
    endpoints = _endpoints(library, templates, lying)
    nights = _nights(library, templates, lying)
    led, versions = leading(library.material.windows), cache(partial(_version_changes, library))
    for month in library.material.past.months:
        yield from endpoints.get(month.name, ())
        yield from nights.get(month.name, ())
        yield SettledPages(
            name=f"changes/{month.name}",
            fingerprint=lying.fingerprints.through(month.name),
            pages=partial(changes_view.settled_pages, month.name, library, led, versions, templates),
        )
        yield _sitemap(month.name, library, lying)


def _endpoints(library: Library, templates: Templates, lying: Lying) -> dict[str, list[SettledPages]]:
    replayed = replayed_line(night.record for night in library.material.nights)
    known, replied = grade_index_view.later(library), replies(library)
    found: dict[str, list[SettledPages]] = {}
    for model in library.models:
        for story in model.endpoints:
            folder = endpoint_path(story.model, story.endpoint)
            for month in endpoint_months.settled(story, library):
                pages = partial(
                    endpoint_views.settled_pages, story, month, library, known, replied, templates, lying, replayed
                )
                fingerprint = lying.fingerprints.of_settled(story, month, replied)
                group = SettledPages(name=folder + month.name, fingerprint=fingerprint, pages=pages)
                found.setdefault(month.name, []).append(group)
    return found


def _nights(library: Library, templates: Templates, lying: Lying) -> dict[str, list[SettledPages]]:
    every = night_views.placed(library)
    return {
        name: [_group_of_nights(name, tuple(placed), library, templates, lying)]
        for name, placed in groupby(every, key=lambda each: month_of(each.night.record.night))
    }


def _group_of_nights(
    name: str, placed: tuple[night_views.Placed, ...], library: Library, templates: Templates, lying: Lying
) -> SettledPages:
    told = (lying.fingerprints.of_night(each.night, each.beside, each.downloads)[1] for each in placed)
    pages = partial(night_views.pages, placed, library, templates, lying)
    return SettledPages(name=f"nights/{name}", fingerprint=sha256("".join(told).encode()), pages=pages)


def _version_changes(library: Library) -> tuple[VersionChange, ...]:
    material = library.material
    return version_changes(material.windows, material.grades, material.past.issued)


def _sitemap(name: str, library: Library, lying: Lying) -> SettledPages:
    return SettledPages(
        name=f"sitemaps/{name}",
        fingerprint=lying.fingerprints.through(name),
        pages=partial(sitemap.settled_pages, name, library),
    )
