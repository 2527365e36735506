"""The guide's chapter on archives of years, written from the figures of a run: nothing in it was not measured.

    python -m tests.benchmarks.scale --endpoints 2000 --models 300 --nights 30 90 180 365 --out scale.json
    python -m tests.benchmarks.paper scale.json --out content/pages/guide/scale.md

What is said of more observations than were measured is arithmetic from the run's largest archive, and says so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tests.benchmarks.machine import machine
from tests.benchmarks.scale import Scale, Storage, table
from tests.benchmarks.scale_steps import Step

SIZES = (100_000_000, 10_000_000_000)
"""Observations."""
PRICES_SOURCE = (
    "the prices of Amazon S3 Standard in US East (N. Virginia) as cost guides of 2024 to March 2026 give them, not as "
    "Amazon does"
)
DOLLARS_A_GB_MONTH, DOLLARS_A_THOUSAND_PUTS, DOLLARS_A_THOUSAND_GETS = 0.023, 0.005, 0.0004
"""An assumption: the chapter states them, their source and that they change."""
_GB = 1e9

_CHAPTER = """# An archive of years, past one machine

Every night adds one folder to the archive, one file of grades, one of pages, and a few files of the log; nothing that
is there is written again. This chapter says what that comes to when there are thousands of endpoints and years of
nights, how to spread the work over machines, and what gives way first.

## Spreading the work

`bitdepth grade` and `bitdepth verify` do their work in one process. With the extra `bitdepth[cluster]` installed, both
spread it over processes by [Dask](https://distributed.dask.org/). This is not run by our tests in this form; they
start workers of their own:

```sh not-run
bitdepth grade --root . --workers 8                    # eight processes on this machine
bitdepth grade --root . --scheduler tcp://host:8786    # the workers of a scheduler that you run
```

A night is tallied by one task; one model's grades and pages of a week of windows are one task; what the models' tasks
made is put together by one more. Dask decides where each runs, and runs it again where a worker dies. Only the process
that you started writes to the archive, window by window, in the order and to the bytes of one process alone: how many
workers there are, which of them is first, and which of them is killed is nowhere in the archive.

A worker needs the same version of bitdepth and the same site root under the same path. Where the archive is in a
bucket (`archive` in `content/site.toml`), the root holds no more than `content/` and, if it has them, `templates/`.
Each worker compares the newest night, the log and the templates before its first task, and every table that it reads
with the digest that the night's record has; one that has another archive stops the run, and nothing is written. What
the workers do is shown by Dask's own dashboard where `bokeh` is installed.

## What was measured

On {date}, on {machine}: {endpoints:,} endpoints of {models:,} models, {prompts} prompts a night, made from a seed
(`tests/benchmarks/archive_root.py`). CPU time is that of the user and the system, with all workers'. Growth is the
exponent of the power law through a step's CPU times, by least squares over their logarithms: 1 is linear, 0 is flat.
{observations:,} observations and {grades:,} grades were in the largest archive; `bitdepth nightly` plans, asks,
grades, logs and lays out the night, and ends with a verification of what that added and of a sample.

Table: What each step takes, and how that grows

{table}
{larger}
A month is settled 31 days after its end: from then on no nightly run reads, renders or looks at anything of it. The
night on which it is settled takes longer: the 90th and the 365th of the nights above are such. What `bitdepth nightly`
does on a machine that keeps the site and the folders beside it is what was measured; on a runner that begins empty, as
GitHub's do, each night lays out and verifies the whole archive.

## What it takes to keep

Table: What archive and site come to

{storage}

## On paper

What follows was not measured: it is arithmetic from the largest archive above, each figure times the number of
observations over {observations:,}. It holds for as many observations a night as above and more nights. Dollars are at
{prices}: {gb_month} a GB and month, {puts} a thousand writes and {gets} a thousand reads. They change: put in your own.

Table: What more observations would come to

{paper}

## What gives way first

{breaks}
"""


def chapter(scale: Scale, larger: Scale | None = None, *, date: str) -> str:
    """Return the chapter.

    Args:
        scale: the run.
        larger: one of more endpoints, beside it; None where there is none.
        date: on which both were run.
    """
    last = max(scale.storage, key=lambda each: each.nights)
    return _CHAPTER.format(
        date=date,
        machine=machine(),
        endpoints=scale.size.endpoints,
        models=scale.size.models,
        prompts=scale.size.prompts,
        observations=last.observations,
        grades=last.grades,
        table=table(scale),
        larger="" if larger is None else _larger(larger),
        storage="\n".join(_storage(scale)),
        prices=PRICES_SOURCE,
        gb_month=f"${DOLLARS_A_GB_MONTH}",
        puts=f"${DOLLARS_A_THOUSAND_PUTS}",
        gets=f"${DOLLARS_A_THOUSAND_GETS}",
        paper="\n".join(_paper(scale, last)),
        breaks="\n".join(_breaks(scale, last)),
    )


def _larger(scale: Scale) -> str:
    size = scale.size
    return f"""
Table: The same with {size.endpoints:,} endpoints of {size.models:,} models, without what follows the whole archive

{table(scale)}
"""


def _storage(scale: Scale) -> Iterator[str]:
    yield "| nights | observations | grades | archive, MB | in files | site, MB | in files |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for each in scale.storage:
        yield (
            f"| {each.nights} | {each.observations:,} | {each.grades:,} | {each.archive_bytes / 1e6:,.1f} "
            f"| {each.archive_files:,} | {each.site_bytes / 1e6:,.1f} | {each.site_files:,} |"
        )


def _paper(scale: Scale, last: Storage) -> Iterator[str]:
    names = [f"{size:,} observations" for size in SIZES]
    yield f"| What | {' | '.join(names)} |"
    yield f"| --- |{' ---: |' * len(SIZES)}"
    times = [size / last.observations for size in SIZES]
    rows = {
        "nights as above": [f"{last.nights * each:,.0f}" for each in times],
        "archive, GB": [f"{last.archive_bytes * each / _GB:,.1f}" for each in times],
        "site, GB": [f"{last.site_bytes * each / _GB:,.1f}" for each in times],
        "both in a bucket, dollars a month": [
            f"{(last.archive_bytes + last.site_bytes) * each / _GB * DOLLARS_A_GB_MONTH:,.2f}" for each in times
        ],
        "writing each file of both once, dollars": [
            f"{(last.archive_files + last.site_files) * each / 1000 * DOLLARS_A_THOUSAND_PUTS:,.2f}" for each in times
        ],
        "reading the archive once, dollars": [
            f"{last.archive_files * each / 1000 * DOLLARS_A_THOUSAND_GETS:,.4f}" for each in times
        ],
    }
    for step, words in (("re-grade", "re-grading all"), ("verify everything", "verifying all")):
        found = _step(scale, step, last.nights)
        if found is not None:
            rows[f"{words}, CPU hours"] = [f"{found.cpu_s * each / 3600:,.1f}" for each in times]
    for head, cells in rows.items():
        yield f"| {head} | {' | '.join(cells)} |"


def _breaks(scale: Scale, last: Storage) -> Iterator[str]:
    files, size = last.archive_files / last.nights, last.archive_bytes / last.nights
    pages = last.site_files / last.nights
    calls = last.archive_files / 1000
    asked = scale.size.endpoints * scale.size.prompts
    yield (
        f"- **Git.** A night adds {files:,.0f} files and {size / 1e6:,.2f} MB to the archive, none of which a later "
        "commit compresses. A repository that holds the archive is cloned whole by every run. Past it: "
        '`archive = "s3://bucket/prefix"` in `content/site.toml`, and the repository holds `content/` alone.'
    )
    yield (
        f"- **Deploys.** A night adds {pages:,.0f} files to the site. A host that is sent the whole folder each night "
        "counts them all. Past it: `bitdepth publish s3://bucket/prefix`, which sends what is new or changed."
    )
    yield (
        f"- **Listing calls.** A bucket lists 1,000 names at a time: {calls:,.1f} calls for the archive of "
        f"{last.nights} nights. Past it: one bucket or prefix for each site, and nights that are looked up by their "
        "names, as grading does."
    )
    yield (
        f"- **Rate limits.** {asked:,} requests a night are {asked / 86_400:,.2f} a second around the clock. A "
        "router's limits are met before its prices are. Past it: lower `probing.concurrency` and "
        "`probing.concurrency_per_endpoint`, fewer models, or several sites that divide them."
    )
    verify = _step(scale, "verify everything", last.nights)
    if verify is not None:
        yield (
            f"- **A full verification**, once a week, reads everything: {verify.cpu_s:,.0f} CPU seconds at "
            f"{last.nights} nights. Past it: `bitdepth verify --workers N` or `--scheduler`, which spread it."
        )
    full = _step(scale, "site, full", last.nights)
    if verify is not None and full is not None:
        yield (
            "- **Runners that begin empty.** The job that publishes lays out the whole site, "
            f"{full.cpu_s:,.0f} CPU seconds at {last.nights} nights, verifies everything twice, and is ended after 120 "
            "minutes. Past it: `bitdepth nightly` by a timer on a machine that keeps its folders, and GitHub for the "
            "witness alone."
        )


def _step(scale: Scale, name: str, nights: int) -> Step | None:
    return next((each for each in scale.steps if each.name == name and each.nights == nights), None)


def main(arguments: list[str] | None = None) -> int:
    """Write the chapter."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.paper", description=__doc__.split("\n", 1)[0])
    parser.add_argument("scale", type=Path, help="what tests.benchmarks.scale wrote with --out")
    parser.add_argument("--larger", type=Path, help="a run of more endpoints, whose table stands beside it")
    parser.add_argument("--date", default=datetime.now(UTC).date().isoformat(), help="of the run")
    parser.add_argument("--out", type=Path, help="the chapter to write; else it is printed")
    asked = parser.parse_args(arguments)
    scale, larger = (
        None if file is None else msgspec.json.decode(file.read_bytes(), type=Scale)
        for file in (asked.scale, asked.larger)
    )
    text = chapter(scale, larger, date=asked.date)
    if asked.out is None:
        print(text)  # noqa: T201 - a script's output
    else:
        asked.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
