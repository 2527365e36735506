"""A night's tally as bytes and back: whole and under the key it was asked by, or not at all. Pure.

The first line names the format; then the SHA-256 of all that follows it; then the key; then the tally. Derived data: a
night's tally can always be counted again, so that any doubt about these bytes ends in None and not in an error.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from generator.method.columns import Codes
from generator.method.tally import NightTally
from generator.records.canonical import sha256
from generator.records.definition import ReferenceRule

TALLY_FORMAT = 1
"""Counts up whenever the tally of the same night under the same rule may come out otherwise, or is kept otherwise."""

_MAGIC = b"bitdepth tally\n"
_DIGEST_LENGTH = len(sha256(b""))
_WHOLE = np.dtype("<i8")

_Array = tuple[tuple[int, ...], bytes]
"""Shape, and whole numbers of 64 bits, little end first."""


class TallyKey(msgspec.Struct, frozen=True, kw_only=True):
    """What a tally depends on: nothing else can change it."""

    format: int = TALLY_FORMAT
    night_sha256: str
    """Of night.json, which holds the digests of the night's tables."""
    reference: ReferenceRule
    """What makes an answer the reference: all that a tally takes from a definition."""
    hidden: tuple[str, ...] = ()
    """SHA-256 of each answer that reads as withheld, ascending."""

    def line(self) -> bytes:
        """Return the key on one line."""
        return msgspec.json.encode(self, order="sorted") + b"\n"


class _Kept(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A tally's fields, with arrays and tables as bytes."""

    night: date
    latency_replayed: bool
    keyed: dict[str, bool]
    fixed_prompts: dict[str, tuple[str, str]]
    listings: bytes
    keys: tuple[tuple[str, str], ...]
    families: tuple[str, ...]
    counts: _Array
    outcomes: _Array
    models: tuple[str, ...]
    questions: _Array
    fixed_ids: tuple[str, ...]
    fixed: _Array
    answers: bytes
    latencies_ms: _Array
    latency_starts: _Array
    contexts: dict[int, int]


def tally_bytes(tally: NightTally, key: TallyKey) -> bytes:
    """Return a tally as bytes that say what they are, what they hold and whether they are whole."""
    fields = {name: _plain(getattr(tally, name)) for name in _Kept.__struct_fields__}
    body = key.line() + msgspec.msgpack.encode(_Kept(**fields))
    return _MAGIC + sha256(body).encode() + b"\n" + body


def read_tally(data: bytes, key: TallyKey) -> NightTally | None:
    """Return the tally that bytes hold, or None where they are not whole or are of another key.

    Args:
        data: as read from a disk that may have lost, cut or exchanged them.
        key: what is asked for.
    """
    head = len(_MAGIC) + _DIGEST_LENGTH + 1
    body, line = data[head:], key.line()
    if data[:head] != _MAGIC + sha256(body).encode() + b"\n" or not body.startswith(line):
        return None
    try:
        kept = msgspec.msgpack.decode(body[len(line) :], type=_Kept)
        fields = {name: getattr(kept, name) for name in _Kept.__struct_fields__}
        arrays = {name: _array(*fields[name]) for name in _ARRAYS}
        listings = pa.ipc.open_stream(kept.listings).read_all()
        answers = pa.ipc.open_stream(kept.answers).read_all().column("answer").combine_chunks()
    except (ValueError, pa.ArrowException, OSError):
        return None
    return NightTally(**(fields | arrays | {"listings": listings, "answers": answers}))


_ARRAYS = ("counts", "outcomes", "questions", "fixed", "latencies_ms", "latency_starts")


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    """Return an array or a table as bytes; anything else as it is."""
    if isinstance(value, np.ndarray):
        return value.shape, np.ascontiguousarray(value, dtype=_WHOLE).tobytes()
    if isinstance(value, pa.Table):
        return _stream(value)
    if isinstance(value, pa.Array):
        return _stream(pa.table({"answer": value}))
    return value


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _array(shape: tuple[int, ...], data: bytes) -> Codes:
    return np.frombuffer(data, dtype=_WHOLE).astype(np.int64).reshape(shape)
