"""Runs of the command line, each in a process of its own that costs no start: clock, entropy and disk as asked for.

    python tests/night_runner.py        reads a run a line, as JSON, and writes two lines for each: its process, its end

The clock stands, so that a run says the same at whatever moment it is made.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import traceback
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from generator import cli
from generator.workflows.world import World
from tests.disk_faults import Disk


def _ended(run: dict[str, Any]) -> int:
    """Return the exit code of a run of the command."""
    now = datetime.fromisoformat(run["now"])
    cli._now = lambda: now
    cli._world = lambda: World(
        now=lambda: now, monotonic=lambda: 0.0, sleep=asyncio.sleep, entropy=lambda count: bytes(range(count))
    )
    sys.argv = ["bitdepth", *run["argv"]]
    try:
        cli.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        return 1
    return 0


def _child(run: dict[str, Any]) -> None:
    """Become a run, and end."""
    for stream, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{run['said']}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(run["environment"])
    time.tzset()
    disk = Disk(Path(run["root"]), run["at"], run["errno"])
    disk.install()
    code = _ended(run)
    sys.stdout.flush()
    sys.stderr.flush()
    Path(f"{run['said']}.count").write_text(str(disk.count))
    os._exit(code)


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main() -> None:
    """Run what is asked for, until nothing more is."""
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            _child(json.loads(line))
        _say(process)
        _, status = os.waitpid(process, 0)
        _say(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
