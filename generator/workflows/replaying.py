"""Nights made straight from the demo's recording: each answer judged by the wire as on a real night, without HTTP."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

import msgspec

from generator.method.interface import NightTables
from generator.probing.demo.bodies import answer_body
from generator.probing.demo.content import PROMPT_SET, demo_root_files
from generator.probing.demo.recording import RecordedEndpoint, Recording, Sample, drawn_sample, load_recording
from generator.probing.demo.roster import Offer
from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, End, Reply
from generator.probing.night_prompts import night_prompts
from generator.probing.wire import observe
from generator.records.prompt import Prompt, PromptFamily, PromptSet
from generator.workflows.made_nights import MadeAnswer, made_dates, made_night

_CHANGED = {
    ("google/gemma-3-270m", "Hazel"): True,
    ("google/gemma-3-270m", "Juniper"): True,
    ("google/gemma-3-270m", "Larch"): True,
    ("google/gemma-3-270m", "Maple"): True,
    ("google/gemma-3-270m", "Oak"): True,
    ("google/gemma-3-270m", "Rowan"): None,
    ("huggingfacetb/smollm2-135m-instruct", "Hazel"): True,
    ("huggingfacetb/smollm2-135m-instruct", "Juniper"): True,
}
"""By what `truth` says in the recording: weights, cache, temperature or prompt changed. None: answers only cut."""


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """One listing that plays a recorded endpoint; several may play the same one, each with draws of its own."""

    slug: str
    recorded: RecordedEndpoint
    copy: int = 0


class Replay:
    """The recording with every answer judged once."""

    def __init__(self) -> None:
        """Load the recording and the demo's prompt set."""
        self.recording: Recording = load_recording()
        self.prompt_set, self._kinds = _demo_prompt_set()
        self.prompts = {
            prompt.prompt_id: prompt
            for family in self.prompt_set.families
            for prompt in (*family.fixed, *(family.pool or ()))
        }
        self._judged: dict[tuple[str, str, str, Sample], MadeAnswer] = {}

    def hosts(self) -> tuple[Host, ...]:
        """Return every recorded endpoint as a listing of its own."""
        return tuple(Host(slug=each.provider_name.lower(), recorded=each) for each in self.recording.endpoints)

    def nights(self, seeds: Sequence[str], hosts: Sequence[Host]) -> tuple[NightTables, ...]:
        """Return one night for each seed, on consecutive dates, on which every host answers every prompt."""
        precisions = {(host.recorded.model, host.slug): host.recorded.quantization for host in hosts}
        made = []
        for night, seed in zip(made_dates(len(seeds)), seeds, strict=True):
            prompts = night_prompts(self.prompt_set, seed)
            answers = (self.answer(seed, host, prompt) for host in hosts for prompt in prompts)
            made.append(made_night(night, answers, prompts, precisions))
        return tuple(made)

    def answer(self, seed: str, host: Host, prompt: Prompt) -> MadeAnswer:
        """Return what a host answers on the night that has this seed."""
        of_copy = f"{seed} copy {host.copy}" if host.copy else seed
        judged = self.judge(host.recorded, prompt, drawn_sample(self.recording, of_copy, host.recorded, prompt))
        if host.slug == judged.endpoint:
            return judged
        return msgspec.structs.replace(judged, endpoint=host.slug)

    def judge(self, recorded: RecordedEndpoint, prompt: Prompt, sample: Sample) -> MadeAnswer:
        """Return a kept answer as the wire judges it."""
        key = (recorded.model, recorded.tag, prompt.prompt_id, sample)
        if key not in self._judged:
            self._judged[key] = self._judge(recorded, prompt, sample)
        return self._judged[key]

    def _judge(self, recorded: RecordedEndpoint, prompt: Prompt, sample: Sample) -> MadeAnswer:
        offer = Offer(
            recorded=recorded,
            tag=recorded.tag,
            quantization=recorded.quantization,
            price_prompt=recorded.price_prompt,
            price_completion=recorded.price_completion,
        )
        slug, kind = recorded.provider_name.lower(), self._kinds[prompt.family]
        ask = Ask(
            model=recorded.model,
            model_id=recorded.model,
            endpoint=slug,
            provider=recorded.provider_name,
            tag=recorded.tag,
            quantization=None,
            parameters=(),
            reasoning_mandatory=False,
            reasoning_supported=False,
            price_prompt=None,
            price_completion=None,
            prompt=prompt,
            kind=kind,
        )
        reply = Reply(end=End.COMPLETE, status=200, body=answer_body("made", offer, recorded.provider_name, sample))
        found = observe(ask, reply, FAMILIES[kind])
        return MadeAnswer(
            model=recorded.model,
            endpoint=slug,
            prompt=prompt,
            outcome=found.outcome,
            answer=found.answer,
            correct=found.correct,
        )


def own_weights(recorded: RecordedEndpoint) -> bool | None:
    """Return whether a recorded endpoint served what the others of its model serve.

    True: the model's own weights, whatever kernel, batching, cache reuse or up-cast. False: weights, cache, temperature
    or prompt were really changed. None: answers cut, everything else unchanged.
    """
    changed = _CHANGED.get((recorded.model, recorded.provider_name), False)
    return None if changed is None else not changed


def _demo_prompt_set() -> tuple[PromptSet, dict[str, str]]:
    """Return the demo's prompt set, and its families' kinds."""
    made, folder = demo_root_files(), f"prompts/{PROMPT_SET}"
    described = tomllib.loads(made[f"{folder}/set.toml"].decode())["families"]
    decoder = msgspec.json.Decoder(Prompt)
    families = []
    for name, table in sorted(described.items()):
        prompts = decoder.decode_lines(made[f"{folder}/{name}.jsonl"])
        families.append(
            PromptFamily(
                name=name,
                kind=table["kind"],
                nightly=table["nightly"],
                pool=tuple(prompt for prompt in prompts if not prompt.fixed),
                fixed=tuple(prompt for prompt in prompts if prompt.fixed),
            )
        )
    kinds = {name: str(table["kind"]) for name, table in described.items()}
    return PromptSet(name=PROMPT_SET, sha256="", families=tuple(families)), kinds
