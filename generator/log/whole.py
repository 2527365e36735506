"""A whole log in memory: its root at every size, and each file that a log of these leaves can have.

An append and a proof read a few tiles; who checks a log has all of its leaves, and makes everything else from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from generator.errors import IntegrityError
from generator.log.addresses import TILE_WIDTH, TileAddress
from generator.log.bundles import decode_entries, encode_entries
from generator.log.merkle import leaf_hash, node_hash, root_at

_HEIGHT = 8
"""Of a tile, in levels of the tree."""


class WholeLog:
    """The tree over all leaves of a log."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        """Hash every leaf, and every pair above.

        Args:
            leaves: the bytes of each, in order.
        """
        self.leaves = leaves
        row = [leaf_hash(leaf) for leaf in leaves]
        self._rows = [row]
        while len(row) > 1:
            row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=False)]
            self._rows.append(row)

    @property
    def size(self) -> int:
        """Leaves in the log."""
        return len(self.leaves)

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of the complete subtree of 2**level leaves from index * 2**level on.

        Raises:
            IntegrityError: where the tree has no such subtree.
        """
        if not 0 <= index < self.size >> level:
            raise IntegrityError(f"expected one of {self.size >> level} subtrees of level {level}, found index {index}")
        return self._rows[level][index]

    def root(self, size: int) -> bytes:
        """Return the root over the first leaves.

        Args:
            size: how many of them; no more than there are.

        Raises:
            IntegrityError: where there are fewer.
        """
        return root_at(size, self.node)

    def entry(self, index: int) -> bytes:
        """Return the bytes of a leaf."""
        return self.leaves[index]

    def file(self, address: TileAddress) -> bytes | None:
        """Return what a tile or a bundle must hold; None where it would be one of a larger log."""
        start = address.index * TILE_WIDTH
        end = start + address.width
        if address.level is None:
            return encode_entries(self.leaves[start:end]) if end <= self.size else None
        level = address.level * _HEIGHT
        return b"".join(self._rows[level][start:end]) if end <= self.size >> level else None

    def files(self, size: int) -> Iterator[str]:
        """Yield the path below log/ of every tile and bundle of the log when it had so many leaves."""
        yield from _paths(None, size)
        level = 0
        while size >> (level * _HEIGHT):
            yield from _paths(level, size >> (level * _HEIGHT))
            level += 1


def bundle_paths(size: int) -> Iterator[str]:
    """Yield the path below log/ of each bundle of a log of so many leaves, in order."""
    yield from _paths(None, size)


def read_leaves(size: int, read: Callable[[str], bytes], *, where: str) -> Iterator[tuple[bytes, ...]]:
    """Yield the leaves of each bundle of a log, in order.

    Args:
        size: leaves in the log.
        read: a bundle's bytes by its path below log/.
        where: what stands before that path in messages.

    Raises:
        IntegrityError: where a bundle is none, or holds too few or too many.
    """
    for path in bundle_paths(size):
        found = decode_entries(read(path), where=where + path)
        expected = TileAddress.parse(path).width
        if len(found) != expected:
            raise IntegrityError(f"expected {expected} leaves, found {len(found)}", where=where + path)
        yield found


def _paths(level: int | None, width: int) -> Iterator[str]:
    """Yield the paths of the tiles, or for no level the bundles, that hold so many hashes or leaves together."""
    for index in range(width // TILE_WIDTH):
        yield TileAddress(level=level, index=index).path()
    if width % TILE_WIDTH:
        yield TileAddress(level=level, index=width // TILE_WIDTH, width=width % TILE_WIDTH).path()
