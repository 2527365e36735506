"""The grades of an archive by endpoint, held in files while the site is rendered: memory does not grow with them.

Those of months that are not settled are held from the beginning; those of a settled month from when they are asked for
until those of three other months were.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from typing import BinaryIO

import msgspec
import pyarrow as pa

from generator.records.canonical import sha256
from generator.records.grade import Grade
from generator.site.past import month_of
from generator.workflows.packed_grades import PackedGrades, packed
from generator.workflows.program import program_sha256
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.world import Root

_Key = tuple[str, str]
_Lengths = list[tuple[str, str, int]]
"""Model and endpoint of each grade, and how many bytes its JSON has."""
_DECODER = msgspec.json.Decoder(Grade)
_LENGTHS = msgspec.json.Decoder(_Lengths)
_ZSTD = pa.Codec("zstd")
_MOST_MONTHS = 3
"""Settled months that are held at once: what a page of one says begins with the last grade before it, which is of the
month before, or for an endpoint that came back of a distant one."""


class GradesFile:
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

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _read(self, start: int, end: int) -> Grade:
        self._file.seek(start)
        return _DECODER.decode(self._file.read(end - start))


class HeldGrades:
    """An archive's grades, as `generator.site.interface.Grades` says."""

    def __init__(self, newest: GradesFile, read_month: Callable[[str], GradesFile | PackedGrades]) -> None:
        """Hold those of months that are not settled.

        Args:
            newest: those.
            read_month: reads those of a settled month.
        """
        self._newest = newest
        self._read_month = read_month
        self._months: dict[str, GradesFile | PackedGrades] = {}

    def __iter__(self) -> Iterator[Grade]:
        """Yield every grade that is not of a settled month."""
        return iter(self._newest)

    def of(self, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return an endpoint's of months that are not settled."""
        return self._newest.of(model, endpoint)

    def of_month(self, name: str, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return an endpoint's of a settled month."""
        return self.month(name).of(model, endpoint)

    def month(self, name: str) -> GradesFile | PackedGrades:
        """Return the grades of a settled month."""
        found = self._months.pop(name, None) or self._read_month(name)
        self._months[name] = found  # The one asked for last stands last.
        while len(self._months) > _MOST_MONTHS:
            self._months.pop(next(iter(self._months))).close()
        return found

    def close(self) -> None:
        """Let every file go."""
        for each in (self._newest, *self._months.values()):
            each.close()


@contextmanager
def held_grades(root: Root, cache: SealedCache | None = None, settled: Collection[str] = ()) -> Iterator[HeldGrades]:
    """Hold every grade that has its page: a run that was killed in between has left the others unfinished.

    Args:
        root: the site root.
        cache: where a window's grades lie as JSON once they were read; a check of what is laid out goes without.
        settled: months whose grades are read only where they are asked for.
    """
    store = root.store
    newest: list[tuple[str, date]] = []
    months: dict[str, list[tuple[str, date]]] = {name: [] for name in settled}
    for version in store.grades.versions():
        for end in store.pages.windows(version):
            months.get(month_of(end), newest).append((version, end))
    with ExitStack() as stack:
        held = HeldGrades(_read(root, newest, cache), lambda name: _read_month(root, name, months[name], cache))
        stack.callback(held.close)
        yield held


def _read_month(
    root: Root, name: str, windows: Sequence[tuple[str, date]], cache: SealedCache | None
) -> GradesFile | PackedGrades:
    """Return the grades of a settled month, which are kept in one piece once their windows were read."""
    if cache is None:
        return _read(root, windows, None)
    digests = [root.store.grades.manifest(version, end).sha256 for version, end in windows]
    key = f"{sha256(' '.join(digests).encode())} {program_sha256()}"
    data = cache.read(name, key)
    if data is None:
        read = _read(root, windows, cache)
        data = packed(read)
        read.close()
        cache.write(name, key, data)
        for version, end in windows:
            cache.drop(_name(version, end))
    return PackedGrades(data)


def _name(version: str, end: date) -> str:
    return f"{version}-{end.isoformat()}"


def _read(root: Root, windows: Sequence[tuple[str, date]], cache: SealedCache | None) -> GradesFile:
    """Return the grades of some windows, each named by its version and its end."""
    places: dict[_Key, array[int]] = {}
    file, at = tempfile.TemporaryFile(), 0  # noqa: SIM115 - closed by whom it is held
    for version, end in windows:
        keys, data = _window(root, version, end, cache)
        file.write(data)
        for model, endpoint, length in keys:
            places.setdefault((model, endpoint), array("Q")).extend((at, at + length))
            at += length
    return GradesFile(file, places)


def _window(root: Root, version: str, end: date, cache: SealedCache | None) -> tuple[_Lengths, bytes]:
    """Return a window's grades as JSON, one after another, and whose each is and how long."""
    name = _name(version, end)
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
