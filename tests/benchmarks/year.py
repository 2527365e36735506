"""Every whole window of many nights: ours with each night's counts shared, and Polars' streaming engine."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from importlib import import_module

import numpy as np
import pyarrow as pa

from generator.method.night_tally import FamilyCounts, OutcomeCounts
from tests.benchmarks import ours
from tests.benchmarks.archive_maker import Made
from tests.benchmarks.figures import COLUMNS

Sums = dict[int, dict[str, tuple[int, int]]]
"""By the number of a window's last night: by count, its sum, and its sum with each cell weighed by its place.

The weights tell a count in the wrong cell from one in the right cell.
"""

FORM = "codes"
OF_FAMILY = ("compared", "mismatches", "counted", "correct")
OF_ENDPOINT = COLUMNS["outcomes"][1]


def our_sums(made: Made) -> Sums:
    """Return every window's sums as we count them."""
    place = {
        name: at for column in ("endpoint", "family", "model") for at, name in enumerate(made.words(column).to_pylist())
    }
    found: Sums = {}
    for end, counts in enumerate(ours.windows(made, FORM), start=ours.WINDOW - 1):
        row = np.array([place[endpoint] + 1 for _, endpoint in counts.keys])
        cell = row[:, None] * np.array([place[family] + 1 for family in counts.families])
        columns = {name: counts.counts[..., FamilyCounts.__struct_fields__.index(name)] for name in OF_FAMILY}
        columns |= {"pairs": counts.pairs[..., 0], "differing": counts.pairs[..., 1]}
        sums = {name: (int(values.sum()), int((values * cell).sum())) for name, values in columns.items()}
        for name in OF_ENDPOINT:
            values = counts.outcomes[:, OutcomeCounts.__struct_fields__.index(name)]
            sums[name] = (int(values.sum()), int((values * row).sum()))
        model = np.array([place[name] + 1 for name in counts.models])
        asked, without = counts.questions.T
        for name, values in (("asked", asked), ("referenced", asked - without)):
            sums[name] = (int(values.sum()), int((values * model).sum()))
        found[end] = sums
    return found


def polars_sums(made: Made) -> Sums:
    """Return every window's sums as Polars counts them."""
    # Here, and not above: the peak of memory of a process that runs ours holds no other engine.
    import polars as pl  # noqa: PLC0415 - as said

    from tests.benchmarks import theirs_polars  # noqa: PLC0415 - as said

    tables = theirs_polars.year(made, FORM)
    row, cell = pl.col("endpoint").cast(pl.Int64) + 1, pl.col("family").cast(pl.Int64) + 1
    weights = {"counted": row * cell, "pairs": row * cell, "references": pl.col("model").cast(pl.Int64) + 1}
    found: Sums = {}
    for table, frame in tables.items():
        counts = [name for name in frame.columns if name not in {"night", "endpoint", "family", "model"}]
        weight = {name: row if name in OF_ENDPOINT else weights[table] for name in counts}
        summed = frame.group_by("night").agg(
            *(pl.col(name).sum() for name in counts),
            *((pl.col(name) * weight[name]).sum().alias(f"weighed {name}") for name in counts),
        )
        for line in summed.to_dicts():
            of_window = found.setdefault(line["night"], {})
            of_window |= {name: (line[name], line[f"weighed {name}"]) for name in counts}
    return found


YEARS: dict[str, Callable[[Made], Sums]] = {"ours": our_sums, "Polars streaming": polars_sums}


def measured_year(name: str, made: Made) -> tuple[Sums, float, float]:
    """Return an engine's sums, the CPU seconds they took, and the process's peak of memory in megabytes."""
    if name == "ours":
        # Arrow's usual pool keeps more than it uses, for the sake of threads: ours has one.
        pa.set_memory_pool(pa.system_memory_pool())
    else:
        # Its import is not on its clock.
        import_module("tests.benchmarks.theirs_polars")
    before = resource.getrusage(resource.RUSAGE_SELF)
    sums = YEARS[name](made)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Linux counts kilobytes, macOS bytes.
    return sums, seconds, after.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
