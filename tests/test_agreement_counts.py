"""Who agreed with whom, counted: pairs of endpoints of one model, family by family, over the answers of a window."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa

from generator.method.agreement import agreements
from generator.method.interface import NightTables
from generator.records.observation import Outcome

Row = tuple[str, str, str, str, Outcome, str | None]
"""Model, endpoint, prompt, family, outcome, answer."""


def window(*nights: list[Row]) -> list[NightTables]:
    """Return nights with so many observations each, and nothing beside them."""
    names = ["model", "endpoint", "prompt_id", "family", "outcome", "answer"]
    nothing = pa.table({})
    return [
        NightTables(
            night=date(2026, 1, 1) + timedelta(days=day),
            observations=pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows]),
            prompts=nothing,
            listings=nothing,
            context=nothing,
            latency_replayed=False,
        )
        for day, rows in enumerate(nights)
    ]


def row(endpoint: str, prompt: str, answer: str | None, outcome: Outcome = Outcome.ANSWERED, model: str = "m") -> Row:
    """Return an observation; a prompt's family is what its name begins with."""
    return model, endpoint, prompt, prompt.partition("-")[0], outcome, answer


def test_pairs_and_families_are_counted_over_all_nights():
    """Each night's prompts are compared within the night; pairs and families come sorted."""
    first = [row("b", "sort-1", "x"), row("a", "sort-1", "x"), row("a", "copy-1", "y"), row("b", "copy-1", "z")]
    second = [row("a", "sort-1", "q"), row("b", "sort-1", "q"), row("c", "sort-1", "x")]
    assert agreements(window(first, second), "m") == {
        ("a", "b"): (("copy", 0, 1), ("sort", 2, 2)),
        ("a", "c"): (("sort", 0, 1),),
        ("b", "c"): (("sort", 0, 1),),
    }


def test_only_answers_of_the_model_count():
    """A truncated or failed observation, and another model's, is no answer: without two there is no pair."""
    rows = [
        row("a", "sort-1", "x"),
        row("b", "sort-1", "x", Outcome.TRUNCATED),
        row("c", "sort-1", None, Outcome.ERROR),
        row("d", "sort-1", "x", model="other"),
    ]
    assert agreements(window(rows), "m") == {}
