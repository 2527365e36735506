"""A whole site root made from a seed: real nights, sealed one after another, for benchmarks of archives of years.

What is drawn for a night depends on the seed and the night's number alone, so that a root of 30 nights grows into the
first 30 of 90. Rows are made in columns: 120,000 of a night take a second.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generator.archive import codec
from generator.archive.schema import CONTEXT, OBSERVATIONS
from generator.method.columns import Codes
from generator.probing.night_prompts import night_prompts
from generator.records.endpoint import Endpoint
from generator.records.night import NightCounts, NightRecord, NightState, PreviousNight, missed
from generator.records.observation import Outcome
from generator.records.prompt import Prompt
from generator.workflows.nightly import begin_archive
from generator.workflows.world import Root
from tests.kept_site import MODEL, SETTINGS, SITE_TOML

FIRST = date(2030, 1, 1)
OUTCOMES = tuple(Outcome)
OUTCOME_SHARES = (0.965, 0.01, 0.005, 0.01, 0.005, 0.005)
"""In the order of `Outcome`."""
NOISE, DIVIDED = 0.01, 0.03
"""How often an endpoint says something else, and how many of a model's prompts divide its endpoints."""
SPARE = 8
"""Answers that an endpoint may give instead of the usual one."""
PRECISIONS = ("fp8", "bf16", "int4", None)
PROVIDERS = 60
VERSION, CANDIDATE = "0.1", "0.2"

_SITE = SITE_TOML.replace("kept", "scale").replace(MODEL, "author-00/model-0000")
_SETTINGS = msgspec.structs.replace(SETTINGS, concurrency=50, concurrency_per_endpoint=4, attempts=3)


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How much a night is."""

    endpoints: int = 2000
    models: int = 300
    prompts: int = 60
    seed: int = 1


def begin(path: Path) -> Root:
    """Return a new root without a night."""
    (path / "content").mkdir(parents=True)
    root = Root(path)
    settle(root, VERSION)
    begin_archive(root)
    return root


def settle(root: Root, version: str) -> None:
    """Make a method version the current one; whatever else the settings say, they go on saying."""
    file = root.path / "content" / "site.toml"
    text = file.read_text() if file.exists() else _SITE
    file.write_text(re.sub(r'^method = ".*"$', f'method = "{version}"', text, flags=re.MULTILINE))


def grow(root: Root, size: Size, nights: int) -> int:
    """Seal nights until there are so many. Return how many observations are new."""
    begun = len(root.store.nights.kept())
    endpoints = _endpoints(size)
    for number in range(begun, nights):
        _seal(root, size, number, endpoints)
    return max(0, nights - begun) * size.endpoints * size.prompts


def _endpoints(size: Size) -> list[Endpoint]:
    """Return every endpoint, sorted by model and endpoint: each model has at least two where there are enough."""
    dice = np.random.default_rng(size.seed)
    twice = np.repeat(np.arange(size.models), 2)[: size.endpoints]
    of_model = np.sort(np.concatenate((twice, dice.integers(0, size.models, size.endpoints - len(twice)))))
    found = []
    for number, model in enumerate(of_model.tolist()):
        slug = f"author-{model % 40:02}/model-{model:04}"
        name = f"provider-{number % PROVIDERS:02}-{number:05}"
        precision = PRECISIONS[number % len(PRECISIONS)]
        found.append(
            Endpoint(
                model=slug,
                model_id=slug,
                endpoint=name,
                provider=f"Provider {number % PROVIDERS:02}",
                tag=name if precision is None else f"{name}/{precision}",
                listings=1,
                declared_precision=precision,
                context_length=32_768,
                max_completion_tokens=None,
                first_listed=FIRST,
                succeeded_from=None,
                price_prompt=None,
                price_completion=None,
                status=0,
                raw='{"name": "as the router says it", "context_length": 32768}',
            )
        )
    return sorted(found, key=lambda each: (each.model, each.endpoint))


def _prompts(root: Root, size: Size, number: int) -> tuple[Prompt, ...]:
    """Return a night's prompts: the first of those of the shipped prompt set, the drawn ones drawn for this night."""
    drawn = night_prompts(root.content.prompt_set("p1"), f"{size.seed:08x}{number:08x}")
    return tuple(sorted(drawn[: size.prompts], key=lambda prompt: prompt.prompt_id))


def _seal(root: Root, size: Size, number: int, endpoints: list[Endpoint]) -> None:
    night = FIRST + timedelta(days=number)
    prompts = _prompts(root, size, number)
    observations, outcome = _observations(size, number, night, endpoints, prompts)
    counted = np.bincount(outcome, minlength=len(OUTCOMES)).tolist()
    by_outcome = {each.value: counted[place] for place, each in enumerate(OUTCOMES)}
    planned = len(outcome)
    kept = root.store.nights.kept()
    previous = PreviousNight(night=kept[-1], sha256=root.store.nights.get(kept[-1]).sha256) if kept else None
    started = datetime(night.year, night.month, night.day, 3, tzinfo=UTC)
    record = NightRecord(
        format=1,
        night=night,
        state=NightState.RECORDED,
        reason=None,
        late=False,
        seed=f"{size.seed:08x}{number:08x}",
        prompt_set="p1",
        prompt_set_sha256="0" * 64,
        router="openrouter",
        started_at=started,
        finished_at=started + timedelta(hours=1),
        counts=NightCounts(planned=planned, sent=planned - by_outcome[Outcome.UNSENT.value], **by_outcome),
        cost_usd="0",
        settings=_SETTINGS,
        files={},
        previous=previous,
        missed=missed(previous, night),
        tool_version="0",
        seal="",
    )
    tables = {
        "observations": observations,
        "listings": codec.listings_table(endpoints),
        "prompts": codec.prompts_table(prompts),
        "context": CONTEXT.empty_table(),
    }
    root.store.nights.seal(record, tables)


def _observations(
    size: Size, number: int, night: date, endpoints: list[Endpoint], prompts: tuple[Prompt, ...]
) -> tuple[pa.Table, Codes]:
    """Return a night's observations, sorted, and the outcome of each as a number."""
    dice = np.random.default_rng((size.seed, number))
    models = sorted({each.model for each in endpoints})
    model_of = np.array([models.index(each.model) for each in endpoints])
    shape = (len(endpoints), len(prompts))
    usual = np.random.default_rng(size.seed).integers(0, 20_000, (len(models), len(prompts)))
    fixed = np.array([prompt.fixed for prompt in prompts])
    tonight = np.where(fixed, usual, dice.integers(0, 20_000, usual.shape))
    answer = tonight[model_of]
    divided = (np.random.default_rng(size.seed + 1).random(usual.shape) < DIVIDED)[model_of]
    half = (np.arange(len(endpoints)) % 2 == 0)[:, None]
    answer = np.where(divided & half, answer + 1, answer)
    answer = np.where(dice.random(shape) < NOISE, answer + dice.integers(1, SPARE, shape), answer).ravel()
    outcome = dice.choice(len(OUTCOMES), answer.size, p=OUTCOME_SHARES)
    began = np.isin(outcome, [OUTCOMES.index(each) for each in (Outcome.ANSWERED, Outcome.TRUNCATED)])
    spoke = began | (outcome == OUTCOMES.index(Outcome.MISROUTED))
    keyed = np.tile(np.array([prompt.expected is not None for prompt in prompts]), len(endpoints))
    right = (answer == tonight[model_of].ravel()) & (outcome == OUTCOMES.index(Outcome.ANSWERED))
    sent = outcome != OUTCOMES.index(Outcome.UNSENT)
    words = pa.array([f"the answer is number {each}" for each in range(20_000 + SPARE + 1)])
    said = pc.take(words, pa.array(answer, mask=~spoke))
    rows = len(outcome)
    columns = {
        "model": _coded([each.model for each in endpoints], shape[1]),
        "endpoint": _coded([each.endpoint for each in endpoints], shape[1]),
        "prompt_id": _tiled([prompt.prompt_id for prompt in prompts], shape[0]),
        "family": _tiled([prompt.family for prompt in prompts], shape[0]),
        "fixed": pa.array(np.tile(fixed, shape[0])),
        "outcome": pa.DictionaryArray.from_arrays(
            pa.array(outcome.astype(np.int32)), pa.array([str(each) for each in OUTCOMES])
        ),
        "answer": said,
        "text": said,
        "correct": pa.array(right, mask=~(keyed & began)),
        "http_status": pa.array(np.full(rows, 200, dtype=np.int16), mask=~sent),
        "generation_id": pa.array([f"gen-{number:04}-{each:07}" for each in range(rows)]),
        "latency_ms": pa.array(dice.integers(200, 9000, rows).astype(np.int32), mask=~sent),
        "requested_at": pa.array(
            np.datetime64(night.isoformat(), "ms") + np.sort(dice.integers(0, 3_600_000, rows)), mask=~sent
        ).cast(OBSERVATIONS.field("requested_at").type),
    }
    arrays = [columns.get(field.name, pa.nulls(rows, field.type)) for field in OBSERVATIONS]
    return pa.Table.from_arrays(arrays, schema=OBSERVATIONS), outcome


def _coded(words: list[str], times: int) -> pa.DictionaryArray:
    """Return each word so many times, one after another."""
    codes = pa.array(words).dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        pc.take(codes.indices, pa.array(np.repeat(np.arange(len(words)), times))), codes.dictionary
    )


def _tiled(words: list[str], times: int) -> pa.DictionaryArray:
    """Return the words in their order, so many times."""
    codes = pa.array(words).dictionary_encode()
    return pa.DictionaryArray.from_arrays(
        pc.take(codes.indices, pa.array(np.tile(np.arange(len(words)), times))), codes.dictionary
    )
