"""The verification that ends a night's run: all that the run added, and of what is older a sample drawn by chance.

What it costs follows the night and the sample, and not the age of the archive. Of every older night the record is read,
whose chain is held together, and of every older window its name; no other leaf, page or file of the site is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date

import msgspec

from generator.archive import layout
from generator.archive.nights import KeptNight
from generator.errors import IntegrityError
from generator.log.checkpoint import Checkpoint
from generator.records.figures import counted
from generator.records.finding import VerificationReport
from generator.verification.archive_files import ARCHIVE, check_archive
from generator.verification.findings import Findings
from generator.verification.site_files import check_file
from generator.workflows.logged import log_head
from generator.workflows.verifying import (
    SiteFolder,
    check_nights,
    check_version,
    format_texts,
    is_unsound,
    note_render,
    note_ungraded,
    unsealed_nights,
    verify,
)
from generator.workflows.verifying_log_part import check_log_part
from generator.workflows.verifying_part import Part, Window, archive_files, log_sources, site_files
from generator.workflows.world import Progress, Root

SAMPLE = 14
"""Older windows that are drawn, one after another: two weeks of them share the nights of three, so that few nights are
counted anew, and each window of a year-old archive has its turn about once in 25 nights."""
_SEED_BYTES = 32


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive held before a run, by name, and the newest tree of its log."""

    nights: frozenset[date]
    windows: frozenset[Window]
    logged: frozenset[str]
    """The windows that were in the log."""
    head: Checkpoint | None


def standing(root: Root) -> Standing:
    """Return what an archive holds now; a head that cannot be read is for the run itself to refuse."""
    head = None
    with suppress(IntegrityError):
        head = log_head(root)
    return Standing(
        nights=frozenset(root.store.nights.kept()),
        windows=frozenset(_windows(root)),
        logged=root.store.log.sources("grades"),
        head=head,
    )


def verify_newest(  # noqa: PLR0913 - what is new, what is drawn, and for whom
    root: Root,
    before: Standing,
    *,
    progress: Progress,
    entropy: Callable[[int], bytes],
    base_url: str | None = None,
    sample: int = SAMPLE,
) -> VerificationReport:
    """Return every mismatch in what a run added, and in a sample of what is older; of a young archive, in all of it.

    The newest night and its windows count as added, whichever run was interrupted after it had sealed them.

    Args:
        root: the site root.
        before: what it held before the run.
        progress: who is told.
        entropy: draws the sample.
        base_url: the address that the site's views were made for, which are looked at where the archive is young.
        sample: older windows that are drawn; where there are no more, everything is verified.

    Raises:
        ContentError: where the folder is no site root.
    """
    nights = root.store.nights.kept()
    new_nights = ({*nights} - before.nights) | {*nights[-1:]}
    windows = _windows(root)
    new = _new(root, windows, before, new_nights)
    older = [window for window in windows if window not in new]
    if len(older) <= sample:
        return verify(root, progress=progress, base_url=base_url)
    findings = Findings()
    drawn = _drawn(older, sample, entropy)
    read = _read_nights(root, nights, findings)
    used = _used_nights(root, drawn, findings)
    part = Part(windows=tuple(sorted({*new, *drawn})), nights=tuple(sorted({*new_nights, *used})))
    findings.note(
        f"not everything was looked at: what this run added ({counted(len(new_nights), 'night', 'nights')}, "
        f"{counted(len(new), 'window', 'windows')}), and of {len(older)} older windows {len(drawn)} drawn by chance, "
        f"with their {len(used)} nights; pages that may change were not rendered again. 'bitdepth verify' checks "
        "everything; when it last did is not known here"
    )
    _check(root, before, part, read, progress, findings)
    return findings.report()


def _check(  # noqa: PLR0913, PLR0917 - a part of an archive, in log and site
    root: Root,
    before: Standing,
    part: Part,
    nights: dict[date, KeptNight],
    progress: Progress,
    findings: Findings,
) -> None:
    """Check files and log of a part; where they are sound, its nights, its grades, and what is laid out of it."""
    only = frozenset(night.isoformat() for night in part.nights)
    with progress.bar("checking the archive's newest files", 1) as advance:
        check_archive(archive_files(root, part), format_texts(), unsealed_nights(root), findings, only=only)
        advance(1)
    with progress.bar("checking the log's newest leaves", 1) as advance:
        lasting = check_log_part(root, before.head, log_sources(root, part, nights), findings)
        advance(1)
    if not findings.report().findings:
        check_nights(root, part.nights, findings, progress)
    if is_unsound(findings):
        return
    for version in sorted({version for _, version in part.windows}):
        ends = [end for end, graded in part.windows if graded == version]
        check_version(root, version, ends, findings, progress, nights=nights)
    note_ungraded(root, root.content.settings().method, findings)
    if findings.report().findings:
        findings.unchecked("the site was not checked, because the grades that it shows are not sound")
    else:
        with progress.bar("checking the site's newest files", 1) as advance:
            site = SiteFolder(root.site)
            for path, body in site_files(root, part, lasting):
                check_file(path, body, site, findings, is_there=site.has(path))
            advance(1)
        note_render(root, findings)


def _windows(root: Root) -> list[Window]:
    """Return every window that has grades or pages, ascending."""
    store = root.store
    return sorted(
        (end, version)
        for version in store.grades.versions()
        for end in {*store.grades.windows(version), *store.pages.windows(version)}
    )


def _new(root: Root, windows: Sequence[Window], before: Standing, new_nights: set[date]) -> set[Window]:
    """Return the windows that were graded or logged since, and those that end with a new night."""
    logged = root.store.log.sources("grades") - before.logged
    return {
        (end, version)
        for end, version in windows
        if (end, version) not in before.windows or end in new_nights or f"grades/{version}/{end.isoformat()}" in logged
    }


def _drawn(older: Sequence[Window], sample: int, entropy: Callable[[int], bytes]) -> list[Window]:
    """Return so many windows that follow one another, the first one after the last; each is as likely as any other."""
    chance = random.Random(entropy(_SEED_BYTES))  # noqa: S311 - from the operating system's entropy
    first = chance.randrange(len(older))
    return [older[(first + step) % len(older)] for step in range(sample)]


def _read_nights(root: Root, nights: Sequence[date], findings: Findings) -> dict[date, KeptNight]:
    """Return what is kept of each night but its tables; a finding for one that cannot be read."""
    read: dict[date, KeptNight] = {}
    for night in nights:
        with findings.reading(ARCHIVE + layout.night_file(night)):
            read[night] = root.store.nights.get(night)
    return read


def _used_nights(root: Root, windows: Sequence[Window], findings: Findings) -> set[date]:
    """Return the nights that some windows were made from; a finding where the record that says so cannot be read."""
    used: set[date] = set()
    for end, version in windows:
        with findings.reading(ARCHIVE + layout.manifest_of(layout.grades_file(version, end))):
            used |= {date.fromisoformat(night) for night in root.store.grades.manifest(version, end).nights}
    return used
