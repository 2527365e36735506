"""What the scaling benchmark says follows from what it measured; nothing here looks at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.workflows.world import Root
from tests.benchmarks import printed
from tests.benchmarks.all import page
from tests.benchmarks.archive_root import FIRST, Size, begin, grow
from tests.benchmarks.paper import chapter
from tests.benchmarks.scale import NIGHTLY, Scale, Storage, exponent, nights, table
from tests.benchmarks.scale_steps import Step

SIZE = Size(endpoints=6, models=2, prompts=10, seed=3)


def made(path: Path, *nights: int) -> dict[str, bytes]:
    """Return the nights' files of a root that grew in some steps."""
    root = begin(path)
    for each in nights:
        grow(root, SIZE, each)
    folder = path / "archive" / "nights"
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def step(name: str, nights: int, cpu_s: float) -> Step:
    """Return what a step took, were it so."""
    units = {"observations": nights * 60, "grades": nights * 6}
    return Step(name=name, nights=nights, units=units, wall_s=cpu_s, cpu_s=cpu_s, peak_mb=100)


SCALE = Scale(
    size=SIZE,
    steps=tuple(
        step(name, nights, cpu_s * growth(nights))
        for name, cpu_s, growth in (
            ("grade the night", 2.0, lambda _: 1),
            ("verify everything", 0.5, lambda nights: nights),
            ("re-grade", 1.0, lambda nights: nights),
        )
        for nights in (10, 40)
    ),
    storage=tuple(
        Storage(
            nights=nights,
            observations=nights * 60,
            grades=nights * 6,
            archive_bytes=nights * 1000,
            archive_files=nights * 9,
            site_bytes=nights * 5000,
            site_files=nights * 20,
        )
        for nights in (10, 40)
    ),
)


def test_an_archive_grows_into_the_same_nights(tmp_path: Path) -> None:
    """Made at once or night after night, byte for byte; and another seed makes others."""
    assert made(tmp_path / "one", 3) == made(tmp_path / "two", 1, 2, 3)
    other = begin(tmp_path / "other")
    grow(other, Size(endpoints=6, models=2, prompts=10, seed=4), 1)
    first = f"{FIRST}/observations.parquet"
    assert (tmp_path / "other/archive/nights" / first).read_bytes() != (
        tmp_path / "one/archive/nights" / first
    ).read_bytes()


def test_a_night_is_one_that_counts(tmp_path: Path) -> None:
    """Every endpoint is asked every prompt, each model has two endpoints at least, and the record counts its rows."""
    made(tmp_path / "root", 1)
    nights = Root(tmp_path / "root").store.nights
    kept = nights.get(FIRST)
    rows = nights.table(kept.record, "observations").to_pylist()
    assert kept.counts
    assert len(rows) == kept.record.counts.planned == 60
    assert [(row["model"], row["endpoint"], row["prompt_id"]) for row in rows] == sorted(
        (row["model"], row["endpoint"], row["prompt_id"]) for row in rows
    )
    listed = [row["model"] for row in nights.table(kept.record, "listings").to_pylist()]
    assert min(listed.count(model) for model in set(listed)) >= 2


@pytest.mark.parametrize(("power", "expected"), [(0, 0.0), (1, 1.0), (0.5, 0.5)])
def test_the_exponent_is_that_of_a_power_law(power: float, expected: float) -> None:
    """Points that lie on one give it back, whatever its factor."""
    assert exponent([(n, 3 * n**power) for n in (30, 90, 180, 365)]) == pytest.approx(expected)


def test_one_age_has_no_growth() -> None:
    """A single point lies on every line."""
    assert exponent([(30, 2.0)]) is None


def test_the_table_says_what_was_measured() -> None:
    """CPU seconds at each age, rates and growth of each step."""
    lines = table(SCALE).splitlines()
    assert lines[0].startswith("| step | CPU s at 10 nights | 40 nights |")
    assert "| grade the night | 2.00 | 2.00 | 1,200 | 120 | 100, 100 | 0.00 |" in lines
    assert "| re-grade | 10.00 | 40.00 | 60 | 6 | 100, 100 | 1.00 |" in lines


def test_a_nightly_run_is_the_sum_of_its_steps() -> None:
    """At each age at which all of them were measured; what follows the whole archive is none of them."""
    assert list(nights(SCALE)) == []
    others = [name for name in NIGHTLY if name != "grade the night"]
    steps = [*SCALE.steps, *(step(name, 40, 3.0) for name in others), step(others[0], 10, 3.0)]
    scale = Scale(size=SIZE, steps=tuple(steps), storage=())
    (found,) = nights(scale)
    assert (found.nights, found.cpu_s) == (40, 2.0 + 3.0 * (len(NIGHTLY) - 1))


def test_the_chapter_is_arithmetic_from_it() -> None:
    """A hundred million observations are so many times the largest archive, in bytes, files and hours."""
    text = chapter(SCALE, date="2030-01-01")
    # 100,000,000 over 2,400 observations: 41,666.7 times 40,000 bytes, 360 files and 20 and 40 CPU seconds.
    assert "| archive, GB | 1.7 | 166.7 |" in text
    assert "| re-grading all, CPU hours | 463.0 | 46,296.3 |" in text
    assert "| verifying all, CPU hours | 231.5 | 23,148.1 |" in text
    assert "| 40 | 2,400 | 240 | 0.0 | 360 | 0.2 | 800 |" in text
    assert text.startswith("# ")


def test_a_larger_run_stands_beside_it() -> None:
    """Its table, under what it was measured on; the arithmetic stays that of the first."""
    size = Size(endpoints=2000, models=300, prompts=10, seed=3)
    larger = Scale(size=size, steps=(step("plan", 10, 0.5),), storage=())
    text = chapter(SCALE, larger, date="2030-01-01")
    assert "Table: The same with 2,000 endpoints of 300 models, without what follows the whole archive" in text
    assert "| plan | 0.50 |" in text
    assert "| archive, GB | 1.7 | 166.7 |" in text
    assert "2,000" not in chapter(SCALE, date="2030-01-01")


def test_what_benchmarks_print_is_read_back() -> None:
    """Rows of each form of table, with the ratio that each prints."""
    window = (
        "x\n\n| on | engine | CPU s (median) | times ours |\n| --- | --- | ---: | ---: |\n"
        "| codes | Polars | 0.2 | 2.00 |\n"
    )
    (row,) = printed.grading_rows(window)
    assert (row.task, row.who, row.figure, row.ratio) == ("one window, on codes", "Polars", "0.2 CPU s", "2.00")
    clients = (
        "| connections | client | requests/s | / raw | CPU ms/request | / raw | median latency ms | / raw |\n"
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| 50 | ours | 900 | 0.990 | 1 | 2.000 | 50 | 1.010 |\n"
    )
    (row,) = printed.probing_rows(clients)
    assert (row.who, row.ratio, row.against) == ("ours", "0.990", "raw asyncio")
    (full,) = printed.site_rows(
        "Full\n\n| who | CPU s | pages per CPU s | times ours | peak MB |\n|---|--|--|--|--|\n"
        "| Hugo | 3 | 4 | 1.50 | 90 |\n"
    )
    assert (full.task, full.who, full.figure, full.ratio) == ("Full", "Hugo", "3 CPU s, 90 MB", "1.50")
    steps = list(printed.scale_rows(f"6 endpoints\n\n{table(SCALE)}\n"))
    assert steps[0].task == "grade the night, 40 nights (6 endpoints)"
    assert steps[0].figure == "2.00 CPU s, 100, 100 MB; growth 0.00"
    text = page([row, full], date="2030-01-01", how="")
    assert "| site | Full | Hugo | 3 CPU s, 90 MB | 1.50 | ours |" in text
    assert "2030-01-01" in text
