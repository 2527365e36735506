"""Keys and signatures of a log: each key's file against its leaf, each signed checkpoint against keys and tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from generator.archive import layout
from generator.errors import IntegrityError
from generator.log.note import VerifierKey
from generator.records.finding import FindingKind
from generator.verification.findings import Findings
from generator.verification.log_leaves import Placed
from generator.workflows.kept_log import UNSIGNED, KeptLog, Trust
from generator.workflows.world import Root

SIGNED, KEYS = f"{layout.LOG}/signed/", f"{layout.LOG}/keys/"
_ARCHIVE = "archive/"
_KEY_LEAF = "key "
"""How what a key's leaf speaks of begins."""


def keys_of(placed: Placed) -> Iterator[VerifierKey]:
    """Yield each key that is a leaf of the log, by key id: what it signed holds, whatever became of its file."""
    vkeys = (name.removeprefix(_KEY_LEAF) for name in placed.indexes if name.startswith(_KEY_LEAF))
    for vkey in sorted(vkeys, key=lambda vkey: vkey.partition("+")[2]):
        with suppress(IntegrityError):  # Which no file of a key can equal.
            yield VerifierKey.parse(vkey, where=layout.LOG)


def check_keys(root: Root, names: Sequence[str], findings: Findings) -> None:
    """Check the file of each key; that it has its leaf, and the leaf its file, is seen with the other leaves."""
    for name in names:
        if name.startswith(KEYS):
            with findings.reading(_ARCHIVE + name):
                key = VerifierKey.parse(log_text(root, name).removesuffix("\n"), where=name)
                if log_text(root, name) != f"{key.vkey}\n":
                    raise IntegrityError("expected a key on one line, found other bytes", where=name)
                findings.require(_ARCHIVE + name, expected=f"{KEYS}{key.key_id}.vkey", found=name, what="file")


def check_signed(root: Root, kept: KeptLog, names: Sequence[str], trust: Trust, findings: Findings) -> None:
    """Check every signed checkpoint, and that the newest of them is the log's checkpoint."""
    for name in names:
        if name.startswith(SIGNED):
            with findings.reading(_ARCHIVE + name):
                data = root.store.folder.read(name)
                checkpoint = kept.opened(data, name)
                kept.see(checkpoint, _ARCHIVE + name, findings)
                if checkpoint.origin != kept.head.origin:
                    expected, found = f"the log {checkpoint.origin}, as {name} was signed", kept.head.origin[:160]
                    findings.add(FindingKind.CHANGED, _ARCHIVE + layout.LOG_HEAD, expected=expected, found=found)
                findings.require(_ARCHIVE + name, expected=name, found=f"{SIGNED}{checkpoint.size}", what="file")
                if checkpoint.size <= kept.head.size:
                    kept.signed[checkpoint.size] = data
    newest = max((int(name.removeprefix(SIGNED)) for name in names if _is_size(name)), default=None)
    if layout.LOG_CHECKPOINT not in names:
        if newest is not None:
            where = _ARCHIVE + layout.LOG_CHECKPOINT
            findings.add(FindingKind.MISSING, where, expected=f"the checkpoint of {newest} leaves", found="none")
        else:
            findings.note(UNSIGNED)
        return
    with findings.reading(_ARCHIVE + layout.LOG_CHECKPOINT):
        data = root.store.folder.read(layout.LOG_CHECKPOINT)
        checkpoint = kept.opened(data, layout.LOG_CHECKPOINT)
        if newest is None or data != root.store.folder.read(f"{SIGNED}{newest}"):
            findings.add(
                FindingKind.CHANGED,
                _ARCHIVE + layout.LOG_CHECKPOINT,
                expected="no checkpoint" if newest is None else f"the same bytes as {_ARCHIVE}{SIGNED}{newest}",
                found=f"a checkpoint of {checkpoint.size} leaves",
            )
        if trust.key is not None:
            kept.believe(data, trust.key, _ARCHIVE + layout.LOG_CHECKPOINT, findings)
        if checkpoint.size < kept.head.size:
            findings.note(f"the newest {kept.head.size - checkpoint.size} leaves of the log are not signed yet")


def log_text(root: Root, name: str) -> str:
    """Return a text of the log.

    Raises:
        IntegrityError: where it is none.
    """
    try:
        return root.store.folder.read(name).decode("ascii")
    except UnicodeDecodeError:
        raise IntegrityError("expected ASCII, found other bytes", where=name) from None


def _is_size(name: str) -> bool:
    size = name.removeprefix(SIGNED)
    return name.startswith(SIGNED) and size.isascii() and size.isdecimal()
