"""Leaves made from the files of the archive as they lie: what they speak of is read, and held against its digests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date

from generator.archive import layout
from generator.errors import IntegrityError
from generator.records.canonical import check_digest, sha256
from generator.records.leaf import (
    GradeLeaf,
    KeyLeaf,
    Leaf,
    MethodLeaf,
    MissedLeaf,
    NightLeaf,
    VoidedLeaf,
    WithheldLeaf,
)
from generator.records.permalink import permalink_path
from generator.records.withheld import OBSERVATIONS, kept_observations
from generator.verification.findings import Findings
from generator.verification.grades import check_order, check_pages
from generator.workflows.logged import log_key
from generator.workflows.windows import bound_method
from generator.workflows.world import Root


def stating_night(root: Root, missed: date) -> date:
    """Return the night that says that a date was missed: the first one kept after it.

    Raises:
        IntegrityError: where none is kept after it.
    """
    after = [night for night in root.store.nights.kept() if night > missed]
    if not after:
        raise IntegrityError(f"expected a night that says that {missed} was missed, found none", where=layout.NIGHTS)
    return after[0]


def _key(root: Root, key_id: str) -> Iterator[Leaf]:
    yield KeyLeaf(vkey=log_key(root, key_id).vkey)


def _missed(root: Root, day: str) -> Iterator[Leaf]:
    missed = date.fromisoformat(day)
    stating = stating_night(root, missed)
    if missed not in root.store.nights.get(stating).record.missed:
        raise IntegrityError(f"expected {day} among the missed dates, found none", where=layout.night_file(stating))
    yield MissedLeaf(night=missed)


def _night(root: Root, day: str) -> Iterator[Leaf]:
    night = date.fromisoformat(day)
    kept = root.store.nights.get(night)
    name, digest = kept_observations(kept.record, [each.record for each in kept.withheld])
    tables = {file: each for file, each in kept.record.files.items() if file != OBSERVATIONS} | {name: digest}
    for file, expected in tables.items():
        where = f"{layout.night_folder(night)}/{file}"
        check_digest(root.store.folder.read(where), expected, where=where)
    yield NightLeaf(night=night, state=kept.record.state, record_sha256=kept.sha256, files=dict(kept.record.files))


def _method(root: Root, version: str) -> Iterator[Leaf]:
    method = bound_method(root, version)
    definition, text = root.content.method_files(version)
    yield MethodLeaf(
        version=version,
        definition_sha256=sha256(definition),
        text_sha256=sha256(text),
        digest=method.digest,
        page_sha256=sha256(root.store.pages.method(version)),
    )


def _grades(root: Root, version: str, day: str) -> Iterator[Leaf]:
    end = date.fromisoformat(day)
    grades, pages = root.store.grades.get(version, end), dict(root.store.pages.get(version, end))
    findings = Findings()
    check_order(layout.grades_file(version, end), grades, end, version, findings)
    check_pages(layout.pages_file(version, end), grades, pages, findings)
    for finding in findings.report().findings:
        raise IntegrityError(f"expected {finding.expected}, found {finding.found}", where=finding.where)
    for grade in grades:
        path = permalink_path(grade.model, grade.endpoint, end, version)
        yield GradeLeaf(
            path=path, record_sha256=sha256(pages[f"{path}grade.json"]), page_sha256=sha256(pages[f"{path}index.html"])
        )


def _voided(root: Root, day: str) -> Iterator[Leaf]:
    night = date.fromisoformat(day)
    digest = root.store.nights.get(night).void_sha256
    if digest is None:
        raise IntegrityError("expected the declaration that a night is void, found none", where=layout.void_file(night))
    yield VoidedLeaf(night=night, record_sha256=digest)


def _withheld(root: Root, day: str, number: str) -> Iterator[Leaf]:
    night = date.fromisoformat(day)
    kept = root.store.nights.get(night)
    kept_observations(kept.record, [each.record for each in kept.withheld])
    if not 1 <= int(number) <= len(kept.withheld):
        where = layout.withheld_file(night, int(number))
        raise IntegrityError("expected the declaration of a withholding, found none", where=where)
    declared = kept.withheld[int(number) - 1]
    yield WithheldLeaf(
        night=night,
        record_sha256=declared.sha256,
        before_sha256=declared.record.before_sha256,
        after_sha256=declared.record.after_sha256,
        file=declared.record.file,
        declared_at=declared.record.declared_at,
    )


LEAVES: Mapping[str, Callable[..., Iterator[Leaf]]] = {
    "keys": _key,
    "nights": _night,
    "missed": _missed,
    "methods": _method,
    "grades": _grades,
    "voided": _voided,
    "withheld": _withheld,
}
"""By the first word of a source's name, what makes its leaves from the words after it."""
