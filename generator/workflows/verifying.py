"""Hold everything that is recorded and laid out against what it was and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import chain
from pathlib import Path

from generator.archive.nights import KeptNight
from generator.content import packaged
from generator.errors import BitdepthError
from generator.records.finding import Finding, FindingKind, VerificationReport
from generator.records.withheld import replaced_tables
from generator.site.beside import Beside
from generator.site.build import is_permanent
from generator.verification.archive_files import ARCHIVE, check_archive
from generator.verification.findings import Findings
from generator.verification.site_files import SITE, check_site
from generator.workflows.checking import check_night, check_window
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.rendering import permanent_files, view_files
from generator.workflows.spread import Spread
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

    def has(self, name: str) -> bool:
        """True where a file of that name lies there."""
        return (self._path / name).is_file()

    def read(self, name: str) -> bytes:
        """Return a file's bytes."""
        return (self._path / name).read_bytes()


def verify(
    root: Root,
    *,
    progress: Progress,
    base_url: str | None = None,
    trust: Trust = NO_TRUST,
    spread: Spread | None = None,
) -> VerificationReport:
    """Return every mismatch found in a root's archive and site.

    The archive's files and the log come first. Where they are sound, every night is counted and every grade
    recomputed, and the site is held against kept pages and freshly rendered views.

    Args:
        root: the site root.
        progress: who is told.
        base_url: the address that the site's views were made for; None for the one in site.toml.
        trust: checkpoints and a key from elsewhere that the log is held against.
        spread: who counts nights and makes grades anew elsewhere; None for nobody. What is found is the same.

    Raises:
        ContentError: where the root is none, because it has no content/site.toml.
        ClusterError: where something cannot be done elsewhere.
    """
    settings = root.content.settings()
    findings = Findings()
    if not any(root.store.folder.names()):
        if root.site.is_dir() and any(root.site.rglob("*.html")):
            findings.add(FindingKind.MISSING, "archive", expected="the archive that site/ was made from", found="none")
        findings.unchecked("there is no archive here yet: run 'bitdepth nightly' or 'bitdepth demo'")
        return findings.report()
    with progress.bar("checking the archive's files", 1) as advance:
        check_archive(root.store.folder, format_texts(), unsealed_nights(root), findings)
        advance(1)
    with progress.bar("checking the log", 1) as advance:
        check_log(root, trust, findings)
        advance(1)
    if not findings.report().findings:
        check_nights(root, root.store.nights.kept(), findings, progress, spread)
    if is_unsound(findings):
        return findings.report()
    for version in root.store.grades.versions():
        check_version(root, version, root.store.grades.windows(version), findings, progress, spread)
    note_ungraded(root, settings.method, findings)
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
        note_render(root, findings)
    else:
        findings.unchecked("the site was not checked, because none is laid out: run 'bitdepth render'")
    return findings.report()


def is_unsound(findings: Findings) -> bool:
    """Return whether anything was found in an archive's files or log; where it was, say that no more is looked at."""
    if not findings.report().findings:
        return False
    findings.unchecked("grades and site were not recomputed, because the archive's files are not sound")
    findings.note("an interrupted run leaves files unfinished too: run the same command again, then verify")
    return True


def note_render(root: Root, findings: Findings) -> None:
    """Say what to do about findings in the site that another rendering of a sound archive takes away."""
    found = findings.report().findings
    if not found:
        return
    views = Beside(root.site).views()
    gone = replaced_tables(finding.where.removeprefix(SITE) for finding in found)

    def is_mended(finding: Finding) -> bool:
        path = finding.where.removeprefix(SITE)
        match finding.kind:
            case FindingKind.MISSING:
                return True
            case FindingKind.CHANGED:
                return path in views or not is_permanent(path)
            case _:
                return path in views or path in gone

    mended = sum(map(is_mended, found))
    if mended:
        which = "what was found" if mended == len(found) else f"{mended} of the {len(found)} findings"
        findings.note(
            f"the archive is sound, and 'bitdepth render' mends {which}: after void, withhold or another version of "
            "the program, and where files of site/ were touched, the site is other than the archive gives it now"
        )


def format_texts() -> frozenset[bytes]:
    """Return every text of FORMAT.md that this program knows to be true."""
    return frozenset({packaged("archive/FORMAT.md").read_bytes()})


def unsealed_nights(root: Root) -> frozenset[str]:
    """Return every night that has a journal and is not kept yet."""
    unsealed = set(root.store.nights.unsealed()) - set(root.store.nights.kept())
    return frozenset(night.isoformat() for night in unsealed)


def check_nights(
    root: Root, nights: Sequence[date], findings: Findings, progress: Progress, spread: Spread | None = None
) -> None:
    """Count some nights anew from their rows."""
    alone = (check_night(root, night) for night in nights)
    with progress.bar("counting the nights", len(nights)) as advance:
        for found in alone if spread is None else spread.check_nights(nights):
            findings.take(found)
            advance(1)


def check_version(  # noqa: PLR0913, PLR0917 - windows of one version, alone or spread
    root: Root,
    version: str,
    ends: Sequence[date],
    findings: Findings,
    progress: Progress,
    spread: Spread | None = None,
    *,
    nights: Mapping[date, KeptNight] | None = None,
) -> None:
    """Recompute the grades of some windows under one method version, and hold their kept pages against them.

    Args:
        root: the site root.
        version: of the method.
        ends: of the windows, ascending.
        findings: where mismatches are added.
        progress: who is told.
        spread: who makes grades anew elsewhere; None for nobody.
        nights: every night that is kept, where somebody has read them already.
    """
    try:
        windows = Windows(root, bound_method(root, version), nights=nights)
    except BitdepthError as error:
        findings.add(
            FindingKind.UNREADABLE,
            f"content/methods/{version}.toml",
            expected="the definition that grades were published under",
            found=str(error),
        )
        return
    alone = (check_window(root, windows, end) for end in ends)
    with progress.bar(f"recomputing grades under {version}", len(ends)) as advance:
        for found in alone if spread is None else spread.check_windows(windows, ends):
            findings.take(found)
            advance(1)


def note_ungraded(root: Root, method: str, findings: Findings) -> None:
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
