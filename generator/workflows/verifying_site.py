"""A published site against its own log, as anybody outside holds it: every leaf, then every file that leaves name."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from generator.errors import IntegrityError, SiteError, UsageError
from generator.log.addresses import TileAddress
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import VerifierKey, open_note, read_note
from generator.log.whole import WholeLog, read_leaves
from generator.records.canonical import sha256
from generator.records.finding import FindingKind, VerificationReport
from generator.records.leaf import KeyLeaf, Leaf, NightLeaf, WithheldLeaf, read_leaf
from generator.site.files import is_safe
from generator.verification.findings import Findings
from generator.verification.log_leaves import LeafSource, check_leaves
from generator.workflows.kept_log import UNSIGNED, KeptLog, Trust
from generator.workflows.named_files import named_files
from generator.workflows.published import Published
from generator.workflows.world import Progress

CHECKPOINT, HEAD = "log/checkpoint", "log/head"
_MOST_LEAVES = 20_000_000
"""Of a log that is read whole, into memory."""
_SEED_BYTES = 16


def verify_site(
    site: Published,
    trust: Trust,
    *,
    progress: Progress,
    sample: int | None = None,
    entropy: Callable[[int], bytes] | None = None,
) -> VerificationReport:
    """Return every mismatch found between a published site and its log.

    Nothing is looked at but what the log names: views may change, and are not in it.

    Args:
        site: as somebody outside sees it.
        trust: checkpoints seen before, and the key that is believed.
        progress: who is told.
        sample: so many leaves, drawn by chance, and the newest, instead of all.
        entropy: what they are drawn by; needed for a sample alone.

    Raises:
        SiteError: where the site cannot be read.
    """
    findings = Findings()
    found = _checkpoint(site, trust, findings)
    if found is None:
        return findings.report()
    head, note = found
    with findings.reading(site.where + CHECKPOINT):
        leaves = _leaves(site, head, progress)
        tree = WholeLog(leaves)
        if tree.root(head.size) == head.root:
            _check(site, trust, head, note, tree, findings)
            read = [each for each in (_read(data) for data in leaves) if each is not None]
            _check_files(site, _drawn(read, sample, entropy), read, progress, findings)
            if sample is not None and sample < len(read):
                findings.note(f"a sample: files of {sample} of {len(read)} leaves drawn by chance, and of the newest")
        else:
            findings.add(
                FindingKind.DIFFERENT,
                site.where + CHECKPOINT,
                expected=f"the root {tree.root(head.size).hex()}, which follows from the {head.size} leaves served",
                found=head.root.hex(),
            )
            findings.unchecked("no page was looked at, because the leaves are not those of the checkpoint")
    findings.note(
        "what changes is not compared from outside: lists, pages of models and endpoints, proofs beside grades; "
        "--grade checks a proof, and verifying a site root makes every view again"
    )
    return findings.report()


def _checkpoint(site: Published, trust: Trust, findings: Findings) -> tuple[Checkpoint, bytes | None] | None:
    """Return the newest tree that the site publishes, and its note where that is signed."""
    note, head = site.get(CHECKPOINT), None
    where = site.where + CHECKPOINT
    if note is None:
        if trust.checkpoints or trust.key is not None:
            findings.add(FindingKind.MISSING, where, expected="a signed checkpoint", found="none")
        head = site.get(HEAD)
        if head is None:
            findings.unchecked(f"no log is published at {site.where}: nothing there can be held against anything")
            return None
        findings.note(UNSIGNED)
    found = None
    text = head.decode("utf-8", "replace") if head is not None else ""
    with findings.reading(where if note is not None else site.where + HEAD):
        if note is not None:
            text = read_note(note, where=where).text
        found = parse_checkpoint(text, where=where)
    return None if found is None else (found, note)


def _leaves(site: Published, head: Checkpoint, progress: Progress) -> list[bytes]:
    """Return every leaf of the log.

    Raises:
        IntegrityError: where a bundle is missing, or is none.
        SiteError: where there would be more than a log has.
    """
    if head.size > _MOST_LEAVES:
        raise SiteError(f"expected a log of at most {_MOST_LEAVES} leaves, found {head.size}", where=site.where)
    where = f"{site.where}log/"

    def read(path: str) -> bytes:
        data = site.get(f"log/{path}")
        if data is None:
            raise IntegrityError("expected a bundle of leaves, found none", where=where + path)
        return data

    leaves: list[bytes] = []
    with progress.bar("reading the log", head.size) as advance:
        for bundle in read_leaves(head.size, read, where=where):
            leaves += bundle
            advance(len(bundle))
    return leaves


def _read(data: bytes) -> Leaf | None:
    """Return a leaf; None for what is none, which is named among the leaves."""
    try:
        return read_leaf(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _check(  # noqa: PLR0913, PLR0917 - a site's log, against everything that speaks of it
    site: Published, trust: Trust, head: Checkpoint, note: bytes | None, tree: WholeLog, findings: Findings
) -> None:
    """Check leaves, keys, signature, earlier checkpoints and tiles."""
    own = [LeafSource(name=f"leaves/{index}", leaves=(leaf,)) for index, data in enumerate(tree.leaves)
           if (leaf := _read(data)) is not None]  # fmt: skip
    placed = check_leaves(tree.leaves, own, whole=False, findings=findings)
    keys = []
    for source in own:
        (leaf,) = source.leaves
        if isinstance(leaf, KeyLeaf):
            with findings.reading(f"{site.where}log, {source.name}"):
                keys.append(VerifierKey.parse(leaf.vkey))
    kept = KeptLog(head=head, tree=tree, placed=placed, keys=tuple(keys), signed={})
    if note is not None:
        where = site.where + CHECKPOINT
        with findings.reading(where):
            kept.opened(note, where)
            kept.signed[head.size] = note
            if trust.key is not None:
                open_note(note, [trust.key], where=where)
            findings.checked("signatures")
        if trust.key is None:
            named = ", ".join(key.vkey for key in keys)
            findings.note(f"signed with a key that the site itself names: compare it with one you know: {named}")
    kept.see_given(trust, findings)
    for key in keys:
        _compare(site, f"log/keys/{key.key_id}.vkey", sha256(f"{key.vkey}\n".encode()), findings)
    paths = {f"log/{path}": sha256(_tile(tree, path)) for path in tree.files(head.size)}
    _compare_all(site, paths, "log tiles", findings)


def _tile(tree: WholeLog, path: str) -> bytes:
    data = tree.file(TileAddress.parse(path))
    assert data is not None, "a log has the files of its own size"  # noqa: S101
    return data


def _drawn(leaves: Sequence[Leaf], sample: int | None, entropy: Callable[[int], bytes] | None) -> tuple[Leaf, ...]:
    """Return the leaves whose files are looked at: all, or some by chance and the newest."""
    if sample is None or sample >= len(leaves) or not leaves:
        return tuple(leaves)
    if entropy is None:
        raise UsageError("expected entropy for a sample, found none")
    chance = random.Random(entropy(_SEED_BYTES))  # noqa: S311 - from the operating system's entropy
    return (*chance.sample(leaves[:-1], min(sample, len(leaves) - 1)), leaves[-1])


def _check_files(
    site: Published, drawn: Sequence[Leaf], leaves: Sequence[Leaf], progress: Progress, findings: Findings
) -> None:
    """Compare each file that some leaves name with its digest."""
    # In order: the last one says what is kept now.
    withheld: dict[object, WithheldLeaf] = {leaf.night: leaf for leaf in leaves if isinstance(leaf, WithheldLeaf)}
    expected = {path: digest for leaf in drawn for path, digest in named_files(leaf, withheld.get(_night(leaf)))}
    unsafe = [path for path in expected if not is_safe(path)]
    for path in unsafe:
        del expected[path]
        findings.add(FindingKind.UNREADABLE, f"{site.where}log", expected="a path within the site", found=repr(path))
    with progress.bar("checking what the log names", len(expected)) as advance:
        _compare_all(site, expected, "files named by the log", findings, advance)


def _night(leaf: Leaf) -> object:
    return leaf.night if isinstance(leaf, NightLeaf | WithheldLeaf) else None


def _compare(site: Published, path: str, digest: str, findings: Findings) -> None:
    _compare_all(site, {path: digest}, "keys", findings)


def _compare_all(
    site: Published,
    expected: dict[str, str],
    what: str,
    findings: Findings,
    advance: Callable[[int], None] | None = None,
) -> None:
    """Add a finding for each file that has not the digest that it must have."""
    for path, found in site.digests(expected):
        where = site.where + path
        findings.checked(what)
        if isinstance(found, SiteError):
            findings.unchecked(f"{found.problem} at {where}")
        elif found is None:
            findings.add(FindingKind.MISSING, where, expected=f"SHA-256 {expected[path]}", found="none")
        elif found != expected[path]:
            findings.add(FindingKind.CHANGED, where, expected=f"SHA-256 {expected[path]}", found=found)
        if advance is not None:
            advance(1)
