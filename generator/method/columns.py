"""A night's observations as columns of whole numbers: what is counted is a code, never a string and never a float.

Arrow keeps words as codes into a dictionary; numpy counts codes. Two answers have one code exactly where they are the
same string: no digest stands between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from generator.errors import IntegrityError
from generator.method.interface import NightTables
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.observation import Outcome

Codes = npt.NDArray[np.signedinteger]
"""Whole numbers: codes or counts. A column that Arrow keeps in 32 bits stays so; `flat` alone multiplies columns."""
Marks = npt.NDArray[np.bool_]

OUTCOMES = tuple(Outcome)
"""An outcome's code is its place here."""


class NightColumns(msgspec.Struct, frozen=True, kw_only=True):
    """One night's observations; every array holds one entry a row, in the order of the table."""

    endpoint: Codes
    """The row of the listing."""
    prompt: Codes
    """Into `prompt_ids`."""
    family: Codes
    """Into `families`."""
    outcome: Codes
    """Into `OUTCOMES`."""
    answer: Codes
    """Into `answers`; -1 where there is none."""
    fixed: Marks
    correct: Marks
    """False where it is null."""
    latency_ms: Codes
    """0 where it is null."""
    has_latency: Marks
    prompt_ids: tuple[str, ...]
    families: tuple[str, ...]
    answers: pa.Array
    """The night's distinct answers."""

    def is_one_of(self, *outcomes: Outcome) -> Marks:
        """Mark the rows with one of some outcomes."""
        marked: Marks = self.outcome == OUTCOMES.index(outcomes[0])
        for outcome in outcomes[1:]:
            marked |= self.outcome == OUTCOMES.index(outcome)
        return marked


def night_columns(tables: NightTables, rows: Mapping[tuple[str, str], int]) -> NightColumns:
    """Return a night's observations in columns.

    Args:
        tables: the night as the archive keeps it; an answer column that is a dictionary already is taken as it is.
        rows: by (model, endpoint), the row of the listing.

    Raises:
        IntegrityError: where a row lacks what every row has, or is of an endpoint that the night does not list.
    """
    table, where = tables.observations, f"observations of {tables.night.isoformat()}"
    # A block as large as a night's columns together, made and let go untouched: the C library then keeps the memory of
    # one night for the next, instead of handing it back and fetching it anew (mallopt(3), M_TRIM_THRESHOLD).
    np.empty((len(NightColumns.__struct_fields__), table.num_rows), dtype=np.int64)
    outcome, outcomes = word_codes(table, "outcome", where)
    prompt, prompt_ids = word_codes(table, "prompt_id", where)
    family, families = word_codes(table, "family", where)
    answer = _dictionary(table.column("answer"))
    latency = _one_array(table.column("latency_ms"))
    columns = NightColumns(
        endpoint=_endpoints(table, rows, where),
        prompt=prompt,
        family=family,
        outcome=_placed(outcome, [OUTCOMES.index(Outcome(name)) for name in outcomes]),
        answer=_numbers(answer.indices, null=-1),
        fixed=_marks(table, "fixed"),
        correct=_marks(table, "correct"),
        latency_ms=_numbers(latency, null=0),
        has_latency=_valid(latency),
        prompt_ids=prompt_ids,
        families=families,
        answers=answer.dictionary,
    )
    if (columns.is_one_of(Outcome.ANSWERED) & (columns.answer < 0)).any():
        raise _broken("an answer in each row that was answered", "none", where)
    return columns


def word_codes(table: pa.Table, name: str, where: str) -> tuple[Codes, tuple[str, ...]]:
    """Return a column of words as codes, and the distinct words they stand for.

    Raises:
        IntegrityError: where a row has none.
    """
    words = _dictionary(table.column(name))
    if words.null_count:
        raise _broken(f"a {name} in each row", "none", where)
    codes, listed = _numbers(words.indices, null=-1), words.dictionary.to_pylist()
    distinct = tuple(dict.fromkeys(listed))
    if len(distinct) < len(listed):
        # A dictionary may hold a word twice: the file format does not forbid it.
        codes = _placed(codes, [distinct.index(word) for word in listed])
    return codes, distinct


def flat(major: Codes, size: int, minor: Codes) -> Codes:
    """Return `major * size + minor`, the index of a cell of a table, in 64 bits whatever the width of the columns."""
    cells: Codes = major.astype(np.int64)
    # In place: a night's columns are long, and memory that is new costs more than the sum.
    cells *= size
    cells += minor
    return cells


def count(keys: Codes, shape: tuple[int, ...]) -> Codes:
    """Return how often each key occurs, as an array of a shape whose flat index the keys are."""
    size = int(np.prod(shape, dtype=np.int64))
    counted: Codes = np.bincount(keys, minlength=size).reshape(shape)
    return counted


def count_levels(keys: Codes, shape: tuple[int, ...], *levels: Marks) -> Codes:
    """Return, for each key, how many rows reach each level: what reaches one has reached those before it.

    Args:
        keys: of the rows.
        shape: whose flat index the keys are; the levels come after it.
        levels: marks of rows, each a part of the one before.
    """
    level = np.zeros(len(keys), dtype=np.int8)
    for marks in levels:
        level += marks
    exact = count(flat(keys, len(levels) + 1, level), (*shape, len(levels) + 1))
    reached: Codes = exact[..., ::-1].cumsum(axis=-1)[..., ::-1]
    return reached[..., 1:]


def _endpoints(table: pa.Table, rows: Mapping[tuple[str, str], int], where: str) -> Codes:
    """Return each observation's row of the listing: looked up once for each run of rows that name one endpoint."""
    model, models = word_codes(table, "model", where)
    endpoint, endpoints = word_codes(table, "endpoint", where)
    if not len(model):
        return model
    turns = np.flatnonzero((model[1:] != model[:-1]) | (endpoint[1:] != endpoint[:-1])) + 1
    starts = np.concatenate(([0], turns))
    names = [(models[m], endpoints[e]) for m, e in zip(model[starts].tolist(), endpoint[starts].tolist(), strict=True)]
    unknown = next((name for name in names if name not in rows), None)
    if unknown is not None:
        raise _broken("endpoints that the night lists", f"{unknown[1]!r} of {unknown[0]!r}", where)
    found: Codes = np.repeat(
        np.array([rows[name] for name in names], dtype=np.int64), np.diff(np.concatenate((starts, [len(model)])))
    )
    return found


def _placed(codes: Codes, places: Sequence[int]) -> Codes:
    """Return codes with each replaced by its place."""
    if list(places) == list(range(len(places))):
        return codes
    placed: Codes = np.array(places, dtype=np.int64)[codes]
    return placed


def _dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column as one dictionary array."""
    if pa.types.is_dictionary(column.type):
        return _one_array(column.unify_dictionaries())
    return _one_array(column.dictionary_encode())


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array: itself where it is one, which Arrow would copy."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _numbers(array: pa.Array, *, null: int) -> Codes:
    """Return an array of whole numbers, with another one where it is null."""
    values = np.frombuffer(array.buffers()[1] or b"", dtype=array.type.to_pandas_dtype())
    numbers: Codes = values[array.offset : array.offset + len(array)]
    if array.type != pa.int32():
        # What has another width may have no sign, or no room for what stands for null.
        numbers = numbers.astype(np.int64)
    if array.null_count:
        numbers = numbers.copy()
        numbers[~_valid(array)] = null
    return numbers


def _marks(table: pa.Table, name: str) -> Marks:
    """Return a column of truth values; what is null is false."""
    array = _one_array(table.column(name))
    marks = _bits(array.buffers()[1], array)
    return marks & _valid(array) if array.null_count else marks


def _valid(array: pa.Array) -> Marks:
    """Mark what is not null."""
    return _bits(array.buffers()[0], array) if array.null_count else np.ones(len(array), dtype=np.bool_)


def _bits(buffer: pa.Buffer | None, array: pa.Array) -> Marks:
    """Return the bits of one of an array's buffers: Arrow packs them, least significant first."""
    packed = np.frombuffer(buffer or b"", dtype=np.uint8)
    bits: Marks = np.unpackbits(packed, bitorder="little")[array.offset : array.offset + len(array)].view(np.bool_)
    return bits


def _broken(expected: str, found: str, where: str) -> IntegrityError:
    return IntegrityError(f"expected {expected}, found {found}", where=where, do=COMPARE_ELSEWHERE)
