"""The log as the other workflows see it: its newest tree, its newest signed one, its keys, and readers of both."""

from __future__ import annotations

import msgspec

from generator.errors import IntegrityError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import VerifierKey, open_note
from generator.log.tiles import TileReader
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.leaf import Leaf, read_canonical_leaf
from generator.workflows.world import Root


class SignedCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint and the note that it was read from."""

    checkpoint: Checkpoint
    note: bytes


def log_origin(root: Root) -> str:
    """Return what the root's log is called: as its head says, for ever; a new one after the site's address."""
    head = log_head(root)
    return head.origin if head is not None else f"{root.content.settings().address.partition('://')[2]}log"


def log_head(root: Root) -> Checkpoint | None:
    """Return the newest tree, signed or not; None where nothing was ever appended.

    Raises:
        IntegrityError: where what the head says is no tree, or the head is gone.
    """
    text = root.store.log.head()
    return None if text is None else parse_checkpoint(text, where="log/head")


def log_key(root: Root, key_id: str) -> VerifierKey:
    """Return a key whose public half is kept.

    Raises:
        IntegrityError: where it is no key, or not the one that its file's name says.
    """
    where = f"log/keys/{key_id}.vkey"
    key = VerifierKey.parse(root.store.log.key(key_id), where=where)
    if key.key_id != key_id:
        raise IntegrityError(f"expected the key {key_id}, found {key.key_id}", where=where, do=COMPARE_ELSEWHERE)
    return key


def log_keys(root: Root) -> tuple[VerifierKey, ...]:
    """Return every key whose public half is kept, by key id."""
    return tuple(log_key(root, key_id) for key_id in root.store.log.key_ids())


def newest_signed(root: Root) -> SignedCheckpoint | None:
    """Return the newest signed checkpoint; None for a log that is unsigned.

    Raises:
        IntegrityError: where no kept key signed it.
    """
    note = root.store.log.checkpoint()
    return None if note is None else _opened(root, note, "log/checkpoint")


def signed_before(root: Root, head: Checkpoint) -> SignedCheckpoint | None:
    """Return the newest signed checkpoint, which a head must have grown from; None for a log that is unsigned.

    Raises:
        IntegrityError: where the head is of another log, or of fewer leaves.
    """
    signed = newest_signed(root)
    if signed is None:
        return None
    before = signed.checkpoint
    if before.size > head.size:
        expected, found = f"at least the {before.size} leaves that are signed", str(head.size)
    elif before.origin != head.origin:
        expected, found = f"the log {before.origin}, as it was signed", head.origin
    else:
        return signed
    raise IntegrityError(f"expected {expected}, found {found}", where="log/head", do=COMPARE_ELSEWHERE)


def log_leaf(tree: TileReader, index: int) -> Leaf:
    """Return a leaf of the log, which must be written as this program writes it.

    Raises:
        IntegrityError: where it is none.
    """
    try:
        return read_canonical_leaf(tree.entry(index))
    except ValueError as error:
        raise IntegrityError(f"expected a leaf, found: {error}", where=f"leaf {index}", do=COMPARE_ELSEWHERE) from None


def signed_of(root: Root, size: int) -> SignedCheckpoint:
    """Return the signed checkpoint of a size.

    Raises:
        IntegrityError: where no kept key signed it, or it is of another size.
    """
    where = f"log/signed/{size}"
    found = _opened(root, root.store.log.signed_note(size), where)
    if found.checkpoint.size != size:
        raise IntegrityError(
            f"expected {size} leaves, found {found.checkpoint.size}", where=where, do=COMPARE_ELSEWHERE
        )
    return found


def log_tree(root: Root, size: int) -> TileReader:
    """Return the tree over the log's first leaves.

    Args:
        root: the site root.
        size: how many.
    """
    return TileReader(root.store.log.read, size)


def _opened(root: Root, note: bytes, where: str) -> SignedCheckpoint:
    text = open_note(note, log_keys(root), where=where)
    return SignedCheckpoint(checkpoint=parse_checkpoint(text, where=where), note=note)
