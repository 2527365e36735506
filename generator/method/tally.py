"""Each night once: its tables counted per model, endpoint and family. A window only adds these counts up."""

from __future__ import annotations

from collections import defaultdict
from datetime import date

import msgspec
import pyarrow as pa

from generator.method.interface import NightTables
from generator.method.reference import reference
from generator.records.definition import Definition
from generator.records.endpoint import Endpoint
from generator.records.observation import Outcome


class FamilyCounts(msgspec.Struct, kw_only=True):
    """One endpoint's prompts of one family on one night."""

    compared: int = 0
    """Answered prompts that have a reference."""
    mismatches: int = 0
    """Those answered otherwise than the reference."""
    planned_keyed: int = 0
    """Prompts with a key that were planned, whatever came of them."""
    counted: int = 0
    """Prompts with a key that were answered or truncated."""
    correct: int = 0

    def add(self, other: FamilyCounts) -> None:
        """Add another night's counts to these."""
        self.compared += other.compared
        self.mismatches += other.mismatches
        self.planned_keyed += other.planned_keyed
        self.counted += other.counted
        self.correct += other.correct


class OutcomeCounts(msgspec.Struct, kw_only=True):
    """What requests came to, over a night or a window."""

    sent: int = 0
    """All but unsent."""
    errors: int = 0
    """Errors and empty answers."""
    answered: int = 0
    truncated: int = 0
    misrouted: int = 0

    def add(self, other: OutcomeCounts) -> None:
        """Add another night's counts to these."""
        self.sent += other.sent
        self.errors += other.errors
        self.answered += other.answered
        self.truncated += other.truncated
        self.misrouted += other.misrouted


class EndpointNight(msgspec.Struct, kw_only=True):
    """One endpoint on one night."""

    listed: Endpoint
    families: dict[str, FamilyCounts]
    outcomes: OutcomeCounts
    fixed_answers: dict[str, str]
    """By prompt_id, the answers to fixed prompts."""
    latencies_ms: list[int]
    """Of answered observations."""
    context_observed: int | None = None
    """Prompt tokens of the longest context probe answered."""

    def family(self, family: str) -> FamilyCounts:
        """Return a family's counts; none of its prompts were planned where there are none."""
        return self.families.get(family) or FamilyCounts()


class ModelNight(msgspec.Struct, kw_only=True):
    """One model on one night."""

    endpoints: dict[str, EndpointNight]
    pairs: int = 0
    """Prompts sent to at least one endpoint."""
    pairs_without_reference: int = 0


class NightTally(msgspec.Struct, kw_only=True):
    """One night, counted."""

    night: date
    latency_replayed: bool
    families: dict[str, bool]
    """By family of the night's prompts, whether any of them has a key."""
    fixed_prompts: dict[str, tuple[str, str]]
    """By prompt_id, the family and the text of each fixed prompt."""
    models: dict[str, ModelNight]


def tally_night(tables: NightTables, definition: Definition) -> NightTally:
    """Return a night's counts.

    Args:
        tables: the night as the archive keeps it.
        definition: says what makes an answer the reference.
    """
    prompts = tables.prompts.to_pylist()
    keyed = {prompt["prompt_id"] for prompt in prompts if prompt["expected"] is not None}
    families: dict[str, bool] = defaultdict(bool)
    for prompt in prompts:
        families[prompt["family"]] |= prompt["prompt_id"] in keyed
    tally = NightTally(
        night=tables.night,
        latency_replayed=tables.latency_replayed,
        families=dict(families),
        fixed_prompts={
            prompt["prompt_id"]: (prompt["family"], prompt["prompt"]) for prompt in prompts if prompt["fixed"]
        },
        models=_listed(tables.listings),
    )
    _count_outcomes(tally, tables.observations, keyed)
    _count_matches(tally, tables.observations, definition)
    _note_context(tally, tables.context)
    return tally


def _listed(listings: pa.Table) -> dict[str, ModelNight]:
    """Return each listed endpoint with nothing counted yet."""
    models: dict[str, ModelNight] = {}
    for row in listings.to_pylist():
        model = models.setdefault(row["model"], ModelNight(endpoints={}))
        model.endpoints[row["endpoint"]] = EndpointNight(
            listed=Endpoint(**row),
            families=defaultdict(FamilyCounts),
            outcomes=OutcomeCounts(),
            fixed_answers={},
            latencies_ms=[],
        )
    return models


def _count_outcomes(tally: NightTally, observations: pa.Table, keyed: set[str]) -> None:
    """Count what each endpoint's requests came to; R and T need nothing else."""
    columns = ("model", "endpoint", "prompt_id", "family", "fixed", "outcome", "answer", "correct", "latency_ms")
    for model, endpoint, prompt_id, family, fixed, outcome, answer, correct, latency in _rows(observations, columns):
        night = tally.models[model].endpoints[endpoint]
        counts = night.families[family]
        began = outcome in (Outcome.ANSWERED, Outcome.TRUNCATED)
        outcomes = night.outcomes
        outcomes.sent += outcome != Outcome.UNSENT
        outcomes.errors += outcome in (Outcome.ERROR, Outcome.EMPTY)
        outcomes.answered += outcome == Outcome.ANSWERED
        outcomes.truncated += outcome == Outcome.TRUNCATED
        outcomes.misrouted += outcome == Outcome.MISROUTED
        if prompt_id in keyed:
            counts.planned_keyed += 1
            counts.counted += began
            counts.correct += began and bool(correct)
        if outcome == Outcome.ANSWERED:
            if fixed:
                night.fixed_answers[prompt_id] = answer
            if latency is not None:
                night.latencies_ms.append(latency)


def _count_matches(tally: NightTally, observations: pa.Table, definition: Definition) -> None:
    """Find each prompt's reference and count who answered with it and who otherwise."""
    asked: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    columns = ("model", "endpoint", "prompt_id", "family", "outcome", "answer")
    for model, endpoint, prompt_id, family, outcome, answer in _rows(observations, columns):
        if outcome != Outcome.UNSENT:
            answers = asked.setdefault((model, prompt_id, family), [])
            if outcome == Outcome.ANSWERED:
                answers.append((endpoint, answer))
    for (model, _, family), answers in asked.items():
        model_night = tally.models[model]
        expected = reference((answer for _, answer in answers), definition)
        model_night.pairs += 1
        if expected is None:
            model_night.pairs_without_reference += 1
            continue
        for endpoint, answer in answers:
            counts = model_night.endpoints[endpoint].families[family]
            counts.compared += 1
            counts.mismatches += answer != expected


def _note_context(tally: NightTally, context: pa.Table) -> None:
    """Note the longest context probe that each endpoint answered."""
    for model, endpoint, tokens, outcome in _rows(context, ("model", "endpoint", "prompt_tokens", "outcome")):
        if outcome == Outcome.ANSWERED and tokens is not None:
            night = tally.models[model].endpoints[endpoint]
            night.context_observed = max(night.context_observed or tokens, tokens)


def _rows(table: pa.Table, columns: tuple[str, ...]) -> zip:  # type: ignore[type-arg]  # rows as tuples
    """Return a table's rows as tuples of some columns."""
    return zip(*(table.column(name).to_pylist() for name in columns), strict=True)
