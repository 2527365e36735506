"""The steps of an archive's life that are measured as it grows, each in a process of its own."""

from __future__ import annotations

import resource
import shutil
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec

from generator.cluster.connection import connected
from generator.cluster.spreading import DaskSpread
from generator.log.note import SigningKey
from generator.workflows.grading import grade
from generator.workflows.knowing import known_endpoints
from generator.workflows.log_keeping import keep_log
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.verifying_tonight import verify_newest
from generator.workflows.windows import Windows, bound_method
from generator.workflows.world import Root
from tests.benchmarks.archive_root import CANDIDATE, FIRST, VERSION, Size, grow, settle
from tests.benchmarks.processes import in_a_process
from tests.kept_site import Silent
from tests.newest_night import before_last

_LATER = timedelta(days=10_000)
"""After every night: the day on which a re-grade is issued."""
_SEED = bytes(range(32))


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one step took."""

    name: str
    nights: int
    """In the archive."""
    units: dict[str, int]
    """What it was done for: observations, grades, pages."""
    wall_s: float
    cpu_s: float
    """User and system, of the process, its threads and the workers that it started."""
    peak_mb: float
    """Of the process."""
    worker_peak_mb: float = 0.0
    """Of the largest worker; 0 without workers."""


def step(name: str, nights: int, units: dict[str, int], work: Callable[..., None], *arguments: object) -> Step:
    """Return what a function takes in a new process, the imports before it not counted."""
    return in_a_process(_measured, name, nights, units, work, *arguments)


def _measured(name: str, nights: int, units: dict[str, int], work: Callable[..., None], *arguments: object) -> Step:
    began, used = time.perf_counter(), _cpu_s()
    work(*arguments)
    return Step(
        name=name,
        nights=nights,
        units=units,
        wall_s=time.perf_counter() - began,
        cpu_s=_cpu_s() - used,
        peak_mb=_own_peak_mb(),
        worker_peak_mb=_kilobytes(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss),
    )


def _cpu_s() -> float:
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


def _own_peak_mb() -> float:
    """Return the most memory that this program has held; what getrusage says of Linux may be its parent's."""
    if sys.platform != "linux":
        return _kilobytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    (peak,) = (line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    return int(peak) / 1024


def _kilobytes(found: int) -> float:
    """Return a peak in megabytes; Linux counts kilobytes, macOS bytes."""
    return found / (1024 * 1024 if sys.platform == "darwin" else 1024)


def add_nights(path: Path, size: Size, nights: int) -> None:
    """Seal nights until there are so many."""
    grow(Root(path), size, nights)


def plan_night(path: Path) -> None:
    """Settle who is known: all that a plan reads of the archive."""
    known_endpoints(Root(path))


def tally(path: Path) -> None:
    """Count the newest night."""
    root = Root(path)
    Windows(root, bound_method(root, VERSION)).tallies(root.store.nights.kept()[-1:])


def grade_new(path: Path) -> None:
    """Grade whatever is not graded yet, and keep its pages, as each night does."""
    grade(Root(path), today=FIRST, progress=Silent())


def log_new(path: Path) -> None:
    """Append what is new to the log, sign it, and keep the proofs."""
    root = Root(path)
    keep_log(root, SigningKey("scale.example/log", _SEED), progress=Silent())


def lay_out(path: Path) -> None:
    """Lay out the site."""
    render(Root(path), progress=Silent(), look=False)


def lay_out_anew(path: Path) -> None:
    """Lay out the site where none lies."""
    for each in path.glob(".site*"):
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    shutil.rmtree(path / "site", ignore_errors=True)
    lay_out(path)


def verify_night(path: Path) -> None:
    """Verify what the newest night added, and a sample of what is older.

    Raises:
        ValueError: where anything is found.
    """
    root = Root(path)
    report = verify_newest(root, before_last(root), progress=Silent(), entropy=lambda _: _SEED)
    if report.findings:
        raise ValueError(str(report.findings[0]))


def verify_all(path: Path) -> None:
    """Verify archive, log and site.

    Raises:
        ValueError: where anything is found.
    """
    report = verify(Root(path), progress=Silent())
    if report.findings:
        raise ValueError(str(report.findings[0]))


def regrade(path: Path, workers: int) -> None:
    """Grade every window again under a second version, made current; with so many workers, or 0 for none."""
    root = Root(path)
    settle(root, CANDIDATE)
    today = FIRST + _LATER
    with root.store.lock():
        if not workers:
            grade(root, today=today, progress=Silent(), only=CANDIDATE)
            return
        with connected(None, workers, Silent()) as client:
            grade(root, today=today, progress=Silent(), only=CANDIDATE, spread=DaskSpread(client, root, Silent()))


def tree_bytes(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
