"""What is shown and not graded: prompt-token counts, an endpoint's own change by night, endpoints behind references.

Counts alone, each an exact integer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import pairwise

import msgspec
import pyarrow as pa

from generator.method.interface import NightTables
from generator.method.reference import reference
from generator.records.definition import Definition
from generator.records.observation import Outcome

_BEGAN = frozenset({Outcome.ANSWERED, Outcome.TRUNCATED})
"""The outcomes whose token counts are the endpoint's own: a whole reply, or one that stopped at the limit."""


class NightChange(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's own change between two consecutive nights of the window."""

    earlier: date
    later: date
    pairs: int
    """Fixed prompts, same id and same text, answered on both nights."""
    differing: int
    """Those whose answers differ."""


class EndpointShown(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of one endpoint over a window."""

    tokens: tuple[tuple[int, int], ...]
    """(difference, prompts), ascending: so many prompts of the window's nights had so many prompt tokens more than
    the model's most common count for the same prompt; 0 is the most common count itself."""
    changes: tuple[NightChange, ...]
    """Each two consecutive nights on which it has a pair, ascending."""


class ModelShown(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of one model over a window."""

    model: str
    references: tuple[tuple[int, int], ...]
    """(endpoints, pairs), ascending: so many (night, prompt) pairs had a reference that so many endpoints gave."""
    without_reference: int
    """(night, prompt) pairs that were sent and have no reference."""
    endpoints: dict[str, EndpointShown]
    """By endpoint, sorted: every one that a night of the window lists."""


def shown(window: Sequence[NightTables], definition: Definition) -> tuple[ModelShown, ...]:
    """Return what is shown of every model listed in a window, sorted.

    Args:
        window: its nights, ascending.
        definition: says what makes an answer the reference.
    """
    listed = sorted({pair for tables in window for pair in _rows(tables.listings, "model", "endpoint")})
    backing, tokens = _Backing(definition), _Tokens()
    for tables in window:
        backing.add(tables.observations)
        tokens.add(tables.observations)
    changes = _changes(window)
    by_model: dict[str, dict[str, EndpointShown]] = defaultdict(dict)
    for model, endpoint in listed:
        by_model[model][endpoint] = EndpointShown(
            tokens=_sorted(tokens.of[model, endpoint]), changes=tuple(changes.get((model, endpoint), ()))
        )
    return tuple(
        ModelShown(
            model=model,
            references=_sorted(backing.of[model]),
            without_reference=backing.without[model],
            endpoints=endpoints,
        )
        for model, endpoints in by_model.items()
    )


class _Backing:
    """How many endpoints stand behind each reference, by model."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self.of: dict[str, Counter[int]] = defaultdict(Counter)
        self.without: Counter[str] = Counter()

    def add(self, observations: pa.Table) -> None:
        """Add a night; a prompt that was sent to no endpoint of a model is no pair."""
        asked: dict[tuple[str, str], list[str]] = defaultdict(list)
        for model, prompt_id, outcome, answer in _rows(observations, "model", "prompt_id", "outcome", "answer"):
            if outcome != Outcome.UNSENT:
                answers = asked[model, prompt_id]
                if outcome == Outcome.ANSWERED:
                    answers.append(answer)
        for (model, _), answers in asked.items():
            found = reference(answers, self._definition)
            if found is None:
                self.without[model] += 1
            else:
                self.of[model][answers.count(found)] += 1


class _Tokens:
    """How far each endpoint's prompt-token counts stand from the most common ones."""

    def __init__(self) -> None:
        self.of: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)

    def add(self, observations: pa.Table) -> None:
        """Add a night; a prompt whose most common count is tied, or is one endpoint's alone, has none."""
        counted: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
        columns = ("model", "endpoint", "prompt_id", "outcome", "prompt_tokens")
        for model, endpoint, prompt_id, outcome, count in _rows(observations, *columns):
            if outcome in _BEGAN and count is not None:
                counted[model, prompt_id].append((endpoint, count))
        for (model, _), counts in counted.items():
            common = _most_common(count for _, count in counts)
            if common is not None:
                for endpoint, count in counts:
                    self.of[model, endpoint][count - common] += 1


def _most_common(counts: Iterable[int]) -> int | None:
    """Return the count that more endpoints reported than any other, with at least 2 reporting it."""
    ranked = Counter(counts).most_common(2)
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return ranked[0][0] if ranked[0][1] > 1 and not tied else None


def _changes(window: Sequence[NightTables]) -> dict[tuple[str, str], list[NightChange]]:
    """Return each endpoint's own changes: pairs as self-disagreement counts them, all families together."""
    found: dict[tuple[str, str], list[NightChange]] = defaultdict(list)
    answered = [(tables.night, _fixed_answers(tables)) for tables in window]
    for (earlier, before), (later, after) in pairwise(answered):
        for key in before.keys() & after.keys():
            # A prompt is its id and its text: one whose text was changed makes no pair.
            both = before[key].keys() & after[key].keys()
            if both:
                differing = sum(before[key][prompt] != after[key][prompt] for prompt in both)
                found[key].append(NightChange(earlier=earlier, later=later, pairs=len(both), differing=differing))
    return found


def _fixed_answers(tables: NightTables) -> dict[tuple[str, str], dict[tuple[str, str], str]]:
    """Return, by (model, endpoint), the answer to each fixed prompt, by its id and text."""
    texts = {
        prompt_id: text for prompt_id, text, fixed in _rows(tables.prompts, "prompt_id", "prompt", "fixed") if fixed
    }
    answers: dict[tuple[str, str], dict[tuple[str, str], str]] = defaultdict(dict)
    columns = ("model", "endpoint", "prompt_id", "outcome", "answer")
    for model, endpoint, prompt_id, outcome, answer in _rows(tables.observations, *columns):
        if outcome == Outcome.ANSWERED and prompt_id in texts:
            answers[model, endpoint][prompt_id, texts[prompt_id]] = answer
    return answers


def _sorted(counts: Counter[int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(counts.items()))


def _rows(table: pa.Table, *columns: str) -> Iterator[tuple]:  # type: ignore[type-arg]  # of a row's own types
    """Return a table's rows as tuples of some columns."""
    return zip(*(table.column(name).to_pylist() for name in columns), strict=True)
