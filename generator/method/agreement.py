"""Who agreed with whom: counts over the prompts that two endpoints of a model both answered. Not graded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations

import pyarrow.compute as pc

from generator.method.interface import NightTables
from generator.records.observation import Outcome

_COLUMNS = ["endpoint", "prompt_id", "family", "outcome", "answer"]

Counts = tuple[str, int, int]
"""A family, how many answers were the same, and how many prompts both answered."""


def agreements(nights: Iterable[NightTables], model: str) -> dict[tuple[str, str], tuple[Counts, ...]]:
    """Return, for each pair of a model's endpoints, the counts of each family that both answered; all sorted.

    Args:
        nights: the window's nights.
        model: whose endpoints are paired.
    """
    counted: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(dict)
    for tables in nights:
        # A night holds every model's rows: only this one's are made into Python's values.
        rows = tables.observations.select(_COLUMNS).filter(pc.equal(tables.observations.column("model"), model))
        answers: dict[tuple[str, str], dict[str, str]] = {}
        for row in rows.to_pylist():
            if row["outcome"] == Outcome.ANSWERED:
                answers.setdefault((row["family"], row["prompt_id"]), {})[row["endpoint"]] = row["answer"]
        for (family, _), given in answers.items():
            for first, second in combinations(sorted(given), 2):
                count = counted[first, second].setdefault(family, [0, 0])
                count[0] += given[first] == given[second]
                count[1] += 1
    return {
        pair: tuple((family, same, both) for family, (same, both) in sorted(families.items()))
        for pair, families in sorted(counted.items())
    }
