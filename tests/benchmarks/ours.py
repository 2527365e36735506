"""Ours: each night tallied once, a window added up. The code that grades, on the same files as theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from generator.method.interface import NightTables
from generator.method.night_tally import FamilyCounts, NightTally, OutcomeCounts
from generator.method.tally import tally_night
from generator.method.window_counts import WindowCounts, add_up
from tests.benchmarks.archive_maker import WORDS, Made
from tests.benchmarks.figures import Figures, figures
from tests.method_variants import METHOD

COLUMNS = [*WORDS, "fixed", "correct", "latency_ms"]
WINDOW = METHOD.definition.window.nights


def tallies(made: Made, form: str) -> Iterator[NightTally]:
    """Yield each night's tally, ascending, from the files of a form."""
    prompts, listings, context = made.table("prompts"), made.table("listings"), made.table("context")
    words = {name: made.words(name) for name in WORDS} if form == "codes" else {}
    for number, path in enumerate(made.files(form)):
        night = NightTables(
            night=made.night(number),
            observations=_observations(path, words),
            prompts=prompts,
            listings=listings,
            context=context,
            latency_replayed=False,
        )
        tally = tally_night(night, METHOD.definition)
        # A night's table is let go before the next is read.
        del night
        yield tally


def _observations(path: Path, words: dict[str, pa.Array]) -> pa.Table:
    """Return a night's observations; codes with the words they stand for."""
    table = pq.ParquetFile(path).read(COLUMNS, use_threads=False)
    for name, dictionary in words.items():
        codes = table.column(name).chunks
        column = pa.chunked_array([pa.DictionaryArray.from_arrays(chunk, dictionary) for chunk in codes])
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def window(made: Made, form: str) -> WindowCounts:
    """Return the counts of the one window that all nights make."""
    return add_up(list(tallies(made, form)))


def windows(made: Made, form: str) -> Iterator[WindowCounts]:
    """Yield the counts of each whole window, ascending; no more nights are held than a window has."""
    held: list[NightTally] = []
    for tally in tallies(made, form):
        held.append(tally)
        if len(held) == WINDOW:
            yield add_up(held)
            del held[0]


def shown(counts: WindowCounts) -> Figures:
    """Return a window's counts as figures."""
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in ("match", "keyed", "outcomes", "pairs")}
    for row, (_, endpoint) in enumerate(counts.keys):
        outcomes = dict(zip(OutcomeCounts.__struct_fields__, counts.outcomes[row].tolist(), strict=True))
        tables["outcomes"].append({"endpoint": endpoint} | outcomes)
        for column, family in enumerate(counts.families):
            key = {"endpoint": endpoint, "family": family}
            found = dict(zip(FamilyCounts.__struct_fields__, counts.counts[row, column].tolist(), strict=True))
            pairs, differing = counts.pairs[row, column].tolist()
            tables["match"].append(key | found)
            tables["keyed"].append(key | found)
            tables["pairs"].append(key | {"pairs": pairs, "differing": differing})
    tables["references"] = [
        {"model": model, "asked": asked, "referenced": asked - without}
        for model, (asked, without) in zip(counts.models, counts.questions.tolist(), strict=True)
    ]
    return figures(tables, {})
