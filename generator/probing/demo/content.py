"""The files of the demo's site root: settings, and a prompt set made of the recorded prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from generator.probing.demo.recording import Recording, load_recording
from generator.probing.families import FAMILIES
from generator.records.prompt import Prompt

PROMPT_SET = "recorded-1"

_FIXED = 12
_NIGHTLY = 3
_OPEN_FAMILIES = frozenset({"contin"})
"""Cut by design, compared on their first words."""

_SITE = """\
# The demo: fourteen nights on an embedded router that plays back real recorded answers.

format = 1
title = "bitdepth demo"
address = "https://demo.bitdepth.example/"
publisher = "bitdepth demo"
contact = "mailto:corrections@bitdepth.example"

method = "0.1"
candidates = ["0.2"]

prompt_set = "{prompt_set}"
models = [
{models}]

[router]
kind = "demo"
# The router that runs during a night hands out its own port; this one only holds the place.
address = "http://127.0.0.1:0/api/v1"

[context]
# The recording holds no answers to context probes: none are asked.
rungs = []
"""

_SET_HEAD = f"""\
# The prompts of the recording: a night's are drawn from each family's pool.
format = 1
name = "{PROMPT_SET}"
"""


def demo_root_files() -> Mapping[str, bytes]:
    """Return the files of the demo's content folder, by their path in it."""
    recording = load_recording()
    families = {prompt.family for prompt in recording.prompts}
    folder = f"prompts/{PROMPT_SET}"
    made = {"site.toml": _site(recording), f"{folder}/set.toml": _set(families)}
    for family in sorted(families):
        lines = (msgspec.json.encode(_keyed(prompt)) for prompt in recording.prompts if prompt.family == family)
        made[f"{folder}/{family}.jsonl"] = b"".join(line + b"\n" for line in lines)
    return made


def _site(recording: Recording) -> bytes:
    models = "".join(f'  "{model}",\n' for model in recording.models())
    return _SITE.format(prompt_set=PROMPT_SET, models=models).encode()


def _set(families: Iterable[str]) -> bytes:
    tables = "".join(
        f'\n[families.{family}]\nkind = "{_kind(family)}"\nfixed = {_FIXED}\nnightly = {_NIGHTLY}\ndraw = "pool"\n'
        for family in sorted(families)
    )
    return f"{_SET_HEAD}{tables}".encode()


def _kind(family: str) -> str:
    return "line-open" if family in _OPEN_FAMILIES else "line"


def _keyed(prompt: Prompt) -> Prompt:
    """Return the prompt with its key as answers are normalised."""
    if prompt.expected is None:
        return prompt
    return msgspec.structs.replace(prompt, expected=FAMILIES[_kind(prompt.family)].normalise(prompt.expected))
