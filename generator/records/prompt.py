"""A prompt: what is asked, word for word, of every endpoint of every model on a night."""

from __future__ import annotations

from typing import Annotated

import msgspec


class Prompt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of prompts.parquet; fields in column order."""

    prompt_id: Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$", max_length=80)]
    family: Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$", max_length=40)]
    fixed: bool
    """True where it stands in the prompt set; false where it was drawn for one night."""
    prompt: Annotated[str, msgspec.Meta(min_length=1)]
    expected: str | None
    """The key, normalised as answers are; null without one."""
    max_tokens: Annotated[int, msgspec.Meta(ge=16, le=32_768)]
    """The cut, in tokens; some routers refuse less than 16."""


class PromptFamily(msgspec.Struct, frozen=True, kw_only=True):
    """A family of a prompt set: its fixed prompts, and where its nightly ones come from."""

    name: str
    """What prompts and grades call it."""
    kind: str
    """The name, in `probing/families`, of the module that normalises, generates and keys."""
    nightly: int
    """How many prompts are drawn for each night."""
    pool: tuple[Prompt, ...] | None
    """The prompts that a night's are drawn from; None where the kind generates them."""
    fixed: tuple[Prompt, ...]
    """Sent every night, word for word."""


class PromptSet(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt set as content/prompts/<name>/ holds it."""

    name: str
    sha256: str
    """Digest over all its files."""
    families: tuple[PromptFamily, ...]
    """Sorted by name."""
