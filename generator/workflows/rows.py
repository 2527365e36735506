"""Records that are read each time they are asked for, and not held in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Rows(Sequence[T]):
    """The rows of one table of the archive."""

    def __init__(self, read: Callable[[], Sequence[T]]) -> None:
        """Take how they are read; nothing is read yet."""
        self._read = read

    def __iter__(self) -> Iterator[T]:
        """Yield each."""
        return iter(self._read())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._read())

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        """Return one, or some."""
        return self._read()[index]
