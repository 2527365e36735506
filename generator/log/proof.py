"""The proof beside a page that its leaf is in the log: a C2SP tlog-proof, about 1 kB, that needs nothing else.

It holds the leaf's index, the hashes from there to the root, and the signed checkpoint. The format's line `extra`,
which nothing vouches for, this log never writes and never accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.errors import IntegrityError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.merkle import leaf_hash, verify_inclusion
from generator.log.note import VerifierKey, open_note
from generator.log.text import read_decimal, read_hash, shown, written_base64

_FIRST_LINE = "c2sp.org/tlog-proof@v1"
_INDEX = "index "


@dataclass(frozen=True, slots=True)
class TlogProof:
    """A proof taken apart, not yet checked."""

    index: int
    """Of the leaf."""
    hashes: tuple[bytes, ...]
    """From the leaf's sibling to the root's child."""
    note: bytes
    """The signed checkpoint, as it was published."""


def encode_proof(index: int, hashes: Sequence[bytes], checkpoint_note: bytes) -> bytes:
    """Return the proof as it is published."""
    lines = (_FIRST_LINE, f"{_INDEX}{index}", *(written_base64(one) for one in hashes))
    return "".join(f"{line}\n" for line in (*lines, "")).encode() + checkpoint_note


def decode_proof(data: bytes, *, where: str = "the proof") -> TlogProof:
    """Return the parts of a published proof without having checked what it proves.

    Raises:
        IntegrityError: where it is no proof, or one with a line `extra`.
    """
    head, gap, note = data.partition(b"\n\n")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        lines = []
    if not gap or len(lines) < 2 or lines[0] != _FIRST_LINE or not lines[1].startswith(_INDEX):  # noqa: PLR2004 - both
        found = shown(data[:100].decode("utf-8", "replace"))
        raise IntegrityError(f"expected '{_FIRST_LINE}' and a line '{_INDEX.strip()}', found {found}", where=where)
    index = read_decimal(lines[1].removeprefix(_INDEX), where=where)
    return TlogProof(index, tuple(read_hash(line, where=where) for line in lines[2:]), note)


def verify_proof(
    proof: TlogProof, leaf: bytes, keys: Iterable[VerifierKey], origin: str, *, where: str = "the proof"
) -> Checkpoint:
    """Return the signed checkpoint of the log that the leaf is proved to be in.

    Args:
        proof: as `decode_proof` gives it.
        leaf: the leaf's bytes, made anew from what it speaks of.
        keys: those to be believed.
        origin: of the log that the leaf should be in.
        where: the proof was found, for messages.

    Raises:
        IntegrityError: where none of the keys signed the checkpoint, where it is another log's, or where the hashes
            do not lead from this leaf, at this index, to its root.
    """
    checkpoint = parse_checkpoint(open_note(proof.note, keys, where=where), where=where)
    if checkpoint.origin != origin:
        raise IntegrityError(f"expected the log {origin}, found {shown(checkpoint.origin)}", where=where)
    found = leaf_hash(leaf)
    if not verify_inclusion(found, proof.index, checkpoint.size, proof.hashes, checkpoint.root):
        raise IntegrityError(
            f"expected hashes from leaf {proof.index} with the hash {found.hex()} to the root {checkpoint.root.hex()} "
            f"of {checkpoint.size} leaves, found {len(proof.hashes)} others",
            where=where,
        )
    return checkpoint
