"""The log against its leaves, its leaves against the archive, and what was signed against both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.archive import layout
from generator.log.addresses import TileAddress
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import read_note
from generator.log.whole import WholeLog, read_leaves
from generator.records.canonical import read_sealed
from generator.records.finding import FindingKind
from generator.records.log_index import LogAppending
from generator.verification.findings import Findings
from generator.verification.log_files import check_tiles
from generator.workflows.git_history import versions
from generator.workflows.kept_log import KeptLog, Trust, is_of
from generator.workflows.logged import log_origin
from generator.workflows.verifying_index import INDEX, check_index
from generator.workflows.verifying_leaves import check_against_archive
from generator.workflows.verifying_proofs import check_proofs
from generator.workflows.verifying_signed import KEYS, SIGNED, check_keys, check_signed, keys_of, log_text
from generator.workflows.world import Root

ARCHIVE = "archive/"
NO_LOG = "there is no log yet: run 'bitdepth log append'"
_LOG = f"{layout.LOG}/"
_TILE = f"{_LOG}tile/"


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
        head = parse_checkpoint(log_text(root, layout.LOG_HEAD), where=layout.LOG_HEAD)
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
    placed, told = check_against_archive(root, tuple(enumerate(tree.leaves)), findings)
    kept = KeptLog(head=head, tree=tree, placed=placed, keys=tuple(keys_of(placed)), signed={})
    check_keys(root, names, findings)
    check_signed(root, kept, names, trust, findings)
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
        if name not in known and not name.startswith((_TILE, INDEX, SIGNED, KEYS)):
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
    begun = [name for name in names if not name.startswith((_TILE, INDEX, KEYS)) and name != layout.LOG_APPENDING]
    told = begun or given or remembered or (names and layout.LOG_APPENDING not in names)
    if told:
        expected = "the newest tree of the log that other files tell of"
        findings.add(FindingKind.MISSING, ARCHIVE + layout.LOG_HEAD, expected=expected, found="none")
    else:
        findings.note(NO_LOG)


def _pending(root: Root, names: Sequence[str], findings: Findings) -> frozenset[str]:
    """Return what an append that was interrupted has written, none of which counts yet."""
    pending: frozenset[str] = frozenset()
    if layout.LOG_APPENDING not in names:
        return pending
    with findings.reading(ARCHIVE + layout.LOG_APPENDING):
        appending = read_sealed(root.store.folder.read(layout.LOG_APPENDING), LogAppending, where=layout.LOG_APPENDING)
        findings.note("an append to the log was interrupted: run 'bitdepth log append' again")
        if log_text(root, layout.LOG_HEAD) != appending.head:
            pending = frozenset(appending.files)
    return pending


def _leaves(root: Root, size: int) -> list[bytes]:
    """Return every leaf, from the bundles as they lie.

    Raises:
        IntegrityError: where a bundle is missing, or holds too few or too many.
    """
    return [leaf for bundle in read_leaves(size, root.store.log.read, where=_LOG) for leaf in bundle]


def _remembered(root: Root) -> Iterator[tuple[str, bytes]]:
    """Yield every signed checkpoint that the root's git history has ever held."""
    folder = root.store.local
    if folder.is_dir():
        yield from versions(folder, (layout.LOG_CHECKPOINT, SIGNED))
