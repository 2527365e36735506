"""A log that has been read, from an archive or from a published site, and what somebody brings to hold it against."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

import msgspec

from generator.errors import IntegrityError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import VerifierKey, open_note, read_note
from generator.records.finding import FindingKind
from generator.records.leaf import KeyLeaf
from generator.verification.checkpoints import Seen, check_seen
from generator.verification.findings import Findings
from generator.verification.log_leaves import Placed, subject

UNSIGNED = "the log is unsigned: no key vouches for it"


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody brings along to hold a log against."""

    checkpoints: tuple[tuple[str, bytes], ...] = ()
    """Where each was found, and the signed note."""
    key: VerifierKey | None = None
    """Believed instead of those that the log itself names."""

    def seen(self) -> int | None:
        """Return how many leaves each checkpoint covers; None where none is given that can be read."""
        sizes = []
        for where, note in self.checkpoints:
            with suppress(IntegrityError):  # Which is a finding where it is held against the log.
                sizes.append(parse_checkpoint(read_note(note, where=where).text, where=where).size)
        return min(sizes, default=None)


NO_TRUST = Trust()


class LogTree(Protocol):
    """The tree over a log's leaves, held whole or read tile by tile."""

    @property
    def size(self) -> int:
        """Leaves in it."""
        ...

    def root(self, size: int) -> bytes:
        """Return the root over the first leaves."""
        ...

    def entry(self, index: int) -> bytes:
        """Return the bytes of a leaf."""
        ...


class KeptLog(msgspec.Struct, frozen=True, kw_only=True):
    """A log that has been read: its newest tree, and the leaves under it, all or those that are looked at."""

    head: Checkpoint
    tree: LogTree
    placed: Placed
    keys: tuple[VerifierKey, ...]
    """Each has its leaf."""
    signed: dict[int, bytes]
    """By size, the note of each checkpoint that was signed and holds."""

    def opened(self, data: bytes, where: str) -> Checkpoint:
        """Return a checkpoint that a key of the log has signed, once that key was in the log.

        Raises:
            IntegrityError: where none has, or where a signature does not fit.
        """
        unread = parse_checkpoint(read_note(data, where=where).text, where=where)
        keys = [key for key in self.keys if self.placed.indexes[subject(KeyLeaf(vkey=key.vkey))] < unread.size]
        return parse_checkpoint(open_note(data, keys, where=where), where=where)

    def see(self, checkpoint: Checkpoint, where: str, findings: Findings) -> None:
        """Add a finding where the log has not grown from a checkpoint."""
        seen = Seen(where=where, origin=checkpoint.origin, size=checkpoint.size, root=checkpoint.root)
        check_seen(seen, origin=self.head.origin, size=self.head.size, root_of=self.tree.root, findings=findings)

    def see_given(self, trust: Trust, findings: Findings) -> None:
        """Hold the log against every checkpoint that somebody brought along, whichever key of the log signed it."""
        keys = self.keys if trust.key is None else (*self.keys, trust.key)
        for where, data in trust.checkpoints:
            with findings.reading(where):
                checkpoint = parse_checkpoint(read_note(data, where=where).text, where=where)
                if is_of(checkpoint, self.head.origin, where, findings):
                    open_note(data, keys, where=where)
                    self.see(checkpoint, where, findings)

    def believe(self, data: bytes, key: VerifierKey, where: str, findings: Findings) -> None:
        """Add a finding where a checkpoint is not signed with the key that somebody believes.

        Where another key of the log has signed it, both are named with their leaves: a log may change its key, and
        whether it was its owner who did can only be known from elsewhere.

        Raises:
            IntegrityError: where no key of the log has signed it either, or a signature does not fit.
        """
        ids = {(one.name, one.key_id) for one in read_note(data, where=where).signatures}
        others = [each for each in self.keys if (each.name, each.key_id) in ids and each != key]
        place = self.placed.indexes.get(subject(KeyLeaf(vkey=key.vkey)))
        if (key.name, key.key_id) in ids or place is None or not others:
            open_note(data, [key], where=where)
            return
        other = others[-1]
        leaf = self.placed.indexes[subject(KeyLeaf(vkey=other.vkey))]
        age = "a newer key" if leaf > place else "an older key"
        findings.add(
            FindingKind.DIFFERENT,
            where,
            expected=f"a signature with the key that was given, {key.name}+{key.key_id}, leaf {place} of the log",
            found=f"one with {age} of the log, leaf {leaf}: {other.vkey}. Find out elsewhere whether the log's owner "
            "changed the key; where that is so, give this one as --key",
        )

    def see_remembered(self, remembered: Iterable[tuple[str, bytes]], findings: Findings) -> None:
        """Hold the log against everything that was once committed as its checkpoint.

        What is no checkpoint, a mishap of its day, is noted; one that no key of the log has signed is a mismatch.
        """
        for where, data in remembered:
            try:
                checkpoint = parse_checkpoint(read_note(data, where=where).text, where=where)
            except IntegrityError as error:
                findings.note(f"git remembers something that is no checkpoint: {error.problem}, in {where}")
                continue
            with findings.reading(where):
                open_note(data, self.keys, where=where)
                self.see(checkpoint, where, findings)


def is_of(checkpoint: Checkpoint, origin: str, where: str, findings: Findings) -> bool:
    """Return whether a checkpoint that somebody brought along is of a log; where it is not, add a finding."""
    if checkpoint.origin == origin:
        return True
    findings.add(
        FindingKind.CHANGED,
        where,
        expected=f"a checkpoint of {origin}",
        found=f"one of {checkpoint.origin[:160]}: it is of another log, or this one was begun anew under another name",
    )
    return False
