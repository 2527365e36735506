"""Draws that are the same on every machine and every Python, because they come from SHA-256 and from nothing else.

Draw number i of a stream is SHA-256(key, i), read as one number of 256 bits. The key is the SHA-256 of seed and labels,
each preceded by its length, so that no two lists of labels share a stream. Python's `random` promises the same
sequence only for some of its methods and only within a version; a night must be redrawn from its seed years later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")

_COUNTER_BYTES = 8
_SPAN = 1 << 256
"""How many values one digest can have."""


class Draws:
    """One stream of draws: the same calls in the same order give the same draws."""

    __slots__ = ("_drawn", "_key")

    def __init__(self, seed: str, *labels: str) -> None:
        """Begin the stream that seed and labels name.

        Args:
            seed: what a night publishes.
            labels: what is drawn, so that one use of a seed never shifts another.
        """
        key = hashlib.sha256()
        for part in (seed, *labels):
            data = part.encode("utf-8", "surrogatepass")
            key.update(len(data).to_bytes(_COUNTER_BYTES, "big"))
            key.update(data)
        self._key = key.digest()
        self._drawn = 0

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to limit - 1, each as likely as any other.

        Args:
            limit: 1 to 2**256.

        Raises:
            ValueError: where nothing can be drawn below the limit.
        """
        if not 1 <= limit <= _SPAN:
            raise ValueError(f"expected a limit from 1 to 2**256, found {limit}")
        # A remainder alone would favour small numbers: what lies past the last whole multiple is drawn again.
        fair = _SPAN - _SPAN % limit
        while True:
            number = self._next()
            if number < fair:
                return number % limit

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[_Item]) -> _Item:
        """Return one of the items; ValueError where there is none."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[_Item], count: int) -> list[_Item]:
        """Return as many different items, in the order drawn (Fisher and Yates, stopped early).

        Raises:
            ValueError: where there are not as many.
        """
        if not 0 <= count <= len(items):
            raise ValueError(f"expected a count from 0 to {len(items)}, found {count}")
        left = list(items)
        for place in range(count):
            drawn = place + self.below(len(left) - place)
            left[place], left[drawn] = left[drawn], left[place]
        return left[:count]

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """Return all the items, every order as likely as any other."""
        return self.sample(items, len(items))

    def _next(self) -> int:
        """Return the next 256 bits as a number."""
        counter = self._drawn.to_bytes(_COUNTER_BYTES, "big")
        self._drawn += 1
        return int.from_bytes(hashlib.sha256(self._key + counter).digest(), "big")
