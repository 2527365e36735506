"""The message of an answer: what it says, whether it holds thinking beside it, and whether it refuses to answer.

Content is a text. Some servers give a list of parts instead (Mistral's API where the model thinks, and what passes
its answers through): the parts that are text, joined, are the content then, and parts that are thinking are none of
it. A list with any other part is not read.
"""

from __future__ import annotations

from typing import Any

import msgspec

from generator.probing.wire_values import storable

_TEXTS = frozenset({"text", "output_text"})
_THOUGHTS = frozenset({"thinking", "reasoning"})
_WITHOUT_TEXT = frozenset({"reference"})
"""Parts that stand for something else than words: Mistral's references to documents."""
_THOUGHT_FIELDS = ("reasoning", "reasoning_content", "reasoning_details")


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What a choice says."""

    readable: bool = True
    """It is an object, and its content a text, a list of readable parts, or null."""
    content: str | None = None
    """As received, but for lone surrogates; null where null, or where a list has no part."""
    thought: bool = False
    """It holds thinking beside its content."""
    refused: bool = False
    """It says in the field for it that it will not answer."""


def read_message(value: object) -> Message:
    """Return a message, whatever a body has in its place."""
    if not isinstance(value, dict):
        return Message(readable=False)
    content = value.get("content")
    thought = any(value.get(name) for name in _THOUGHT_FIELDS)
    refused = _says_something(value.get("refusal"))
    match content:
        case None:
            return Message(thought=thought, refused=refused)
        case str():
            return Message(content=storable(content), thought=thought, refused=refused)
        case list():
            return _joined(content, thought=thought, refused=refused)
        case _:
            return Message(readable=False, thought=thought, refused=refused)


def _joined(parts: list[Any], *, thought: bool, refused: bool) -> Message:
    """Return the message that a list of parts makes."""
    texts: list[str] = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        # A type of any other kind may not even be hashable.
        match kind if isinstance(kind, str) else None:
            case str() as name if name in _TEXTS and isinstance(part.get("text"), str):
                texts.append(part["text"])
            case str() as name if name in _THOUGHTS:
                thought = True
            case "refusal":
                refused = True
            case str() as name if name in _WITHOUT_TEXT:
                pass
            case _:
                return Message(readable=False, thought=thought, refused=refused)
    content = storable("".join(texts)) if parts else None
    return Message(content=content, thought=thought, refused=refused)


def _says_something(refusal: object) -> bool:
    return isinstance(refusal, str) and bool(refusal.strip())
