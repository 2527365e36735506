"""Every grade of an archive by endpoint, held in a file while the site is rendered: memory does not grow with them."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import BinaryIO

import msgspec
import pyarrow as pa

from generator.records.grade import Grade
from generator.workflows.program import program_sha256
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.world import Root

_Key = tuple[str, str]
_Lengths = list[tuple[str, str, int]]
"""Model and endpoint of each grade, and how many bytes its JSON has."""
_DECODER = msgspec.json.Decoder(Grade)
_LENGTHS = msgspec.json.Decoder(_Lengths)
_ZSTD = pa.Codec("zstd")


class HeldGrades:
    """Grades under every version, sorted by model, endpoint, window end and version; read when they are asked for."""

    def __init__(self, file: BinaryIO, places: Mapping[_Key, array[int]]) -> None:
        """Hold grades.

        Args:
            file: their JSON, one after another.
            places: by (model, endpoint), where each grade begins and ends, in turn.
        """
        self._file = file
        self._places = dict(sorted(places.items()))
        self._last: tuple[_Key, tuple[Grade, ...]] | None = None

    def __iter__(self) -> Iterator[Grade]:
        """Yield every grade; one endpoint's are held at a time."""
        for model, endpoint in self._places:
            yield from self.of(model, endpoint)

    def of(self, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return an endpoint's grades; none where there is no such endpoint."""
        # A page asks for its endpoint's several times over, and for no other's in between.
        key = (model, endpoint)
        if self._last is None or self._last[0] != key:
            places = self._places.get(key, ())
            found = (self._read(*places[at : at + 2]) for at in range(0, len(places), 2))
            self._last = key, tuple(sorted(found, key=lambda grade: (grade.window_end, grade.method_version)))
        return self._last[1]

    def _read(self, start: int, end: int) -> Grade:
        self._file.seek(start)
        return _DECODER.decode(self._file.read(end - start))


@contextmanager
def held_grades(root: Root, cache: SealedCache | None = None) -> Iterator[HeldGrades]:
    """Hold every grade that has its page: a run that was killed in between has left the others unfinished.

    Args:
        root: the site root.
        cache: where a window's grades lie as JSON once they were read; a check of what is laid out goes without.
    """
    store = root.store
    places: dict[_Key, array[int]] = {}
    with tempfile.TemporaryFile() as file:
        at = 0
        for version in store.grades.versions():
            for end in store.pages.windows(version):
                keys, data = _window(root, version, end, cache)
                file.write(data)
                for model, endpoint, length in keys:
                    places.setdefault((model, endpoint), array("Q")).extend((at, at + length))
                    at += length
        yield HeldGrades(file, places)


def _window(root: Root, version: str, end: date, cache: SealedCache | None) -> tuple[_Lengths, bytes]:
    """Return a window's grades as JSON, one after another, and whose each is and how long."""
    name = f"{version}-{end.isoformat()}"
    key = f"{root.store.grades.manifest(version, end).sha256} {program_sha256()}"
    found = None if cache is None else cache.read(name, key)
    if found is not None:
        head, _, packed = found.partition(b"\n")
        kept = _LENGTHS.decode(head)
        data: bytes = _ZSTD.decompress(packed, sum(length for *_, length in kept), asbytes=True)
        return kept, data
    grades = root.store.grades.get(version, end)
    written = [msgspec.json.encode(grade) for grade in grades]
    keys = [(grade.model, grade.endpoint, len(each)) for grade, each in zip(grades, written, strict=True)]
    data = b"".join(written)
    if cache is not None:
        cache.write(name, key, msgspec.json.encode(keys) + b"\n" + _ZSTD.compress(data, asbytes=True))
    return keys, data
