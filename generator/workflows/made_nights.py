"""Nights made in memory, in the archive's own columns, so that the method reads them as it reads recorded ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

import msgspec
import pyarrow as pa

from generator.archive import codec, schema
from generator.method.interface import NightTables
from generator.records.endpoint import Endpoint
from generator.records.observation import Outcome
from generator.records.prompt import Prompt

FIRST_NIGHT = date(2001, 1, 1)
"""Made nights need dates and have none: these are nobody's, and stand in no file."""


class MadeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one prompt at one endpoint: what the method reads of an observation."""

    model: str
    endpoint: str
    prompt: Prompt
    outcome: Outcome
    answer: str | None
    correct: bool | None


def made_dates(count: int) -> tuple[date, ...]:
    """Return so many consecutive nights."""
    return tuple(FIRST_NIGHT + timedelta(days=index) for index in range(count))


def made_night(
    night: date, answers: Iterable[MadeAnswer], prompts: Sequence[Prompt], precisions: dict[tuple[str, str], str | None]
) -> NightTables:
    """Return a night's tables.

    Args:
        night: its date.
        answers: one for each prompt and endpoint.
        prompts: what was asked.
        precisions: by (model, endpoint), what each listed endpoint declares.
    """
    rows = sorted(answers, key=lambda row: (row.model, row.endpoint, row.prompt.prompt_id))
    known: dict[str, list[Any]] = {
        "model": [row.model for row in rows],
        "endpoint": [row.endpoint for row in rows],
        "prompt_id": [row.prompt.prompt_id for row in rows],
        "family": [row.prompt.family for row in rows],
        "fixed": [row.prompt.fixed for row in rows],
        "outcome": [str(row.outcome) for row in rows],
        "answer": [row.answer for row in rows],
        "correct": [row.correct for row in rows],
    }
    return NightTables(
        night=night,
        observations=pa.Table.from_arrays(
            [_column(field, known.get(field.name), len(rows)) for field in schema.OBSERVATIONS],
            schema=schema.OBSERVATIONS,
        ),
        prompts=codec.prompts_table(prompts),
        listings=codec.listings_table(_listed(*key, precision) for key, precision in precisions.items()),
        context=schema.CONTEXT.empty_table(),
        latency_replayed=True,
    )


def _column(field: pa.Field, values: list[Any] | None, length: int) -> pa.Array:
    """Return a column; one that nothing is known of is null throughout."""
    if values is None:
        return pa.nulls(length, type=field.type)
    if pa.types.is_dictionary(field.type):
        return pa.array(values, type=pa.string()).dictionary_encode()
    return pa.array(values, type=field.type)


def _listed(model: str, endpoint: str, precision: str | None) -> Endpoint:
    return Endpoint(
        model=model,
        model_id=model,
        endpoint=endpoint,
        provider=endpoint,
        tag=endpoint,
        listings=1,
        declared_precision=precision,
        context_length=None,
        max_completion_tokens=None,
        first_listed=FIRST_NIGHT,
        succeeded_from=None,
        price_prompt=None,
        price_completion=None,
        status=None,
        raw="{}",
    )
