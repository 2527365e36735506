"""Hold everything that is recorded and laid out against what it was and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import chain
from pathlib import Path

from generator.content import packaged
from generator.errors import BitdepthError
from generator.method.interface import Issue
from generator.records.finding import FindingKind, VerificationReport
from generator.records.grade import Grade
from generator.verification.archive_files import ARCHIVE, check_archive
from generator.verification.findings import Findings
from generator.verification.grades import check_grades, check_order, check_pages
from generator.verification.site_files import check_site
from generator.workflows.grading import Windows, bound_method
from generator.workflows.rendering import permanent_files, view_files
from generator.workflows.world import Progress, Root


class SiteFolder:
    """The site as it is laid out, file by file."""

    def __init__(self, path: Path) -> None:
        """Use a folder."""
        self._path = path

    def names(self) -> Iterable[str]:
        """Yield every file's path within the site, sorted."""
        return sorted(path.relative_to(self._path).as_posix() for path in self._path.rglob("*") if path.is_file())

    def read(self, name: str) -> bytes:
        """Return a file's bytes."""
        return (self._path / name).read_bytes()


def verify(root: Root, *, progress: Progress) -> VerificationReport:
    """Return every mismatch found in a root's archive and site; it raises only for unusable content/.

    The archive's files come first. Where they are sound, every grade is recomputed from the nights that it lists, and
    the site is held against kept pages and freshly rendered views.
    """
    findings = Findings()
    if not any(root.store.folder.names()):
        findings.note("there is no archive here yet: run 'bitdepth nightly' or 'bitdepth demo'")
        return findings.report()
    with progress.bar("checking the archive's files", 1) as advance:
        check_archive(root.store.folder, _format_texts(), findings)
        advance(1)
    if findings.report().findings:
        findings.note("grades and site were not recomputed, because the archive's files are not sound")
        return findings.report()
    for version in root.store.grades.versions():
        _check_version(root, version, findings, progress)
    _note_ungraded(root, findings)
    if findings.report().findings:
        findings.note("the site was not checked, because the grades that it shows are not sound")
    elif root.site.is_dir():
        with findings.reading("site/"), progress.bar("checking the site", 1) as advance:
            check_site(chain(permanent_files(root), view_files(root)), SiteFolder(root.site), findings)
            advance(1)
    else:
        findings.note("the site was not checked, because none is laid out: run 'bitdepth render'")
    return findings.report()


def _format_texts() -> frozenset[bytes]:
    return frozenset({packaged("archive/FORMAT.md").read_bytes()})


def _check_version(root: Root, version: str, findings: Findings, progress: Progress) -> None:
    """Recompute every grade of one method version, and hold its kept pages against it."""
    try:
        windows = Windows(root, bound_method(root, version))
    except BitdepthError as error:
        findings.add(
            FindingKind.UNREADABLE,
            f"content/methods/{version}.toml",
            expected="the definition that grades were published under",
            found=str(error),
        )
        return
    ends = root.store.grades.windows(version)
    with progress.bar(f"recomputing grades under {version}", len(ends)) as advance:
        for end in ends:
            where = f"{ARCHIVE}grades/{version}/{end.isoformat()}.parquet"
            with findings.reading(where):
                recorded = root.store.grades.get(version, end)
                check_order(where, recorded, end, version, findings)
                check_grades(where, recorded, _recompute(root, windows, version, end, recorded), findings)
                pages = f"{ARCHIVE}pages/{version}/{end.isoformat()}.parquet"
                with findings.reading(pages):
                    check_pages(pages, recorded, dict(root.store.pages.get(version, end)), findings)
            advance(1)


def _recompute(root: Root, windows: Windows, version: str, end: date, recorded: tuple[Grade, ...]) -> tuple[Grade, ...]:
    """Return the grades of a window over the nights that its manifest lists, issued as they were."""
    manifest = root.store.grades.manifest(version, end)
    nights = [date.fromisoformat(night) for night in manifest.nights]
    issued = recorded[0].issued if recorded else end
    supersedes = {(grade.model, grade.endpoint): grade.supersedes for grade in recorded}
    return windows.grade(nights, manifest.voided, Issue(issued=issued, supersedes=supersedes))


def _note_ungraded(root: Root, findings: Findings) -> None:
    method = root.content.settings().method
    graded = root.store.grades.windows(method)
    for night in root.store.nights.kept():
        if root.store.nights.get(night).counts and night not in graded:
            findings.note(f"the window that ends on {night.isoformat()} is not graded under {method} yet")
