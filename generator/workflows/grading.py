"""Grade every window that can now be graded, render its pages, and keep both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from generator.archive.grades import GradesOrigin
from generator.errors import UsageError
from generator.records.definition import Method
from generator.settings import Settings
from generator.site import method_page
from generator.site.templates import Templates, load
from generator.workflows.issuing import (
    CANDIDATE,
    CURRENT,
    Issuing,
    WindowPlan,
    earlier_grades,
    replaced_versions,
    window_grades,
    window_pages,
)
from generator.workflows.spread import Spread, WindowFiles
from generator.workflows.tally_cache import TallyCache
from generator.workflows.windows import Windows, bound_method, worked_example_floor
from generator.workflows.world import Progress, Root


class Graded(msgspec.Struct, frozen=True, kw_only=True):
    """What a grading did."""

    windows: int
    """Newly graded."""
    grades: int
    """Newly issued."""


def grade(  # noqa: PLR0913 - which windows, by whom and for whom
    root: Root,
    *,
    today: date,
    progress: Progress,
    only: str | None = None,
    window_end: date | None = None,
    spread: Spread | None = None,
) -> Graded:
    """Grade every recorded night's window under the current method and each candidate, and keep pages and records.

    Args:
        root: the site root.
        today: the date of issue of a re-grade.
        progress: who is told.
        only: one method version, instead of the current one and the candidates.
        window_end: one window, instead of every one that can be graded.
        spread: who makes the windows elsewhere; None for nobody. What is kept is the same, byte for byte.

    Raises:
        ContentError: where a definition is missing, malformed, or not the one that grades were published under.
        UsageError: where no window ends with the night asked for.
        ClusterError: where windows cannot be made elsewhere; those before are kept.
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
        if missing:
            _keep_method_page(root, method, settings if role == CURRENT else _beside(settings, version), templates)
        shared = Issuing(
            method=method,
            settings=settings if role == CURRENT else _beside(settings, version),
            role=role,
            recorded=known.counting(known.voided),
        )
        issuer = _Issuer(root, known, shared, templates, today)
        with progress.bar(f"grading under {version}", len(missing)) as advance:
            for issued in issuer.alone(missing) if spread is None else issuer.spread(missing, spread):
                windows, grades = windows + 1, grades + issued
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


class _Issuer:
    """What issues the windows of one version, each once, in order."""

    def __init__(self, root: Root, known: Windows, shared: Issuing, templates: Templates, today: date) -> None:
        self._root = root
        self._known = known
        self._shared = shared
        self._templates = templates
        self._today = today

    def alone(self, ends: Sequence[date]) -> Iterator[int]:
        """Issue windows in this process. Yield how many grades each has."""
        for end in ends:
            yield self._issue(end)

    def spread(self, ends: Sequence[date], spread: Spread) -> Iterator[int]:
        """Issue windows whose files are made elsewhere. Yield how many grades each has.

        One whose grades an interrupted run has kept gets its pages here.
        """
        kept = frozenset(self._root.store.grades.windows(self._shared.method.version))
        plans = {end: self._plan(end) for end in ends if end not in kept}
        made = spread.issue(self._known, self._shared, tuple(plans.values()))
        for end in ends:
            yield self._keep(plans[end], next(made)) if end in plans else self._issue(end)

    def _issue(self, end: date) -> int:
        """Grade a window, or take the grades as an interrupted run has kept them, and keep them and their pages."""
        store, version, plan = self._root.store, self._shared.method.version, self._plan(end)
        tallies = self._known.tallies(plan.nights)
        if end in store.grades.windows(version):
            grades = store.grades.get(version, end)
            named = {each.method_version for grade in grades for each in grade.supersedes}
            earlier = earlier_grades(self._root, end, sorted(named))
        else:
            earlier = earlier_grades(self._root, end, [each for each, _ in plan.replaced])
            grades = window_grades(self._shared, plan, tallies, earlier)
            store.grades.add(grades, self._shared.method, end, self._origin(plan))
        if grades:
            pages = window_pages(self._shared, grades, tallies, earlier, self._templates)
            store.pages.add(pages, version=version, digest=self._shared.method.digest, window_end=end)
        return len(grades)

    def _keep(self, plan: WindowPlan, made: WindowFiles) -> int:
        store, method = self._root.store, self._shared.method
        store.grades.add_file(made.grades, made.grades_rows, method, plan.end, self._origin(plan))
        if made.pages_rows:
            store.pages.add_file(
                made.pages, made.pages_rows, version=method.version, digest=method.digest, window_end=plan.end
            )
        return made.grades_rows

    def _plan(self, end: date) -> WindowPlan:
        version, store = self._shared.method.version, self._root.store.grades
        finished = self._known.nights[end].record.finished_at.date()
        regrade = self._today > finished and is_regrade(self._root, version, end)
        replaced = replaced_versions(self._root, version, end) if self._shared.role == CURRENT else ()
        return WindowPlan(
            end=end,
            nights=self._known.of(end),
            issued=self._today if regrade else finished,
            regrade=regrade,
            replaced=tuple((each, store.manifest(each, end).sha256) for each in replaced),
        )

    def _origin(self, plan: WindowPlan) -> GradesOrigin:
        nights = self._known.nights
        return GradesOrigin(
            nights={night: nights[night].sha256 for night in plan.nights},
            voided={night: kept.void_sha256 for night, kept in nights.items() if kept.void_sha256 is not None},
            role=self._shared.role,
            regrade=plan.regrade,
        )


def is_regrade(root: Root, version: str, end: date) -> bool:
    """True where another version graded a window before.

    A night's own run grades its window under every version on the night's own day: that is no re-grade, and its
    grades are issued alike whatever interrupts it.
    """
    store = root.store.grades
    return any(end in store.windows(each) for each in store.versions() if each != version)


def _keep_method_page(root: Root, method: Method, settings: Settings, templates: Templates) -> None:
    if method.version not in root.store.pages.methods():
        page = method_page.render(method, worked_example_floor(method.definition), settings, templates)
        root.store.pages.add_method(page, version=method.version, digest=method.digest)
