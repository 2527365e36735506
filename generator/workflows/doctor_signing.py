"""The key that signs the log as a night needs it: one that can sign this log, or none. Nothing of it is told."""

from __future__ import annotations

from generator.errors import BitdepthError, UsageError
from generator.log.note import SigningKey, VerifierKey
from generator.records.check import Check, CheckState, failed
from generator.records.figures import counted
from generator.records.leaf import KeyLeaf, leaf_bytes
from generator.workflows.appending import require_name
from generator.workflows.logged import log_head, log_keys, log_origin, log_tree, newest_signed
from generator.workflows.world import Root

NAME = "signing key"
_EXPECTED = "a key that can sign this site's log, or none where it is signed elsewhere"
_COMPARE = "Run 'bitdepth verify', which prints all that differs"


def signing_check(root: Root, variable: str, key: SigningKey | UsageError | None) -> Check:
    """Return how the signing key stands to the log.

    Args:
        root: the site root.
        variable: of the environment that holds the key.
        key: that it holds, or why that is none; None where it is not set.
    """
    if isinstance(key, UsageError):
        return failed(NAME, _EXPECTED, key, "Set it to the text that bitdepth keygen printed, or to nothing")
    try:
        return _without(root, variable) if key is None else _with(root, key.verifier)
    except (BitdepthError, OSError) as error:
        return failed(NAME, _EXPECTED, error, _COMPARE)


def _without(root: Root, variable: str) -> Check:
    """Return how the log stands where nothing can sign it here."""
    head, signed = log_head(root), newest_signed(root)
    if signed is None:
        found = f"none in {variable}: the log is built without a signature ('bitdepth keygen' makes a key)"
        return Check(name=NAME, state=CheckState.OK, expected=_EXPECTED, found=found)
    left = 0 if head is None else head.size - signed.checkpoint.size
    if not left:
        found = f"none in {variable}; all {counted(signed.checkpoint.size, 'leaf', 'leaves')} of the log are signed"
        return Check(name=NAME, state=CheckState.OK, expected=_EXPECTED, found=found)
    return Check(
        name=NAME,
        state=CheckState.ATTENTION,
        expected=_EXPECTED,
        found=f"none in {variable}, and {counted(left, 'leaf', 'leaves')} of the log not signed yet",
        do="Run 'bitdepth log sign' and 'bitdepth log prove' where the key is",
    )


def _with(root: Root, key: VerifierKey) -> Check:
    """Return how a key stands to the log.

    Raises:
        UsageError: where it bears another name than the log.
    """
    require_name(key.name, log_origin(root))
    index = root.store.log.index(f"keys/{key.key_id}")
    head = log_head(root)
    known = [each for each in log_keys(root) if each != key]
    if index is not None and head is not None and index.first < head.size:
        if log_tree(root, head.size).entry(index.first) == leaf_bytes(KeyLeaf(vkey=key.vkey)):
            found = f"{key.name}+{key.key_id}, leaf {index.first} of the log"
            return Check(name=NAME, state=CheckState.OK, expected=_EXPECTED, found=found)
    elif not known:
        found = f"{key.name}+{key.key_id}, not in the log yet: the next append makes it a leaf"
        return Check(name=NAME, state=CheckState.OK, expected=_EXPECTED, found=found)
    return Check(
        name=NAME,
        state=CheckState.ATTENTION,
        expected=_EXPECTED,
        found=f"{key.name}+{key.key_id}, which is no leaf of the log; its keys: "
        + ", ".join(f"{each.name}+{each.key_id}" for each in known),
        do="Set the key that signed so far; where the key is to change, tell readers: the next append makes it a leaf",
    )
