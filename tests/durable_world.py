"""A small archive of one night on a real server, and its second night, run whole in about a second as the clock stands.

Every run of the same night ends with the same bytes, before the seal and after it, so that a disturbed one can be held
against one that was not.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import msgspec
from lookup_router import LookupRouter, LookupSite

from generator.archive import layout
from generator.log.keys import SigningKey
from generator.site.build import is_permanent

FIRST = datetime(2026, 3, 27, 3, 7, tzinfo=UTC)
SECOND = FIRST + timedelta(days=1)
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - a folder of a name of its own is made there
"""Where files lie in memory, on Linux."""
KEY = "BITDEPTH_SIGNING_KEY"
_PROBING = "concurrency = 1\nconcurrency_per_endpoint = 1"


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a run of the command ended."""

    code: int
    """Its exit code; below zero, the signal that ended it."""
    out: str
    err: str
    changes: int
    """What it asked of the disk, as `disk_faults` counts; 0 where it was killed."""

    @property
    def errors(self) -> list[str]:
        """Return the messages of what went wrong."""
        return [line for line in self.err.splitlines() if line.startswith("error: ")]


class Runner:
    """Runs the command on the roots of one router."""

    def __init__(self, folder: Path, router: LookupRouter) -> None:
        """Start what forks the runs, with a folder for what they say."""
        self.router = router
        self._said = folder / "said"
        self._started = 0
        key = SigningKey.generate("t.example/log").text
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("night_runner.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", KEY: key},
        )

    def __enter__(self) -> Self:
        """Return the runner."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what forks the runs."""
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()

    def start(
        self, root: Path, *argv: str, now: datetime = SECOND, at: int = 0, errno: int = 0, **environment: str
    ) -> None:
        """Start a run on a root; `end` waits for it. What a failed test left running is ended first."""
        if self._started:
            self.kill()
            self.end()
        run = {
            "root": str(root),
            "argv": [*(argv or ("nightly",)), "--root", str(root)],
            "now": now.isoformat(),
            "at": at,
            "errno": errno,
            "environment": environment,
            "said": str(self._said),
        }
        Path(f"{self._said}.count").unlink(missing_ok=True)
        self._process.stdin.write(json.dumps(run).encode() + b"\n")
        self._started = int(self._process.stdout.readline())

    def is_running(self) -> bool:
        """True until the run has ended that was started last."""
        return not select.select([self._process.stdout], [], [], 0)[0]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hold still the run that was started last, which must not have ended."""
        os.kill(self._started, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._started, signal.SIGCONT)

    def kill(self) -> bool:
        """End the run that was started last, by SIGKILL; False where it has ended by itself."""
        if not self.is_running():
            return False
        os.kill(self._started, signal.SIGKILL)
        return True

    def end(self) -> Ended:
        """Return how the run ended that was started last."""
        code = int(self._process.stdout.readline())
        self._started = 0
        count = Path(f"{self._said}.count")
        return Ended(
            code=code,
            out=Path(f"{self._said}.out").read_text(),
            err=Path(f"{self._said}.err").read_text(),
            changes=int(count.read_text()) if count.exists() else 0,
        )

    def run(
        self, root: Path, *argv: str, now: datetime = SECOND, at: int = 0, errno: int = 0, **environment: str
    ) -> Ended:
        """Run the command on a root to its end; `nightly` where nothing else is asked for."""
        self.start(root, *argv, now=now, at=at, errno=errno, **environment)
        return self.end()


class World:
    """The archive before its second night and after it, and copies to disturb."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        """Make both."""
        self.runner = runner
        self._folder = folder
        self.before = folder / "before"
        site = LookupSite(self.before, runner.router)
        site.write_settings(rungs="[]", probing=_PROBING)
        _sound(runner.run(self.before, now=FIRST))
        self.old = files(self.before)
        after = self.copy("after")
        self.whole = runner.run(after)
        """How the undisturbed second night ended."""
        _sound(self.whole)
        self.new = files(after)
        assert self.new[f"archive/{layout.LOG_CHECKPOINT}"] != self.old[f"archive/{layout.LOG_CHECKPOINT}"]

    def copy(self, name: str) -> Path:
        """Return a copy of the archive before its second night."""
        root = self._folder / name
        if root.exists():
            shutil.rmtree(root)
        shutil.copytree(self.before, root)
        return root

    def check_kept(self, root: Path) -> None:
        """Hold a disturbed root: nothing old is lost or changed, nothing new is there that an undisturbed run lacks.

        What a run leaves unfinished is known by its name, and what is not sealed yet by its journal.
        """
        found = files(root)
        for path, data in self.old.items():
            if is_kept(path):
                assert found.get(path) == data, path
        for path, data in found.items():
            if is_kept(path) and path not in self.old:
                assert data == self.new.get(path), path
        self.check_unsigned(found)

    def check_unsigned(self, found: dict[str, bytes]) -> None:
        """Nothing is signed but what is whole: a new checkpoint stands for an archive that has all that it covers."""
        checkpoint = f"archive/{layout.LOG_CHECKPOINT}"
        if found.get(checkpoint) != self.old.get(checkpoint):
            assert found[checkpoint] == self.new[checkpoint]
            covered = ("archive/nights/", "archive/grades/", "archive/pages/", "archive/log/tile/")
            for path, data in self.new.items():
                assert not path.startswith(covered) or found.get(path) == data, path

    def check_end(self, root: Path) -> None:
        """Run once more, undisturbed: archive and site have the bytes of the run that nobody disturbed."""
        _sound(self.runner.run(root))
        found = files(root)
        assert found.keys() == self.new.keys()
        assert [path for path in found if found[path] != self.new[path]] == []


def is_kept(path: str) -> bool:
    """True for what is permanent once it has its name: the archive's files, and the permanent pages of the site."""
    if path.endswith((".tmp", ".half")) or path.startswith("archive/journal/"):
        return False
    if path in {f"archive/{name}" for name in (layout.LOG_APPENDING, layout.LOG_CHECKPOINT, layout.LOG_HEAD)}:
        return False  # The note of an append under way, and what is replaced by rename, last of what it stands for.
    return path.startswith("archive/") or is_permanent(path.removeprefix("site/"))


def files(root: Path) -> dict[str, bytes]:
    """Return every file of a root, but for the lock, what follows from the archive, and when pages were laid out."""
    return {
        name: path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not (name := path.relative_to(root).as_posix()).startswith(
            (".site.permanent", ".site.settled/", ".site.rendered", ".cache", "archive/.lock")
        )
    }


@contextmanager
def world() -> Iterator[World]:
    """Yield a world on a router of its own, in memory where that is possible: hundreds of runs wait for no disk."""
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder,
        LookupRouter().running() as router,
        Runner(Path(folder), router) as runner,
    ):
        yield World(Path(folder), runner)


def _sound(ended: Ended) -> None:
    assert ended.code == 0, ended.err + ended.out
