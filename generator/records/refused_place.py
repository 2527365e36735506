"""Where in a table a refused value stands, by its own keys, and how much of it may be repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_STEP = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<place>[0-9]+|\.\.\.)\]")
_SECRET = re.compile("key|token|secret", re.IGNORECASE)
_USER = re.compile("//.*@", re.DOTALL)
_LONGEST = 80
"""Characters of a refused text that are repeated."""


class OwnKey(str):
    """A key that whoever wrote the table chose, as a model's name in `per_model`."""

    __slots__ = ()


Step = str | int
"""A field, an `OwnKey`, or a place in a list."""


def located(raw: object, path: str, refused: Callable[[object], bool]) -> tuple[Step, ...] | None:
    """Return the steps to a refused value, with its own key for each `[...]`; None where raw has no such place.

    Args:
        raw: the whole table.
        path: msgspec's, without the leading `$`.
        refused: true of a table that is refused for the same reason. It tells which key of a table is the one.
    """
    steps: list[Step] = []
    try:
        for found in _STEP.finditer(path):
            if found["name"] is not None:
                steps.append(found["name"])
            elif found["place"] != "...":
                steps.append(int(found["place"]))
            else:
                table = value_at(raw, steps)
                alone = (key for key, value in table.items() if refused(_put(raw, steps, {key: value})))  # type: ignore[attr-defined]
                steps.append(OwnKey(next(alone)))
        value_at(raw, steps)
    except (AttributeError, LookupError, TypeError, StopIteration):
        return None
    return tuple(steps)


def path_of(steps: Sequence[Step]) -> str:
    """Return steps as TOML writes them: `servers[1].name`, `per_model."a/b".max_tokens`."""
    text = ""
    for step in steps:
        match step:
            case int():
                text += f"[{step}]"
            case OwnKey():
                text += f'."{step}"'
            case _:
                text += f".{step}"
    return text.removeprefix(".")


def value_at(raw: object, steps: Sequence[Step]) -> object:
    """Return what stands at a place.

    Raises:
        LookupError: where nothing does.
        TypeError: where a step leads into what holds nothing.
    """
    for step in steps:
        raw = raw[step]  # type: ignore[index]
    return raw


def shown(value: object, step: Step) -> str:
    """Return a refused value as a message may repeat it: cut, and no text where a key could stand.

    Args:
        value: as refused.
        step: the field that it stands in.
    """
    match value:
        case bool():
            return str(value).lower()
        case str() if isinstance(step, str) and _SECRET.search(step):
            return "a text that is not repeated here"
        case str():
            text = _USER.sub("//...@", value)
            return f"'{text}'" if len(text) <= _LONGEST else f"'{text[:_LONGEST]}...'"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "a table"
        case _:
            return str(value)[:_LONGEST]


def _put(raw: object, steps: Sequence[Step], value: object) -> object:
    """Return a table with another value in one place."""
    if not steps:
        return value
    below = _put(raw[steps[0]], steps[1:], value)  # type: ignore[index]
    if isinstance(raw, dict):
        return {**raw, steps[0]: below}
    return [below if place == steps[0] else each for place, each in enumerate(raw)]  # type: ignore[arg-type, var-annotated]
