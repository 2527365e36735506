"""The grades of a settled month in one piece of bytes, from which one endpoint's are read without the others'."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec
import pyarrow as pa

from generator.records.grade import Grade

_Places = dict[str, dict[str, tuple[int, int, int]]]
"""By model and endpoint: where the endpoint's grades begin, how long they are, and how long once they are unpacked."""
_PLACES = msgspec.json.Decoder(_Places)
_GRADES = msgspec.json.Decoder(tuple[Grade, ...])
_ZSTD = pa.Codec("zstd")


class PackedGrades:
    """Grades sorted by model, endpoint, window end and version; unpacked each time they are asked for."""

    def __init__(self, data: bytes) -> None:
        """Use what `packed` returned."""
        head, _, _ = data.partition(b"\n")
        self._places = _PLACES.decode(head)
        self._body = memoryview(data)[len(head) + 1 :]

    def __iter__(self) -> Iterator[Grade]:
        """Yield every grade; one endpoint's are held at a time."""
        for model, endpoints in self._places.items():
            for endpoint in endpoints:
                yield from self.of(model, endpoint)

    def of(self, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return an endpoint's grades; none where there is no such endpoint."""
        place = self._places.get(model, {}).get(endpoint)
        if place is None:
            return ()
        start, length, unpacked = place
        return _GRADES.decode(_ZSTD.decompress(self._body[start : start + length], unpacked, asbytes=True))

    def close(self) -> None:
        """Let go of nothing: the bytes are in memory."""


def packed(grades: Iterable[Grade]) -> bytes:
    """Return some grades as bytes.

    Args:
        grades: sorted by model, endpoint, window end and version.
    """
    places: _Places = {}
    parts, at = [], 0
    for (model, endpoint), group in groupby(grades, key=lambda grade: (grade.model, grade.endpoint)):
        data = msgspec.json.encode(tuple(group))
        part = _ZSTD.compress(data, asbytes=True)
        places.setdefault(model, {})[endpoint] = (at, len(part), len(data))
        parts.append(part)
        at += len(part)
    return b"".join((msgspec.json.encode(places), b"\n", *parts))
