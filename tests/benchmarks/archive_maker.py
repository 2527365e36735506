"""Nights made from a seed, in two forms of one content: words as the archive keeps them, and dictionary codes.

Most endpoints of a model answer alike; some prompts divide them, every endpoint now and then says something else, and
a few requests fail in each of the ways that the method counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from generator.archive.schema import CONTEXT, LISTINGS, PROMPTS
from generator.records.observation import Outcome

FIRST = date(2030, 1, 1)
OUTCOMES = tuple(Outcome)
FAMILIES = ("arithmetic", "capitals", "continuation", "riddles", "spelling")
KEYED = ("arithmetic", "capitals", "riddles")
ANSWERS = 20_000
"""How many distinct answers there are."""
FIXED_SHARE = 0.6
"""Of the prompts, the rest is drawn each night: 36 and 24 of 60."""
NOISE, DIVIDED = 0.03, 0.05
"""How often an endpoint says something else, and how many of a model's prompts divide its endpoints."""
OUTCOME_SHARES = (0.965, 0.01, 0.005, 0.01, 0.005, 0.005)
"""In the order of `Outcome`."""
WORDS = ("model", "endpoint", "prompt_id", "family", "outcome", "answer")


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is made."""

    nights: int
    endpoints: int
    models: int
    prompts: int
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Made:
    """Where the nights lie: `codes/<i>.parquet`, `words/<i>.parquet`, and the small tables that both share."""

    folder: Path
    size: Size

    def files(self, form: str) -> list[Path]:
        """Return the observations of each night, ascending, as 'codes' or as 'words'."""
        return [self.folder / form / f"{night:04}.parquet" for night in range(self.size.nights)]

    def night(self, number: int) -> date:
        """Return a night's date."""
        return FIRST + timedelta(days=number)

    def words(self, column: str) -> pa.Array:
        """Return the words that a column's codes stand for."""
        return (
            pq.ParquetFile(self.folder / "dictionary" / f"{column}.parquet")
            .read(use_threads=False)
            .column(0)
            .combine_chunks()
        )

    def table(self, name: str) -> pa.Table:
        """Return the nights' prompts, listings or context, the same on each night."""
        return pq.ParquetFile(self.folder / f"{name}.parquet").read(use_threads=False)


def make(folder: Path, size: Size, *, worded: bool = True) -> Made:
    """Return nights made from a seed, written to a folder; as codes alone where no words are wanted."""
    dice = np.random.default_rng(size.seed)
    model_of = np.sort(np.concatenate((np.arange(size.models), dice.integers(0, size.models, size.endpoints))))
    model_of = np.sort(dice.permutation(model_of)[: size.endpoints])
    fixed = np.arange(size.prompts) < round(size.prompts * FIXED_SHARE)
    family_of = np.arange(size.prompts) % len(FAMILIES)
    made = Made(folder=folder, size=size)
    dictionary = {
        "model": [f"author/model-{i:04}" for i in range(size.models)],
        "endpoint": [f"provider-{i:05}" for i in range(size.endpoints)],
        "prompt_id": [f"{FAMILIES[family_of[i]]}-{i:03}" for i in range(size.prompts)],
        "family": list(FAMILIES),
        "outcome": [str(outcome) for outcome in OUTCOMES],
        "answer": [f"the answer is number {i * 7919 % ANSWERS}" for i in range(ANSWERS)],
    }
    for name in ("codes", "words", "dictionary"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for column, words in dictionary.items():
        pq.write_table(pa.table({column: pa.array(words, pa.string())}), folder / "dictionary" / f"{column}.parquet")
    _write_small(made, dictionary, model_of, fixed, family_of)
    usual = dice.integers(0, ANSWERS, (size.models, size.prompts))
    for night in range(size.nights):
        codes = _night(dice, size, model_of, fixed, family_of, usual)
        codes = {"night": np.full(len(codes["model"]), night, dtype=np.int16)} | codes
        table = pa.table(codes)
        pq.write_table(table, made.files("codes")[night], compression="zstd")
        if worded:
            pq.write_table(_worded(table, dictionary), made.files("words")[night], compression="zstd")
    return made


def _night(
    dice: np.random.Generator,
    size: Size,
    model_of: np.ndarray,
    fixed: np.ndarray,
    family_of: np.ndarray,
    usual: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return a night's observations as codes, sorted as the archive sorts them."""
    shape = (size.endpoints, size.prompts)
    # Drawn prompts ask something else each night.
    tonight = np.where(fixed, usual, dice.integers(0, ANSWERS, usual.shape))
    answer = tonight[model_of]
    divided = (dice.random(usual.shape) < DIVIDED)[model_of]
    answer = np.where(divided & (dice.random(shape) < 1 / 2), (answer + 1) % ANSWERS, answer)
    answer = np.where(dice.random(shape) < NOISE, (answer + dice.integers(1, 9, shape)) % ANSWERS, answer).ravel()
    outcome = dice.choice(len(OUTCOMES), shape[0] * shape[1], p=OUTCOME_SHARES)
    family = np.tile(family_of, size.endpoints)
    began = np.isin(outcome, [OUTCOMES.index(Outcome.ANSWERED), OUTCOMES.index(Outcome.TRUNCATED)])
    keyed = np.isin(family, [FAMILIES.index(name) for name in KEYED])
    right = (answer == tonight[model_of].ravel()) & (outcome == OUTCOMES.index(Outcome.ANSWERED))
    has_answer = began | (outcome == OUTCOMES.index(Outcome.MISROUTED))
    return {
        "model": np.repeat(model_of, size.prompts).astype(np.int32),
        "endpoint": np.repeat(np.arange(size.endpoints), size.prompts).astype(np.int32),
        "prompt_id": np.tile(np.arange(size.prompts), size.endpoints).astype(np.int32),
        "family": family.astype(np.int32),
        "fixed": np.tile(fixed, size.endpoints),
        "outcome": outcome.astype(np.int32),
        "answer": pa.array(answer.astype(np.int32), mask=~has_answer),
        "correct": pa.array(right, mask=~(keyed & began)),
        "latency_ms": dice.integers(200, 9000, len(answer)).astype(np.int32),
    }


def _worded(codes: pa.Table, dictionary: dict[str, list[str]]) -> pa.Table:
    """Return the same observations as the archive keeps them: answers as strings, other words as dictionaries."""
    for name in WORDS:
        words = pa.DictionaryArray.from_arrays(codes.column(name).combine_chunks(), pa.array(dictionary[name]))
        column = words.dictionary_decode() if name == "answer" else words
        codes = codes.set_column(codes.schema.get_field_index(name), name, column)
    return codes


def _write_small(
    made: Made, dictionary: dict[str, list[str]], model_of: np.ndarray, fixed: np.ndarray, family_of: np.ndarray
) -> None:
    """Write the prompts, the listings and the context probes, of which there are none."""
    prompts = [
        {
            "prompt_id": dictionary["prompt_id"][i],
            "family": FAMILIES[family_of[i]],
            "fixed": bool(fixed[i]),
            "prompt": f"question {i}",
            "expected": "yes" if FAMILIES[family_of[i]] in KEYED else None,
            "max_tokens": 16,
        }
        for i in range(made.size.prompts)
    ]
    listings = [
        dict.fromkeys(LISTINGS.names)
        | {
            "model": dictionary["model"][model],
            "model_id": dictionary["model"][model],
            "endpoint": dictionary["endpoint"][i],
            "provider": "Provider",
            "tag": "provider/fp8",
            "listings": 1,
            "declared_precision": "fp8",
            "first_listed": FIRST,
            "raw": "{}",
        }
        for i, model in enumerate(model_of)
    ]
    for name, rows, schema in (
        ("prompts", prompts, PROMPTS),
        ("listings", listings, LISTINGS),
        ("context", [], CONTEXT),
    ):
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), made.folder / f"{name}.parquet")
