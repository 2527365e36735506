"""The log against its leaves, its leaves against the archive, and what was signed against both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from generator.archive import layout
from generator.errors import IntegrityError
from generator.log.addresses import TileAddress
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import VerifierKey, read_note
from generator.log.whole import WholeLog, read_leaves
from generator.records.canonical import read_sealed
from generator.records.finding import FindingKind
from generator.records.log_index import LogAppending
from generator.verification.findings import Findings
from generator.verification.log_files import check_tiles
from generator.verification.log_leaves import Placed
from generator.workflows.git_history import versions
from generator.workflows.kept_log import UNSIGNED, KeptLog, Trust, is_of
from generator.workflows.logged import log_origin
from generator.workflows.verifying_index import INDEX, check_index
from generator.workflows.verifying_leaves import check_against_archive
from generator.workflows.verifying_proofs import check_proofs
from generator.workflows.world import Root

ARCHIVE = "archive/"
_LOG = f"{layout.LOG}/"
_KEY_LEAF = "key "
"""How what a key's leaf speaks of begins."""
_SIGNED, _KEYS, _TILE = (f"{_LOG}{name}/" for name in ("signed", "keys", "tile"))


def check_log(root: Root, trust: Trust, findings: Findings) -> None:
    """Add a finding for everything about the log that is not as the archive, its signatures or earlier copies say.

    Args:
        root: the site root.
        trust: checkpoints and a key from elsewhere.
        findings: where mismatches are added.
    """
    names = [name for name in root.store.folder.names() if name.startswith(_LOG)]
    remembered = tuple(_remembered(root))
    if layout.LOG_HEAD not in names:
        given = [where for where, _ in trust.checkpoints] if names else _of_this_log(root, trust, findings)
        given += [name for name in (layout.LOG_HEAD, layout.LOG_CHECKPOINT) if (root.site / name).is_file()]
        _without_head(names, given, remembered, findings)
        return
    pending = _pending(root, names, findings)
    read = False
    with findings.reading(ARCHIVE + layout.LOG_HEAD):
        head = parse_checkpoint(_text(root, layout.LOG_HEAD), where=layout.LOG_HEAD)
        tree = WholeLog(_leaves(root, head.size))
        if tree.root(head.size) != head.root:
            findings.add(
                FindingKind.DIFFERENT,
                ARCHIVE + layout.LOG_HEAD,
                expected=f"the root {tree.root(head.size).hex()}, which follows from the {head.size} leaves",
                found=head.root.hex(),
            )
        _check(root, head, tree, [name for name in names if name not in pending], trust, remembered, findings)
        read = True
    if not read:
        findings.unchecked("the log was not held against the archive, because its leaves cannot be read")


def _check(  # noqa: PLR0913, PLR0917 - a log, against everything that speaks of it
    root: Root,
    head: Checkpoint,
    tree: WholeLog,
    names: Sequence[str],
    trust: Trust,
    remembered: Sequence[tuple[str, bytes]],
    findings: Findings,
) -> None:
    """Hold a log whose leaves can be read against all that there is."""
    placed, told = check_against_archive(root, tree, findings)
    kept = KeptLog(head=head, tree=tree, placed=placed, keys=tuple(_keys(placed)), signed={})
    _check_keys(root, names, findings)
    _check_signed(root, kept, names, trust, findings)
    kept.see_given(trust, findings)
    kept.see_remembered(remembered, findings)
    sizes = (head.size, *kept.signed)
    required = {f"{_LOG}{path}" for size in sizes for path in tree.files(size)}
    tiles = [name for name in names if name.startswith(_TILE)]
    beyond = check_tiles(
        root.store.folder, tiles, required, lambda name: tree.file(TileAddress.parse(name.removeprefix(_LOG))), findings
    )
    if beyond:
        findings.add(
            FindingKind.UNEXPECTED,
            f"{ARCHIVE}{_TILE}",
            expected=f"tiles of the {head.size} leaves that log/head counts",
            found=f"{beyond} of a larger log",
        )
    check_index(root, kept, names, told, findings)
    known = check_proofs(root, kept, names, findings)
    known |= {layout.LOG_HEAD, layout.LOG_CHECKPOINT, layout.LOG_APPENDING}
    for name in names:
        if name not in known and not name.startswith((_TILE, INDEX, _SIGNED, _KEYS)):
            findings.add(FindingKind.UNEXPECTED, ARCHIVE + name, expected="no such file", found="one")


def _of_this_log(root: Root, trust: Trust, findings: Findings) -> list[str]:
    """Return where each checkpoint was found that somebody brought along and that names the log of this site."""
    found = []
    for where, data in trust.checkpoints:
        with findings.reading(where):
            checkpoint = parse_checkpoint(read_note(data, where=where).text, where=where)
            if is_of(checkpoint, log_origin(root), where, findings):
                found.append(where)
    return found


def _without_head(
    names: Sequence[str], given: Sequence[str], remembered: Sequence[tuple[str, bytes]], findings: Findings
) -> None:
    """Say that there is no log; where anything tells of one, it is gone."""
    begun = [name for name in names if not name.startswith((_TILE, INDEX, _KEYS)) and name != layout.LOG_APPENDING]
    told = begun or given or remembered or (names and layout.LOG_APPENDING not in names)
    if told:
        expected = "the newest tree of the log that other files tell of"
        findings.add(FindingKind.MISSING, ARCHIVE + layout.LOG_HEAD, expected=expected, found="none")
    else:
        findings.note("there is no log yet: run 'bitdepth log append'")


def _pending(root: Root, names: Sequence[str], findings: Findings) -> frozenset[str]:
    """Return what an append that was interrupted has written, none of which counts yet."""
    pending: frozenset[str] = frozenset()
    if layout.LOG_APPENDING not in names:
        return pending
    with findings.reading(ARCHIVE + layout.LOG_APPENDING):
        appending = read_sealed(root.store.folder.read(layout.LOG_APPENDING), LogAppending, where=layout.LOG_APPENDING)
        findings.note("an append to the log was interrupted: run 'bitdepth log append' again")
        if _text(root, layout.LOG_HEAD) != appending.head:
            pending = frozenset(appending.files)
    return pending


def _leaves(root: Root, size: int) -> list[bytes]:
    """Return every leaf, from the bundles as they lie.

    Raises:
        IntegrityError: where a bundle is missing, or holds too few or too many.
    """
    return [leaf for bundle in read_leaves(size, root.store.log.read, where=_LOG) for leaf in bundle]


def _keys(placed: Placed) -> Iterator[VerifierKey]:
    """Yield each key that is a leaf of the log, by key id: what it signed holds, whatever became of its file."""
    vkeys = (name.removeprefix(_KEY_LEAF) for name in placed.indexes if name.startswith(_KEY_LEAF))
    for vkey in sorted(vkeys, key=lambda vkey: vkey.partition("+")[2]):
        with suppress(IntegrityError):  # Which no file of a key can equal.
            yield VerifierKey.parse(vkey, where=layout.LOG)


def _check_keys(root: Root, names: Sequence[str], findings: Findings) -> None:
    """Check the file of each key; that it has its leaf, and the leaf its file, is seen with the other leaves."""
    for name in names:
        if name.startswith(_KEYS):
            with findings.reading(ARCHIVE + name):
                key = VerifierKey.parse(_text(root, name).removesuffix("\n"), where=name)
                if _text(root, name) != f"{key.vkey}\n":
                    raise IntegrityError("expected a key on one line, found other bytes", where=name)
                findings.require(ARCHIVE + name, expected=f"{_KEYS}{key.key_id}.vkey", found=name, what="file")


def _check_signed(root: Root, kept: KeptLog, names: Sequence[str], trust: Trust, findings: Findings) -> None:
    """Check every signed checkpoint, and that the newest of them is the log's checkpoint."""
    for name in names:
        if name.startswith(_SIGNED):
            with findings.reading(ARCHIVE + name):
                data = root.store.folder.read(name)
                checkpoint = kept.opened(data, name)
                kept.see(checkpoint, ARCHIVE + name, findings)
                if checkpoint.origin != kept.head.origin:
                    expected, found = f"the log {checkpoint.origin}, as {name} was signed", kept.head.origin[:160]
                    findings.add(FindingKind.CHANGED, ARCHIVE + layout.LOG_HEAD, expected=expected, found=found)
                findings.require(ARCHIVE + name, expected=name, found=f"{_SIGNED}{checkpoint.size}", what="file")
                if checkpoint.size <= kept.head.size:
                    kept.signed[checkpoint.size] = data
    newest = max((int(name.removeprefix(_SIGNED)) for name in names if _is_size(name)), default=None)
    if layout.LOG_CHECKPOINT not in names:
        if newest is not None:
            where = ARCHIVE + layout.LOG_CHECKPOINT
            findings.add(FindingKind.MISSING, where, expected=f"the checkpoint of {newest} leaves", found="none")
        else:
            findings.note(UNSIGNED)
        return
    with findings.reading(ARCHIVE + layout.LOG_CHECKPOINT):
        data = root.store.folder.read(layout.LOG_CHECKPOINT)
        checkpoint = kept.opened(data, layout.LOG_CHECKPOINT)
        if newest is None or data != root.store.folder.read(f"{_SIGNED}{newest}"):
            findings.add(
                FindingKind.CHANGED,
                ARCHIVE + layout.LOG_CHECKPOINT,
                expected="no checkpoint" if newest is None else f"the same bytes as {ARCHIVE}{_SIGNED}{newest}",
                found=f"a checkpoint of {checkpoint.size} leaves",
            )
        if trust.key is not None:
            kept.believe(data, trust.key, ARCHIVE + layout.LOG_CHECKPOINT, findings)
        if checkpoint.size < kept.head.size:
            findings.note(f"the newest {kept.head.size - checkpoint.size} leaves of the log are not signed yet")


def _remembered(root: Root) -> Iterator[tuple[str, bytes]]:
    """Yield every signed checkpoint that the root's git history has ever held."""
    folder = root.store.local
    if folder.is_dir():
        yield from versions(folder, (layout.LOG_CHECKPOINT, _SIGNED))


def _is_size(name: str) -> bool:
    size = name.removeprefix(_SIGNED)
    return name.startswith(_SIGNED) and size.isascii() and size.isdecimal()


def _text(root: Root, name: str) -> str:
    """Return a text of the log.

    Raises:
        IntegrityError: where it is none.
    """
    try:
        return root.store.folder.read(name).decode("ascii")
    except UnicodeDecodeError:
        raise IntegrityError("expected ASCII, found other bytes", where=name) from None
