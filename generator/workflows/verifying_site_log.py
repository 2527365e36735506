"""The log of a published site as anybody outside reads it: head, checkpoint and leaves, and what they make together."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from generator.archive import layout
from generator.errors import IntegrityError, MissingFileError, SiteError
from generator.log.addresses import TileAddress
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import VerifierKey, read_note
from generator.log.whole import WholeLog, read_leaves
from generator.records.canonical import sha256
from generator.records.finding import FindingKind
from generator.records.leaf import GradeLeaf, KeyLeaf, Leaf, read_leaf
from generator.site.build import is_permanent
from generator.site.files import is_safe
from generator.verification.findings import Findings
from generator.verification.log_leaves import LeafSource, check_leaves
from generator.workflows.comparing import compare
from generator.workflows.kept_log import UNSIGNED, KeptLog, Trust
from generator.workflows.named_files import PAGE
from generator.workflows.published import Published
from generator.workflows.world import Progress

CHECKPOINT, HEAD = layout.LOG_CHECKPOINT, layout.LOG_HEAD
_SIGNED, _TILE = f"{layout.LOG}/signed/", f"{layout.LOG}/tile/"
_MOST_LEAVES = 20_000_000
"""Of a log that is read whole, into memory."""


class SiteLog(msgspec.Struct, frozen=True, kw_only=True):
    """A site's log, read whole."""

    kept: KeptLog
    tree: WholeLog
    """The same that `kept` has."""
    signed: int
    """Leaves that the site's checkpoint covers; 0 for a log that is unsigned."""
    leaves: tuple[tuple[int, Leaf], ...]
    """Each that can be read, after its index."""
    head: bytes | None
    """As the site gave it: where it is another one later, something was published meanwhile."""

    def grades(self) -> Iterator[tuple[int, GradeLeaf]]:
        """Yield each grade's leaf that names where a permanent page can lie."""
        for index, leaf in self.leaves:
            if isinstance(leaf, GradeLeaf) and is_permanent(leaf.path + PAGE) and is_safe(leaf.path + PAGE):
                yield index, leaf


class _Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a site says of its newest trees."""

    note: bytes | None
    checkpoint: Checkpoint | None
    head_bytes: bytes | None
    head: Checkpoint | None

    def trees(self, where: str) -> list[tuple[str, Checkpoint]]:
        """Return both trees with where they are said, the larger one first."""
        both = ((where + HEAD, self.head), (where + CHECKPOINT, self.checkpoint))
        return sorted(((at, tree) for at, tree in both if tree is not None), key=lambda each: -each[1].size)


def read_site_log(site: Published, trust: Trust, *, progress: Progress, findings: Findings) -> SiteLog | None:
    """Return a site's log, held against itself and against what somebody brings along; None where it cannot be read.

    Args:
        site: as somebody outside sees it.
        trust: checkpoints seen before, and the key that is believed.
        progress: who is told.
        findings: where mismatches are added.

    Raises:
        SiteError: where the site cannot be read.
    """
    said = _said(site, trust, findings)
    if said is None:
        return None
    _check_heads(site, said, findings)
    for where, tree in said.trees(site.where):
        whole = _whole(site, where, tree, progress, findings)
        if whole is not None:
            return _checked(site, trust, said, tree, whole, findings)
    findings.unchecked("no page was looked at, because no tree that the site names follows from the leaves it serves")
    return None


def _said(site: Published, trust: Trust, findings: Findings) -> _Said | None:
    """Return the newest trees that a site publishes, signed and not; None where it publishes no log."""
    where = site.where + CHECKPOINT
    # In this order: whatever is published in between, the head is of no smaller tree.
    note, head_bytes = site.get(CHECKPOINT), site.get(HEAD)
    if note is None and (trust.checkpoints or trust.key is not None):
        findings.add(FindingKind.MISSING, where, expected="a signed checkpoint", found="none")
    if note is None and head_bytes is None:
        findings.unchecked(f"no log is published at {site.where}: nothing there can be held against anything")
        return None
    checkpoint = head = None
    if note is None:
        findings.note(UNSIGNED)
    else:
        with findings.reading(where):
            checkpoint = parse_checkpoint(read_note(note, where=where).text, where=where)
    with findings.reading(site.where + HEAD):
        if head_bytes is None:
            raise MissingFileError("expected the newest tree of the log, found none", where=HEAD)
        head = parse_checkpoint(head_bytes.decode("utf-8", "replace"), where=HEAD)
    return _Said(note=note, checkpoint=checkpoint, head_bytes=head_bytes, head=head)


def _check_heads(site: Published, said: _Said, findings: Findings) -> None:
    """Require that the head is of the checkpoint's log and of no smaller tree, and that nothing newer is signed."""
    head, checkpoint = said.head, said.checkpoint
    if head is None:
        return
    covered = 0 if checkpoint is None else checkpoint.size
    if checkpoint is not None and (head.origin != checkpoint.origin or head.size < covered):
        expected = f"a tree of {checkpoint.origin} of at least the {covered} leaves that are signed"
        found = f"one of {head.origin[:160]}, {head.size} leaves"
        findings.add(FindingKind.CHANGED, site.where + HEAD, expected=expected, found=found)
    newest = max((size for size in _signed_sizes(site, head) if size > covered), default=None)
    if newest is not None:
        kind = FindingKind.MISSING if checkpoint is None else FindingKind.CHANGED
        found = "none" if checkpoint is None else f"one of {covered}"
        expected = f"the checkpoint of {newest} leaves, which lies there as {_SIGNED}{newest}"
        findings.add(kind, site.where + CHECKPOINT, expected=expected, found=found)


def _signed_sizes(site: Published, head: Checkpoint) -> Iterator[int]:
    """Yield the sizes at which the site has a signed checkpoint; of a site that does not list its files, the head's."""
    listed = site.listed()
    if listed is None:
        if site.get(f"{_SIGNED}{head.size}") is not None:
            yield head.size
        return
    for path in listed:
        size = path.removeprefix(_SIGNED)
        if path.startswith(_SIGNED) and size.isascii() and size.isdecimal():
            yield int(size[:20])


def _whole(site: Published, where: str, tree: Checkpoint, progress: Progress, findings: Findings) -> WholeLog | None:
    """Return the log of a tree; where its leaves cannot be had, or do not make it, None and a finding or a note."""
    with findings.reading(where):
        if tree.size > _MOST_LEAVES:
            raise SiteError(f"expected a log of at most {_MOST_LEAVES} leaves, found {tree.size}", where=where)
        try:
            found = WholeLog(list(_leaves(site, tree.size, progress)))
        except IntegrityError as error:
            findings.broken(error, where)
            if not any(path.startswith(_TILE) for path in site.listed() or (_TILE,)):
                findings.note("this copy has no tiles of the log: a copy made by following links never has them")
            return None
        root = found.root(tree.size)
        if root == tree.root:
            return found
        expected = f"the root {root.hex()}, which follows from the {tree.size} leaves served"
        findings.add(FindingKind.DIFFERENT, where, expected=expected, found=tree.root.hex())
    return None


def _leaves(site: Published, size: int, progress: Progress) -> Iterator[bytes]:
    """Yield every leaf of a log.

    Raises:
        IntegrityError: where a bundle is missing, or is none.
    """
    where = f"{site.where}log/"

    def read(path: str) -> bytes:
        data = site.get(f"log/{path}")
        if data is None:
            raise MissingFileError("expected a bundle of leaves, found none", where=where + path)
        return data

    with progress.bar("reading the log", size) as advance:
        for bundle in read_leaves(size, read, where=where):
            yield from bundle
            advance(len(bundle))


def _checked(  # noqa: PLR0913, PLR0917 - a site's log, against everything that speaks of it
    site: Published, trust: Trust, said: _Said, tree: Checkpoint, whole: WholeLog, findings: Findings
) -> SiteLog:
    """Check leaves, keys, signatures, earlier checkpoints and tiles."""
    leaves = tuple((index, leaf) for index, data in enumerate(whole.leaves) if (leaf := _read(data)) is not None)
    own = [LeafSource(name=f"leaves/{index}", leaves=(leaf,)) for index, leaf in leaves]
    placed = check_leaves(enumerate(whole.leaves), own, whole=False, findings=findings, place=f"{site.where}log")
    keys = []
    for index, leaf in leaves:
        if isinstance(leaf, KeyLeaf):
            with findings.reading(f"{site.where}log, leaf {index}"):
                keys.append(VerifierKey.parse(leaf.vkey))
    kept = KeptLog(head=tree, tree=whole, placed=placed, keys=tuple(keys), signed={})
    signed = 0
    if said.note is not None and said.checkpoint is not None:
        where = site.where + CHECKPOINT
        with findings.reading(where):
            checkpoint = kept.opened(said.note, where)
            if checkpoint.size > tree.size or whole.root(checkpoint.size) != checkpoint.root:
                kept.see(checkpoint, where, findings)
            signed = checkpoint.size
            findings.checked("signatures")
        with findings.reading(where):
            if trust.key is not None:
                kept.believe(said.note, trust.key, where, findings)
        if trust.key is None:
            named = ", ".join(key.vkey for key in keys)
            findings.note(f"signed with a key that the site itself names: compare it with one you know: {named}")
        if signed and signed < tree.size:
            findings.note(f"the newest {tree.size - signed} leaves of the log are not signed yet")
    kept.see_given(trust, findings)
    files = {f"log/keys/{key.key_id}.vkey": sha256(f"{key.vkey}\n".encode()) for key in keys}
    compare(site, files, "keys", findings)
    sizes = {tree.size, *(each.size for _, each in said.trees(site.where) if each.size <= tree.size)}
    tiles = {f"log/{path}": sha256(_tile(whole, path)) for size in sizes for path in whole.files(size)}
    compare(site, tiles, "log tiles", findings)
    return SiteLog(kept=kept, tree=whole, signed=signed, leaves=leaves, head=said.head_bytes)


def _read(data: bytes) -> Leaf | None:
    """Return a leaf; None for what is none, which is named among the leaves."""
    try:
        return read_leaf(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _tile(tree: WholeLog, path: str) -> bytes:
    data = tree.file(TileAddress.parse(path))
    assert data is not None, "a log has the files of its own size"  # noqa: S101
    return data
