"""One grade against the log: its page and its record make a leaf, and the proof beside them leads to a signed root."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import msgspec

from generator.errors import IntegrityError, UsageError
from generator.log.proof import decode_proof, verify_proof
from generator.records.canonical import sha256
from generator.records.finding import FindingKind, VerificationReport
from generator.records.leaf import GradeLeaf, leaf_bytes
from generator.records.permalink import PROOF, permalink_path
from generator.verification.findings import Findings
from generator.workflows.kept_log import Trust
from generator.workflows.named_files import PAGE, RECORD
from generator.workflows.published import Published, SavedSite
from generator.workflows.verifying_growth import Proved, check_now, had, is_signed_with, signer
from generator.workflows.verifying_site_log import CHECKPOINT

_PLACE = re.compile(
    r"(?P<site>.*/)(?P<path>grades/[^/]+/[^/]+/[^/]+/[0-9-]{10}/v[0-9]+\.[0-9]+/)"
    rf"(?:{re.escape(PAGE)}|{re.escape(RECORD)}|{re.escape(PROOF)})?"
)


_SAVED = re.compile(r"grades/[^/]+/[^/]+/[^/]+/[0-9-]{10}/v[0-9]+\.[0-9]+/\Z")
"""How a folder ends that was saved with its place in the site."""


_OTHER_KEY = (
    "this proof is not signed with the key that was given: a log may change its key. Give the key that signed it, "
    "where you know it from elsewhere, or the grade's address, where the newest checkpoint can be asked"
)


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
    saved = _SAVED.search(f"{folder.resolve().as_posix()}/")
    _check(SavedSite(folder), "" if saved is None else saved[0], trust, findings, alone=True)
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
    note = None if proved is None else had(site, CHECKPOINT, findings)
    if proved is not None and note is not None:
        check_now(site, note, proved, trust, findings)
    return findings.report()


def _check(site: Published, place: str, trust: Trust, findings: Findings, *, alone: bool = False) -> Proved | None:
    """Hold page, record and proof against each other, and against the address that they lie at.

    Args:
        site: where they are.
        place: their folder, as the log has it; empty where that is not known.
        trust: the key that is believed.
        findings: where mismatches are added.
        alone: True where the three are all that there is: nothing beside them names a key.
    """
    path = "" if alone else place
    page, record, data = (had(site, path + name, findings) for name in (PAGE, RECORD, PROOF))
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
            key = trust.key if alone and trust.key is not None else signer(site, proof.note, trust)
            if alone and not is_signed_with(proof.note, key):
                findings.note(_OTHER_KEY)
            checkpoint = verify_proof(proof, leaf_bytes(leaf), [key], key.name, where=where + PROOF)
            findings.checked("proofs")
            findings.checked("signatures")
            findings.note(f"leaf {proof.index} of {checkpoint.origin}, in a signed tree of {checkpoint.size} leaves")
            if trust.key is None:
                findings.note(f"signed with a key that the site itself names: compare it with one you know: {key.vkey}")
            proved = Proved(checkpoint=checkpoint, key=key, index=proof.index, leaf=leaf_bytes(leaf))
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
