"""The arithmetic of a grade, from the archive alone: every figure counted again and held against the record first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from generator.archive import layout
from generator.archive.nights import hidden_answers
from generator.errors import IntegrityError, UsageError
from generator.method.explaining import Evidence, Explained, explain_grades
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.explanation import Explanation
from generator.records.grade import Grade
from generator.records.night import NightState
from generator.workflows.near import did_you_mean, one_of
from generator.workflows.windows import bound_method, night_tables
from generator.workflows.world import Root

_SHOWN = 120


def explain(
    root: Root, model: str, endpoint: str, window_end: date | None = None, version: str | None = None
) -> Explanation:
    """Return the explanation of one grade.

    Args:
        root: the site root.
        model: author/name.
        endpoint: one of its endpoints.
        window_end: the last night of the graded window; the latest where it is None.
        version: the method version; the current one where it is None.

    Raises:
        UsageError: where nothing is graded so; it names the nearest names.
        IntegrityError: where a night or a grade is not what was recorded, or a figure does not follow from the nights.
        ContentError: where the definition is not the one that grades were published under.
    """
    version = _version(root, version)
    end = _window(root, version, window_end)
    grades = root.store.grades.get(version, end)
    of_model = _named("model", model, [(grade.model, grade) for grade in grades])
    chosen = _named("endpoint", endpoint, [(grade.endpoint, grade) for grade in of_model])
    (explanation,) = _explained(root, version, end, chosen)
    return explanation


def explanations(root: Root, version: str, window_end: date) -> Iterator[Explanation]:
    """Yield the explanation of every grade of a window, sorted by model and endpoint; each night is read once.

    Raises:
        IntegrityError, ContentError: as `explain` does.
    """
    return _explained(root, version, window_end, root.store.grades.get(version, window_end))


def _explained(root: Root, version: str, end: date, grades: Iterable[Grade]) -> Iterator[Explanation]:
    method = bound_method(root, version)
    evidence = _evidence(root, version, end)
    for explained in explain_grades(tuple(grades), evidence, method):
        _require_equal(explained, layout.grades_file(version, end))
        yield explained.explanation


def _evidence(root: Root, version: str, end: date) -> Evidence:
    """Return the nights that the grades' manifest lists, each still what it was when they were made."""
    manifest = root.store.grades.manifest(version, end)
    kept = {night: root.store.nights.get(night) for night in root.store.nights.kept()}
    nights = [date.fromisoformat(night) for night in manifest.nights]
    voided = [date.fromisoformat(night) for night in manifest.voided]
    for night in nights:
        found = kept[night].sha256 if night in kept else "no such night"
        if found != manifest.nights[night.isoformat()]:
            raise IntegrityError(
                f"expected the night that was graded (SHA-256 {manifest.nights[night.isoformat()]}), found {found}",
                where=layout.night_file(night),
                do=COMPARE_ELSEWHERE,
            )
    hidden = hidden_answers(kept.values())
    return Evidence(
        nights=tuple(night_tables(root, kept[night], hidden) for night in nights),
        digests={night: kept[night].sha256 for night in nights},
        voided=tuple(voided),
        recorded=tuple(
            night for night, each in kept.items() if each.record.state == NightState.RECORDED and night not in voided
        ),
    )


def _require_equal(explained: Explained, where: str) -> None:
    """Refuse to explain a grade that does not follow from its nights."""
    grade = explained.explanation.grade
    for field, expected in explained.figures.items():
        found = getattr(grade, field)
        if found != expected:
            raise IntegrityError(
                f"expected {field} {str(expected)[:_SHOWN]} from the nights, found {str(found)[:_SHOWN]}",
                where=f"{where}, {grade.model} {grade.endpoint}",
                do="Run 'bitdepth verify'",
            )


def _version(root: Root, version: str | None) -> str:
    versions = root.store.grades.versions()
    if not versions:
        raise UsageError("expected a graded night, found none", do="Run 'bitdepth nightly' or 'bitdepth demo' first")
    version = version or root.content.settings().method
    if version not in versions:
        raise UsageError(f"expected a graded method version, found '{version}'", do=did_you_mean(version, versions))
    return version


def _window(root: Root, version: str, end: date | None) -> date:
    windows = root.store.grades.windows(version)
    if end is not None and end not in windows:
        # The nearest in time, not in spelling.
        near = sorted(sorted(windows, key=lambda window: abs(window - end))[:3])
        raise UsageError(
            f"expected the end of a graded window, found {end.isoformat()}",
            do=one_of(window.isoformat() for window in near),
        )
    return end or windows[-1]


def _named(what: str, name: str, named: list[tuple[str, Grade]]) -> list[Grade]:
    """Return the grades that bear a name."""
    found = [grade for each, grade in named if each == name]
    if not found:
        raise UsageError(
            f"expected a graded {what}, found '{name}'", do=did_you_mean(name, {each for each, _ in named})
        )
    return found
