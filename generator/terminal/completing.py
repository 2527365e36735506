"""What a shell is offered where a name is to be completed: those that the archive and content/ of --root know.

A shell shows no messages while it completes: where nothing can be read, nothing is offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

import typer

from generator.errors import BitdepthError
from generator.terminal.environment import is_set
from generator.workflows.showing import latest_grades
from generator.workflows.world import Root

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]*")
"""What no shell reads as anything but a word. A router names models as it likes."""


def models(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return models that are watched, or that the latest window graded."""
    return _offered(ctx, incomplete, lambda root: (*root.content.settings().models, *_graded(root, None)))


def endpoints(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the endpoints of the model given before that the latest window graded."""
    model = ctx.params.get("model")
    return _offered(ctx, incomplete, lambda root: _graded(root, model)) if model else []


def nights(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the dates of sealed nights."""
    return _offered(ctx, incomplete, lambda root: map(date.isoformat, root.store.nights.kept()))


def window_ends(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the last nights of the windows graded under the current method version."""

    def graded(root: Root) -> Iterable[str]:
        return map(date.isoformat, root.store.grades.windows(root.content.settings().method))

    return _offered(ctx, incomplete, graded)


def method_versions(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the method versions that can be graded under."""
    return _offered(ctx, incomplete, lambda root: root.content.method_versions())


def _graded(root: Root, model: str | None) -> Iterable[str]:
    """Return the models of the latest window, or one model's endpoints."""
    for grade in latest_grades(root):
        if model is None:
            yield grade.model
        elif grade.model == model:
            yield grade.endpoint


def _offered(ctx: typer.Context, incomplete: str, names: Callable[[Root], Iterable[str]]) -> list[str]:
    """Return the names that begin with what is typed already, sorted."""
    try:
        found = set(names(Root(Path(ctx.params.get("root") or Path()), is_set)))
    except (BitdepthError, OSError):
        return []
    return sorted(name for name in found if name.startswith(incomplete) and _PLAIN.fullmatch(name))
