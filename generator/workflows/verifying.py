"""Hold everything that is recorded and laid out against what it was and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import chain
from pathlib import Path

from generator.content import packaged
from generator.errors import BitdepthError
from generator.method.interface import Issue
from generator.method.window import window_nights
from generator.records.finding import FindingKind, VerificationReport
from generator.records.grade import Grade
from generator.records.manifest import GradesManifest
from generator.verification.archive_files import ARCHIVE, check_archive
from generator.verification.findings import Findings
from generator.verification.grades import check_grades, check_order, check_pages
from generator.verification.issue import check_issue
from generator.verification.night_figures import check_night_figures
from generator.verification.site_files import check_site
from generator.workflows.grading import superseded_letters
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.rendering import permanent_files, view_files
from generator.workflows.verifying_log import check_log
from generator.workflows.windows import Windows, bound_method
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


def verify(
    root: Root, *, progress: Progress, base_url: str | None = None, trust: Trust = NO_TRUST
) -> VerificationReport:
    """Return every mismatch found in a root's archive and site.

    The archive's files and the log come first. Where they are sound, every night is counted and every grade
    recomputed, and the site is held against kept pages and freshly rendered views.

    Args:
        root: the site root.
        progress: who is told.
        base_url: the address that the site's views were made for; None for the one in site.toml.
        trust: checkpoints and a key from elsewhere that the log is held against.

    Raises:
        ContentError: where the root is none, because it has no content/site.toml.
    """
    settings = root.content.settings()
    findings = Findings()
    if not any(root.store.folder.names()):
        if root.site.is_dir() and any(root.site.rglob("*.html")):
            findings.add(FindingKind.MISSING, "archive", expected="the archive that site/ was made from", found="none")
        findings.unchecked("there is no archive here yet: run 'bitdepth nightly' or 'bitdepth demo'")
        return findings.report()
    with progress.bar("checking the archive's files", 1) as advance:
        unsealed = set(root.store.nights.unsealed()) - set(root.store.nights.kept())
        check_archive(root.store.folder, _format_texts(), frozenset(night.isoformat() for night in unsealed), findings)
        advance(1)
    with progress.bar("checking the log", 1) as advance:
        check_log(root, trust, findings)
        advance(1)
    if not findings.report().findings:
        _check_nights(root, findings, progress)
    if findings.report().findings:
        findings.unchecked("grades and site were not recomputed, because the archive's files are not sound")
        findings.note("an interrupted run leaves files unfinished too: run the same command again, then verify")
        return findings.report()
    for version in root.store.grades.versions():
        _check_version(root, version, findings, progress)
    _note_ungraded(root, settings.method, findings)
    if findings.report().findings:
        findings.unchecked("the site was not checked, because the grades that it shows are not sound")
    elif root.site.is_dir():
        with findings.reading("site/"), progress.bar("checking the site", 1) as advance:
            check_site(
                chain(permanent_files(root), view_files(root, progress=progress, base_url=base_url)),
                SiteFolder(root.site),
                findings,
            )
            advance(1)
    else:
        findings.unchecked("the site was not checked, because none is laid out: run 'bitdepth render'")
    return findings.report()


def _format_texts() -> frozenset[bytes]:
    return frozenset({packaged("archive/FORMAT.md").read_bytes()})


def _check_nights(root: Root, findings: Findings, progress: Progress) -> None:
    """Count every night anew from its rows."""
    store = root.store.nights
    nights = store.kept()
    with progress.bar("counting the nights", len(nights)) as advance:
        for night in nights:
            where = f"{ARCHIVE}nights/{night.isoformat()}/night.json"
            with findings.reading(where):
                record = store.get(night).record
                listings = store.table(record, "listings").select(["model", "endpoint"]).to_pylist()
                observations = store.table(record, "observations")
                columns = ("model", "endpoint", "prompt_id", "outcome", "cost_usd")
                probes = store.table(record, "context")
                probe_columns = ("model", "endpoint", "rung_tokens", "outcome", "cost_usd")
                check_night_figures(
                    where,
                    record,
                    zip(*(observations.column(name).to_pylist() for name in columns), strict=True),
                    frozenset((row["model"], row["endpoint"]) for row in listings),
                    frozenset(store.table(record, "prompts").column("prompt_id").to_pylist()),
                    zip(*(probes.column(name).to_pylist() for name in probe_columns), strict=True),
                    findings,
                )
            advance(1)


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
            _check_window(root, windows, version, end, findings)
            advance(1)


def _check_window(root: Root, windows: Windows, version: str, end: date, findings: Findings) -> None:
    """Recompute one window's grades and hold its pages against them."""
    where = f"{ARCHIVE}grades/{version}/{end.isoformat()}.parquet"
    with findings.reading(where):
        recorded = root.store.grades.get(version, end)
        manifest = root.store.grades.manifest(version, end)
        check_order(where, recorded, end, version, findings)
        method = root.content.method(version)
        voided = [date.fromisoformat(night) for night in manifest.voided]
        nights = window_nights(windows.counting(voided), end, method.definition)
        check_issue(
            where,
            manifest,
            recorded,
            nights=nights,
            finished=windows.nights[end].record.finished_at.date(),
            superseded=superseded_letters(root, version, end),
            findings=findings,
        )
        check_grades(where, recorded, _recompute(windows, manifest, recorded), findings)
        pages = f"{ARCHIVE}pages/{version}/{end.isoformat()}.parquet"
        with findings.reading(pages):
            check_pages(pages, recorded, dict(root.store.pages.get(version, end)), findings)


def _recompute(windows: Windows, manifest: GradesManifest, recorded: tuple[Grade, ...]) -> tuple[Grade, ...]:
    """Return the grades of a window over the nights that its manifest lists, issued as they were."""
    nights = [date.fromisoformat(night) for night in manifest.nights]
    issued = recorded[0].issued if recorded else manifest.window_end
    supersedes = {(grade.model, grade.endpoint): grade.supersedes for grade in recorded}
    voided = [date.fromisoformat(night) for night in manifest.voided]
    return windows.grade(nights, voided, Issue(issued=issued, supersedes=supersedes))


def _note_ungraded(root: Root, method: str, findings: Findings) -> None:
    """Note the newest windows that are not graded yet; a gap between graded ones is a mismatch."""
    graded = root.store.grades.windows(method)
    for night in root.store.nights.kept():
        if night in graded or not root.store.nights.get(night).counts:
            continue
        if graded and night < graded[-1]:
            where = f"{ARCHIVE}grades/{method}/{night.isoformat()}.parquet"
            findings.add(FindingKind.MISSING, where, expected="the grades of this window", found="none")
        else:
            findings.note(f"the window that ends on {night.isoformat()} is not graded under {method} yet")
