"""What a mistyped name was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from generator.errors import UsageError
from generator.workflows.world import Root

_MOST = 3
_ALIKE = 0.3
"""Of 1. Low: a name that is far off is of more use than none."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question with the names nearest to one, the nearest first; with the first ones where none is near."""
    known = sorted(names)
    return one_of(difflib.get_close_matches(name, known, n=_MOST, cutoff=_ALIKE) or known[:_MOST])


def one_of(names: Iterable[str]) -> str:
    """Return a question whether one of some names was meant."""
    return f"Did you mean {' or '.join(repr(name) for name in names)}?"


def require_method(root: Root, version: str | None, option: str) -> None:
    """Return where a method version given on the command line is known.

    Raises:
        UsageError: where it is not; it names the nearest.
    """
    known = root.content.method_versions()
    if version is not None and version not in known:
        raise UsageError(f"expected a method version, found '{version}'", where=option, do=did_you_mean(version, known))
