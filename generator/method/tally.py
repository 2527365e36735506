"""Each night once: its tables counted per model, endpoint and family. A window only adds these counts up."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from generator.errors import IntegrityError
from generator.method.columns import (
    OUTCOMES,
    Codes,
    Marks,
    NightColumns,
    count,
    count_levels,
    flat,
    night_columns,
)
from generator.method.interface import NightTables
from generator.method.night_tally import FamilyCounts, NightTally, OutcomeCounts
from generator.method.plurality import references
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.definition import Definition
from generator.records.observation import Outcome

__all__ = ["FamilyCounts", "NightTally", "OutcomeCounts", "tally_night"]


def tally_night(tables: NightTables, definition: Definition) -> NightTally:
    """Return a night's counts.

    Args:
        tables: the night as the archive keeps it.
        definition: says what makes an answer the reference; nothing else of it matters here.

    Raises:
        IntegrityError: where a row names an endpoint that the night does not list, or lacks a column's value.
    """
    prompts = tables.prompts.to_pylist()
    names = (tables.listings.column(name).to_pylist() for name in ("model", "endpoint"))
    keys = _shared(tuple(zip(*names, strict=True)))
    models = tuple(sorted({model for model, _ in keys}))
    rows = {key: row for row, key in enumerate(keys)}
    columns = night_columns(tables, rows)
    keyed = {prompt["prompt_id"] for prompt in prompts if prompt["expected"] is not None}
    families: dict[str, bool] = {}
    for prompt in prompts:
        families[prompt["family"]] = families.get(prompt["family"], False) or prompt["prompt_id"] in keyed
    compared, mismatches, questions = _matches(columns, keys, models, definition)
    fixed_ids, fixed, answers = _fixed(columns, len(keys))
    latencies, starts = _latencies(columns, len(keys))
    return NightTally(
        night=tables.night,
        latency_replayed=tables.latency_replayed,
        keyed=families,
        fixed_prompts={
            prompt["prompt_id"]: (prompt["family"], prompt["prompt"]) for prompt in prompts if prompt["fixed"]
        },
        listings=tables.listings,
        keys=keys,
        families=columns.families,
        counts=_counts(columns, len(keys), keyed, compared, mismatches),
        outcomes=_outcomes(columns, len(keys)),
        models=models,
        questions=questions,
        fixed_ids=fixed_ids,
        fixed=fixed,
        answers=answers,
        latencies_ms=latencies,
        latency_starts=starts,
        contexts=_contexts(tables, rows),
    )


@lru_cache(maxsize=2)
def _shared(keys: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the same keys: the very tuple of an earlier night that listed the same, kept once for all of them."""
    return keys


def _outcomes(columns: NightColumns, rows: int) -> Codes:
    """Return what each endpoint's requests came to, in the order of `OutcomeCounts`; R needs nothing else."""
    came = count(flat(columns.endpoint, len(OUTCOMES), columns.outcome), (rows, len(OUTCOMES)))
    of = {outcome: came[:, place] for place, outcome in enumerate(OUTCOMES)}
    sent = came.sum(axis=1) - of[Outcome.UNSENT]
    errors = of[Outcome.ERROR] + of[Outcome.EMPTY]
    kinds = (sent, errors, of[Outcome.ANSWERED], of[Outcome.TRUNCATED], of[Outcome.MISROUTED])
    return np.stack(kinds, axis=-1)


def _counts(columns: NightColumns, rows: int, keyed: set[str], compared: Marks, mismatches: Marks) -> Codes:
    """Return each endpoint's counts by family, in the order of `FamilyCounts`; M and T need nothing else."""
    has_key = np.array([prompt_id in keyed for prompt_id in columns.prompt_ids], dtype=np.bool_)[columns.prompt]
    counted = has_key & columns.is_one_of(Outcome.ANSWERED, Outcome.TRUNCATED)
    place, shape = flat(columns.endpoint, len(columns.families), columns.family), (rows, len(columns.families))
    judged = count_levels(place, shape, compared, mismatches)
    keyed_counts = count_levels(place, shape, has_key, counted, counted & columns.correct)
    return np.concatenate((judged, keyed_counts), axis=-1)


def _matches(
    columns: NightColumns, keys: tuple[tuple[str, str], ...], models: tuple[str, ...], definition: Definition
) -> tuple[Marks, Marks, Codes]:
    """Mark the observations that have a reference, and those answered otherwise; count each model's questions.

    A question is one prompt of one model. Counted are those sent to at least one endpoint, and of them those without a
    reference.
    """
    place = {model: at for at, model in enumerate(models)}
    question = flat(columns.prompt, len(columns.families), columns.family)
    used = count(question, (len(columns.prompt_ids) * len(columns.families),)) > 0
    prompts = int(used.sum())
    firsts = np.array([place[name] * prompts for name, _ in keys], dtype=np.int64)
    question = (np.cumsum(used) - 1)[question]
    question += firsts[columns.endpoint]
    size = len(models) * prompts
    answered = columns.is_one_of(Outcome.ANSWERED)
    rows = np.flatnonzero(answered)
    expected = references(question[rows], columns.answer[rows], size, definition)
    asked = np.zeros(size, dtype=np.bool_)
    asked[question[np.flatnonzero(~columns.is_one_of(Outcome.UNSENT))]] = True
    shape = (len(models), prompts)
    questions = [asked.reshape(shape).sum(axis=1), (asked & (expected < 0)).reshape(shape).sum(axis=1)]
    wanted = expected[question]
    compared = answered & (wanted >= 0)
    return compared, compared & (wanted != columns.answer), np.stack(questions, axis=-1)


def _fixed(columns: NightColumns, rows: int) -> tuple[tuple[str, ...], Codes, pa.Array]:
    """Return the answers to fixed prompts: the prompts' ids, the answers' codes by endpoint and prompt, the answers.

    The answers themselves are kept, not a digest of them, so that two nights are compared exactly.
    """
    given = np.flatnonzero(columns.fixed & columns.is_one_of(Outcome.ANSWERED))
    prompt, answer = columns.prompt[given], columns.answer[given]
    asked = count(prompt, (len(columns.prompt_ids),)) > 0
    used = count(answer, (len(columns.answers),)) > 0
    ids = tuple(prompt_id for prompt_id, is_asked in zip(columns.prompt_ids, asked.tolist(), strict=True) if is_asked)
    # Arrow numbers the words of a dictionary that it reads or makes in 32 bits.
    codes: Codes = np.full(rows * len(ids), -1, dtype=np.int32)
    cell = flat(columns.endpoint[given], len(ids), (np.cumsum(asked) - 1)[prompt])
    codes[cell] = (np.cumsum(used) - 1)[answer]
    return ids, codes.reshape(rows, len(ids)), columns.answers.take(_arrow(np.flatnonzero(used)))


def _arrow(numbers: Codes) -> pa.Array:
    """Return whole numbers of 64 bits as an Arrow array over the same memory."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def _latencies(columns: NightColumns, rows: int) -> tuple[Codes, Codes]:
    """Return the latencies of what was answered, endpoint by endpoint, and where each endpoint's start and end."""
    timed = np.flatnonzero(columns.has_latency & columns.is_one_of(Outcome.ANSWERED))
    endpoint = columns.endpoint[timed]
    latencies = columns.latency_ms[timed]
    if (endpoint[1:] < endpoint[:-1]).any():
        latencies = latencies[np.argsort(endpoint, kind="stable")]
    ends = np.cumsum(count(endpoint, (rows,)))
    return latencies, np.concatenate((np.zeros(1, dtype=np.int64), ends))


def _contexts(tables: NightTables, rows: dict[tuple[str, str], int]) -> dict[int, int]:
    """Return, by row of the listing, the size of the longest context probe answered."""
    context = tables.context
    longest: dict[int, int] = {}
    names = ("model", "endpoint", "rung_tokens", "outcome")
    for model, endpoint, tokens, outcome in zip(*(context.column(name).to_pylist() for name in names), strict=True):
        if outcome == Outcome.ANSWERED:
            row = rows.get((model, endpoint))
            if row is None or tokens is None:
                raise IntegrityError(
                    f"expected endpoints that the night lists, each with a size, found {endpoint!r} of {model!r}",
                    where=f"context probes of {tables.night.isoformat()}",
                    do=COMPARE_ELSEWHERE,
                )
            longest[row] = max(longest.get(row, tokens), tokens)
    return longest
