"""A prompt set from its files: set.toml, which describes its families, and a file of prompts for each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Literal, Protocol

import msgspec

from generator.errors import ContentError
from generator.records.prompt import Prompt, PromptFamily, PromptSet
from generator.records.refusal import place, refusal
from generator.records.toml_file import record_of, table_of


class Read(Protocol):
    """Returns the bytes of a file of the set, by its name."""

    def __call__(self, name: str, *, do: str) -> bytes:
        """Return them; where there is no such file, a ContentError says what to do."""


class _SetFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: str
    fixed: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    nightly: Annotated[int, msgspec.Meta(ge=0, le=1_000)]
    draw: Literal["generator", "pool"]


class _Set(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal[1]
    name: str
    families: dict[str, _SetFamily]


def parse_prompt_set(name: str, read: Read, *, where: str, known: str) -> PromptSet:
    """Return a prompt set, its families sorted by name.

    Args:
        name: the set's.
        read: reads its files.
        where: the set's folder, for messages.
        known: which sets there are, for the message where this one is none.

    Raises:
        ContentError: naming file, line and field of what is malformed.
    """
    bodies = {"set.toml": read("set.toml", do=known)}
    described = record_of(table_of(bodies["set.toml"], f"{where}/set.toml"), _Set, f"{where}/set.toml")
    if described.name != name:
        raise ContentError(
            f"expected name '{name}', found '{described.name}'",
            where=f"{where}/set.toml, field 'name'",
            do="Name folder and set alike",
        )
    families = []
    for family, table in sorted(described.families.items()):
        file = f"{family}.jsonl"
        bodies[file] = read(file, do="Restore it from a copy of the prompt set")
        families.append(_family(family, table, _prompts(bodies[file], f"{where}/{file}"), f"{where}/{file}"))
    return PromptSet(name=name, sha256=_digest(bodies), families=tuple(families))


def _family(name: str, table: _SetFamily, prompts: tuple[Prompt, ...], where: str) -> PromptFamily:
    fixed = tuple(prompt for prompt in prompts if prompt.fixed)
    if len(fixed) != table.fixed:
        raise ContentError(
            f"expected {table.fixed} fixed prompts, as set.toml says, found {len(fixed)}",
            where=where,
            do="Restore the file: a prompt set never changes once a night was asked with it",
        )
    return PromptFamily(
        name=name,
        kind=table.kind,
        nightly=table.nightly,
        pool=tuple(prompt for prompt in prompts if not prompt.fixed) if table.draw == "pool" else None,
        fixed=fixed,
    )


def _prompts(data: bytes, where: str) -> tuple[Prompt, ...]:
    decoder = msgspec.json.Decoder(Prompt)
    prompts = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            prompts.append(decoder.decode(line))
        except msgspec.DecodeError as error:
            problem, field = refusal(error)
            do = "Restore the file: a prompt set never changes once a night was asked with it"
            raise ContentError(problem, where=place(f"{where}, line {number}", field), do=do) from None
    return tuple(prompts)


def _digest(bodies: Mapping[str, bytes]) -> str:
    """Return the SHA-256 over a set's files: each one's own digest and name, sorted, a line each."""
    lines = [f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in bodies.items()]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
