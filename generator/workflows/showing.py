"""The latest grades of a model or endpoint, for the terminal."""

from __future__ import annotations

import msgspec

from generator.errors import UsageError
from generator.records.definition import Definition
from generator.records.grade import Grade
from generator.workflows.near import did_you_mean
from generator.workflows.world import Root


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """The grades that a table shows, sorted by endpoint, and the definition that words them."""

    model: str
    grades: tuple[Grade, ...]
    definition: Definition


def watched(root: Root) -> tuple[str, ...]:
    """Return every model of the latest graded window, sorted."""
    return tuple(sorted({grade.model for grade in latest_grades(root)}))


def show(root: Root, model: str, endpoint: str | None) -> Shown:
    """Return the grades of the latest window under the current method.

    Raises:
        UsageError: where nothing is graded, or nothing is called so; it names the nearest names.
    """
    latest = latest_grades(root)
    if not latest:
        raise UsageError("expected a graded night, found none", do="Run 'bitdepth nightly' or 'bitdepth demo' first")
    grades = tuple(grade for grade in latest if grade.model == model)
    if not grades:
        raise _unknown("model", model, sorted({grade.model for grade in latest}))
    if endpoint is not None:
        endpoints = sorted(grade.endpoint for grade in grades)
        grades = tuple(grade for grade in grades if grade.endpoint == endpoint)
        if not grades:
            raise _unknown("endpoint", endpoint, endpoints)
    method = root.content.method(root.content.settings().method)
    return Shown(model=model, grades=grades, definition=method.definition)


def latest_grades(root: Root) -> tuple[Grade, ...]:
    """Return the grades of the latest window under the current method; none where nothing is graded."""
    version = root.content.settings().method
    windows = root.store.grades.windows(version)
    return root.store.grades.get(version, windows[-1]) if windows else ()


def _unknown(what: str, name: str, names: list[str]) -> UsageError:
    return UsageError(f"expected a graded {what}, found '{name}'", do=did_you_mean(name, names))
