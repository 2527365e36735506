"""Who agreed with whom: counts over the prompts that two endpoints of a model both answered. Not graded."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from generator.method.interface import NightTables
from generator.records.observation import Outcome


def agreements(nights: Iterable[NightTables], model: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Return, for each pair of a model's endpoints, how many answers were the same and how many both answered.

    Args:
        nights: the window's nights.
        model: whose endpoints are paired.
    """
    counted: dict[tuple[str, str], list[int]] = {}
    for tables in nights:
        rows = tables.observations.select(["model", "endpoint", "prompt_id", "outcome", "answer"]).to_pylist()
        answers: dict[str, dict[str, str]] = {}
        for row in rows:
            if row["model"] == model and row["outcome"] == Outcome.ANSWERED:
                answers.setdefault(row["prompt_id"], {})[row["endpoint"]] = row["answer"]
        for given in answers.values():
            for first, second in combinations(sorted(given), 2):
                count = counted.setdefault((first, second), [0, 0])
                count[0] += given[first] == given[second]
                count[1] += 1
    return {pair: (same, both) for pair, (same, both) in sorted(counted.items())}
