"""What a page is made from, in one digest: the page need not be made again while it stays the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property

import msgspec

from generator.records.canonical import sha256
from generator.records.grade import Grade
from generator.records.permalink import grade_index_path, night_path
from generator.site.endpoint_months import Month, SettledMonth, month_path
from generator.site.frame import replayed_line
from generator.site.grade_index_view import later
from generator.site.history import VersionChange
from generator.site.interface import UNCHANGED, Material, NightMaterial, Unchanged
from generator.site.ledger import Line
from generator.site.library import EndpointStory, Library
from generator.site.links import INDEX
from generator.site.past import month_of
from generator.site.replies import Replies
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

    def of_grades(self, story: EndpointStory, grades: tuple[Grade, ...], replied: Replies) -> tuple[str, str]:
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
        gone = None if story.listed_now else (story.last_listed, story.gone_words)
        replies = [
            (each.who, each.day, each.window_end, str(each.html))
            for each in replied.of(story.model, story.endpoint)
            if each.window_end is None or month_of(each.window_end) == month.name
        ]
        of_endpoint = (story.model, story.endpoint, story.provider, gone, month.missing, month.successions, replies)
        return sha256(_encoded((self._through[month.name], of_endpoint)))

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

    def _window(self, grade: Grade) -> object:
        """Return what the page says of one version's grade: the file that keeps it, and what became known later."""
        key = (grade.method_version, grade.window_end)
        voided = [(night, self._known.voided[night]) for night in grade.nights if night in self._known.voided]
        return key, self._windows.get(key), key in self._known.regrades, key in self._proved, voided


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
