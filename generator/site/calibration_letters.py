"""Letters of both halves of a calibration's nights side by side: small squares of counts, and each endpoint's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from generator.records.calibration import CalibrationEvidence, LettersSideBySide
from generator.records.grade import Column, Letter
from generator.records.reading import COLUMN_WORDS, NO_LETTER, NOT_MEASURED
from generator.site import charts
from generator.site.drawing import About
from generator.site.tables import Section, Table, counted

_GRADE = "grade"


def letters_section(evidence: CalibrationEvidence, name: str) -> Section:
    """Return the letters of the first half of a calibration's nights beside those of the second half.

    Args:
        evidence: what the calibration found.
        name: opens the ids of the section and its charts.
    """
    half = len(evidence.nights) // 2
    first, second = f"nights 1 to {half}", f"nights {half + 1} to {len(evidence.nights)}"
    words = (
        f"The letters of {first} beside those of {second}, both under version {evidence.version}. In a square, "
        f"rows are {first} and columns are {second}; an endpoint that reads the same in both lies on the "
        f"diagonal, in a double frame. {NO_LETTER} is a column that was not measured."
    )
    columns: tuple[Column | None, ...] = (*Column, None)
    squares = tuple(
        (
            _column(column),
            charts.matrix(
                About(
                    name=f"{name}-letters-{column or _GRADE}",
                    title=f"{_column(column)}: {first} against {second}",
                    description=_agreement(evidence, column),
                ),
                tuple(_seen(evidence.letters, column)),
                Counter((_of(each.first), _of(each.second)) for each in evidence.letters if each.column is column),
            ),
        )
        for column in columns
    )
    agreement = Table(
        caption="How many endpoints read the same letter in both halves",
        heads=("Column", "With a letter in both", "The same letter"),
        rows=tuple((_column(each.column), f"{each.both:,}", f"{each.same:,}") for each in evidence.agreement),
        figures=frozenset({"With a letter in both", "The same letter"}),
    )
    rows = []
    for (model, endpoint), group in groupby(evidence.letters, key=lambda each: (each.model, each.endpoint)):
        read = {each.column: each for each in group}
        rows.append((f"{endpoint}, {model}", *(_short(read, evidence.version, which) for which in ("first", "second"))))
    both = Table(
        caption="Each endpoint's letters in both halves",
        heads=("Endpoint", first.capitalize(), second.capitalize()),
        rows=tuple(rows),
    )
    return Section(
        id=f"{name}-letters",
        title="Letters of both halves",
        words=(words,),
        matrices=squares,
        tables=(agreement,),
        folded=(both,),
    )


def _seen(letters: Sequence[LettersSideBySide], column: Column | None) -> Iterator[str]:
    """Yield the labels of a column's square: A to D, and whatever else was read."""
    found = {_of(each) for side in letters if side.column is column for each in (side.first, side.second)}
    for letter in Letter:
        if letter is not Letter.U or letter in found:
            yield str(letter)
    if NO_LETTER in found:
        yield NO_LETTER


def _agreement(evidence: CalibrationEvidence, column: Column | None) -> str:
    found = next((each for each in evidence.agreement if each.column is column), None)
    if found is None:
        return "Nothing was counted."
    return f"{found.same:,} of {counted(found.both, 'endpoint')} read the same letter in both."


def _short(read: dict[Column | None, LettersSideBySide], version: str, which: str) -> str:
    """Return an endpoint's letters of one half where space is short: 'B 1.0 · M A T B D A R A'."""
    letters = {column: _of(getattr(each, which)) for column, each in read.items()}
    if letters.get(None, NO_LETTER) == NO_LETTER:
        return NOT_MEASURED
    return f"{letters[None]} {version} · " + " ".join(f"{column} {letters.get(column, NO_LETTER)}" for column in Column)


def _column(column: Column | None) -> str:
    return "The grade" if column is None else f"{column}, {COLUMN_WORDS[column]}"


def _of(letter: Letter | None) -> str:
    return NO_LETTER if letter is None else str(letter)
