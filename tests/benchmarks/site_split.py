"""Our permanent page taken apart for others to put together: what all pages say alike, and what each one says.

Every value that our template prints is a value of theirs, in the same place; what lies between two values is literal.
Loops, conditions and look-ups in records are done for them, and so are the filters that mark up text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from markupsafe import Markup, escape

from generator.site import grade_page, templates
from tests.benchmarks import site_records as records

_MARK = "\N{SYMBOL FOR RECORD SEPARATOR}"


class Split(NamedTuple):
    """One page."""

    path: str
    literals: tuple[str, ...]
    """One more than there are values."""
    values: tuple[str, ...]
    """As they are before they are escaped."""
    is_markup: tuple[bool, ...]
    """Whether a value is HTML or JSON already, and is not escaped."""

    def whole(self) -> bytes:
        """Return the page put together again."""
        told = (
            value if markup else str(escape(value)) for value, markup in zip(self.values, self.is_markup, strict=True)
        )
        pieces = [piece for pair in zip(self.literals, (*told, ""), strict=True) for piece in pair]
        return "".join(pieces).encode()


def split(grades: Iterable[Path], folder: Path) -> Iterator[Split]:
    """Yield the page of each grade of some files, taken apart; all of them have the same literals.

    Raises:
        ValueError: where one has others.
    """
    found: list[tuple[str, bool]] = []

    def noted(value: object) -> str:
        if isinstance(value, Markup) and (_MARK in value or value == style):
            return value
        found.append((str(value), isinstance(value, Markup)))
        return _MARK

    style = templates.load([folder]).unvarying("style.css")
    first: tuple[str, ...] | None = None
    with (
        mock.patch.object(templates, "_escaped", noted),
        mock.patch.object(templates.Templates, "unvarying", return_value=style),
        mock.patch.object(templates.Templates, "remembered", lambda _, macro, *values: macro(*values)),
    ):
        noting = templates.load([folder])
        noting.compile()
        for file in grades:
            for grade, context in records.read(file):
                found.clear()
                page = grade_page.render(grade, context, noting).decode()
                literals = tuple(page.split(_MARK))
                first = first or literals
                if literals != first:
                    raise ValueError(f"the page of {grade.model}, {grade.endpoint} has another form than the first")
                values, is_markup = zip(*found, strict=True)
                yield Split(path=grade_page.paths(grade)[0], literals=literals, values=values, is_markup=is_markup)
