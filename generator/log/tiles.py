"""The tree and its leaves as static files, laid out as C2SP tlog-tiles says (tiles 8 levels high).

A tile of level L holds up to 256 hashes, each of 256**L leaves; a bundle holds the leaves under a tile of level 0.
All but the last tile of a level are full. The last ones, the tree's right edge, are what the root and the next
append need: `TileReader.root` reads at most one file a level, and `appended` one bundle more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from generator.errors import IntegrityError
from generator.log.addresses import TILE_WIDTH, TileAddress
from generator.log.bundles import decode_entries, encode_entries
from generator.log.merkle import EMPTY_ROOT, leaf_hash, node_hash, root, root_at
from generator.log.text import HASH_BYTES

__all__ = ["TILE_WIDTH", "Appended", "TileAddress", "TileReader", "appended", "decode_entries", "encode_entries"]

_HEIGHT = 8
"""Of a tile, in levels of the tree."""

_TILES_KEPT = 256
"""In memory, of about 40 kB each: neighbouring proofs share almost all of theirs."""

_BUNDLES_KEPT = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Appended:
    """A log after an append: the files to create, and the tree that they and the kept ones make."""

    files: Mapping[str, bytes]
    """Every new tile and bundle by its path below log/; none of them is there in the log before the append."""
    size: int
    """In leaves."""
    root: bytes
    root_before: bytes
    """Of the tree that was appended to, as its right edge gives it: to be held against the head that was read."""


class TileReader:
    """The tree of a size, read from its files; every hash given has been followed up to the tree's right edge.

    So one comparison, of `root()` with a signed one, vouches for all that a reader gives.
    """

    def __init__(self, read: Callable[[str], bytes], size: int) -> None:
        """Read nothing yet.

        Args:
            read: gives a file's bytes by its path below log/, and raises an error of its own where there is none.
            size: leaves in the tree; files of a larger tree are not looked at.
        """
        self.size = size
        self._read = read
        self._tile = lru_cache(_TILES_KEPT)(self._read_tile)
        self._bundle = lru_cache(_BUNDLES_KEPT)(self._read_bundle)

    def root(self, size: int | None = None) -> bytes:
        """Return the tree's root, from its right edge alone, or the root of the smaller tree that it has grown from.

        Args:
            size: leaves in the smaller tree; None for the tree itself.

        Raises:
            IntegrityError: where a tile has not the length that the size asks for, or the tree is the smaller one.
        """
        if size is not None:
            return root_at(size, self.node)
        return _root_of_edge([self.edge(level) for level in range(_levels(self.size))])

    def edge(self, level: int) -> tuple[bytes, ...]:
        """Return the hashes of the level's last tile where that is not full, otherwise none.

        Args:
            level: of tiles, from 0.
        """
        above, width = divmod(self._hashes(level), TILE_WIDTH)
        return self._tile(level, above)[0] if width else ()

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of the complete subtree of 2**level leaves from index * 2**level on.

        Raises:
            IntegrityError: where the tree has no such subtree, or where a file that it follows from is not the one
                that the tree was built of.
        """
        if not 0 <= index < self.size >> level:
            raise IntegrityError(
                f"expected one of {self.size >> level} subtrees of level {level}, found index {index}", where="the log"
            )
        tile_level, height = divmod(level, _HEIGHT)
        tile, place = divmod(index << height, TILE_WIDTH)
        return self._tile(tile_level, tile)[height][place >> height]

    def entry(self, index: int) -> bytes:
        """Return the bytes of a leaf.

        Raises:
            IntegrityError: where the tree has no such leaf, or where the leaf is not the one that it was built of.
        """
        expected = self.node(0, index)
        tile, place = divmod(index, TILE_WIDTH)
        entry = self._bundle(tile)[place]
        found = leaf_hash(entry)
        if found != expected:
            where = f"leaf {index} in {self._address(None, tile).path()}"
            raise IntegrityError(f"expected the hash {expected.hex()}, found {found.hex()}", where=where)
        return entry

    def bundle(self, index: int) -> tuple[bytes, ...]:
        """Return the leaves of a bundle, as they are kept: `entry` is what holds one against its hash.

        Args:
            index: of the bundle, which holds the leaves from index * 256 on.

        Raises:
            IntegrityError: where the tree has no such bundle, or where the file holds another number of leaves than
                the size asks for.
        """
        count = -(-self.size // TILE_WIDTH)
        if not 0 <= index < count:
            raise IntegrityError(f"expected one of {count} bundles, found index {index}", where="the log")
        return self._bundle(index)

    def _hashes(self, level: int) -> int:
        """Return how many hashes all tiles of a level hold together."""
        return self.size >> (_HEIGHT * level)

    def _address(self, level: int | None, index: int) -> TileAddress:
        """Return where a tile, or for no level a bundle, is kept."""
        width = min(TILE_WIDTH, self._hashes(level or 0) - index * TILE_WIDTH)
        return TileAddress(level=level, index=index, width=width)

    def _read_tile(self, level: int, index: int) -> tuple[tuple[bytes, ...], ...]:
        """Return a tile's hashes and, level by level, those of the complete subtrees above them."""
        address = self._address(level, index)
        data = self._read(address.path())
        expected = address.width * HASH_BYTES
        if len(data) != expected:
            raise IntegrityError(f"expected {expected} bytes, found {len(data)}", where=address.path())
        rows = [tuple(data[start : start + HASH_BYTES] for start in range(0, expected, HASH_BYTES))]
        while len(rows[-1]) > 1:
            row = rows[-1]
            rows.append(tuple(node_hash(*pair) for pair in zip(row[::2], row[1::2], strict=False)))
        if address.width == TILE_WIDTH:
            above = self.node(_HEIGHT * (level + 1), index)
            if rows[-1][0] != above:
                problem = f"expected hashes under {above.hex()}, found ones under {rows[-1][0].hex()}"
                raise IntegrityError(problem, where=address.path())
        return tuple(rows)

    def _read_bundle(self, index: int) -> tuple[bytes, ...]:
        address = self._address(None, index)
        entries = decode_entries(self._read(address.path()), where=address.path())
        if len(entries) != address.width:
            raise IntegrityError(f"expected {address.width} leaves, found {len(entries)}", where=address.path())
        return entries


def appended(before: int, read: Callable[[str], bytes], leaves: Sequence[bytes]) -> Appended:
    """Return the log after some leaves more, having read only the right edge of the log before.

    Args:
        before: leaves in the log until now.
        read: gives a file's bytes by its path below log/.
        leaves: the bytes of each new leaf, in order; there may be none.

    Raises:
        IntegrityError: where a file of the right edge has not the length that the size asks for, or where a leaf
            there is not the one that its hash was made of.
    """
    reader = TileReader(read, before)
    edges = [reader.edge(level) for level in range(_levels(before))]
    root_before = _root_of_edge(edges)
    bundles = _new_bundles(reader, leaves)
    tiles: dict[str, bytes] = {}
    fresh, level = [leaf_hash(leaf) for leaf in leaves], 0
    while fresh:
        kept = edges[level] if level < len(edges) else ()
        row, first = (*kept, *fresh), (before >> (_HEIGHT * level)) // TILE_WIDTH
        fresh, edge = [], row[len(row) // TILE_WIDTH * TILE_WIDTH :]
        for index, start in enumerate(range(0, len(row), TILE_WIDTH), first):
            hashes = row[start : start + TILE_WIDTH]
            tiles[TileAddress(level=level, index=index, width=len(hashes)).path()] = b"".join(hashes)
            if len(hashes) == TILE_WIDTH:
                fresh.append(root(hashes))
        edges[level : level + 1] = [edge]
        level += 1
    size = before + len(leaves)
    return Appended(files=bundles | tiles, size=size, root=_root_of_edge(edges), root_before=root_before)


def _new_bundles(reader: TileReader, leaves: Sequence[bytes]) -> dict[str, bytes]:
    """Return the bundles that new leaves make, the last one until now filled up first."""
    if not leaves:
        return {}
    first, width = divmod(reader.size, TILE_WIDTH)
    kept = [reader.entry(index) for index in range(reader.size - width, reader.size)]
    entries, files = [*kept, *leaves], {}
    for index, start in enumerate(range(0, len(entries), TILE_WIDTH), first):
        part = entries[start : start + TILE_WIDTH]
        files[TileAddress(level=None, index=index, width=len(part)).path()] = encode_entries(part)
    return files


def _levels(size: int) -> int:
    """Return how many levels of tiles a tree of some leaves has."""
    return -(-size.bit_length() // _HEIGHT)


def _root_of_edge(edges: Sequence[Sequence[bytes]]) -> bytes:
    """Return the root over the last tiles of all levels that are not full, the lowest level first.

    They hold the complete subtrees that the tree is made of, as the digits of its size to base 256 count them.
    """
    found = None
    for hashes in edges:
        end = len(hashes)
        while end:
            width = end & -end
            complete = root(hashes[end - width : end])
            found = complete if found is None else node_hash(complete, found)
            end -= width
    return EMPTY_ROOT if found is None else found
