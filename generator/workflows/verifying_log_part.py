"""A log's newest tree, the leaves that are new in it and those of some sources: no other leaf is read.

What a leaf, a signature, a record of the index or a proof is held against is the same as where the whole log is read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from generator.archive import layout
from generator.log.checkpoint import Checkpoint
from generator.log.tiles import TileReader, appended
from generator.records.finding import FindingKind
from generator.verification.archive_files import ARCHIVE
from generator.verification.findings import Findings
from generator.verification.log_files import check_tiles
from generator.workflows.kept_log import NO_TRUST, KeptLog
from generator.workflows.leaves import Source
from generator.workflows.logged import log_head, log_tree
from generator.workflows.verifying_index import check_index
from generator.workflows.verifying_leaves import check_against_archive, named_sources
from generator.workflows.verifying_log import NO_LOG
from generator.workflows.verifying_proofs import check_proofs
from generator.workflows.verifying_signed import KEYS, SIGNED, check_keys, check_signed, keys_of
from generator.workflows.world import Root

_HEAD = ARCHIVE + layout.LOG_HEAD


def check_log_part(
    root: Root, before: Checkpoint | None, chosen: Sequence[Source], findings: Findings
) -> tuple[str, ...]:
    """Return the log's lasting files that were looked at: new tiles, keys, signed checkpoints.

    Args:
        root: the site root.
        before: the newest tree before what is new was appended; None where there was none.
        chosen: sources whose leaves are looked at beside the new ones.
        findings: where mismatches are added.
    """
    with findings.reading(_HEAD):
        head = log_head(root)
        if head is None:
            findings.note(NO_LOG)
            return ()
        first, tree = 0 if before is None else before.size, log_tree(root, head.size)
        found = tree.root()
        if found != head.root:
            expected = f"the root {found.hex()}, which follows from the tiles of {head.size} leaves"
            findings.add(FindingKind.DIFFERENT, _HEAD, expected=expected, found=head.root.hex())
        elif head.size < first:
            expected = f"a tree of at least the {first} leaves that there were before this run"
            findings.add(FindingKind.MISSING, _HEAD, expected=expected, found=str(head.size))
        else:
            return _check(root, head, tree, before, chosen, findings)
    findings.unchecked("the log was not held against the archive, because its newest tree is not sound")
    return ()


def _check(  # noqa: PLR0913, PLR0917 - a tree, against everything that speaks of it
    root: Root,
    head: Checkpoint,
    tree: TileReader,
    before: Checkpoint | None,
    chosen: Sequence[Source],
    findings: Findings,
) -> tuple[str, ...]:
    """Hold a sound tree against the archive, the signatures and the tree before it."""
    first = 0 if before is None else before.size
    new = dict(_entries(tree, range(first, head.size), findings))
    sources = {source.name: source for source in chosen}
    sources |= {name: Source(root, name) for _, name in named_sources(new.items())}
    leaves = new | {index: leaf for source in sources.values() for index, leaf in _placed(tree, source, findings)}
    part = tuple(sources.values())
    placed, told = check_against_archive(root, sorted(leaves.items()), findings, part=part)
    kept = KeptLog(head=head, tree=tree, placed=placed, keys=tuple(keys_of(placed)), signed={})
    names = sorted(_names(root, kept, sources, first))
    check_keys(root, names, findings)
    check_signed(root, kept, names, NO_TRUST, findings)
    if before is not None:
        kept.see(before, f"{_HEAD}, as it was before this run", findings)
    tiles = _check_new_tiles(root, head, new, findings)
    check_index(root, kept, names, told, findings)
    check_proofs(root, kept, names, findings)
    return (*tiles, *(name for name in names if name.startswith((KEYS, SIGNED))))


def _entries(tree: TileReader, places: range, findings: Findings) -> Iterator[tuple[int, bytes]]:
    """Yield the index and the bytes of each of some leaves; a finding for one that cannot be read."""
    for index in places:
        with findings.reading(f"{ARCHIVE}{layout.LOG}, leaf {index}"):
            yield index, tree.entry(index)


def _placed(tree: TileReader, source: Source, findings: Findings) -> tuple[tuple[int, bytes], ...]:
    """Return the leaves of a source from where the log's index says that they are; a finding where others are there."""
    where = ARCHIVE + layout.log_index_file(source.name)
    with findings.reading(where):
        place = source.root.store.log.index(source.name)
        if place is None:
            return ()
        expected = f"where the leaves of {source.name} are"
        if place.first + place.count > tree.size:
            findings.add(FindingKind.CHANGED, where, expected=expected, found=f"a place beyond the {tree.size} leaves")
            return ()
        found = tuple(_entries(tree, range(place.first, place.first + place.count), findings))
        if all(name == source.name for _, name in named_sources(found)):
            return found
        findings.add(FindingKind.CHANGED, where, expected=expected, found="where others are")
    return ()


def _names(root: Root, kept: KeptLog, sources: Mapping[str, Source], first: int) -> Iterator[str]:
    """Yield the name of each file of the log that speaks of these sources, and of each signed tree that does.

    A proof leads to the first signed tree that holds all leaves of its window.
    """
    folder, log = root.store.folder, root.store.log
    signed = log.signed()
    windows = [name for name in sources if name.startswith("grades/")]
    ends = [place.first + place.count for name in windows if (place := kept.placed.places.get(name)) is not None]
    sizes = {*signed[-1:], *signed[: bisect_right(signed, first)][-1:]}
    sizes |= {signed[fits] for end in ends if (fits := bisect_left(signed, end)) < len(signed)}
    proofs = [layout.proofs_file(version, end) for _, version, end in (name.split("/") for name in windows)]
    wanted = {
        layout.LOG_HEAD,
        layout.LOG_CHECKPOINT,
        *(layout.log_key_file(key_id) for key_id in log.key_ids()),
        *(layout.log_signed_file(size) for size in sizes),
        *(layout.log_index_file(name) for name in sources),
        *proofs,
        *(layout.manifest_of(file) for file in proofs),
    }
    return (name for name in wanted if folder.exists(name))


def _check_new_tiles(root: Root, head: Checkpoint, new: Mapping[int, bytes], findings: Findings) -> tuple[str, ...]:
    """Hold each tile and bundle that the new leaves made against them; return the names of those that are there."""
    names: tuple[str, ...] = ()
    with findings.reading(_HEAD):
        grown = appended(head.size - len(new), root.store.log.read, list(new.values()))
        content = {f"{layout.LOG}/{path}": data for path, data in grown.files.items()}
        names = tuple(name for name in content if root.store.folder.exists(name))
        check_tiles(root.store.folder, names, content, content.get, findings)
    return names
