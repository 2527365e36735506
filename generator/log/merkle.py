"""The Merkle tree of RFC 6962, section 2.1: hashes, roots, and proofs of inclusion and of consistency.

Leaves and nodes are hashed with different first bytes, so that no node can pass for a leaf. Whoever makes a proof
gives a `NodeReader`, which knows the hash of every complete subtree; whoever checks one needs the proof alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from generator.errors import IntegrityError
from generator.log.text import HASH_BYTES

NodeReader = Callable[[int, int], bytes]
"""Of a level and an index: the hash of the complete subtree of the 2**level leaves from index * 2**level on."""

EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Of a tree without leaves."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf's bytes."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree over some leaf hashes, or of any row of hashes of subtrees of one size."""
    if not hashes:
        return EMPTY_ROOT
    row = list(hashes)
    while len(row) > 1:
        odd = row[-1:] if len(row) % 2 else []
        row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=False)] + odd
    return row[0]


def root_at(size: int, node: NodeReader) -> bytes:
    """Return the root over the first leaves of a tree.

    Args:
        size: how many of them; no more than there are.
        node: the tree's complete subtrees.

    Raises:
        IntegrityError: where there are fewer.
    """
    found, end = None, size
    while end:
        level = (end & -end).bit_length() - 1
        complete = node(level, (end >> level) - 1)
        found = complete if found is None else node_hash(complete, found)
        end &= end - 1
    return EMPTY_ROOT if found is None else found


def inclusion_proof(index: int, size: int, node: NodeReader) -> tuple[bytes, ...]:
    """Return the hashes that lead from a leaf to the root, the leaf's sibling first (RFC 6962, section 2.1.1).

    Args:
        index: of the leaf, from 0.
        size: leaves in the tree.
        node: the tree's complete subtrees.

    Raises:
        IntegrityError: where the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise IntegrityError(f"expected the index of one of {size} leaves, found {index}", where="the log")
    start, end, found = 0, size, []
    while end - start > 1:
        middle = start + _left_width(end - start)
        if index < middle:
            found.append(_subtree(middle, end, node))
            end = middle
        else:
            found.append(_subtree(start, middle, node))
            start = middle
    return tuple(reversed(found))


def consistency_proof(before: int, after: int, node: NodeReader) -> tuple[bytes, ...]:
    """Return the hashes that show a tree to be the beginning of a larger one (RFC 6962, section 2.1.2).

    It is empty where both trees are the same, and where the first has no leaves: every tree begins with that one.

    Args:
        before: leaves in the first tree.
        after: leaves in the larger one.
        node: the larger tree's complete subtrees.

    Raises:
        IntegrityError: where the first tree is the larger one.
    """
    if not 0 <= before <= after:
        raise IntegrityError(f"expected a tree of at most {after} leaves, found {before}", where="the log")
    if before == 0:
        return ()
    start, end, found = 0, after, []
    while before != end:
        middle = start + _left_width(end - start)
        if before <= middle:
            found.append(_subtree(middle, end, node))
            end = middle
        else:
            found.append(_subtree(start, middle, node))
            start = middle
    if start > 0:  # From 0 on it is the first tree's root, which the verifier holds.
        found.append(_subtree(start, end, node))
    return tuple(reversed(found))


def verify_inclusion(leaf_hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """True where the proof leads from the leaf at the index to the root (RFC 9162, section 2.1.3.2).

    It says nothing about the size: sizes that give the leaf a path of one shape pass alike. What fixes a size is
    the checkpoint, which signs it together with the root.
    """
    if not 0 <= index < size or not _are_hashes((leaf_hash, root, *proof)):
        return False
    turns = _turns(index, size - 1)
    if len(turns) != len(proof):
        return False
    found = leaf_hash
    for is_left, other in zip(turns, proof, strict=True):
        found = node_hash(other, found) if is_left else node_hash(found, other)
    return found == root


def verify_consistency(before: int, after: int, root_before: bytes, root_after: bytes, proof: Sequence[bytes]) -> bool:
    """True where the proof shows the first tree to be the beginning of the second (RFC 9162, section 2.1.4.2)."""
    if not 0 <= before <= after or not _are_hashes((root_before, root_after, *proof)):
        return False
    if before == after:
        return not proof and root_before == root_after
    if before == 0:
        return not proof and root_before == EMPTY_ROOT
    # The path begins at the last complete subtree of the first tree; where that is the whole tree, with its root.
    height = ((before & -before) - 1).bit_length()
    path = proof if before & (before - 1) else (root_before, *proof)
    turns = _turns((before - 1) >> height, (after - 1) >> height)
    if len(turns) != len(path) - 1:
        return False
    found_before = found_after = path[0]
    for is_left, other in zip(turns, path[1:], strict=True):
        found_after = node_hash(other, found_after) if is_left else node_hash(found_after, other)
        found_before = node_hash(other, found_before) if is_left else found_before
    return found_before == root_before and found_after == root_after


def _turns(position: int, last: int) -> list[bool]:
    """Return for each hash of a path, from below, whether it stands left of what it is hashed with.

    Args:
        position: of the path's first node among the nodes of its level, from 0.
        last: position of that level's last node.
    """
    turns: list[bool] = []
    while last:
        turns.append(position % 2 == 1 or position == last)
        if position == last:  # A node without a right neighbour is handed up until it is one itself.
            height = ((position & -position) - 1).bit_length()
            position, last = position >> height, last >> height
        position, last = position >> 1, last >> 1
    return turns


def _left_width(width: int) -> int:
    """Return how many of some leaves (2 or more) stand left of the split: the largest power of two below them all."""
    return 1 << ((width - 1).bit_length() - 1)


def _subtree(start: int, end: int, node: NodeReader) -> bytes:
    """Return the hash over a range of leaves (1 or more) that RFC 6962's splits lead to."""
    width = end - start
    if width & (width - 1) == 0:
        return node(width.bit_length() - 1, start // width)
    middle = start + _left_width(width)
    return node_hash(_subtree(start, middle, node), _subtree(middle, end, node))


def _are_hashes(values: Sequence[bytes]) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
