"""Grade every window that can now be graded, render its pages, and keep both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction

import msgspec

from generator.archive.folder import version_key
from generator.archive.nights import KeptNight
from generator.errors import ContentError
from generator.method.disagreement import floor
from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.tally import NightTally, tally_night
from generator.method.window import window_nights
from generator.records.canonical import canonical_json
from generator.records.definition import Definition, Method, ratio
from generator.records.endpoint import Endpoint
from generator.records.grade import Grade, Superseded
from generator.records.night import NightState
from generator.records.permalink import permalink_path
from generator.settings import Settings
from generator.site import grade_page, method_page
from generator.site.interface import GradeContext
from generator.site.templates import Templates, load
from generator.workflows.world import Progress, Root

REPLAYED = "replayed"


class Graded(msgspec.Struct, frozen=True, kw_only=True):
    """What a grading did."""

    windows: int
    """Newly graded."""
    grades: int
    """Newly issued."""


class Windows:
    """The windows of an archive under one definition; each night is tallied once while it can still be needed."""

    def __init__(self, root: Root, method: Method) -> None:
        """Use a site root's nights and one method version."""
        self._root = root
        self._method = method
        self._tallies: dict[date, NightTally] = {}
        self.nights = {night: root.store.nights.get(night) for night in root.store.nights.kept()}
        self.recorded = tuple(night for night, kept in self.nights.items() if kept.counts)
        """Every night that may stand in a window now, ascending."""
        self.voided = tuple(night for night, kept in self.nights.items() if kept.void is not None)
        """Recorded nights that have been declared void by now."""

    def of(self, end: date) -> tuple[date, ...]:
        """Return the nights of the window that ends with a night."""
        return window_nights(self.recorded, end, self._method.definition)

    def grade(self, nights: Sequence[date], voided: Sequence[date], issue: Issue) -> tuple[Grade, ...]:
        """Return the grades over some nights.

        Args:
            nights: the window's, ascending; the last one names it.
            voided: recorded nights that had been declared void when the grades were issued.
            issue: what they carry beside their figures.
        """
        tallies = [self._tally(night) for night in nights]
        self._tallies = {night: tally for night, tally in self._tallies.items() if night >= nights[0]}
        recorded = [
            night
            for night, kept in self.nights.items()
            if kept.record.state == NightState.RECORDED and night not in voided
        ]
        return grade_window(tallies, method=self._method, recorded=recorded, issue=issue)

    def _tally(self, night: date) -> NightTally:
        if night not in self._tallies:
            self._tallies[night] = tally_night(night_tables(self._root, self.nights[night]), self._method.definition)
        return self._tallies[night]


def grade(root: Root, *, today: date, progress: Progress, only: str | None = None) -> Graded:
    """Grade every recorded night's window under the current method and each candidate, and keep pages and records.

    Args:
        root: the site root.
        today: the date of issue of a re-grade.
        progress: who is told.
        only: one method version, instead of the current one and the candidates.

    Raises:
        ContentError: where a definition is missing, malformed, or not the one that grades were published under.
    """
    settings = root.content.settings()
    versions = (settings.method, *settings.candidates) if only is None else (only,)
    templates = load(root.templates)
    windows = grades = 0
    before = {version: set(root.store.grades.windows(version)) for version in root.store.grades.versions()}
    for version in versions:
        method = bound_method(root, version)
        known = Windows(root, method)
        missing = [end for end in known.recorded if end not in root.store.pages.windows(version)]
        if missing:
            _keep_method_page(root, method, settings, templates)
        with progress.bar(f"grading under {version}", len(missing)) as advance:
            for end in missing:
                issued = _grade_window(root, known, method, end, before, today)
                _keep_pages(root, method, settings, templates, issued)
                windows, grades = windows + 1, grades + len(issued)
                advance(1)
    return Graded(windows=windows, grades=grades)


def bound_method(root: Root, version: str) -> Method:
    """Return a method version, held against the digest that grades were published under.

    Raises:
        ContentError: where the definition or its prose is not the one published under.
    """
    method = root.content.method(version)
    if version in root.store.pages.methods():
        recorded = root.store.pages.method_manifest(version).method_digest
        if recorded != method.digest:
            raise ContentError(
                f"expected the definition that grades were published under (SHA-256 {recorded}), "
                f"found another ({method.digest})",
                where=f"content/methods/{version}.toml and .md",
                do="Restore both files; a changed method needs a new version",
            )
    return method


def worked_example_floor(definition: Definition) -> Fraction:
    """Return the floor of the worked example, in percent, from the function that grades."""
    return 100 * floor([ratio(value) for value in definition.worked_example.self_disagreement], definition)


def night_tables(root: Root, kept: KeptNight) -> NightTables:
    """Return a kept night's tables for the method."""
    nights, record = root.store.nights, kept.record
    return NightTables(
        night=record.night,
        observations=nights.table(record, "observations"),
        prompts=nights.table(record, "prompts"),
        listings=nights.table(record, "listings"),
        context=nights.table(record, "context"),
        latency_replayed=record.settings.latency == REPLAYED,
    )


def _grade_window(  # noqa: PLR0913, PLR0917 - one window of one method on one root
    root: Root, known: Windows, method: Method, end: date, before: dict[str, set[date]], today: date
) -> tuple[Grade, ...]:
    """Return the grades of a window: as kept, where an interrupted run kept them; else graded now and kept."""
    store = root.store.grades
    if end in store.windows(method.version):
        return store.get(method.version, end)
    nights = known.of(end)
    regrade = any(end in windows for version, windows in before.items() if version != method.version)
    finished = known.nights[end].record.finished_at.date()
    issue = Issue(issued=today if regrade else finished, supersedes=_superseded(root, method, end))
    grades = known.grade(nights, known.voided, issue)
    store.add(grades, method, end, {night: known.nights[night].sha256 for night in nights}, known.voided)
    return grades


def _superseded(root: Root, method: Method, end: date) -> dict[tuple[str, str], tuple[Superseded, ...]]:
    """Return, by endpoint, the letters of a window under earlier versions that were current."""
    store, candidates = root.store.grades, root.content.settings().candidates
    found: dict[tuple[str, str], tuple[Superseded, ...]] = {}
    for version in store.versions():
        earlier = version_key(version) < version_key(method.version) and version not in candidates
        if earlier and method.version not in candidates and end in store.windows(version):
            for grade in store.get(version, end):
                key = (grade.model, grade.endpoint)
                found[key] = (*found.get(key, ()), Superseded(method_version=version, letter=grade.letter))
    return found


def _keep_method_page(root: Root, method: Method, settings: Settings, templates: Templates) -> None:
    if method.version not in root.store.pages.methods():
        page = method_page.render(method, worked_example_floor(method.definition), settings, templates)
        root.store.pages.add_method(page, version=method.version, digest=method.digest)


def _keep_pages(root: Root, method: Method, settings: Settings, templates: Templates, grades: Sequence[Grade]) -> None:
    """Render each grade's permanent page, once, and keep it with the record beside it."""
    if not grades:
        return
    end = grades[0].window_end
    declared = _declared(root, grades[0].nights)
    pages = [page for grade in grades for page in _pages(grade, declared, method, settings, templates)]
    root.store.pages.add(pages, version=method.version, digest=method.digest, window_end=end)


def _pages(
    grade: Grade,
    declared: dict[tuple[str, str], dict[date, str | None]],
    method: Method,
    settings: Settings,
    templates: Templates,
) -> Iterator[tuple[str, bytes]]:
    folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
    context = GradeContext(
        settings=settings, method=method, precision_before=declared.get((grade.model, grade.endpoint), {})
    )
    yield f"{folder}index.html", grade_page.render(grade, context, templates)
    yield f"{folder}grade.json", canonical_json(grade)


def _declared(root: Root, nights: Sequence[date]) -> dict[tuple[str, str], dict[date, str | None]]:
    """Return what each endpoint declared on each night of a window."""
    found: dict[tuple[str, str], dict[date, str | None]] = {}
    for night in nights:
        kept = root.store.nights.get(night)
        for endpoint in msgspec.convert(root.store.nights.table(kept.record, "listings").to_pylist(), list[Endpoint]):
            found.setdefault((endpoint.model, endpoint.endpoint), {})[night] = endpoint.declared_precision
    return found
