"""One night counted anew, one window's grades made anew: each by itself, so that it may be done anywhere, in any order.

`check_window` does all of it in one process. What is spread is the same in two steps: `recounted` for one model, and
`hold_window` where the models' grades come together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import msgspec

from generator.method.grading import grade_window
from generator.method.interface import Issue
from generator.method.night_tally import NightTally
from generator.method.window import window_nights
from generator.records.definition import Method
from generator.records.grade import Grade
from generator.records.manifest import GradesManifest
from generator.verification.archive_files import ARCHIVE
from generator.verification.findings import Findings
from generator.verification.grades import check_grades, check_order, check_pages
from generator.verification.issue import check_issue
from generator.verification.night_figures import check_night_figures
from generator.workflows.issuing import earlier_grades, replaced_versions, superseded_letters
from generator.workflows.windows import Windows
from generator.workflows.world import Root

_COLUMNS = ("model", "endpoint", "prompt_id", "outcome", "cost_usd")
_PROBE_COLUMNS = ("model", "endpoint", "rung_tokens", "outcome", "cost_usd")


class WindowCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What one window's grades must follow from, by its manifest and the nights that are kept."""

    end: date
    manifest: GradesManifest
    expected: tuple[date, ...]
    """The nights that the definition gives the window."""
    finished: date
    """When the window's last night finished."""

    @property
    def nights(self) -> tuple[date, ...]:
        """The nights that the manifest lists."""
        return tuple(date.fromisoformat(night) for night in self.manifest.nights)

    @property
    def voided(self) -> tuple[date, ...]:
        """Recorded nights that had been declared void when the grades were issued."""
        return tuple(date.fromisoformat(night) for night in self.manifest.voided)


Recounted = Callable[[WindowCheck], Sequence[Grade]]
"""Makes a window's grades anew; what they were issued as is left open."""


def check_night(root: Root, night: date) -> Findings:
    """Return what counting a night anew from its rows finds."""
    findings, store = Findings(), root.store.nights
    where = f"{ARCHIVE}nights/{night.isoformat()}/night.json"
    with findings.reading(where):
        record = store.get(night).record
        listings = store.table(record, "listings").select(["model", "endpoint"]).to_pylist()
        observations = store.table(record, "observations")
        probes = store.table(record, "context")
        check_night_figures(
            where,
            record,
            zip(*(observations.column(name).to_pylist() for name in _COLUMNS), strict=True),
            frozenset((row["model"], row["endpoint"]) for row in listings),
            frozenset(store.table(record, "prompts").column("prompt_id").to_pylist()),
            zip(*(probes.column(name).to_pylist() for name in _PROBE_COLUMNS), strict=True),
            findings,
        )
    return findings


def check_window(root: Root, windows: Windows, end: date) -> Findings:
    """Return what making a window's grades anew finds, and its pages held against them."""
    findings = Findings()
    with findings.reading(grades_place(windows.method.version, end)):
        asked = window_check(root, windows, end)
        findings.take(hold_window(root, windows.method, asked, lambda each: _alone(windows, each)))
    return findings


def window_check(root: Root, windows: Windows, end: date) -> WindowCheck:
    """Return what a window's grades must follow from.

    Raises:
        IntegrityError: where their manifest is missing, or not as it was sealed.
    """
    manifest = root.store.grades.manifest(windows.method.version, end)
    voided = [date.fromisoformat(night) for night in manifest.voided]
    return WindowCheck(
        end=end,
        manifest=manifest,
        expected=window_nights(windows.counting(voided), end, windows.method.definition),
        finished=windows.nights[end].record.finished_at.date(),
    )


def recounted(
    method: Method, recorded: Sequence[date], asked: WindowCheck, tallies: Sequence[NightTally]
) -> tuple[Grade, ...]:
    """Return the grades of whatever some tallies list, over the nights that a window's manifest lists.

    Args:
        method: that graded.
        recorded: every night that counts, whatever was declared void later.
        asked: the window.
        tallies: of its nights, ascending.
    """
    counting = [night for night in recorded if night not in asked.voided]
    return grade_window(tallies, method=method, recorded=counting, issue=Issue(issued=asked.end, supersedes={}))


def hold_window(root: Root, method: Method, asked: WindowCheck, recount: Recounted) -> Findings:
    """Return where a window's grades and pages are not what follows from its nights.

    Args:
        root: the site root that holds them.
        method: that graded.
        asked: the window.
        recount: makes its grades anew; asked only where those recorded can be read.
    """
    findings, store, version, end = Findings(), root.store, method.version, asked.end
    where = grades_place(version, end)
    with findings.reading(where):
        recorded = store.grades.get(version, end)
        check_order(where, recorded, end, version, findings)
        check_issue(
            where,
            asked.manifest,
            recorded,
            nights=asked.expected,
            finished=asked.finished,
            superseded=superseded_letters(earlier_grades(root, end, replaced_versions(root, version, end))),
            findings=findings,
        )
        check_grades(where, recorded, _as_issued(recount(asked), recorded, end), findings)
        pages = f"{ARCHIVE}pages/{version}/{end.isoformat()}.parquet"
        with findings.reading(pages):
            check_pages(pages, recorded, dict(store.pages.get(version, end)), findings)
    return findings


def grades_place(version: str, end: date) -> str:
    """Return where a window's grades lie, from the site root."""
    return f"{ARCHIVE}grades/{version}/{end.isoformat()}.parquet"


def _alone(windows: Windows, asked: WindowCheck) -> tuple[Grade, ...]:
    return windows.grade(asked.nights, asked.voided, Issue(issued=asked.end, supersedes={}))


def _as_issued(made: Sequence[Grade], recorded: Sequence[Grade], end: date) -> tuple[Grade, ...]:
    """Return grades issued as those recorded were: what that may be is held against the manifest by itself."""
    issued = recorded[0].issued if recorded else end
    supersedes = {(grade.model, grade.endpoint): grade.supersedes for grade in recorded}
    return tuple(
        msgspec.structs.replace(grade, issued=issued, supersedes=supersedes.get((grade.model, grade.endpoint), ()))
        for grade in made
    )
