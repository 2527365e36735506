"""What a typed decoder refused, in the words of our messages: expected, found, and the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from generator.records.refused_place import Step, located, path_of, shown, value_at

_MESSAGE = re.compile(r"(?P<problem>.*?)(?: - at (?P<key>`key` in )?`\$\.?(?P<field>.*)`)?", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_ENUM = re.compile(r"Invalid enum value .*", re.DOTALL)
_NO_WORDS: Mapping[str, str] = MappingProxyType({})


def refusal(
    error: msgspec.DecodeError, raw: object = None, kind: object = None, *, words: Mapping[str, str] = _NO_WORDS
) -> tuple[str, str]:
    """Return what was expected and found, and the field it concerns ('' for the whole).

    Source of the messages: msgspec, whose paths begin with `$` and call any key of a table `[...]`.

    Args:
        error: as raised.
        raw: what was to be converted; without it a refused value is not told, nor its key.
        kind: what it was to be converted to, where there is a raw value.
        words: by pattern, what a text of that pattern is.
    """
    found = _MESSAGE.fullmatch(str(error))
    problem, field = (found["problem"], found["field"] or "") if found else (str(error), "")
    of_a_key = found is not None and found["key"] is not None
    steps = None
    if raw is not None:
        place = f"{field}[...]" if of_a_key else field
        steps = located(raw, place, lambda reduced: _refused(reduced, kind) == str(error))
        field = field if steps is None else path_of(steps[:-1] if of_a_key else steps)
    missing, unknown = _MISSING.fullmatch(problem), _UNKNOWN.fullmatch(problem)
    if missing:
        return "expected a field, found none", _below(field, missing["name"])
    if unknown:
        return "expected no such field, found one", _below(field, unknown["name"])
    for pattern, said in words.items():
        problem = problem.replace(f"`str` matching regex {pattern!r}", said)
    told = problem.replace("`", "").replace(", got ", ", found ")
    told = told[:1].lower() + told[1:]
    if steps is not None and (_ENUM.fullmatch(problem) or ("Expected" in problem and ", got " not in problem)):
        value = steps[-1] if of_a_key else value_at(raw, steps)
        expected = _choices(kind, steps) if _ENUM.fullmatch(problem) else told
        told = f"{expected}, found {shown(value, '' if of_a_key else steps[-1])}"
    return told, field


def place(where: str, field: str) -> str:
    """Return a file's name with the field in it."""
    return f"{where}, field '{field}'" if field else where


def _below(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _refused(raw: object, kind: object) -> str | None:
    """Return what a conversion is refused with; None where it is not."""
    try:
        msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _choices(kind: object, steps: tuple[Step, ...]) -> str:
    """Return what may stand at a place for which a few values are allowed."""
    found = _single(msgspec.inspect.type_info(kind))
    for step in steps:
        found = [single for each in found for below in _within(each, step) for single in _single(below)]
    values = [repr(value) for each in found if isinstance(each, msgspec.inspect.LiteralType) for value in each.values]
    return f"expected {' or '.join(values) or 'another value'}"


def _single(kind: msgspec.inspect.Type) -> list[msgspec.inspect.Type]:
    """Return the kinds that a kind is a choice of."""
    return list(kind.types) if isinstance(kind, msgspec.inspect.UnionType) else [kind]


def _within(kind: msgspec.inspect.Type, step: Step) -> list[msgspec.inspect.Type]:
    """Return what kinds of value may stand one step below a kind."""
    match kind:
        case msgspec.inspect.StructType():
            return [field.type for field in kind.fields if field.encode_name == step]
        case msgspec.inspect.DictType():
            return [kind.value_type]
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            return [kind.item_type]
        case _:
            return []
