"""Every grade of an archive by endpoint, held in a file while the site is rendered: memory does not grow with them."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

import msgspec

from generator.records.grade import Grade
from generator.workflows.world import Root

_Key = tuple[str, str]
_DECODER = msgspec.json.Decoder(Grade)


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
def held_grades(root: Root) -> Iterator[HeldGrades]:
    """Hold every grade that has its page: a run that was killed in between has left the others unfinished."""
    store = root.store
    places: dict[_Key, array[int]] = {}
    with tempfile.TemporaryFile() as file:
        at = 0
        for version in store.grades.versions():
            for end in store.pages.windows(version):
                for grade in store.grades.get(version, end):
                    written = file.write(msgspec.json.encode(grade))
                    places.setdefault((grade.model, grade.endpoint), array("Q")).extend((at, at + written))
                    at += written
        yield HeldGrades(file, places)
