"""Append to the log what the archive says and the log does not hold yet: without a key, and reading no earlier leaf."""

from __future__ import annotations

import msgspec

from generator.errors import IntegrityError, UsageError
from generator.log.addresses import TILE_WIDTH, TileAddress
from generator.log.checkpoint import Checkpoint
from generator.log.merkle import EMPTY_ROOT
from generator.log.note import VerifierKey
from generator.log.tiles import appended
from generator.records.canonical import COMPARE_ELSEWHERE, SEALED_FORMAT
from generator.records.figures import counted
from generator.records.leaf import leaf_bytes
from generator.records.log_index import LogIndex
from generator.workflows.leaves import new_sources
from generator.workflows.logged import log_head, log_key, log_origin, signed_before
from generator.workflows.world import Progress, Root


class LogAppended(msgspec.Struct, frozen=True, kw_only=True):
    """What an append did."""

    leaves: int
    """New ones."""
    size: int
    """Leaves in the log now."""
    signed: int
    """How many of them the newest signed checkpoint covers; 0 for a log that is unsigned."""


def append(root: Root, *, progress: Progress, key: VerifierKey | None = None) -> LogAppended:
    """Append the leaves of every source that the log does not hold yet, in an order that the archive alone gives.

    Args:
        root: the site root; the caller holds its lock.
        progress: who is told.
        key: the public half of one that is to sign: kept from now on, and appended before anything else.

    Raises:
        UsageError: where the key bears another name than the log.
        IntegrityError: where what the new leaves would speak of, or the log's right edge, is not what it was.
    """
    log = root.store.log
    log.settle()
    head = log_head(root) or Checkpoint(origin=log_origin(root), size=0, root=EMPTY_ROOT)
    before = head.size
    signed = signed_before(root, head)
    covered = 0 if signed is None else signed.checkpoint.size
    index, width = divmod(before, TILE_WIDTH)
    beyond = log.wider(TileAddress(level=0, index=index).path(), width)
    if beyond is not None:
        raise _refused(f"no leaves beyond the {before} of this tree", f"{beyond}: a larger tree was there")
    if key is not None:
        _keep_key(root, key, progress)
    leaves: list[bytes] = []
    indexes: dict[str, LogIndex] = {}
    for source in new_sources(root):
        made = [leaf_bytes(leaf) for leaf in source.leaves()]
        indexes[source.name] = LogIndex(
            format=SEALED_FORMAT, first=before + len(leaves), count=len(made), sha256=source.sha256, seal=""
        )
        leaves += made
    if leaves:
        after = appended(before, log.read, leaves)
        if after.root_before != head.root:
            raise IntegrityError(
                f"expected tiles under the root {head.root.hex()}, found ones under {after.root_before.hex()}",
                where="log/head",
                do=COMPARE_ELSEWHERE,
            )
        grown = Checkpoint(origin=head.origin, size=after.size, root=after.root)
        log.append(after.files, indexes, grown.text())
        progress.say(f"the log has {counted(len(leaves), 'leaf', 'leaves')} more: {after.size:,} together")
    return LogAppended(leaves=len(leaves), size=before + len(leaves), signed=covered)


def require_name(key_name: str, origin: str) -> None:
    """Return where a key may sign a log.

    Raises:
        UsageError: where it bears another name.
    """
    if key_name != origin:
        raise UsageError(
            f"expected a key that is called {origin}, as the log is, found one that is called {key_name}",
            where="the signing key",
            do="A key belongs to one site: give the one that 'bitdepth keygen --root' made for this one, or make one",
        )


def _refused(expected: str, found: str) -> IntegrityError:
    return IntegrityError(f"expected {expected}, found {found}", where="log/head", do=COMPARE_ELSEWHERE)


def _keep_key(root: Root, key: VerifierKey, progress: Progress) -> None:
    require_name(key.name, log_origin(root))
    log = root.store.log
    if key.key_id in log.key_ids() and log_key(root, key.key_id) == key:
        return
    log.add_key(key.key_id, key.vkey)
    progress.say(f"the key {key.key_id} is new: it becomes a leaf of the log before it signs")
