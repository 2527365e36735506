"""Every page that may change, rendered from the material each time: paths and bytes, in a settled order."""

from __future__ import annotations

from collections.abc import Iterator

from generator.site import (
    calibration_views,
    differences_view,
    endpoint_views,
    first_view,
    night_views,
    prose_views,
)
from generator.site.interface import Material
from generator.site.library import arrange
from generator.site.templates import Templates


def render(material: Material, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield each view's path, relative to the site's folder, and its bytes.

    Permanent pages are not among them, but for the page of a method version that nothing was graded under yet.

    Raises:
        ContentError: naming a template or a prose page that is missing or broken.
    """
    library = arrange(material)
    yield from first_view.render(library, templates)
    yield from endpoint_views.render(library, templates)
    yield from night_views.render(library, templates)
    yield from prose_views.render(library, templates)
    yield from calibration_views.render(library, templates)
    yield from differences_view.render(library, templates)
