"""The gate before a site is laid out or published: nothing that the log holds may be missing or different.

What it costs follows the number of windows: each is held against the log's index by one digest. The pages of a window
are read only where they were not laid out yet from the very file that is kept, and are to be laid out now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from generator.archive import layout
from generator.errors import IntegrityError
from generator.log.checkpoint import Checkpoint
from generator.log.merkle import consistency_proof, verify_consistency
from generator.log.tiles import TileReader
from generator.records.canonical import COMPARE_ELSEWHERE, sha256
from generator.records.leaf import GradeLeaf, MethodLeaf
from generator.records.log_index import LogIndex
from generator.site.beside import Beside
from generator.workflows.leaves import Source
from generator.workflows.logged import log_head, log_leaf, log_tree, signed_before
from generator.workflows.named_files import named_files
from generator.workflows.world import Root

_KINDS = ("keys", "missed", "nights", "methods", "grades", "voided", "withheld")


def refuse_lost(root: Root) -> None:
    """Return where everything that the log holds is there, as the log says; an archive without a log passes.

    Args:
        root: the site root.

    Raises:
        IntegrityError: naming the first thing that is missing or different. Nothing was written.
    """
    head = log_head(root)
    if head is None:
        return
    tree = log_tree(root, head.size)
    if tree.root() != head.root:
        raise _refused("log/head", f"the root {head.root.hex()}", tree.root().hex())
    _refuse_rolled_back(root, head, tree)
    beside = Beside(root.site)
    counted = 0
    for source, index in _logged(root):
        if index.first + index.count > head.size:
            continue  # Of an append that was interrupted: none of it counts.
        counted += index.count
        if source.sha256 != index.sha256:
            raise _refused(source.file, f"SHA-256 {index.sha256}, as the log has it", source.sha256)
        match source.name.split("/"):
            case ["methods", version]:
                _hold_method(root, version, tree, index)
            case ["grades", version, end]:
                _hold_window(root, version, date.fromisoformat(end), tree, index, beside)
            case _:
                pass
    if counted != head.size:
        raise _refused("log/index", f"records of all {head.size} leaves", f"records of {counted}")


def _refuse_rolled_back(root: Root, head: Checkpoint, tree: TileReader) -> None:
    """Refuse a tree that does not hold what was signed already."""
    signed = signed_before(root, head)
    if signed is None:
        return
    before = signed.checkpoint
    proof = consistency_proof(before.size, head.size, tree.node)
    if not verify_consistency(before.size, head.size, before.root, head.root, proof):
        raise _refused("log/head", f"a tree that has grown from the signed root {before.root.hex()}", head.root.hex())


def _logged(root: Root) -> Iterator[tuple[Source, LogIndex]]:
    """Yield each source that the log's index names."""
    for kind in _KINDS:
        for name in sorted(root.store.log.sources(kind)):
            index = root.store.log.index(name)
            if index is not None:
                yield Source(root, name), index


def _hold_method(root: Root, version: str, tree: TileReader, index: LogIndex) -> None:
    """Refuse a method version's page that is not the one that its leaf names."""
    leaf = log_leaf(tree, index.first)
    file = layout.method_page_file(version)
    found = sha256(root.store.folder.read(file))
    if not isinstance(leaf, MethodLeaf) or leaf.page_sha256 != found:
        raise _refused(file, f"the page that leaf {index.first} of the log names", f"SHA-256 {found}")


def _hold_window(  # noqa: PLR0913, PLR0917 - one window, in archive, log and site
    root: Root, version: str, end: date, tree: TileReader, index: LogIndex, beside: Beside
) -> None:
    """Refuse a window whose pages are missing, or are about to be laid out and are not those that its leaves name."""
    manifest, file = root.store.pages.manifest(version, end), layout.pages_file(version, end)
    root.store.folder.size(file)
    if beside.digest(manifest.file) == manifest.sha256:
        return
    found = {path: sha256(page) for path, page in root.store.pages.each(version, end)}
    for place in range(index.first, index.first + index.count):
        leaf = log_leaf(tree, place)
        if not isinstance(leaf, GradeLeaf):
            raise _refused(file, "grades in the leaves of this window", f"another leaf at {place}")
        for path, digest in named_files(leaf):
            if found.get(path) != digest:
                there = found.get(path, "no such page")
                raise _refused(f"{file}, {path}", f"SHA-256 {digest}, as leaf {place} has it", there)


def _refused(where: str, expected: str, found: str) -> IntegrityError:
    return IntegrityError(
        f"expected {expected}, found {found}", where=where, do=f"Nothing was written. {COMPARE_ELSEWHERE}"
    )
