"""The proofs beside a published site's permanent pages: each leads from its page's leaf to a tree of the site's log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.archive import layout
from generator.errors import SiteError
from generator.log.checkpoint import Checkpoint
from generator.log.proof import decode_proof, verify_proof
from generator.records.finding import FindingKind
from generator.records.leaf import GradeLeaf, KeyLeaf
from generator.records.permalink import PROOF
from generator.verification.findings import Findings
from generator.workflows.published import Published
from generator.workflows.verifying_site_log import CHECKPOINT, SiteLog
from generator.workflows.world import Progress


def check_site_proofs(
    site: Published, log: SiteLog, drawn: Sequence[tuple[int, GradeLeaf]], *, progress: Progress, findings: Findings
) -> None:
    """Add a finding for each grade that the log's checkpoint covers and that has no proof, or one that does not hold.

    Where there is no checkpoint, and a proof all the same, the checkpoint is missing: it was signed once.

    Args:
        site: as somebody outside sees it.
        log: its own.
        drawn: leaves, each after its index.
        progress: who is told.
        findings: where mismatches are added.

    Raises:
        SiteError: where nothing could be had several times in a row.
    """
    if not any(isinstance(leaf, KeyLeaf) for _, leaf in log.leaves):
        return  # Nobody can have signed anything.
    paths = {f"{leaf.path}{PROOF}": index for index, leaf in drawn if index < log.signed or not log.signed}
    told: dict[int, bytes] = {}
    with progress.bar("checking proofs", len(paths)) as advance:
        for path, found in site.bodies(paths):
            advance(1)
            where = site.where + path
            if isinstance(found, SiteError):
                findings.unchecked(f"{found.problem} at {where}")
            elif found is not None:
                told |= _proved(log, paths[path], found, where, findings)
            elif log.signed:
                expected = f"the proof that leaf {paths[path]} is in the log, which is signed up to leaf {log.signed}"
                findings.add(FindingKind.MISSING, where, expected=expected, found="none")
    _check_signed(site, told, findings)
    if told and not log.signed:
        expected = f"the checkpoint of at least {max(told)} leaves that proofs beside pages tell of"
        findings.add(FindingKind.MISSING, site.where + CHECKPOINT, expected=expected, found="none")


def _check_signed(site: Published, told: Mapping[int, bytes], findings: Findings) -> None:
    """Require that each checkpoint that a proof leads to lies among the log's earlier ones.

    Args:
        site: as somebody outside sees it.
        told: the note of each, by its number of leaves.
        findings: where mismatches are added.
    """
    for path, found in site.bodies(f"{layout.LOG}/signed/{size}" for size in sorted(told)):
        where, size = site.where + path, int(path.rpartition("/")[2])
        if isinstance(found, SiteError):
            findings.unchecked(f"{found.problem} at {where}")
        elif found != told[size]:
            kind, there = (FindingKind.MISSING, "none") if found is None else (FindingKind.CHANGED, "another")
            findings.add(kind, where, expected="the checkpoint that proofs beside pages lead to", found=there)


def _proved(log: SiteLog, index: int, data: bytes, where: str, findings: Findings) -> dict[int, bytes]:
    """Return the note of the signed tree that a proof leads to, by its size; a finding where it does not hold."""
    findings.checked("proofs")
    kept = log.kept
    found: dict[int, bytes] = {}
    with findings.reading(where):
        proof = decode_proof(data, where=where)
        findings.require(where, expected=index, found=proof.index, what="leaf")
        checkpoint = verify_proof(proof, kept.tree.entry(index), kept.keys, kept.head.origin, where=where)
        kept.opened(proof.note, where)
        if _is_tree(log, checkpoint):
            found[checkpoint.size] = proof.note
        else:
            kept.see(checkpoint, where, findings)
    return found


def _is_tree(log: SiteLog, checkpoint: Checkpoint) -> bool:
    return checkpoint.size <= log.kept.tree.size and log.kept.tree.root(checkpoint.size) == checkpoint.root
