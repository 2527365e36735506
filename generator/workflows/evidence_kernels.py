"""What the recording shows before any rule: who repeats itself, and who steadily answers otherwise than the others."""

from __future__ import annotations

from itertools import combinations

from generator.method.reference import reference
from generator.probing.demo.recording import RecordedEndpoint
from generator.records.candidate import KernelEvidence
from generator.records.definition import Definition
from generator.records.observation import Outcome
from generator.records.share import Share
from generator.workflows.replaying import Replay, own_weights


def kernels(replay: Replay, definition: Definition) -> tuple[KernelEvidence, ...]:
    """Return each recorded endpoint's agreement with itself and with the reference among the hosts' first answers."""
    answers = {
        (each.model, each.provider_name): {prompt_id: _answers(replay, each, prompt_id) for prompt_id in replay.prompts}
        for each in replay.recording.endpoints
    }
    references = {
        (model, prompt_id): reference(
            [first for key, given in answers.items() if key[0] == model and (first := given[prompt_id][0]) is not None],
            definition,
        )
        for model in replay.recording.models()
        for prompt_id in replay.prompts
    }
    found = sorted(replay.recording.endpoints, key=lambda each: (each.model, each.provider_name))
    return tuple(_kernel(each, answers[each.model, each.provider_name], references) for each in found)


def _answers(replay: Replay, recorded: RecordedEndpoint, prompt_id: str) -> list[str | None]:
    """Return all kept answers to a prompt, None for one that is not complete."""
    prompt = replay.prompts[prompt_id]
    samples = replay.recording.samples(recorded.model, recorded.tag, prompt.prompt)
    judged = [replay.judge(recorded, prompt, sample) for sample in samples]
    return [each.answer if each.outcome == Outcome.ANSWERED else None for each in judged]


def _kernel(
    recorded: RecordedEndpoint, answers: dict[str, list[str | None]], references: dict[tuple[str, str], str | None]
) -> KernelEvidence:
    pairs = [
        (one, other)
        for given in answers.values()
        for one, other in combinations(given, 2)
        if one is not None and other is not None
    ]
    expected = {prompt_id: references[recorded.model, prompt_id] for prompt_id in answers}
    known = {prompt_id: given for prompt_id, given in answers.items() if expected[prompt_id] is not None}
    steady = [given[0] for given in known.values() if len(set(given)) == 1 and given[0] is not None]
    otherwise = sum(
        len(set(given)) == 1 and given[0] is not None and given[0] != expected[prompt_id]
        for prompt_id, given in known.items()
    )
    first = {prompt_id: given[0] for prompt_id, given in known.items() if given[0] is not None}
    return KernelEvidence(
        model=recorded.model,
        endpoint=recorded.provider_name.lower(),
        truth=recorded.truth,
        equal_to_reference=own_weights(recorded),
        repeated=Share(part=sum(one == other for one, other in pairs), whole=len(pairs)) if pairs else None,
        steadily_otherwise=Share(part=otherwise, whole=len(steady)),
        with_plurality=Share(
            part=sum(answer == expected[prompt_id] for prompt_id, answer in first.items()), whole=len(first)
        ),
    )
