"""Our permanent page taken apart for others to put together: what all pages say alike, and what each one says.

Every value that our template prints is a value of theirs, in the same place; what lies between two values is literal.
Loops, conditions and look-ups in records are done for them, and so are the filters that mark up text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from markupsafe import escape

from generator.records.canonical import sha256
from generator.site import grade_page, templates
from tests.benchmarks import site_records as records


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
    loaded = templates.load([folder])
    first: tuple[str, ...] | None = None
    for file in grades:
        for grade, context in records.read(file):
            digest = sha256(grade_page.record_bytes(grade))
            form, texts = loaded.form("grade.html", grade_page.values(grade, context, digest))
            first = first or form.literals
            if form.literals != first:
                raise ValueError(f"the page of {grade.model}, {grade.endpoint} has another form than the first")
            yield Split(
                path=grade_page.paths(grade)[0],
                literals=form.literals,
                values=tuple(str(show(texts[number]) if show else texts[number]) for number, show in form.places),
                is_markup=tuple(show is not None for _, show in form.places),
            )
