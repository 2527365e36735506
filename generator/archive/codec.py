"""Records to the archive's bytes and back: Parquet for tables, canonical JSON for the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from generator.archive import schema
from generator.errors import IntegrityError
from generator.records.canonical import COMPARE_ELSEWHERE, sha256
from generator.records.context import ContextProbe
from generator.records.endpoint import Endpoint
from generator.records.grade import Grade
from generator.records.observation import Observation
from generator.records.prompt import Prompt

_PAGES_AT_ONCE = 64
"""Pages of some 30 kB that are decoded together."""

Record = TypeVar("Record", bound=msgspec.Struct)


def table_of(records: Iterable[msgspec.Struct], of: pa.Schema) -> pa.Table:
    """Return records as a table of a schema whose columns are their fields."""
    rows = list(records)
    columns = [
        pa.array([_plain(getattr(row, field.name)) for row in rows], type=field.type)
        if not pa.types.is_dictionary(field.type)
        else pa.array([getattr(row, field.name) for row in rows], type=pa.string()).dictionary_encode()
        for field in of
    ]
    return pa.Table.from_arrays(columns, schema=of)


def observations_table(observations: Iterable[Observation]) -> pa.Table:
    """Return observations.parquet's table, sorted by model, endpoint and prompt_id."""
    rows = sorted(observations, key=lambda row: (row.model, row.endpoint, row.prompt_id))
    return table_of(rows, schema.OBSERVATIONS)


def listings_table(endpoints: Iterable[Endpoint]) -> pa.Table:
    """Return listings.parquet's table, sorted by model and endpoint."""
    rows = sorted(endpoints, key=lambda row: (row.model, row.endpoint))
    return table_of(rows, schema.LISTINGS)


def prompts_table(prompts: Iterable[Prompt]) -> pa.Table:
    """Return prompts.parquet's table, sorted by prompt_id."""
    rows = sorted(prompts, key=lambda row: row.prompt_id)
    return table_of(rows, schema.PROMPTS)


def context_table(probes: Iterable[ContextProbe]) -> pa.Table:
    """Return context.parquet's table, sorted by model, endpoint and size."""
    rows = sorted(probes, key=lambda row: (row.model, row.endpoint, row.rung_tokens))
    return table_of(rows, schema.CONTEXT)


def grades_table(grades: Iterable[Grade]) -> pa.Table:
    """Return a grades file's table, sorted by model and endpoint."""
    rows = sorted(grades, key=lambda row: (row.model, row.endpoint))
    return table_of(rows, schema.GRADES)


def pages_table(pages: Iterable[tuple[str, bytes]]) -> pa.Table:
    """Return a pages file's table from (path, bytes), sorted by path."""
    rows = sorted(pages)
    paths, bodies = [path for path, _ in rows], [body for _, body in rows]
    digests = [sha256(body) for body in bodies]
    return pa.table([paths, digests, bodies], schema=schema.PAGES)


def parquet_bytes(table: pa.Table) -> bytes:
    """Return a table as Parquet: zstd, page checksums, the schema's version in the metadata."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def read_parquet(data: bytes, of: pa.Schema, *, where: str) -> pa.Table:
    """Return the table that Parquet bytes hold, page checksums verified.

    Raises:
        IntegrityError: where they are no Parquet, a checksum fails, or the columns are not the schema's.
    """
    with _reading(where):
        # `pq.read_table` makes a dataset of the one file first: half a millisecond more for each.
        table = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read(use_threads=False)
    _check_columns(table.schema, of, where)
    return table


def records_of(table: pa.Table, kind: type[Record]) -> tuple[Record, ...]:
    """Return a table's rows as records.

    Raises:
        IntegrityError: where a value is none that its field can have.
    """
    try:
        return tuple(msgspec.convert(row, kind) for row in table.to_pylist())
    except msgspec.ValidationError as error:
        raise IntegrityError(f"expected rows of {kind.__name__}, found: {error}", do=COMPARE_ELSEWHERE) from None


def each_page(data: bytes, *, where: str) -> Iterator[tuple[str, bytes]]:
    """Yield (path, bytes) of a pages file, a few at a time.

    Raises:
        IntegrityError: as `read_parquet` does.
    """
    with _reading(where):
        file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        _check_columns(file.schema_arrow, schema.PAGES, where)
        for batch in file.iter_batches(_PAGES_AT_ONCE, columns=["path", "page"], use_threads=False):
            yield from zip(batch.column("path").to_pylist(), batch.column("page").to_pylist(), strict=True)


@contextmanager
def _reading(where: str) -> Iterator[None]:
    """Say in one message that a file cannot be read as Parquet."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise IntegrityError(
            f"expected a Parquet file, found one that cannot be read ({type(error).__name__})",
            where=where,
            do=COMPARE_ELSEWHERE,
        ) from None


def _check_columns(found: pa.Schema, of: pa.Schema, where: str) -> None:
    if not found.equals(of) or _ours(found) != _ours(of):
        raise IntegrityError(
            f"expected the columns of format {schema.SCHEMA_FORMAT}, found {', '.join(found.names)}",
            where=where,
            do=COMPARE_ELSEWHERE,
        )


def _ours(of: pa.Schema) -> dict[bytes, bytes]:
    """Return what a schema's metadata says of our formats; libraries add keys of their own."""
    return {key: value for key, value in (of.metadata or {}).items() if key.startswith(b"bitdepth.")}


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    """Return a value as Arrow takes it: structs as dictionaries, enumerations as strings."""
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    return str(value) if isinstance(value, str) else value
