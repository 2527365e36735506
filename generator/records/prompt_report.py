"""The prompt report: what each fixed prompt separates. Figures are counts; nothing here is a grade."""

from __future__ import annotations

from datetime import date

import msgspec


class PromptLine(msgspec.Struct, frozen=True, kw_only=True):
    """What one fixed prompt did for one model over some nights."""

    model: str
    family: str
    prompt_id: str
    text: str
    """The prompt, strangers' text until filtered."""
    nights_asked: int
    """Nights on which it was sent to an endpoint of the model."""
    nights_with_reference: int
    answered: int
    """Answers given on nights with a reference."""
    gave_reference: int
    """Of those, the reference."""
    own_pairs: int
    """Pairs of consecutive nights on which an endpoint answered it."""
    own_changes: int
    """Of those, with another answer."""
    never_separates: bool
    """It had a reference, and every answer on every such night was the reference."""
    never_has_a_reference: bool


class PromptReport(msgspec.Struct, frozen=True, kw_only=True):
    """What each fixed prompt separates: what the next prompt set can be chosen by."""

    nights: tuple[date, ...]
    method_version: str
    """Whose rule made the references."""
    prompts: tuple[PromptLine, ...]
    """Sorted by model, family and prompt."""
