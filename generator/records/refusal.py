"""What a typed decoder refused, in the words of our messages: expected, found, and the field."""

from __future__ import annotations

import re

import msgspec

_MESSAGE = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<field>.*)`)?", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")


def refusal(error: msgspec.DecodeError) -> tuple[str, str]:
    """Return what was expected and found, and the field it concerns ('' for the whole).

    Source of the messages: msgspec, whose paths begin with `$`.
    """
    found = _MESSAGE.fullmatch(str(error))
    problem, field = (found["problem"], found["field"] or "") if found else (str(error), "")
    missing, unknown = _MISSING.fullmatch(problem), _UNKNOWN.fullmatch(problem)
    if missing:
        return "expected a field, found none", _below(field, missing["name"])
    if unknown:
        return "expected no such field, found one", _below(field, unknown["name"])
    words = problem.replace("`", "").replace(", got ", ", found ")
    return words[:1].lower() + words[1:], field


def place(where: str, field: str) -> str:
    """Return a file's name with the field in it."""
    return f"{where}, field '{field}'" if field else where


def _below(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name
