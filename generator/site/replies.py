"""The replies to an endpoint's grades, as the pages that may change show them. No permanent page holds one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import msgspec
from markupsafe import Markup

from generator.errors import ContentError
from generator.records.permalink import endpoint_path
from generator.records.reply import Reply
from generator.site.library import Library
from generator.site.reply_text import reply_html
from generator.site.stories import EndpointStory
from generator.site.text import visible_plain

_MODELS = endpoint_path("author/name", "endpoint").partition("/")[0]


class ShownReply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply as a page shows it."""

    who: str
    """A stranger's text."""
    day: date
    window_end: date | None
    """None where it is about the endpoint's grades altogether."""
    html: Markup


class Replies(msgspec.Struct, frozen=True, kw_only=True):
    """Every reply of a site, by the path of the endpoint's page."""

    shown: Mapping[str, tuple[ShownReply, ...]]
    """Oldest first."""

    def of(self, model: str, endpoint: str) -> tuple[ShownReply, ...]:
        """Return an endpoint's."""
        return self.shown.get(endpoint_path(model, endpoint), ())

    def about(self, model: str, endpoint: str, window_end: date) -> tuple[ShownReply, ...]:
        """Return those that are about one window of an endpoint, or about its grades altogether."""
        return tuple(each for each in self.of(model, endpoint) if each.window_end in {None, window_end})


def replies(library: Library) -> Replies:
    """Return every reply.

    Raises:
        ContentError: naming a reply to an endpoint that is not known here, or about a window without a grade.
    """
    held = library.material.replies
    known = {
        endpoint_path(story.model, story.endpoint): story
        for model in (library.models if held else ())
        for story in model.endpoints
    }
    shown: dict[str, tuple[ShownReply, ...]] = {}
    for reply in sorted(held, key=lambda each: (each.folder, each.day, each.name)):
        path = f"{_MODELS}/{reply.folder}/"
        story = known.get(path)
        if story is None:
            raise ContentError(
                f"expected a reply to an endpoint that is known here, found none at {visible_plain(path)}",
                where=visible_plain(reply.where),
                do="Name its folder as the endpoint's address below /models/ is",
            )
        _check_window(reply, story)
        one = ShownReply(who=reply.who, day=reply.day, window_end=reply.window_end, html=reply_html(reply.text))
        shown[path] = (*shown.get(path, ()), one)
    return Replies(shown=shown)


def _check_window(reply: Reply, story: EndpointStory) -> None:
    if reply.window_end is not None and not story.was_graded(reply.window_end):
        raise ContentError(
            f"expected the last night of a window that was graded, found {reply.window_end}",
            where=f"{visible_plain(reply.where)}, 'Window:'",
            do="Take the date from the address of the grade, or leave the line out",
        )
