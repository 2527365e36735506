"""Ours against theirs on the same generated nights, in one run, alternating: CPU seconds, and every figure agreed.

    python -m tests.benchmarks.grading                     one window at full size
    python -m tests.benchmarks.grading --endpoints 200 --models 30
    python -m tests.benchmarks.grading --nights 365        every window of a year, ours against Polars streaming

CPU seconds are user and system time of the process and all its threads, files read included; the median of the rounds.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import statistics
import sys
import tempfile
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.benchmarks import ours
from tests.benchmarks.archive_maker import WORDS, Made, Size, make
from tests.benchmarks.figures import Figures
from tests.benchmarks.year import YEARS, measured_year

FORMS = ("codes", "words")
THEIRS = ("Acero", "DuckDB", "Polars")
ENGINES = ("ours", *THEIRS)


def cpu_seconds() -> float:
    """Return the CPU time that this process has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _theirs(engine: str) -> ModuleType:
    """Return an engine's module, imported when it is asked for: a process that measures one holds no other."""
    return import_module(f"tests.benchmarks.theirs_{engine.lower()}")


def run(engine: str, made: Made, form: str) -> Any:  # noqa: ANN401 - each engine's own
    """Return what an engine finds of the one window that all nights make."""
    return ours.window(made, form) if engine == "ours" else _theirs(engine).run(made, form)


def window_figures(made: Made, engine: str, form: str, result: Any) -> Figures:  # noqa: ANN401 - each engine's own
    """Return what an engine found as figures in words."""
    if engine == "ours":
        return ours.shown(result)
    words = {name: made.words(name).to_pylist() for name in WORDS} if form == "codes" else {}
    found: Figures = _theirs(engine).shown(result, words)
    return found


def disagreements(made: Made) -> list[str]:
    """Return where an engine, on either form, differs from ours on codes in any figure of the window."""
    expected = window_figures(made, "ours", "codes", ours.window(made, "codes"))
    found = []
    for form in FORMS:
        for engine in ENGINES:
            figures = window_figures(made, engine, form, run(engine, made, form))
            found += [f"{engine} on {form}: {table}" for table in expected if figures[table] != expected[table]]
    return found


def window_table(made: Made, rounds: int) -> str:
    """Return the medians of a window as a Markdown table, engines and forms taking turns."""
    spent: dict[tuple[str, str], list[float]] = {(form, engine): [] for form in FORMS for engine in ENGINES}
    for _ in range(rounds):
        for (form, engine), seconds in spent.items():
            # As timeit does: what earlier engines left is collected before the clock starts, and not while it runs.
            gc.collect()
            gc.disable()
            before = cpu_seconds()
            run(engine, made, form)
            seconds.append(cpu_seconds() - before)
            gc.enable()
    medians = {key: statistics.median(seconds) for key, seconds in spent.items()}
    lines = ["| on | engine | CPU s (median) | times ours |", "| --- | --- | ---: | ---: |"]
    for (form, engine), seconds in medians.items():
        lines.append(f"| {form} | {engine} | {seconds:.3f} | {seconds / medians[form, 'ours']:.2f} |")
    best = min(medians["codes", engine] for engine in THEIRS)
    lines += ["", f"Best of theirs on codes over ours: {best / medians['codes', 'ours']:.2f}"]
    return "\n".join(lines)


def year_table(made: Made) -> tuple[str, bool]:
    """Return every window's cost as a Markdown table, each in a process of its own, and whether all agree."""
    found = {name: _apart(name, made) for name in YEARS}
    mine = found["ours"]
    lines = ["| engine | CPU s | peak memory MB | CPU, times ours | memory, times ours |", "|---|---:|---:|---:|---:|"]
    for name, (_, seconds, megabytes) in found.items():
        lines.append(
            f"| {name} | {seconds:.2f} | {megabytes:.0f} | {seconds / mine[1]:.2f} | {megabytes / mine[2]:.2f} |"
        )
    return "\n".join(lines), all(sums == mine[0] for sums, _, _ in found.values())


def _apart(name: str, made: Made) -> tuple[Any, float, float]:
    """Return what a process of its own measured: a peak of memory can only be read once."""
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=_measure, args=(name, made, its))
    process.start()
    its.close()
    try:
        found: tuple[Any, float, float] = mine.recv()
    finally:
        process.join()
    return found


def _measure(name: str, made: Made, pipe: Connection) -> None:
    pipe.send(measured_year(name, made))


def main(arguments: list[str] | None = None) -> int:
    """Make the nights, hold the engines against each other, and print; 1 where they do not agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.grading", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--nights", type=int, default=ours.WINDOW, help="more than a window: every window of them")
    parser.add_argument("--endpoints", type=int, default=2000)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--prompts", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    size = Size(
        nights=asked.nights, endpoints=asked.endpoints, models=asked.models, prompts=asked.prompts, seed=asked.seed
    )
    with tempfile.TemporaryDirectory() as folder:
        made = make(Path(folder), size, worded=size.nights <= ours.WINDOW)
        rows = size.nights * size.endpoints * size.prompts
        print(f"{size}: {rows:,} observations\n")  # noqa: T201 - a script's output
        if size.nights > ours.WINDOW:
            table, agree = year_table(made)
            print(table, f"\nAll windows agree: {agree}")  # noqa: T201 - a script's output
            return 0 if agree else 1
        differing = disagreements(made)
        print(window_table(made, asked.rounds))  # noqa: T201 - a script's output
        print("\n".join(differing) or "All engines agree on every figure, on codes and on words.")  # noqa: T201 - same
        return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
