"""One grade against the log: its page and its record make a leaf, and the proof beside them leads to a signed root."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import msgspec

from generator.errors import IntegrityError, MissingFileError, SiteError, UsageError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.merkle import consistency_proof, verify_consistency
from generator.log.note import VerifierKey, open_note, read_note
from generator.log.proof import TlogProof, decode_proof, verify_proof
from generator.log.tiles import TileReader
from generator.records.canonical import sha256
from generator.records.finding import FindingKind, VerificationReport
from generator.records.leaf import GradeLeaf, leaf_bytes
from generator.records.permalink import PROOF, permalink_path
from generator.verification.findings import Findings
from generator.workflows.kept_log import Trust
from generator.workflows.published import Published, SavedSite
from generator.workflows.verifying_site import CHECKPOINT

PAGE, RECORD = "index.html", "grade.json"
_PLACE = re.compile(
    r"(?P<site>.*/)(?P<path>grades/[^/]+/[^/]+/[^/]+/[0-9-]{10}/v[0-9]+\.[0-9]+/)"
    rf"(?:{re.escape(PAGE)}|{re.escape(RECORD)}|{re.escape(PROOF)})?"
)


_SAVED = re.compile(r"grades/[^/]+/[^/]+/[^/]+/[0-9-]{10}/v[0-9]+\.[0-9]+/\Z")
"""How a folder ends that was saved with its place in the site."""


class _Named(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of its own address."""

    model: str
    endpoint: str
    window_end: date
    method_version: str


def grade_place(address: str) -> tuple[str, str]:
    """Return the site's address and the path of a grade's folder in it, each with its closing slash.

    Args:
        address: of a permanent page, of its folder, or of a file beside it.

    Raises:
        UsageError: where it is none.
    """
    found = _PLACE.fullmatch(address) or _PLACE.fullmatch(f"{address}/")
    if found is None:
        raise UsageError(
            f"expected the address of a permanent page, found '{address[:200]}'",
            where="--grade",
            do="Give the permalink that the page prints, which ends in v<method>/",
        )
    return found["site"], unquote(found["path"])


def verify_saved_grade(folder: Path, trust: Trust) -> VerificationReport:
    """Return every mismatch between page, record and proof that were saved into one folder.

    Args:
        folder: holds index.html, grade.json and grade.tlog-proof.
        trust: the key that is believed, which nothing in the folder can name, and checkpoints.

    Raises:
        UsageError: where no key is given.
    """
    if trust.key is None:
        raise UsageError(
            "expected a key to hold saved files against, found none",
            where="--key",
            do="Give the verifier key that the site's /log/ prints, from a place that you trust",
        )
    findings = Findings()
    _check(SavedSite(folder), "", trust, findings, _SAVED.search(f"{folder.resolve().as_posix()}/"))
    return findings.report()


def verify_grade(site: Published, path: str, trust: Trust) -> VerificationReport:
    """Return every mismatch between a published grade and the log, as it was then and as it is now.

    Args:
        site: as somebody outside sees it.
        path: of the grade's folder.
        trust: the key that is believed, and checkpoints seen before.

    Raises:
        SiteError: where the site cannot be read.
    """
    findings = Findings()
    proved = _check(site, path, trust, findings)
    if proved is not None:
        _check_now(site, proved, trust, findings)
    return findings.report()


class _Proved(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that a proof leads to, and the keys that it was opened with."""

    checkpoint: Checkpoint
    keys: tuple[VerifierKey, ...]


def _check(
    site: Published, path: str, trust: Trust, findings: Findings, saved: re.Match[str] | None = None
) -> _Proved | None:
    """Hold page, record and proof against each other, and against the address that they lie at."""
    place = saved[0] if saved is not None else path
    page, record, data = (_had(site, path + name, findings) for name in (PAGE, RECORD, PROOF))
    if page is None or record is None or data is None:
        if data is None:
            findings.note("a grade has its proof once a signed checkpoint covers it: the night after, at the latest")
        return None
    findings.checked("permanent pages")
    where, proved = site.where + path, None
    with findings.reading(where + RECORD):
        leaf = _leaf(page, record, where + RECORD)
        if place and leaf.path != place:
            findings.add(FindingKind.DIFFERENT, where + RECORD, expected=f"the record of {place}", found=leaf.path)
        findings.note(f"the grade at {leaf.path}")
        if leaf.record_sha256.encode() not in page:
            expected = f"a page that prints its record's SHA-256 {leaf.record_sha256}"
            findings.add(FindingKind.DIFFERENT, where + PAGE, expected=expected, found="a page without it")
        with findings.reading(where + PROOF):
            proof = decode_proof(data, where=where + PROOF)
            key = trust.key if trust.key is not None else _own_key(site, proof)
            checkpoint = verify_proof(proof, leaf_bytes(leaf), [key], key.name, where=where + PROOF)
            findings.checked("proofs")
            findings.checked("signatures")
            findings.note(f"leaf {proof.index} of {checkpoint.origin}, in a signed tree of {checkpoint.size} leaves")
            if trust.key is None:
                findings.note(f"signed with a key that the site itself names: compare it with one you know: {key.vkey}")
            proved = _Proved(checkpoint=checkpoint, keys=(key,))
    return proved


def _leaf(page: bytes, record: bytes, where: str) -> GradeLeaf:
    """Return the leaf that a page and a record make.

    Raises:
        IntegrityError: where the record is none.
    """
    try:
        named = msgspec.json.decode(record, type=_Named)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise IntegrityError(f"expected the record of a grade, found: {str(error)[:200]}", where=where) from None
    return GradeLeaf(
        path=permalink_path(named.model, named.endpoint, named.window_end, named.method_version),
        record_sha256=sha256(record),
        page_sha256=sha256(page),
    )


def _own_key(site: Published, proof: TlogProof) -> VerifierKey:
    """Return the key that signed a proof, as the site itself gives it; it is as good as the site.

    Raises:
        IntegrityError: where the site gives none, or what it gives is none.
    """
    for signature in read_note(proof.note).signatures:
        path = f"log/keys/{signature.key_id}.vkey"
        data = site.get(path)
        if data is not None:
            where = site.where + path
            return VerifierKey.parse(data.decode("utf-8", "replace").removesuffix("\n"), where=where)
    raise MissingFileError("expected the key that signed this proof, found none", where=f"{site.where}log/keys/")


def _check_now(site: Published, proved: _Proved, trust: Trust, findings: Findings) -> None:
    """Require that the log, as it is now, has grown from the proof's checkpoint and from every one that was seen."""
    where = site.where + CHECKPOINT
    note = _had(site, CHECKPOINT, findings)
    if note is None:
        return
    with findings.reading(where):
        now = parse_checkpoint(open_note(note, proved.keys, where=where), where=where)
        findings.checked("signatures")
        if now.origin != proved.checkpoint.origin:
            expected = f"a checkpoint of {proved.checkpoint.origin}"
            findings.add(FindingKind.CHANGED, where, expected=expected, found=now.origin[:160])
            return
        reader = TileReader(_tiles(site), now.size)
        _check_grown(site.where + PROOF, proved.checkpoint, now, reader, findings)
        for place, data in trust.checkpoints:
            with findings.reading(place):
                seen = parse_checkpoint(open_note(data, proved.keys, where=place), where=place)
                _check_grown(place, seen, now, reader, findings)


def _check_grown(where: str, before: Checkpoint, now: Checkpoint, reader: TileReader, findings: Findings) -> None:
    """Add a finding where a tree has not grown from another."""
    findings.checked("checkpoints")
    if before.size > now.size or before.origin != now.origin:
        expected = f"a log {before.origin} of at least {before.size} leaves"
        findings.add(FindingKind.MISSING, where, expected=expected, found=f"{now.origin[:160]}, {now.size}")
        return
    proof = consistency_proof(before.size, now.size, reader.node)
    if not verify_consistency(before.size, now.size, before.root, now.root, proof):
        expected = f"a log that has grown from the root {before.root.hex()} of {before.size} leaves"
        found = f"the root {now.root.hex()} of {now.size}: two logs have grown from one"
        findings.add(FindingKind.DIFFERENT, where, expected=expected, found=found)


def _tiles(site: Published) -> Callable[[str], bytes]:
    """Return what reads a tile by its path below log/."""

    def read(path: str) -> bytes:
        data = site.get(f"log/{path}")
        if data is None:
            raise IntegrityError("expected a tile of the log, found none", where=f"{site.where}log/{path}")
        return data

    return read


def _had(site: Published, path: str, findings: Findings) -> bytes | None:
    """Return a file that must be there."""
    try:
        data = site.get(path)
    except SiteError as error:
        findings.unchecked(str(error))
        return None
    if data is None:
        findings.add(FindingKind.MISSING, site.where + path, expected="a file", found="none")
    return data
