"""The same figures as lazy queries, as a user of Polars would write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tests.benchmarks.archive_maker import OUTCOMES, Made
from tests.benchmarks.figures import COLUMNS, Figures, figures
from tests.method_variants import METHOD

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTION = ["night", "model", "prompt_id"]
WINDOW = METHOD.definition.window.nights


def queries(observations: pl.LazyFrame, form: str, by: Sequence[str] = ()) -> dict[str, pl.LazyFrame]:
    """Return the queries of each table, summed over all nights or, with `by=['night']`, night by night."""
    is_ = {
        str(o): pl.col("outcome") == (pl.lit(place, pl.Int32) if form == "codes" else pl.lit(str(o)))
        for place, o in enumerate(OUTCOMES)
    }
    given = observations.filter(is_["answered"]).group_by(*QUESTION, "answer").len("given")
    reference = (
        given.group_by(QUESTION)
        .agg(
            reference=pl.col("answer").get(pl.col("given").arg_max()),
            most=pl.col("given").max(),
            first=(pl.col("given") == pl.col("given").max()).sum(),
        )
        .filter(pl.col("most") >= METHOD.definition.reference.min_agreeing, pl.col("first") == 1)
        .select(*QUESTION, "reference")
    )
    has_reference = is_["answered"] & pl.col("reference").is_not_null()
    counted = (
        observations.join(reference, on=QUESTION, how="left")
        .group_by(*by, "endpoint", "family")
        .agg(
            compared=has_reference.sum(),
            mismatches=(has_reference & (pl.col("answer") != pl.col("reference"))).sum(),
            counted=pl.col("correct").count(),
            correct=pl.col("correct").sum(),
            sent=(~is_["unsent"]).sum(),
            errors=(is_["error"] | is_["empty"]).sum(),
            answered=is_["answered"].sum(),
            truncated=is_["truncated"].sum(),
            misrouted=is_["misrouted"].sum(),
        )
    )
    fixed = observations.filter(is_["answered"], pl.col("fixed")).select(
        "night", "endpoint", "prompt_id", "family", "answer"
    )
    before = fixed.select(pl.col("night") + 1, "endpoint", "prompt_id", before="answer")
    pairs = (
        fixed.join(before, on=["night", "endpoint", "prompt_id"])
        .group_by(*by, "endpoint", "family")
        .agg(pairs=pl.len(), differing=(pl.col("answer") != pl.col("before")).sum())
    )
    asked = observations.filter(~is_["unsent"]).select(QUESTION).unique()
    references = (
        asked.join(reference, on=QUESTION, how="left")
        .group_by(*by, "model")
        .agg(asked=pl.len(), referenced=pl.col("reference").count())
    )
    return {"counted": counted, "pairs": pairs, "references": references}


def run(made: Made, form: str) -> dict[str, pl.DataFrame]:
    """Return the tables of the one window that all nights make."""
    asked = queries(_observations(made, form), form)
    found = dict(zip(asked, pl.collect_all(list(asked.values())), strict=True))
    counted = found.pop("counted")
    outcomes = COLUMNS["outcomes"][1]
    return found | {
        "match": counted.select("endpoint", "family", "compared", "mismatches"),
        "keyed": counted.select("endpoint", "family", "counted", "correct"),
        "outcomes": counted.group_by("endpoint").agg(pl.col(outcomes).sum()),
    }


def year(made: Made, form: str) -> dict[str, pl.DataFrame]:
    """Return the tables of every whole window: nightly counts with the streaming engine, then rolling sums.

    Every endpoint is listed on every night here and has a pair in every family, so that a window is so many rows.
    """
    asked = queries(_observations(made, form), form, by=["night"])
    nightly = dict(zip(asked, pl.collect_all(list(asked.values()), engine="streaming"), strict=True))
    rolled = {}
    for name, frame in nightly.items():
        keys = [key for key in ("endpoint", "family", "model") if key in frame.columns]
        counts = [column for column in frame.columns if column not in {*keys, "night"}]
        # A window of so many nights has one pair of nights fewer.
        size = WINDOW - 1 if name == "pairs" else WINDOW
        rolled[name] = (
            frame.sort(*keys, "night")
            .with_columns(pl.col(counts).cast(pl.Int64).rolling_sum(size).over(keys))
            .filter(pl.col("night") >= WINDOW - 1)
        )
    return rolled


def shown(tables: dict[str, pl.DataFrame], words: dict[str, list[str]]) -> Figures:
    """Return the tables as figures."""
    return figures({name: frame.to_dicts() for name, frame in tables.items()}, words)


def _observations(made: Made, form: str) -> pl.LazyFrame:
    return pl.scan_parquet(made.files(form)).drop("latency_ms")
