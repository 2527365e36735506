"""Grade every window that can now be graded, render its pages, and keep both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from generator.archive.grades import GradesOrigin
from generator.errors import UsageError
from generator.method.interface import Issue
from generator.records.canonical import canonical_json
from generator.records.definition import Method, version_key
from generator.records.endpoint import Endpoint
from generator.records.grade import Grade, Superseded
from generator.records.permalink import permalink_path
from generator.settings import Settings
from generator.site import grade_page, method_page
from generator.site.interface import GradeContext
from generator.site.templates import Templates, load
from generator.workflows.tally_cache import TallyCache
from generator.workflows.windows import Windows, bound_method, worked_example_floor
from generator.workflows.world import Progress, Root

CURRENT, CANDIDATE = "current", "candidate"


class Graded(msgspec.Struct, frozen=True, kw_only=True):
    """What a grading did."""

    windows: int
    """Newly graded."""
    grades: int
    """Newly issued."""


def grade(
    root: Root, *, today: date, progress: Progress, only: str | None = None, window_end: date | None = None
) -> Graded:
    """Grade every recorded night's window under the current method and each candidate, and keep pages and records.

    Args:
        root: the site root.
        today: the date of issue of a re-grade.
        progress: who is told.
        only: one method version, instead of the current one and the candidates.
        window_end: one window, instead of every one that can be graded.

    Raises:
        ContentError: where a definition is missing, malformed, or not the one that grades were published under.
        UsageError: where no window ends with the night asked for.
    """
    settings = root.content.settings()
    versions = (settings.method, *settings.candidates) if only is None else (only,)
    templates = load(root.templates)
    windows = grades = 0
    for version in versions:
        method = bound_method(root, version)
        known = Windows(root, method, TallyCache(root.path))
        role = CURRENT if version == settings.method else CANDIDATE
        paged = set(root.store.pages.windows(version))
        missing = [end for end in _ends(known, window_end) if end not in paged]
        issuing = settings if role == CURRENT else _beside(settings, version)
        if missing:
            _keep_method_page(root, method, settings, templates)
        with progress.bar(f"grading under {version}", len(missing)) as advance:
            for end in missing:
                issued = _grade_window(root, known, method, end, role, today)
                _keep_pages(root, method, issuing, templates, issued)
                windows, grades = windows + 1, grades + len(issued)
                advance(1)
    return Graded(windows=windows, grades=grades)


def _ends(known: Windows, asked: date | None) -> tuple[date, ...]:
    """Return the window ends asked for: every recorded night that is not void, or one of them.

    Raises:
        UsageError: where the one asked for is none of them.
    """
    if asked is None:
        return known.recorded
    if asked not in known.recorded:
        last = f"; the last one is {known.recorded[-1].isoformat()}" if known.recorded else ""
        raise UsageError(
            f"expected the date of a recorded night that is not void, found {asked.isoformat()}",
            do=f"Give a night that ends a window{last}",
        )
    return (asked,)


def _beside(settings: Settings, version: str) -> Settings:
    """Return settings under which a version's pages are marked: it replaces nothing, whoever asked for it by name."""
    return msgspec.structs.replace(settings, candidates=tuple(dict.fromkeys((*settings.candidates, version))))


def _grade_window(  # noqa: PLR0913, PLR0917 - one window of one method on one root
    root: Root, known: Windows, method: Method, end: date, role: str, today: date
) -> tuple[Grade, ...]:
    """Return the grades of a window: as kept, where an interrupted run kept them; else graded now and kept."""
    store = root.store.grades
    if end in store.windows(method.version):
        return store.get(method.version, end)
    nights = known.of(end)
    finished = known.nights[end].record.finished_at.date()
    regrade = today > finished and is_regrade(root, method.version, end)
    supersedes = superseded_letters(root, method.version, end) if role == CURRENT else {}
    issue = Issue(issued=today if regrade else finished, supersedes=supersedes)
    grades = known.grade(nights, known.voided, issue)
    origin = GradesOrigin(
        nights={night: known.nights[night].sha256 for night in nights},
        voided={night: kept.void_sha256 for night, kept in known.nights.items() if kept.void_sha256 is not None},
        role=role,
        regrade=regrade,
    )
    store.add(grades, method, end, origin)
    return grades


def is_regrade(root: Root, version: str, end: date) -> bool:
    """True where another version graded a window before.

    A night's own run grades its window under every version on the night's own day: that is no re-grade, and its
    grades are issued alike whatever interrupts it.
    """
    store = root.store.grades
    return any(end in store.windows(each) for each in store.versions() if each != version)


def superseded_letters(root: Root, version: str, end: date) -> dict[tuple[str, str], tuple[Superseded, ...]]:
    """Return, by endpoint, the letters of a window under earlier versions that were current when they graded it."""
    store = root.store.grades
    found: dict[tuple[str, str], tuple[Superseded, ...]] = {}
    for each in store.versions():
        if version_key(each) >= version_key(version) or end not in store.windows(each):
            continue
        if store.manifest(each, end).role == CURRENT:
            for grade in store.get(each, end):
                key = (grade.model, grade.endpoint)
                found[key] = (*found.get(key, ()), Superseded(method_version=each, letter=grade.letter))
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
    earlier = _earlier(root, grades)
    pages: list[tuple[str, bytes]] = []
    for grade in grades:
        key = (grade.model, grade.endpoint)
        context = GradeContext(
            settings=settings,
            method=method,
            precision_before=declared.get(key, {}),
            superseded=tuple(earlier[each.method_version][key] for each in grade.supersedes),
        )
        pages += _pages(grade, context, templates)
    root.store.pages.add(pages, version=method.version, digest=method.digest, window_end=end)


def _earlier(root: Root, grades: Sequence[Grade]) -> dict[str, dict[tuple[str, str], Grade]]:
    """Return, by version, the grades that some grades of one window replace."""
    versions = {each.method_version for grade in grades for each in grade.supersedes}
    return {
        version: {(each.model, each.endpoint): each for each in root.store.grades.get(version, grades[0].window_end)}
        for version in sorted(versions)
    }


def _pages(grade: Grade, context: GradeContext, templates: Templates) -> Iterator[tuple[str, bytes]]:
    folder = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
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
