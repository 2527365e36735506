"""What a piece of work takes, measured in a process of its own: a peak of memory can only be read once."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.processes import in_a_process


class Spent(NamedTuple):
    """CPU seconds of the user and the system over all threads and processes, and the peak of memory."""

    cpu_s: float
    peak_mb: float
    start_s: float = 0.0
    """CPU seconds until the program was loaded, where they are not among the others."""


def apart(work: Callable[..., None], *arguments: object) -> Spent:
    """Return what a function spends in a new process that has loaded it."""
    return in_a_process(_spent, work, *arguments)


def _spent(work: Callable[..., None], *arguments: object) -> Spent:
    start_s = _cpu_s()
    work(*arguments)
    return Spent(cpu_s=_cpu_s() - start_s, peak_mb=_peak_mb(), start_s=start_s)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _peak_mb() -> float:
    """Return the most memory that this program has held; what getrusage says may be its parent's."""
    status = Path("/proc/self/status").read_text()
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(peak) / 1024


def command(arguments: list[str], folder: Path, patience_s: float) -> Spent:
    """Return what a command and its children spend, stopped where it takes longer than our patience.

    Raises:
        RuntimeError: with what it printed, where it fails or is stopped.
    """
    printed = folder / "printed.txt"
    with printed.open("wb") as output:
        process = subprocess.Popen(arguments, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        stop = threading.Timer(patience_s, process.kill)
        stop.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        finally:
            stop.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} ended with {process.returncode}: {printed.read_text(errors='replace')}")
    return Spent(cpu_s=used.ru_utime + used.ru_stime, peak_mb=used.ru_maxrss / 1024)
