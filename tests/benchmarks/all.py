"""All benchmarks, each in a process of its own, as one Markdown table with the machine and the date.

    python -m tests.benchmarks.all --out bench.md          at a small size, in a few minutes
    python -m tests.benchmarks.all --full --out content/pages/guide/benchmarks.md --scale scale.json

A ratio is another's figure over ours, on the same machine in the same run: above 1 where ours takes less. For probing
it is a client's rate over that of raw asyncio, which does nothing but send. Best on a quiet machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks import printed
from tests.benchmarks.machine import machine
from tests.benchmarks.printed import Row

Read = Callable[[str], Iterator[Row]]

SMALL: tuple[tuple[str, Read, tuple[str, ...]], ...] = (
    ("grading", printed.grading_rows, ("--endpoints", "200", "--models", "30", "--rounds", "3")),
    ("probing", printed.probing_rows, ("--connections", "50", "--rounds", "3", "--seconds", "2")),
    ("site", printed.site_rows, ("--pages", "600", "--new", "200", "--rounds", "2")),
    ("scale", printed.scale_rows, ("--endpoints", "40", "--models", "8", "--nights", "10", "20")),
)
FULL: tuple[tuple[str, Read, tuple[str, ...]], ...] = (
    ("grading", printed.grading_rows, ()),
    ("grading", printed.grading_rows, ("--nights", "365")),
    ("probing", printed.probing_rows, ()),
    ("site", printed.site_rows, ()),
    ("scale", printed.scale_rows, ("--nights", "30", "90", "180", "365")),
)

_HEAD = """# Benchmarks

What follows was measured on {date} on {machine}. It is one run of `make bench`{how}: each figure is CPU time, user and
system, of a process and all its threads, at the median of its rounds; a ratio is another's figure over ours in the
same run, so that above 1 ours takes less. For probing, it is a client's rate over that of raw asyncio, which does
nothing but send. The code, and what is equal between contenders and what is not, is in `tests/benchmarks/`.
"""


def run(name: str, arguments: Iterable[str]) -> str:
    """Return what a benchmark prints.

    Raises:
        RuntimeError: with its last lines, where it fails.
    """
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"tests.benchmarks.{name} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def page(rows: Iterable[Row], *, date: str, how: str) -> str:
    """Return all rows as one page.

    Args:
        rows: in order.
        date: of the run.
        how: at what size, in words.
    """
    lines = ["Table: Every benchmark, each contender on the same task in the same run", ""]
    lines += ["| benchmark | task | who | figure | ratio | to |", "| --- | --- | --- | --- | ---: | --- |"]
    for row in rows:
        cells = (row.benchmark, row.task, row.who, row.figure, row.ratio, row.against if row.ratio else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([_HEAD.format(date=date, machine=machine(), how=how), *lines, ""])


def main(arguments: list[str] | None = None) -> int:
    """Run all, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.all", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--full", action="store_true", help="at full size: hours, on a quiet machine")
    parser.add_argument("--out", type=Path, help="the page to write; else it is printed")
    parser.add_argument("--folder", type=Path, help="where archives are built; by default the temporary folder")
    parser.add_argument("--scale", type=Path, help="also keep the figures of the growing archive, as JSON")
    asked = parser.parse_args(arguments)
    rows: list[Row] = []
    for name, read, options in FULL if asked.full else SMALL:
        more = ("--folder", str(asked.folder)) if asked.folder and name in {"site", "scale"} else ()
        more += ("--out", str(asked.scale)) if asked.scale and name == "scale" else ()
        print(f"{name} {' '.join(options)}", file=sys.stderr, flush=True)  # noqa: T201 - a script's output
        rows += read(run(name, (*options, *more)))
    how = " at full size" if asked.full else " at its small size"
    text = page(rows, date=datetime.now(UTC).date().isoformat(), how=how)
    if asked.out is None:
        print(text)  # noqa: T201 - same
    else:
        asked.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
