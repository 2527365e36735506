"""Observations without a withheld text, and what answers read as beside a withheld one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from generator.errors import IntegrityError
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.withheld import WithheldRow, answer_word, withheld_word

_KEY = ("model", "endpoint", "prompt_id")


def place_of(table: pa.Table, model: str, endpoint: str, prompt_id: str) -> int | None:
    """Return the row of an observation in a night's table; None where it has none."""
    return _places(table).get((model, endpoint, prompt_id))


def without(table: pa.Table, place: int, answer_sha256: str | None) -> pa.Table:
    """Return a night's observations without the text of one row; every other value is what it was.

    Args:
        table: as kept.
        place: the row.
        answer_sha256: the digest that stands in the place of the row's answer; None leaves the answer as it is.
    """
    changed = _replaced(table, "text", {place: None})
    return changed if answer_sha256 is None else _replaced(changed, "answer", {place: withheld_word(answer_sha256)})


def require_withheld(table: pa.Table, rows: Iterable[WithheldRow], *, where: str) -> None:
    """Refuse a table that still holds, or has lost, what a declaration says was withheld from it.

    Raises:
        IntegrityError: naming the first such row.
    """
    declared = tuple(rows)
    if not declared:
        return
    places = _places(table)
    texts, answers = table.column("text"), table.column("answer")
    for row in declared:
        place = places.get((row.model, row.endpoint, row.prompt_id))
        found = None if place is None else (texts[place].as_py(), answers[place].as_py())
        wanted = None if row.answer_sha256 is None else withheld_word(row.answer_sha256)
        if found is None or found[0] is not None or wanted not in {None, found[1]}:
            raise IntegrityError(
                f"expected {row.model} {row.endpoint} {row.prompt_id} with its text withheld, found "
                + ("no such row" if found is None else "another text or answer"),
                where=where,
                do=COMPARE_ELSEWHERE,
            )


def in_words(table: pa.Table, rows: Iterable[WithheldRow], hidden: frozenset[str]) -> pa.Table:
    """Return a night's observations with every answer that equals a withheld one reading as that one does.

    Args:
        table: as kept.
        rows: what was withheld from it.
        hidden: the SHA-256 of every answer that this night, or another that it is compared with, withholds.
    """
    if not hidden:
        return table
    encoded = table.column("answer").combine_chunks().dictionary_encode()
    words = pa.array([answer_word(each, hidden) for each in encoded.dictionary.to_pylist()], pa.string())
    read = _with_column(table, "answer", words.take(encoded.indices))
    places = _places(table)
    own = {
        places[row.model, row.endpoint, row.prompt_id]: withheld_word(row.answer_sha256)
        for row in rows
        if row.answer_sha256 is not None
    }
    return _replaced(read, "answer", own) if own else read


def _places(table: pa.Table) -> dict[tuple[str, str, str], int]:
    columns = (table.column(name).to_pylist() for name in _KEY)
    return {key: place for place, key in enumerate(zip(*columns, strict=True))}


def _replaced(table: pa.Table, name: str, values: Mapping[int, str | None]) -> pa.Table:
    column = table.column(name).to_pylist()
    for place, value in values.items():
        column[place] = value
    return _with_column(table, name, pa.array(column, pa.string()))


def _with_column(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    """Return a table of the same schema, its metadata included, with other values in one column."""
    columns = [column if each == name else table.column(each) for each in table.column_names]
    return pa.Table.from_arrays(columns, schema=table.schema)
