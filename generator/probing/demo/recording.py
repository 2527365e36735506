"""The recording shipped in the package: complete for every endpoint and prompt once it is loaded.

Every text in it is what a model produced; how it was made stands in `recording/README.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from generator.errors import ContentError
from generator.probing.draws import Draws
from generator.records.prompt import Prompt

_ANSWERS, _ENDPOINTS, _PROMPTS = "answers.parquet", "endpoints.json", "prompts.jsonl"


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One answer as a host gave it."""

    text: str
    finish_reason: Literal["stop", "length"]
    prompt_tokens: int
    completion_tokens: int
    latency_ms: int
    """On the recording's busy machine: says nothing about speed."""


class _Row(Sample, frozen=True, kw_only=True):
    """One row of answers.parquet."""

    model: str
    tag: str
    prompt_id: str
    sample: int


class RecordedEndpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One host that was recorded: what it is listed as, and what was run."""

    model: str
    provider_name: str
    """The name of a tree; it belongs to nobody."""
    tag: str
    quantization: str | None
    """What it declares; null where it declares nothing."""
    context_length: int
    price_prompt: Decimal
    """USD per token, made up."""
    price_completion: Decimal
    samples: Annotated[int, msgspec.Meta(ge=1)]
    """Independent runs of each prompt; 1 where the host repeats itself exactly."""
    deterministic: bool
    truth: str
    """What was really run."""


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """Everything recorded, checked to be complete."""

    endpoints: tuple[RecordedEndpoint, ...]
    prompts: tuple[Prompt, ...]
    """As recorded: keys are not normalised yet, `content.py` does that."""
    by_text: Mapping[str, Prompt]
    """Prompts by their text."""
    answers: Mapping[tuple[str, str, str], tuple[Sample, ...]]
    """Samples by (model, tag, prompt text)."""

    def models(self) -> tuple[str, ...]:
        """Return the recorded models, sorted."""
        return tuple(sorted({endpoint.model for endpoint in self.endpoints}))

    def endpoint(self, model: str, provider: str) -> RecordedEndpoint | None:
        """Return the endpoint that a provider had for a model, or None."""
        found = (e for e in self.endpoints if (e.model, e.provider_name) == (model, provider))
        return next(found, None)

    def samples(self, model: str, tag: str, prompt: str) -> tuple[Sample, ...]:
        """Return all recorded answers to a prompt's text, in the order recorded; none where it was not asked."""
        return self.answers.get((model, tag, prompt), ())


def drawn_sample(recording: Recording, seed: str, endpoint: RecordedEndpoint, prompt: Prompt) -> Sample:
    """Return the answer that a host gives on a night: the same for the same seed, endpoint and prompt."""
    samples = recording.samples(endpoint.model, endpoint.tag, prompt.prompt)
    return Draws(seed, "demo sample", endpoint.model, endpoint.tag, prompt.prompt_id).choice(samples)


@cache
def load_recording() -> Recording:
    """Return the recording that lies in this package.

    Raises:
        ContentError: where it is not complete; the package is then damaged.
    """
    folder = files("generator.probing.demo") / "recording"
    return read_recording(
        (folder / _ANSWERS).read_bytes(), (folder / _ENDPOINTS).read_bytes(), (folder / _PROMPTS).read_bytes()
    )


def read_recording(answers: bytes, endpoints: bytes, prompts: bytes) -> Recording:
    """Return a recording from the bytes of its three files.

    Args:
        answers: Parquet, one row a sample.
        endpoints: a JSON array of endpoints.
        prompts: one JSON object a line.

    Raises:
        ContentError: where a file is malformed, or an endpoint lacks an answer.
    """
    try:
        hosts = msgspec.json.decode(endpoints, type=tuple[RecordedEndpoint, ...])
    except msgspec.DecodeError as error:
        raise _damaged(str(error), _ENDPOINTS) from error
    try:
        asked = tuple(msgspec.json.Decoder(Prompt).decode_lines(prompts))
    except msgspec.DecodeError as error:
        raise _damaged(str(error), _PROMPTS) from error
    by_text = {prompt.prompt: prompt for prompt in asked}
    if len(by_text) != len(asked) or len({prompt.prompt_id for prompt in asked}) != len(asked):
        raise _damaged("expected prompts that differ in id and text, found two alike", _PROMPTS)
    recording = Recording(
        endpoints=hosts, prompts=asked, by_text=by_text, answers=_grouped(answers, {p.prompt_id: p for p in asked})
    )
    _check_complete(recording)
    return recording


def _grouped(answers: bytes, prompts: Mapping[str, Prompt]) -> dict[tuple[str, str, str], tuple[Sample, ...]]:
    """Return the samples by (model, tag, prompt text), each group in the order of its sample numbers from 0."""
    try:
        table = pq.read_table(pa.BufferReader(answers))
        rows = msgspec.convert(table.to_pylist(), type=list[_Row])
    except (pa.ArrowException, msgspec.ValidationError) as error:
        raise _damaged(str(error), _ANSWERS) from error
    grouped: defaultdict[tuple[str, str, str], dict[int, Sample]] = defaultdict(dict)
    for row in rows:
        if row.prompt_id not in prompts:
            raise _damaged(f"expected a prompt of {_PROMPTS}, found {row.prompt_id!r}", _ANSWERS)
        samples = grouped[row.model, row.tag, prompts[row.prompt_id].prompt]
        if row.sample in samples:
            raise _damaged(f"expected one sample {row.sample}, found two", f"{_ANSWERS}, {row.tag} {row.prompt_id}")
        samples[row.sample] = row
    return {key: tuple(samples[number] for number in sorted(samples)) for key, samples in grouped.items()}


def _check_complete(recording: Recording) -> None:
    """Raise where an endpoint has not as many answers to each prompt as it says."""
    for endpoint in recording.endpoints:
        for prompt in recording.prompts:
            found = len(recording.samples(endpoint.model, endpoint.tag, prompt.prompt))
            if found != endpoint.samples:
                where = f"{_ANSWERS}, {endpoint.model} {endpoint.tag} {prompt.prompt_id}"
                raise _damaged(f"expected {endpoint.samples} samples, found {found}", where)


def _damaged(problem: str, where: str) -> ContentError:
    return ContentError(problem, where=f"the packaged recording, {where}", do="Install the package again")
