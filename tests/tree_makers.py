"""Merkle trees for tests: RFC 6962's definition word for word, and a log whose files lie in memory and count reads."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from generator.errors import MissingFileError
from generator.log.keys import SigningKey
from generator.log.tiles import Appended, TileReader, appended

ORIGIN = "bitdepth.example/log"
KEY = SigningKey(ORIGIN, hashlib.sha256(b"a key for tests").digest())
SIZES_AT_EDGES = (1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 513, 600, 1_000)
"""Sizes around one and two full tiles among them."""


def leaves_of(count: int) -> list[bytes]:
    """Return so many leaves, no two alike."""
    return [f"leaf {number}".encode() for number in range(count)]


def flipped(data: bytes, bit: int) -> bytes:
    """Return some bytes with one bit changed, counted round."""
    place, bit = divmod(bit % (8 * len(data)), 8)
    return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]


class Definition:
    """RFC 6962, section 2.1, by recursion over ranges of leaves."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        """Define the trees over some leaves."""
        self._leaves = leaves
        self._roots: dict[tuple[int, int], bytes] = {}

    def root(self, start: int, end: int) -> bytes:
        """Return the Merkle tree hash of leaves start to end, the last not among them."""
        if end == start:
            return hashlib.sha256().digest()
        if (start, end) in self._roots:
            return self._roots[start, end]
        if end - start == 1:
            found = hashlib.sha256(b"\0" + self._leaves[start]).digest()
        else:
            middle = start + _split(end - start)
            found = hashlib.sha256(b"\1" + self.root(start, middle) + self.root(middle, end)).digest()
        # Ranges that fill a subtree stand in every larger tree; all others in one alone.
        if (end - start).bit_count() == 1:
            self._roots[start, end] = found
        return found

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree."""
        return self.root(index << level, (index + 1) << level)

    def path(self, leaf: int, start: int, end: int) -> tuple[bytes, ...]:
        """Return the audit path of a leaf, counted from the first of all, in the tree over a range."""
        if end - start == 1:
            return ()
        middle = start + _split(end - start)
        if leaf < middle:
            return (*self.path(leaf, start, middle), self.root(middle, end))
        return (*self.path(leaf, middle, end), self.root(start, middle))

    def proof(self, before: int, after: int) -> tuple[bytes, ...]:
        """Return the consistency proof between the trees over the first leaves."""
        return self._subproof(before, 0, after, known=True)

    def _subproof(self, before: int, start: int, end: int, *, known: bool) -> tuple[bytes, ...]:
        if before == end - start:
            return () if known else (self.root(start, end),)
        split = _split(end - start)
        middle = start + split
        if before <= split:
            return (*self._subproof(before, start, middle, known=known), self.root(middle, end))
        return (*self._subproof(before - split, middle, end, known=False), self.root(start, middle))


class KeptLog:
    """A log's files by path."""

    def __init__(self, leaves: Sequence[bytes] = ()) -> None:
        """Hold a log of some leaves, appended at once."""
        self.files: dict[str, bytes] = {}
        self.reads: list[str] = []
        self.size = 0
        if leaves:
            self.append(leaves)

    def read(self, path: str) -> bytes:
        """Return a file, and note that it was read."""
        self.reads.append(path)
        if path not in self.files:
            raise MissingFileError("expected a file, found none", where=path)
        return self.files[path]

    def append(self, leaves: Sequence[bytes]) -> Appended:
        """Append leaves; no file that is there may change."""
        done = appended(self.size, self.read, leaves)
        assert not done.files.keys() & self.files.keys()
        self.files |= done.files
        self.size = done.size
        return done

    def reader(self, size: int | None = None) -> TileReader:
        """Return a reader of the tree over all leaves, or over the first."""
        return TileReader(self.read, self.size if size is None else size)


def _split(count: int) -> int:
    """Return the largest power of two below a count."""
    return 1 << ((count - 1).bit_length() - 1)
