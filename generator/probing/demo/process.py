"""The demo router as a process: there while a `with` block runs, and surely gone after it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from generator.errors import RouterError
from generator.probing.demo.server import HOST, Ready

_START_S = 60.0
_END_S = 10.0


@contextmanager
def running_router() -> Iterator[str]:
    """Yield the address of a demo router that runs, ending in /api/v1.

    The process ends when its standard input closes, so also when this process is killed: the system then closes the
    pipe.

    Raises:
        RouterError: where it does not start.
    """
    process = subprocess.Popen(
        # -P: a folder called `generator` where the command is run must not stand in for ours.
        [sys.executable, "-P", "-m", "generator.probing.demo.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield f"http://{HOST}:{_port(process)}/api/v1"
    finally:
        _end(process)


def _port(process: subprocess.Popen[bytes]) -> int:
    """Return the port that a starting server hands over; one that hangs is killed."""
    if process.stdout is None:  # pragma: no cover - asked for above
        raise RouterError("expected a pipe from the demo router")
    watch = threading.Timer(_START_S, process.kill)
    watch.start()
    try:
        return msgspec.json.decode(process.stdout.readline(), type=Ready).port
    except msgspec.DecodeError as error:
        raise RouterError(
            "expected the demo router to start, found that it ended",
            where=f"process {process.pid}",
            do="Look at what it wrote above, then run again",
        ) from error
    finally:
        watch.cancel()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the server's input, which ends it; kill it where that does not."""
    if process.stdin is not None:
        # The pipe is broken where the server has ended before.
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(timeout=_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
