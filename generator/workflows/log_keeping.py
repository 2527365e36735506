"""What a night's own run does for the log: append, and where there is a key, sign and prove."""

from __future__ import annotations

import msgspec

from generator.log.note import SigningKey
from generator.workflows.appending import LogAppended, append
from generator.workflows.proving import LogProved, prove
from generator.workflows.signing import LogSigned, sign
from generator.workflows.world import Progress, Root


class LogKept(msgspec.Struct, frozen=True, kw_only=True):
    """What was done for the log."""

    appended: LogAppended
    signed: LogSigned | None = None
    """None without a key."""
    proved: LogProved | None = None


def keep_log(root: Root, key: SigningKey | None, *, progress: Progress) -> LogKept:
    """Append what is new to the log, sign it and lay down the proofs; without a key, append alone.

    Args:
        root: the site root; the caller holds its lock.
        key: a new one becomes a leaf before it signs.
        progress: who is told.
    """
    appended = append(root, progress=progress, key=None if key is None else key.verifier)
    if key is None:
        return LogKept(appended=appended)
    signed = sign(root, key, progress=progress)
    return LogKept(appended=appended, signed=signed, proved=prove(root, progress=progress))
