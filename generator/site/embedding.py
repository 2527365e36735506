"""How other pages show an endpoint's badge: its addresses, and what to paste. Pure.

The badge changes with every window, so what is pasted says whose grade it is and never the letter, and it leads to the
endpoint's page, which has the latest permanent page at its top.
"""

from __future__ import annotations

from urllib.parse import quote

import msgspec
from markupsafe import Markup

from generator.records.permalink import badge_path, endpoint_path
from generator.site.badges import badge, picture
from generator.site.library import Library
from generator.site.stories import EndpointStory
from generator.site.text import visible_markdown, visible_plain


class Embedding(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's badge, for other pages."""

    picture: str
    """The badge as it is now, as a data address: a page that shows it fetches nothing."""
    says: str
    """What the picture says, in words."""
    path: str
    """Where both files lie on the site, without the ending."""
    svg: str
    """The picture's full address."""
    json: str
    """The full address of what shields.io draws a badge from."""
    markdown: str
    html: str


def embedding(story: EndpointStory, library: Library) -> Embedding:
    """Return how other pages show an endpoint's badge."""
    settings, made = library.material.settings, badge(story, library)
    path = badge_path(story.model, story.endpoint)
    svg, page = f"{settings.address}{path}.svg", settings.address + endpoint_path(story.model, story.endpoint)
    title, model, provider, tag = map(visible_plain, (settings.title, story.model, story.provider, story.tag))
    name = f"{title}: grade of {model} served by {provider} ({tag})"
    return Embedding(
        picture=f"data:image/svg+xml,{quote(picture(made))}",
        says=made.title,
        path=path,
        svg=svg,
        json=f"{settings.address}{path}.json",
        markdown=f"[![{visible_markdown(name)}]({svg})]({page})",
        html=str(Markup('<a href="{}"><img src="{}" alt="{}"></a>').format(page, svg, name)),
    )
