"""A window's counts: its nights' tallies added up, and the pairs of each two nights that follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TypeVar

import msgspec
import numpy as np

from generator.method.columns import Codes
from generator.method.night_tally import FamilyCounts, NightTally, OutcomeCounts
from generator.method.pairs import night_pairs

_Name = TypeVar("_Name", str, tuple[str, str])


class WindowCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What a window's endpoints come to."""

    keys: tuple[tuple[str, str], ...]
    """The (model, endpoint) of each row: listed on at least one night, sorted."""
    families: tuple[str, ...]
    """Of the columns, sorted."""
    counts: Codes
    """Rows x families x the fields of `FamilyCounts`."""
    outcomes: Codes
    """Rows x the fields of `OutcomeCounts`."""
    pairs: Codes
    """Rows x families x 2: night-to-night pairs, and those that differ."""
    models: tuple[str, ...]
    """Sorted."""
    questions: Codes
    """Models x 2: prompts sent to at least one endpoint, and those of them without a reference."""


def add_up(tallies: Sequence[NightTally]) -> WindowCounts:
    """Return a window's counts.

    Args:
        tallies: the window's nights, ascending; no night is skipped over.
    """
    pairs = [night_pairs(earlier, later) for earlier, later in pairwise(tallies)]
    keys = _union([tally.keys for tally in tallies])
    models = _union([tally.models for tally in tallies])
    families = _union([tally.families for tally in tallies] + [pair.families for pair in pairs])
    window = WindowCounts(
        keys=keys,
        families=families,
        counts=_zeros(len(keys), len(families), len(FamilyCounts.__struct_fields__)),
        outcomes=_zeros(len(keys), len(OutcomeCounts.__struct_fields__)),
        pairs=_zeros(len(keys), len(families), 2),
        models=models,
        questions=_zeros(len(models), 2),
    )
    row_of, column_of, model_of = _places(keys), _places(families), _places(models)
    for tally in tallies:
        rows = _rows(tally.keys, keys, row_of)
        window.counts[_cells(rows, _rows(tally.families, families, column_of))] += tally.counts
        window.outcomes[rows] += tally.outcomes
        window.questions[_rows(tally.models, models, model_of)] += tally.questions
    for pair in pairs:
        rows = _rows(pair.keys, keys, row_of)
        window.pairs[_cells(rows, _rows(pair.families, families, column_of))] += pair.counts
    return window


def _union(parts: Sequence[tuple[_Name, ...]]) -> tuple[_Name, ...]:
    """Return everything that stands in some part, sorted."""
    # Nights that list the same endpoints share one tuple, which is looked through once; what is in order stays so.
    distinct = {id(part): part for part in parts}.values()
    return tuple(sorted(dict.fromkeys(chain.from_iterable(distinct))))


def _places(whole: tuple[_Name, ...]) -> dict[_Name, int]:
    return {name: place for place, name in enumerate(whole)}


def _rows(part: tuple[_Name, ...], whole: tuple[_Name, ...], places: dict[_Name, int]) -> Codes | slice:
    """Return where the names of a part stand in the whole; all of it is a slice, which adds up without a copy."""
    if part == whole:
        return slice(None)
    return np.array([places[name] for name in part], dtype=np.int64)


def _cells(rows: Codes | slice, columns: Codes | slice) -> tuple[Codes | slice, ...]:
    """Return the index of every cell in some rows and some columns."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        return rows, columns
    return np.ix_(rows, columns)


def _zeros(*shape: int) -> Codes:
    return np.zeros(shape, dtype=np.int64)
