"""An archive as it grows: what a night, a re-grade, a verification and a site build take at each age of it.

    python -m tests.benchmarks.scale                            200 endpoints of 30 models, 30 and 90 nights
    python -m tests.benchmarks.scale --endpoints 2000 --models 300 --nights 30 90 180 365 --out scale.json

Nights are made from a seed. At each number of nights, all but the last are graded, logged and laid out first; then the
last one is sealed, and what a nightly run does for it is measured step by step, each step in a process of its own: its
CPU seconds (user and system, with those of its workers), and its peak of memory. The growth of a step is the exponent
of the power law through its CPU seconds, by least squares over the logarithms: 1 is linear, 0 is flat.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from tests.benchmarks import scale_s3
from tests.benchmarks import scale_steps as steps
from tests.benchmarks.archive_root import Size, begin
from tests.benchmarks.scale_steps import Step, step

NIGHTLY = ("plan", "grade the night", "log the night", "site, nightly", "verify the night")
"""What a nightly run does beside asking."""


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive and its site take at one age."""

    nights: int
    observations: int
    grades: int
    archive_bytes: int
    archive_files: int
    site_bytes: int
    site_files: int


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    size: Size
    steps: tuple[Step, ...]
    storage: tuple[Storage, ...]


def measured(
    folder: Path, size: Size, ages: Sequence[int], workers: int, *, whole: bool = True, say: bool = True
) -> Scale:
    """Return what each step takes at each age, ascending.

    Args:
        folder: empty; holds the root while it grows.
        size: of a night.
        ages: numbers of nights, ascending.
        workers: of the re-grade that is spread; 0 leaves it out.
        whole: measure the steps that follow the whole archive too, which take hours where it is large.
        say: print each step as it ends.
    """
    path = folder / "root"
    begin(path)
    found: list[Step] = []
    storage: list[Storage] = []
    for age in ages:
        for each in _at(path, size, age, workers, whole=whole):
            found.append(each)
            if say:
                print(_line(each), flush=True)  # noqa: T201 - a script's output
        storage.append(_storage(path, size, age))
    return Scale(size=size, steps=tuple(found), storage=tuple(storage))


def _at(path: Path, size: Size, age: int, workers: int, *, whole: bool) -> Iterator[Step]:
    """Yield each step at one age."""
    night, every = _units(size, 1), _units(size, age)
    before = ((steps.add_nights, size, age - 1), (steps.plan_night,), (steps.grade_new,), (steps.log_new,))
    for work, *arguments in before:
        step("", age, {}, work, path, *arguments)
    if whole:
        yield step("site, full", age, _units(size, age - 1), steps.lay_out_anew, path)
    else:
        step("", age, {}, steps.lay_out, path)
    step("", age, {}, steps.add_nights, path, size, age)
    yield step("plan", age, night, steps.plan_night, path)
    yield step("tally a night", age, night, steps.tally, path)
    yield step("grade the night", age, night, steps.grade_new, path)
    yield step("log the night", age, night, steps.log_new, path)
    yield step("site, nightly", age, night, steps.lay_out, path)
    yield step("verify the night", age, night, steps.verify_night, path)
    if whole:
        yield from _over_all(path, age, every, workers)


def _over_all(path: Path, age: int, every: Mapping[str, int], workers: int) -> Iterator[Step]:
    """Yield each step that follows the whole archive, once the night is laid out."""
    yield step("verify everything", age, every, steps.verify_all, path)
    numbers = tuple(dict.fromkeys((0, workers)))
    copies = {number: _copy(path, f"regraded-{number}") for number in numbers}
    for number, copy in copies.items():
        yield step(f"re-grade, {number} workers" if number else "re-grade", age, every, steps.regrade, copy, number)
    expected = _kept(copies[0])
    if any(_kept(copy) != expected for copy in copies.values()):
        raise ValueError("the workers made other bytes than one process")
    for copy in copies.values():
        shutil.rmtree(copy)
    if scale_s3.missing() is None:
        copy = _copy(path, "in-a-bucket")
        with scale_s3.serving():
            scale_s3.upload(copy, f"after-{age}")
            yield step("re-grade, in a bucket", age, every, steps.regrade, copy, 0)
        shutil.rmtree(copy)


def _copy(path: Path, name: str) -> Path:
    """Return a root with the same archive, and neither a site nor a cache."""
    copy = path.with_name(name)
    shutil.copytree(path / "content", copy / "content")
    shutil.copytree(path / "archive", copy / "archive")
    return copy


def _kept(path: Path) -> dict[str, bytes]:
    """Return the manifests of an archive: they hold the digest of all else that grading keeps."""
    return {
        each.name: each.read_bytes()
        for kind in ("grades", "pages")
        for each in (path / "archive" / kind).rglob("*.json")
    }


def _units(size: Size, nights: int) -> dict[str, int]:
    return {"observations": nights * size.endpoints * size.prompts, "grades": nights * size.endpoints}


def _storage(path: Path, size: Size, age: int) -> Storage:
    archive, site = ([each for each in (path / name).rglob("*") if each.is_file()] for name in ("archive", "site"))
    return Storage(
        nights=age,
        **_units(size, age),
        archive_bytes=sum(each.stat().st_size for each in archive),
        archive_files=len(archive),
        site_bytes=sum(each.stat().st_size for each in site),
        site_files=len(site),
    )


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the exponent of the power law nearest to some points; None for fewer than two.

    Least squares over logarithms.
    """
    if len(points) < 2:
        return None
    xs, ys = ([math.log(point[axis]) for point in points] for axis in (0, 1))
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def table(scale: Scale) -> str:
    """Return the run as a Markdown table: each step's CPU at each age, rates at the last, peak and growth."""
    ages = sorted({each.nights for each in scale.steps})
    heads = " | ".join(f"{age} nights" for age in ages)
    lines = [
        f"| step | CPU s at {heads} | observations a CPU s | grades a CPU s | peak MB, first and last | growth |",
        f"| --- |{' ---: |' * (len(ages) + 4)}",
    ]
    steps = (*scale.steps, *nights(scale))
    for name in dict.fromkeys(each.name for each in steps):
        of = [each for each in steps if each.name == name]
        first, last = of[0], of[-1]
        grown = exponent([(each.nights, each.cpu_s) for each in of])
        peak = f"{first.peak_mb:,.0f}, {last.peak_mb:,.0f}"
        if "workers" in name:
            peak += f"; a worker {first.worker_peak_mb:,.0f}, {last.worker_peak_mb:,.0f}"
        cells = [f"{each.cpu_s:,.2f}" for each in of]
        rates = [f"{last.units[unit] / last.cpu_s:,.0f}" for unit in ("observations", "grades")]
        lines.append(f"| {' | '.join([name, *cells, *rates, peak, '' if grown is None else f'{grown:.2f}'])} |")
    return "\n".join(lines)


def nights(scale: Scale) -> Iterator[Step]:
    """Yield what all steps of a nightly run come to at each age at which all were measured."""
    for age in sorted({each.nights for each in scale.steps}):
        of = [each for each in scale.steps if each.nights == age and each.name in NIGHTLY]
        if len(of) == len(NIGHTLY):
            yield Step(
                name="a nightly run, but asking",
                nights=age,
                units=of[0].units,
                wall_s=sum(each.wall_s for each in of),
                cpu_s=sum(each.cpu_s for each in of),
                peak_mb=max(each.peak_mb for each in of),
            )


def _line(each: Step) -> str:
    spent = f"CPU {each.cpu_s:9.2f} s  wall {each.wall_s:9.2f} s  peak {each.peak_mb:7.0f} MB"
    return f"{each.nights:>4} nights  {each.name:<22} {spent}"


def main(arguments: list[str] | None = None) -> int:
    """Make, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--nights", type=int, nargs="+", default=[30, 90])
    parser.add_argument("--endpoints", type=int, default=200)
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--prompts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="of the spread re-grade; 0 leaves it out")
    parser.add_argument("--nightly", action="store_true", help="leave out what follows the whole archive")
    parser.add_argument("--folder", type=Path, help="where to build; by default the machine's temporary folder")
    parser.add_argument("--out", type=Path, help="also write the figures to this file, as JSON")
    asked = parser.parse_args(arguments)
    size = Size(endpoints=asked.endpoints, models=asked.models, prompts=asked.prompts, seed=asked.seed)
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        found = measured(Path(folder), size, sorted(asked.nights), asked.workers, whole=not asked.nightly)
    if scale_s3.missing() is not None:
        print(scale_s3.missing())  # noqa: T201 - a script's output
    print(f"\n{size.endpoints:,} endpoints of {size.models} models, {size.prompts} prompts a night\n")  # noqa: T201 - a script's output
    print(table(found))  # noqa: T201 - same
    if asked.out:
        asked.out.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
