"""One model over one window, row by row: what was asked, what came back, and which answer was the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import msgspec
import pyarrow as pa

from generator.method.interface import NightTables
from generator.method.reference import reference
from generator.records.definition import Definition
from generator.records.endpoint import Endpoint
from generator.records.explanation import NoReference
from generator.records.observation import Observation, Outcome
from generator.records.prompt import Prompt

_COLUMNS = [
    "model",
    "endpoint",
    "prompt_id",
    "family",
    "fixed",
    "outcome",
    "answer",
    "text",
    "correct",
    "error_kind",
    "http_status",
    "finish_reason",
    "served_provider",
    "served_model",
]


class PromptReference(msgspec.Struct, frozen=True, kw_only=True):
    """What the answers to one prompt of one night come to."""

    answered: int
    """Endpoints that answered."""
    most_given: int
    """How many of them gave the answer that was given most."""
    answer: str | None
    """The reference."""
    missing: NoReference | None
    """Why there is none."""
    agreed: tuple[str, ...]
    """The endpoints that gave it, sorted."""


class NightRows(msgspec.Struct, frozen=True, kw_only=True):
    """One model on one night."""

    night: date
    prompts: dict[str, Prompt]
    """Of the night, by id."""
    listed: dict[str, Endpoint]
    """By endpoint."""
    observations: dict[str, dict[str, Observation]]
    """By endpoint, then prompt_id, sorted."""
    references: dict[str, PromptReference]
    """By prompt_id, of the prompts sent to at least one endpoint."""

    def of(self, endpoint: str) -> tuple[Observation, ...]:
        """Return an endpoint's observations, by prompt_id."""
        return tuple(self.observations.get(endpoint, {}).values())

    def compared(self, observation: Observation) -> PromptReference | None:
        """Return the reference that an observation is held against, or None where it is held against none."""
        if observation.outcome != Outcome.ANSWERED:
            return None
        found = self.references[observation.prompt_id]
        return None if found.answer is None else found

    def keyed(self, observation: Observation) -> bool:
        """True where the prompt has a key."""
        return self.prompts[observation.prompt_id].expected is not None

    def counted(self, observation: Observation) -> bool:
        """True where a keyed prompt was answered, or began to be: column T counts it."""
        return self.keyed(observation) and observation.outcome in {Outcome.ANSWERED, Outcome.TRUNCATED}


class ModelRows(msgspec.Struct, frozen=True, kw_only=True):
    """One model over a window."""

    model: str
    nights: tuple[NightRows, ...]
    """Every night of the window, ascending, whether or not it listed the model."""
    families: tuple[str, ...]
    """Of the window's prompts, sorted."""
    keyed_families: tuple[str, ...]

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Every endpoint listed on at least one night, sorted."""
        return tuple(sorted({endpoint for night in self.nights for endpoint in night.listed}))


class NightByModel(msgspec.Struct, frozen=True, kw_only=True):
    """A night's tables, apart by model."""

    night: date
    prompts: dict[str, Prompt]
    observations: dict[str, pa.Table]
    listings: dict[str, pa.Table]


def night_by_model(tables: NightTables) -> NightByModel:
    """Return a night's tables apart by model, so that each row is looked at once however many models there are."""
    return NightByModel(
        night=tables.night,
        prompts={row["prompt_id"]: Prompt(**row) for row in tables.prompts.to_pylist()},
        observations=_by_model(tables.observations.select(_COLUMNS)),
        listings=_by_model(tables.listings),
    )


def model_rows(nights: Sequence[NightByModel], model: str, definition: Definition) -> ModelRows:
    """Return a model's rows of a window.

    Args:
        nights: the window's, ascending.
        model: whose rows are taken.
        definition: says what makes an answer the reference.
    """
    found = tuple(_night_rows(night, model, definition) for night in nights)
    prompts = [prompt for night in found for prompt in night.prompts.values()]
    return ModelRows(
        model=model,
        nights=found,
        families=tuple(sorted({prompt.family for prompt in prompts})),
        keyed_families=tuple(sorted({prompt.family for prompt in prompts if prompt.expected is not None})),
    )


def _night_rows(night: NightByModel, model: str, definition: Definition) -> NightRows:
    observations: dict[str, dict[str, Observation]] = {}
    sent: dict[str, list[Observation]] = {}
    for row in _rows(night.observations, model):
        observation = Observation(**row | {"outcome": Outcome(row["outcome"])})
        observations.setdefault(observation.endpoint, {})[observation.prompt_id] = observation
        if observation.outcome != Outcome.UNSENT:
            sent.setdefault(observation.prompt_id, []).append(observation)
    return NightRows(
        night=night.night,
        prompts=night.prompts,
        listed={row["endpoint"]: Endpoint(**row) for row in _rows(night.listings, model)},
        observations={endpoint: dict(sorted(rows.items())) for endpoint, rows in observations.items()},
        references={prompt_id: _reference(rows, definition) for prompt_id, rows in sent.items()},
    )


def _by_model(table: pa.Table) -> dict[str, pa.Table]:
    places: dict[str, list[int]] = {}
    for place, model in enumerate(table.column("model").to_pylist()):
        places.setdefault(model, []).append(place)
    return {model: table.take(found) for model, found in places.items()}


def _rows(tables: dict[str, pa.Table], model: str) -> list[dict[str, Any]]:
    return tables[model].to_pylist() if model in tables else []


def _reference(sent: Sequence[Observation], definition: Definition) -> PromptReference:
    """Return what the answers to a prompt come to, from the observations that reached an endpoint."""
    given = {row.endpoint: row.answer or "" for row in sent if row.outcome == Outcome.ANSWERED}
    ranked = [count for _, count in Counter(given.values()).most_common(2)]
    answer = reference(given.values(), definition)
    return PromptReference(
        answered=len(given),
        most_given=ranked[0] if ranked else 0,
        answer=answer,
        missing=_missing(ranked, definition) if answer is None else None,
        agreed=tuple(sorted(endpoint for endpoint, each in given.items() if answer is not None and each == answer)),
    )


def _missing(ranked: Sequence[int], definition: Definition) -> NoReference:
    """Return why there is no reference, from how often the two answers given most were given."""
    if not ranked:
        return NoReference.NO_ANSWER
    if ranked[0] < definition.reference.min_agreeing:
        return NoReference.TOO_FEW
    if len(ranked) > 1 and ranked[0] == ranked[1]:
        return NoReference.TIE
    return NoReference.SHARE
