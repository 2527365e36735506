"""What a grade's index page is made from, in one digest: the page need not be made again while it stays the same."""

from __future__ import annotations

import msgspec

from generator.records.canonical import sha256
from generator.records.grade import Grade
from generator.records.permalink import grade_index_path
from generator.site.grade_index_view import Later
from generator.site.library import EndpointStory, Library
from generator.site.links import INDEX
from generator.site.replies import Replies


class Fingerprints:
    """The fingerprints of a site's index pages."""

    def __init__(self, library: Library, known: Later, templates: str, replayed: str | None) -> None:
        """Take what all of them share.

        Args:
            library: the material, arranged.
            known: what became known after grades were issued.
            templates: what tells the templates from others.
            replayed: what is said of replayed answers on every page.
        """
        material = library.material
        versions = sorted(material.methods)
        self._shared = sha256(
            _encoded(
                (
                    material.settings,
                    [(version, material.methods[version].digest, library.status(version)) for version in versions],
                    templates,
                    replayed,
                )
            )
        )
        self._library = library
        self._known = known
        self._windows = {(each.method_version, each.window_end): each.sha256 for each in material.windows}
        self._proved = frozenset() if material.log is None else material.log.proved

    def of(self, story: EndpointStory, grades: tuple[Grade, ...], replied: Replies) -> tuple[str, str]:
        """Return the path of the page that lists the grades of one window, and its fingerprint."""
        end = grades[0].window_end
        gone = None if story.listed_now else (story.last_listed, story.gone_words)
        windows = [self._window(grade) for grade in grades]
        replies = [
            (each.who, each.day, each.window_end, str(each.html))
            for each in replied.about(story.model, story.endpoint, end)
        ]
        path = grade_index_path(story.model, story.endpoint, end) + INDEX
        return path, sha256(_encoded((self._shared, path, story.provider, gone, windows, replies)))

    def _window(self, grade: Grade) -> object:
        """Return what the page says of one version's grade: the file that keeps it, and what became known later."""
        key = (grade.method_version, grade.window_end)
        voided = [(night, self._known.voided[night]) for night in grade.nights if night in self._known.voided]
        return key, self._windows.get(key), key in self._known.regrades, key in self._proved, voided


def _encoded(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic", enc_hook=str)
