"""Site roots and Dask workers for the tests of spreading: real processes, which may be killed."""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from generator.cluster.connection import Client, connected
from generator.cluster.spreading import DaskSpread
from generator.workflows.grading import Graded, grade
from generator.workflows.world import Root
from tests.benchmarks.archive_root import CANDIDATE, FIRST, Size, begin, grow, settle
from tests.kept_site import Silent

SIZE = Size(endpoints=12, models=4, prompts=24, seed=7)
NIGHTS = 16
"""Three spans of windows."""
TODAY = FIRST.replace(year=FIRST.year + 1)


class Said(Silent):
    """Progress whose lines are kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)


def make_root(path: Path, nights: int = NIGHTS) -> Root:
    """Return a root whose windows are graded under 0.1, and that is to be graded again under 0.2."""
    root = begin(path)
    grow(root, SIZE, nights)
    grade(root, today=FIRST, progress=Silent())
    settle(root, CANDIDATE)
    return root


def copy(root: Root, path: Path) -> Root:
    """Return a root of its own with the same files."""
    shutil.copytree(root.path, path)
    return Root(path)


def kept(root: Root) -> dict[str, str]:
    """Return the SHA-256 of every file of an archive, its lock apart."""
    folder = root.path / "archive"
    return {
        each.relative_to(folder).as_posix(): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in folder.rglob("*")
        if each.is_file() and each.name != ".lock"
    }


def regrade(root: Root, client: Client = None) -> Graded:
    """Grade every window again under 0.2, alone or by the workers of a client."""
    spread = None if client is None else DaskSpread(client, root, Silent())
    return grade(root, today=TODAY, progress=Silent(), spread=spread)


@contextmanager
def local(workers: int) -> Iterator[Client]:
    """Hold a client of so many workers on this machine."""
    with connected(None, workers, Silent()) as client:
        yield client


@contextmanager
def scheduler() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Hold a scheduler in a process of its own. Yield its address, and the process."""
    port = free_port()
    with _process("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard") as process:
        yield f"tcp://127.0.0.1:{port}", process


@contextmanager
def worker(address: str) -> Iterator[subprocess.Popen[bytes]]:
    """Hold a worker process without anyone who would start it again."""
    with _process("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard") as process:
        yield process


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def _process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    with ExitStack() as stack:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(_end, process)
        yield process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def wait_until(holds: Callable[[], bool], patience_s: float = 200.0) -> None:
    """Return once something holds.

    Raises:
        TimeoutError: where it does not in time.
    """
    until = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.02)
