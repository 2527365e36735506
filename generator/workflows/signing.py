"""Sign the log's newest tree, once all that its unsigned leaves speak of has been read and made into leaves again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from generator.errors import ArchiveError, BitdepthError, IntegrityError, UsageError
from generator.log.checkpoint import Checkpoint
from generator.log.merkle import EMPTY_ROOT
from generator.log.note import SigningKey, open_note
from generator.log.tiles import TileReader, appended
from generator.records.canonical import COMPARE_ELSEWHERE, sha256
from generator.records.leaf import KeyLeaf, Leaf, leaf_bytes, read_canonical_leaf
from generator.workflows.appending import require_name
from generator.workflows.leaves import Source, source_of
from generator.workflows.logged import log_head, log_tree, newest_signed, signed_of
from generator.workflows.world import Progress, Root

_NAMED = 5
"""Differences that one message names."""


class LogSigned(msgspec.Struct, frozen=True, kw_only=True):
    """What a signing did."""

    leaves: int
    """Covered for the first time."""
    size: int
    """Covered together."""
    root_sha256: str
    """Of the tree that is signed."""
    key_id: str


def sign(root: Root, key: SigningKey, *, progress: Progress) -> LogSigned:
    """Sign the newest tree where everything new in it is true of the archive as it lies; else sign nothing.

    Args:
        root: the site root; the caller holds its lock.
        key: one whose leaf is in the log.
        progress: who is told.

    Raises:
        ArchiveError: where there is no log.
        UsageError: where the key is another log's, or is not in this one.
        IntegrityError: naming what differs.
    """
    log = root.store.log
    log.settle()
    head, signed = log_head(root), newest_signed(root)
    if head is None:
        raise ArchiveError("expected a log, found none", where="archive/log", do="Run 'bitdepth log append' first")
    require_name(key.name, head.origin)
    tree = log_tree(root, head.size)
    _require_leaf(root, key, tree)
    before = Checkpoint(origin=head.origin, size=0, root=EMPTY_ROOT) if signed is None else signed.checkpoint
    if before.origin != head.origin or before.size > head.size:
        raise _refused([f"log/head: {head.origin} of {head.size} leaves; {before.origin} of {before.size} is signed"])
    with progress.bar("reading again what is to be signed", head.size - before.size) as advance:
        differences = []
        for leaves, difference in _differences(root, tree, before):
            differences += difference
            advance(leaves)
        differences = differences or list(_tree_differences(root, tree, before, head))
    if differences:
        raise _refused(differences)
    if before.size < head.size:
        log.add_signed(head.size, _note(root, key, head))
        progress.say(f"the log is signed: {head.size:,} leaves")
    return LogSigned(
        leaves=head.size - before.size,
        size=head.size,
        root_sha256=head.root.hex(),
        key_id=key.verifier.key_id,
    )


def _require_leaf(root: Root, key: SigningKey, tree: TileReader) -> None:
    """Refuse a key that is no leaf of the tree that it would sign.

    Raises:
        UsageError: where it is none.
    """
    index = root.store.log.index(f"keys/{key.verifier.key_id}")
    leaf = leaf_bytes(KeyLeaf(vkey=key.vkey))
    if index is None or index.first >= tree.size or tree.entry(index.first) != leaf:
        raise UsageError(
            f"expected a key that is a leaf of the log, found one that is none: {key.verifier.key_id}",
            where="the signing key",
            do="Run 'bitdepth log append' with the same key in the environment, and sign again",
        )


def _differences(root: Root, tree: TileReader, before: Checkpoint) -> Iterator[tuple[int, list[str]]]:
    """Yield, source by source, how many unsigned leaves it has and what about them does not follow from the archive."""
    index = before.size
    while index < tree.size:
        leaf = _leaf(tree, index)
        source = _source(root, leaf, index)
        try:
            expected = source.leaves()
            place = root.store.log.index(source.name)
            digest = source.sha256
        except BitdepthError as error:
            # What could not be read hides how many leaves it would have: the next source is found behind its last one.
            count = _run(root, tree, index, source)
            yield count, [f"{source.name}: {error}"]
            index += count
            continue
        found = [_leaf(tree, each) for each in range(index, min(index + len(expected), tree.size))]
        different = list(_leaf_differences(source.name, index, expected, found))
        if place is None or (place.first, place.count, place.sha256) != (index, len(expected), digest):
            different.append(f"log/index/{source.name}.json: expected {len(expected)} leaves from leaf {index} on")
        yield len(found), different
        index += len(found)


def _run(root: Root, tree: TileReader, index: int, source: Source) -> int:
    """Return how many leaves from an index on come from one source."""
    end = index + 1
    while end < tree.size and _source(root, _leaf(tree, end), end) == source:
        end += 1
    return end - index


def _leaf_differences(source: str, first: int, expected: Sequence[Leaf], found: Sequence[Leaf]) -> Iterator[str]:
    """Yield each leaf, and each member of it, that is not what the archive says."""
    if len(found) < len(expected):
        yield f"{source}: expected {len(expected)} leaves, found {len(found)}"
    for index, (wanted, there) in enumerate(zip(expected, found, strict=False), first):
        if type(wanted) is not type(there):
            yield f"leaf {index}: expected one of {source}, found another"
            continue
        for name in wanted.__struct_fields__:
            if getattr(wanted, name) != getattr(there, name):
                yield (
                    f"leaf {index} of {source}, {name}: expected {getattr(there, name)}, "
                    f"found {getattr(wanted, name)} in the archive"
                )


def _tree_differences(root: Root, tree: TileReader, before: Checkpoint, head: Checkpoint) -> Iterator[str]:
    """Yield what of the tree does not follow from the signed one and the leaves after it."""
    read = root.store.log.read
    grown = appended(before.size, read, [tree.entry(index) for index in range(before.size, head.size)])
    if grown.root_before != before.root:
        yield f"log/checkpoint: expected the root {before.root.hex()}, found tiles under {grown.root_before.hex()}"
    if grown.root != head.root:
        yield f"log/head: expected the root {grown.root.hex()}, found {head.root.hex()}"
    for path, data in grown.files.items():
        if read(path) != data:
            yield f"log/{path}: expected SHA-256 {sha256(data)}, found {sha256(read(path))}"


def _leaf(tree: TileReader, index: int) -> Leaf:
    """Return a leaf, which must be written as this program writes it.

    Raises:
        IntegrityError: where it is none.
    """
    data = tree.entry(index)
    try:
        return read_canonical_leaf(data)
    except ValueError as error:
        raise _refused([f"leaf {index}: {error}"]) from None


def _source(root: Root, leaf: Leaf, index: int) -> Source:
    try:
        return Source(root, source_of(leaf))
    except (ValueError, IndexError):
        raise _refused([f"leaf {index}: expected what the archive has, found {type(leaf).__name__}"]) from None


def _note(root: Root, key: SigningKey, head: Checkpoint) -> bytes:
    """Return the signed checkpoint: the one that an interrupted signing left, or a new one, opened once more."""
    if head.size in root.store.log.signed():
        kept = signed_of(root, head.size)
        if kept.checkpoint != head:
            raise _refused([f"log/signed/{head.size}: expected the tree of log/head, found another"])
        return kept.note
    note = key.sign(head.text())
    open_note(note, [key.verifier], where="the new checkpoint")
    return note


def _refused(differences: Sequence[str]) -> IntegrityError:
    """Return the refusal that names what differs."""
    named = "; ".join(differences[:_NAMED])
    more = f"; and {len(differences) - _NAMED} more" if len(differences) > _NAMED else ""
    return IntegrityError(
        f"expected leaves and tree as the archive says, found: {named}{more}",
        where="archive/log; nothing was signed",
        do=COMPARE_ELSEWHERE,
    )
