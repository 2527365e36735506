"""The proofs beside permanent pages: each leads from its page's leaf to a checkpoint that was signed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.archive import codec, layout
from generator.log.proof import decode_proof, verify_proof
from generator.records.canonical import check_digest, read_sealed
from generator.records.finding import FindingKind
from generator.records.manifest import PagesManifest
from generator.records.permalink import PROOF
from generator.verification.findings import Findings
from generator.verification.log_leaves import Place
from generator.workflows.kept_log import KeptLog
from generator.workflows.world import Root

_ARCHIVE = "archive/"
_FOLDER = f"{layout.LOG}/proofs/"


def check_proofs(root: Root, kept: KeptLog, names: Sequence[str], findings: Findings) -> set[str]:
    """Return the names of every file of proofs, having added a finding for each proof that does not hold.

    Args:
        root: the site root.
        kept: its log.
        names: of every file of the log.
        findings: where mismatches are added.
    """
    known: set[str] = set()
    subjects = {index: name for name, index in kept.placed.indexes.items()}
    for name in (name for name in names if name.startswith(_FOLDER) and name.endswith(".json")):
        file = name.removesuffix(".json") + ".parquet"
        known |= {name, file}
        findings.checked("log proof files", 2)
        with findings.reading(_ARCHIVE + name):
            manifest = read_sealed(root.store.folder.read(name), PagesManifest, where=name)
            findings.require(_ARCHIVE + name, expected=file, found=manifest.file, what="file")
            source = "grades/" + name.removeprefix(_FOLDER).removesuffix(".json")
            with findings.reading(_ARCHIVE + file):
                data = root.store.folder.read(file)
                check_digest(data, manifest.sha256, where=file)
                proofs = dict(codec.each_page(data, where=file))
                expected = _expected(kept.placed.places.get(source), subjects)
                _check_window(_ARCHIVE + file, expected, proofs, findings)
                for path, proof in proofs.items():
                    _check_proof(f"{_ARCHIVE}{file}, {path}", path, proof, kept, findings)
    for name in (name for name in names if name.startswith(_FOLDER) and name not in known):
        known.add(name)
        beside = layout.manifest_of(name)
        findings.add(FindingKind.MISSING, _ARCHIVE + beside, expected=f"the manifest of {name}", found="none")
    _note_unproved(kept, known, findings)
    return known


def _expected(place: Place | None, subjects: Mapping[int, str]) -> set[str]:
    """Return the path of the proof of each leaf of a window."""
    leaves = range(0) if place is None else range(place.first, place.first + place.count)
    return {f"{subjects[index].removeprefix('grade ')}{PROOF}" for index in leaves if index in subjects}


def _check_window(where: str, expected: set[str], proofs: Mapping[str, bytes], findings: Findings) -> None:
    """Require a proof for each grade of a window, and no other."""
    for path in sorted(expected - proofs.keys()):
        findings.add(FindingKind.MISSING, f"{where}, {path}", expected="a proof", found="none")
    for path in sorted(proofs.keys() - expected):
        findings.add(FindingKind.UNEXPECTED, f"{where}, {path}", expected="no such proof", found="one")


def _check_proof(where: str, path: str, data: bytes, kept: KeptLog, findings: Findings) -> None:
    """Add a finding where a proof does not lead from its page's leaf to a checkpoint that was kept."""
    findings.checked("proofs")
    index = kept.placed.indexes.get(f"grade {path.removesuffix(PROOF)}")
    if index is None:
        return  # Named above, as a proof of nothing.
    with findings.reading(where):
        proof = decode_proof(data, where=where)
        findings.require(where, expected=index, found=proof.index, what="leaf")
        checkpoint = verify_proof(proof, kept.tree.entry(index), kept.keys, kept.head.origin, where=where)
        if kept.signed.get(checkpoint.size) != proof.note:
            expected = f"the checkpoint kept as log/signed/{checkpoint.size}"
            findings.add(FindingKind.DIFFERENT, where, expected=expected, found="another one")


def _note_unproved(kept: KeptLog, known: set[str], findings: Findings) -> None:
    """Note how many windows are signed and have no proofs yet."""
    newest = max(kept.signed, default=0)
    signed = (name for name, place in kept.placed.places.items() if place.first + place.count <= newest)
    windows = [name.split("/") for name in signed if name.startswith("grades/")]
    unproved = sum(layout.proofs_file(version, end) not in known for _, version, end in windows)
    if unproved:
        findings.note(f"windows that are signed and have no proofs yet: {unproved}: run 'bitdepth log prove'")
