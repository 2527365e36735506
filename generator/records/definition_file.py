"""A definition file read and held to its own sense: every refusal names the field."""

from __future__ import annotations

import hashlib
import tomllib
from decimal import Decimal
from itertools import pairwise
from typing import Any

import msgspec

from generator.errors import ContentError
from generator.records.definition import CONDITION_LETTERS, DEFINITION_FORMAT, Definition, Method
from generator.records.grade import Column, Letter
from generator.records.refusal import place, refusal

FINEST = 12
"""Digits after the point that a number of a definition may have: none asks for more, and exact sums stay small."""


def parse_method(toml: bytes, markdown: bytes, *, where: str) -> Method:
    """Return the method that a definition file and its prose say.

    Args:
        toml: bytes of `content/methods/<version>.toml`.
        markdown: bytes of `content/methods/<version>.md`.
        where: the definition file's name, for messages.

    Raises:
        ContentError: naming the field that is missing, unknown, of another type or out of bounds.
    """
    definition = parse_definition(toml, where=where)
    try:
        prose = markdown.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContentError(f"expected UTF-8, found {error.reason}", where=where.removesuffix(".toml") + ".md") from None
    digest = hashlib.sha256(toml + markdown).hexdigest()
    return Method(definition=definition, prose=prose, digest=digest)


def parse_definition(toml: bytes, *, where: str) -> Definition:
    """Return the definition that a TOML file says.

    Raises:
        ContentError: naming the field that is missing, unknown, of another type or out of bounds.
    """
    try:
        raw: dict[str, Any] = tomllib.loads(toml.decode("utf-8-sig"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ContentError(f"expected TOML, found {error}", where=where) from None
    try:
        definition = msgspec.convert(raw, Definition)
    except msgspec.ValidationError as error:
        problem, field = refusal(error)
        raise ContentError(problem, where=place(where, field), do="Compare with a version that is published") from None
    _check_bounds(definition, where, "")
    _check_whole(definition, where)
    return definition


def _check_bounds(value: object, where: str, path: str) -> None:
    """Refuse a percentage or points outside 0 to 100, naming the field."""
    match value:
        case Decimal():
            finite = value.is_finite()
            if not finite or not 0 <= value <= 100 or -value.as_tuple().exponent > FINEST:  # type: ignore[operator]  # noqa: PLR2004
                raise ContentError(
                    f"expected a number from 0 to 100 with at most {FINEST} digits after the point, found {value}",
                    where=place(where, path),
                )
        case msgspec.Struct():
            for name in value.__struct_fields__:
                _check_bounds(getattr(value, name), where, f"{path}.{name}".lstrip("."))
        case dict():
            for name, item in value.items():
                _check_bounds(item, where, f"{path}.{name}")
        case tuple():
            for index, item in enumerate(value):
                _check_bounds(item, where, f"{path}[{index}]")
        case _:
            pass


def _check_whole(definition: Definition, where: str) -> None:
    """Refuse what the types alone cannot: conditions that contradict each other."""
    if definition.format != DEFINITION_FORMAT:
        raise ContentError(
            f"expected format {DEFINITION_FORMAT}, found {definition.format}",
            where=f"{where}, field 'format'",
            do="Use a version of bitdepth that knows this format",
        )
    for column in Column:
        conditions = getattr(definition.letters, column)
        if set(conditions) != set(CONDITION_LETTERS):
            found = ", ".join(sorted(conditions)) or "none"
            raise ContentError(
                f"expected conditions for A, B and C, found {found}", where=f"{where}, field 'letters.{column}'"
            )
    states = set(definition.letters.D[Letter.C].states)
    if states != {"present", "absent", "changed"}:
        raise ContentError(
            "expected every state (present, absent, changed), because column D has no letter D",
            where=f"{where}, field 'letters.D.C.states'",
        )
    if any(not letters.states for letters in definition.letters.D.values()):
        raise ContentError("expected at least one state for each letter", where=f"{where}, field 'letters.D'")
    _check_rising(definition, where)
    if definition.window.nights > definition.window.calendar_days:
        raise ContentError(
            f"expected no more nights than calendar days ({definition.window.calendar_days}), "
            f"found {definition.window.nights}",
            where=f"{where}, field 'window.nights'",
        )
    names = [latency_class.name for latency_class in definition.latency.classes]
    if len(set(names)) < len(names):
        raise ContentError(
            f"expected a name of its own for each class, found {', '.join(names)}",
            where=f"{where}, field 'latency.classes'",
        )
    bounds = [latency_class.below_ms for latency_class in definition.latency.classes]
    finite = [bound for bound in bounds if bound is not None]
    if not bounds or bounds[-1] is not None or len(finite) != len(bounds) - 1 or finite != sorted(set(finite)):
        raise ContentError(
            "expected classes with rising 'below_ms' and a last class without it",
            where=f"{where}, field 'latency.classes'",
        )
    if not definition.worked_example.self_disagreement:
        raise ContentError("expected at least one number", where=f"{where}, field 'worked_example.self_disagreement'")


def _check_rising(definition: Definition, where: str) -> None:
    """Refuse conditions of a better letter that ask for less than those of a worse one."""
    letters = definition.letters
    rising: dict[str, list[Any]] = {
        "letters.M, max_nights_outside": [letters.M[letter].max_nights_outside for letter in CONDITION_LETTERS],
        "letters.T, max_points": [letters.T[letter].max_points for letter in CONDITION_LETTERS],
        "letters.D, number of states": [len(letters.D[letter].states) for letter in CONDITION_LETTERS],
    }
    for name in ("errors_below_percent", "truncation_below_percent", "max_misrouted"):
        limits = [getattr(letters.R[letter], name) for letter in CONDITION_LETTERS]
        # No limit is the widest one.
        rising[f"letters.R, {name}"] = [Decimal("Infinity") if limit is None else limit for limit in limits]
    for field, limits in rising.items():
        if any(better > worse for better, worse in pairwise(limits)):
            raise ContentError(
                f"expected limits that do not fall from A to C, found {', '.join(str(limit) for limit in limits)}",
                where=f"{where}, field '{field}'",
            )
