"""What a piece of work takes, measured in a process of its own: a peak of memory can only be read once."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple


class Spent(NamedTuple):
    """CPU seconds of the user and the system over all threads and processes, and the peak of memory."""

    cpu_s: float
    peak_mb: float


def apart(measured: Callable[..., Spent], *arguments: Any) -> Spent:
    """Return what a function measures in a new process."""
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=_send, args=(its, measured, arguments))
    process.start()
    its.close()
    try:
        found: Spent = mine.recv()
    finally:
        process.join()
    return found


def _send(pipe: Connection, measured: Callable[..., Spent], arguments: tuple[Any, ...]) -> None:
    pipe.send(measured(*arguments))


def command(arguments: list[str], folder: Path, environment: Mapping[str, str]) -> Spent:
    """Return what a command and its children spend.

    Raises:
        RuntimeError: with what it printed, where it fails.
    """
    with (folder / "printed.txt").open("wb") as printed:
        process = subprocess.Popen(
            arguments, cwd=folder, env={**os.environ, **environment}, stdout=printed, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} failed: {(folder / 'printed.txt').read_text(errors='replace')[-2000:]}")
    return Spent(cpu_s=used.ru_utime + used.ru_stime, peak_mb=used.ru_maxrss / 1024)
