"""What a family of prompts is to whoever plans a night or judges an answer, on one page.

    family.generate(draws)   -> Generated      a new question with its key; absent where prompts come from a pool
    family.normalise(text)   -> str            the answer that is compared; '' where none is found
    family.clean(text)       -> str            what stands as the answer then, never counted as correct

A text comes from a model and is hostile. Both functions take any text whatever, never raise, read a bounded part of
it in linear time and return at most `text.CAP` characters; normalising a normalised answer changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from generator.probing.draws import Draws
from generator.probing.families.text import clean as clean_text


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """A question made for one night."""

    prompt: str
    """What is asked, word for word."""
    expected: str | None
    """The key, normalised; null where the family has none."""
    max_tokens: int
    """The cut, in tokens, at least 16."""


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of prompt: how its answers are compared, and how new ones are made."""

    kind: str
    """What prompt sets call it."""
    normalise: Callable[[str], str]
    """From a text as received to the answer that is compared; '' where it finds none."""
    clean: Callable[[str], str] = clean_text
    """The cleaned text, which is the answer where the normaliser finds none."""
    open_ended: bool = False
    """Cut by design: an answer that stopped at the token limit is complete where the normaliser finds one."""
    generate: Callable[[Draws], Generated] | None = None
    """Makes a question from draws; null where prompts are drawn from a pool."""
