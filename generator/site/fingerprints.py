"""What a page is made from, in one digest: the page need not be made again while it stays the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property

import msgspec

from generator.records.canonical import sha256
from generator.records.grade import Grade
from generator.records.permalink import endpoint_path, grade_index_path, night_path
from generator.site.endpoint_months import Month, SettledMonth, month_path
from generator.site.frame import replayed_line
from generator.site.grade_index_view import later
from generator.site.history import VersionChange
from generator.site.interface import UNCHANGED, Material, NightMaterial, Unchanged
from generator.site.ledger import Line
from generator.site.library import Library
from generator.site.links import INDEX
from generator.site.past import month_of
from generator.site.replies import Replies, ShownReply
from generator.site.stories import EndpointStory
from generator.site.templates import Templates


class Fingerprints:
    """The fingerprints of a site's pages."""

    def __init__(self, library: Library, templates: str) -> None:
        """Take what all of them share.

        Args:
            library: the material, arranged.
            templates: what tells the templates from others.
        """
        material = library.material
        versions = sorted(material.methods)
        self._shared = sha256(
            _encoded(
                (
                    material.settings,
                    [(version, material.methods[version].digest, library.status(version)) for version in versions],
                    templates,
                    replayed_line(night.record for night in material.nights),
                )
            )
        )
        self._known = later(library)
        self._windows = {(each.method_version, each.window_end): each.sha256 for each in material.windows}
        self._proved = frozenset() if material.log is None else material.log.proved
        self._through = dict(self._chained(material))
        self._of_window: dict[tuple[str, date], str] = {}
        self._last: tuple[EndpointStory, str] | None = None

    def of_grades(self, story: EndpointStory, grades: tuple[Grade, ...], replied: Replies) -> tuple[str, str]:
        """Return the path of the page that lists the grades of one window, and its fingerprint."""
        end = grades[0].window_end
        path = grade_index_path(story.model, story.endpoint, end) + INDEX
        told = [self._shared, path, self._standing(story), *map(self._window, grades)]
        told += [repr(_told(each)) for each in replied.about(story.model, story.endpoint, end)]
        return path, sha256("\n".join(told).encode())

    def of_month(self, story: EndpointStory, month: Month) -> tuple[str, str]:
        """Return the path of the page of an endpoint's windows of one month, and its fingerprint."""
        path = month_path(story, month.name)
        rows = [(end, None if grade is None else self._file(grade)) for end, grade in month.rows]
        changed = [
            (
                each.night,
                [(grade.window_end, self._file(grade)) for grade in each.letter or ()],
                each.precision,
                each.tag,
            )
            for each in month.changes
        ]
        return path, sha256(_encoded((self._shared, path, story.provider, rows, changed)))

    def of_settled(self, story: EndpointStory, month: SettledMonth, replied: Replies) -> str:
        """Return the fingerprint of the pages of a settled month of an endpoint: its own, and those of its windows.

        All that its grades say follows from the files that keep them, up to the month's end.
        """
        folder = endpoint_path(story.model, story.endpoint)
        told = [self._through[month.name], folder, self._standing(story), str(month.missing)]
        told += map(repr, month.successions)
        told += [
            repr(_told(each))
            for each in replied.of(story.model, story.endpoint)
            if each.window_end is None or month_of(each.window_end) == month.name
        ]
        return sha256("\n".join(told).encode())

    def through(self, name: str) -> str:
        """Return what tells all windows to the end of a settled month from others, and what became known of them."""
        return self._through[name]

    def _chained(self, material: Material) -> Iterator[tuple[str, str]]:
        """Yield each settled month with that, ascending: each holds the one before."""
        windows: dict[str, list[object]] = defaultdict(list)
        for each in material.windows:
            key = (each.method_version, each.window_end)
            known = (key, each.sha256, each.was_current, each.regrade, key in self._proved)
            windows[month_of(each.window_end)].append(known)
        chained = self._shared
        for month in material.past.months:
            voided = [(night, void) for night, void in self._known.voided.items() if month_of(night) <= month.name]
            chained = sha256(_encoded((chained, month.name, windows[month.name], voided)))
            yield month.name, chained

    def of_night(
        self, night: NightMaterial, beside: tuple[date | None, ...], downloads: Iterable[str]
    ) -> tuple[str, str]:
        """Return the path of a night's page, and its fingerprint.

        Args:
            night: the night; its tables are told by their digests in night.json.
            beside: the nights before and after it.
            downloads: its files that can be had.
        """
        path = night_path(night.record.night) + INDEX
        kept = (night.night_json_sha256, night.void, night.withheld)
        return path, sha256(_encoded((self._shared, path, kept, beside, sorted(downloads))))

    def of_changes(self, path: str, rows: Sequence[Line | VersionChange]) -> tuple[str, str]:
        """Return the path of a page of changes of one month, and its fingerprint."""
        return path, sha256(_encoded((self._shared, path, rows)))

    def _file(self, grade: Grade) -> tuple[str, str | None]:
        """Return the version of a grade, and what tells the file that keeps it."""
        return grade.method_version, self._windows.get((grade.method_version, grade.window_end))

    def _standing(self, story: EndpointStory) -> str:
        """Return what every page of an endpoint's grades says of it: how it is called, and whether it is gone."""
        # A page asks for its endpoint's several times over, and for no other's in between.
        if self._last is None or self._last[0] is not story:
            gone = None if story.listed_now else (story.last_listed, story.gone_words)
            self._last = story, repr((story.provider, gone))
        return self._last[1]

    def _window(self, grade: Grade) -> str:
        """Return what the page says of one version's grade: the file that keeps it, and what became known later."""
        key = (grade.method_version, grade.window_end)
        told = self._of_window.get(key)
        if told is None:
            told = repr((key, self._windows.get(key), key in self._known.regrades, key in self._proved))
            self._of_window[key] = told
        voided = self._known.voided and [
            (night, self._known.voided[night]) for night in grade.nights if night in self._known.voided
        ]
        return f"{told} {voided}" if voided else told


def _told(reply: ShownReply) -> object:
    return reply.who, reply.day, reply.window_end, str(reply.html)


def _encoded(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic", enc_hook=str)


class Lying:
    """The pages that lie in place as they would be made, and what tells settled pages from others."""

    def __init__(self, library: Library, templates: Templates, unchanged: Unchanged | None = None) -> None:
        """Take who knows them.

        Args:
            library: the material, arranged.
            templates: the site's templates.
            unchanged: who knows them; None where every page is to be made.
        """
        self._unchanged = unchanged
        self._library, self._templates = library, templates

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """What tells each page from others."""
        return Fingerprints(self._library, self._templates.sha256)

    def or_made(
        self, of: Callable[..., tuple[str, str]], made_from: Sequence[object], make: Callable[[], tuple[str, bytes]]
    ) -> tuple[str, bytes]:
        """Return a page's path with `UNCHANGED` where it lies in place, else what is made.

        Args:
            of: the method of `Fingerprints` that returns its path and fingerprint.
            made_from: what that is asked with.
            make: makes the page.
        """
        if self._unchanged is not None:
            path, fingerprint = of(self.fingerprints, *made_from)
            if self._unchanged(path, fingerprint):
                return path, UNCHANGED
        return make()
