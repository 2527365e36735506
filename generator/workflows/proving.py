"""Lay down the proofs of graded windows that a signed checkpoint covers: made once, the same whenever they are made."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import date

import msgspec

from generator.errors import IntegrityError
from generator.log.merkle import inclusion_proof
from generator.log.proof import decode_proof, encode_proof, verify_proof
from generator.log.tiles import TileReader
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.leaf import GradeLeaf, leaf_bytes
from generator.records.log_index import LogIndex
from generator.records.permalink import PROOF
from generator.workflows.leaves import source_of
from generator.workflows.logged import SignedCheckpoint, log_keys, log_leaf, log_tree, newest_signed, signed_of
from generator.workflows.world import Progress, Root


class LogProved(msgspec.Struct, frozen=True, kw_only=True):
    """What a proving did."""

    windows: int
    """Whose proofs are new."""
    proofs: int


def prove(root: Root, *, progress: Progress) -> LogProved:
    """Keep the proofs of every window's grades that are signed and have none; each against the first tree that fits.

    So the bytes of a proof do not depend on when it is made, and a proof that is kept is never made again.

    Args:
        root: the site root; the caller holds its lock.
        progress: who is told.

    Raises:
        IntegrityError: where a proof would not hold.
    """
    log = root.store.log
    newest = newest_signed(root)
    if newest is None:
        progress.say("the log is unsigned: nothing to prove against")
        return LogProved(windows=0, proofs=0)
    sizes = [size for size in log.signed() if size <= newest.checkpoint.size]
    trees: dict[int, tuple[SignedCheckpoint, TileReader]] = {}
    windows = proofs = 0
    for version, end, index in _unproved(root):
        place = bisect_left(sizes, index.first + index.count)
        if place == len(sizes):
            continue
        size = sizes[place]
        if size not in trees:
            trees[size] = signed_of(root, size), log_tree(root, size)
        made = list(_proofs(root, f"grades/{version}/{end.isoformat()}", index, *trees[size]))
        digest = root.store.pages.manifest(version, end).method_digest
        log.add_proofs(made, version=version, digest=digest, window_end=end)
        windows, proofs = windows + 1, proofs + len(made)
    if windows:
        progress.say(f"{proofs:,} proofs are kept")
    return LogProved(windows=windows, proofs=proofs)


def _unproved(root: Root) -> Iterator[tuple[str, date, LogIndex]]:
    """Yield each window that is in the log and has no proofs, with where its leaves are; no other record is read."""
    log = root.store.log
    logged = [source.split("/") for source in sorted(log.sources("grades"))]
    proved = {version: frozenset(log.proved(version)) for version in {each[1] for each in logged}}
    for _, version, name in logged:
        end = date.fromisoformat(name)
        if end not in proved[version] and (index := log.index(f"grades/{version}/{name}")) is not None:
            yield version, end, index


def _proofs(
    root: Root, source: str, index: LogIndex, signed: SignedCheckpoint, tree: TileReader
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of each proof of a window, each checked as a stranger would."""
    keys = log_keys(root)
    for place in range(index.first, index.first + index.count):
        leaf = log_leaf(tree, place)
        if not isinstance(leaf, GradeLeaf) or source_of(leaf) != source:
            raise IntegrityError(
                f"expected a leaf of {source}, found another", where=f"leaf {place}", do=COMPARE_ELSEWHERE
            )
        data = encode_proof(place, inclusion_proof(place, tree.size, tree.node), signed.note)
        verify_proof(decode_proof(data), leaf_bytes(leaf), keys, signed.checkpoint.origin, where=f"{leaf.path}{PROOF}")
        yield f"{leaf.path}{PROOF}", data
