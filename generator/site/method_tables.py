"""Tables of the method page, as Markdown generated from a definition: nothing in them is written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import msgspec

from generator.records.definition import CONDITION_LETTERS, Definition, LatencyClass
from generator.records.figures import counted, decimal_text
from generator.records.grade import Letter

NO_CONDITION = "no condition"
_NO_LETTER_D = "this column has no letter D"


def letters_table(definition: Definition) -> str:
    """Return the condition of each letter in each column; a rule that is absent says 'no condition'."""
    rows = [
        "| letter | M, match | T, task accuracy | D, declared precision | R, reliability |",
        "|---|---|---|---|---|",
    ]
    for letter in CONDITION_LETTERS:
        cells = (_m(definition, letter), _t(definition, letter), _d(definition, letter), _r(definition, letter))
        rows.append(f"| {letter} | {' | '.join(cells)} |")
    rows.append(f"| D | {' | '.join(_letter_d(definition))} |")
    return "\n".join(rows)


def latency_table(definition: Definition) -> str:
    """Return the latency classes with their bounds."""
    rows = ["| class | median time to a complete answer |", "|---|---|"]
    lower = None
    for latency_class in definition.latency.classes:
        rows.append(f"| {latency_class.name} | {_latency_bounds(latency_class, lower)} |")
        lower = latency_class.below_ms
    return "\n".join(rows)


def numbers_table(definition: Definition) -> str:
    """Return every key of a definition with its value; an absent key says that its rule is off."""
    rows = ["| key | value |", "|---|---|"]
    rows += [f"| `{path}` | {value} |" for path, value in leaves(definition)]
    return "\n".join(rows)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value that stands in a definition, with its key path, in the definition's order."""
    match value:
        case msgspec.Struct():
            for name in value.__struct_fields__:
                yield from leaves(getattr(value, name), f"{path}.{name}".lstrip("."))
        case dict():
            for name, item in value.items():
                yield from leaves(item, f"{path}.{name}")
        case tuple() if any(isinstance(item, msgspec.Struct) for item in value):
            for index, item in enumerate(value):
                yield from leaves(item, f"{path}[{index}]")
        case tuple():
            yield path, ", ".join(_written(item) for item in value) or "none"
        case _:
            yield path, _written(value)


def _written(value: object) -> str:
    match value:
        case None:
            return "absent: no such rule"
        case bool():
            return "true" if value else "false: no such rule"
        case Decimal():
            return decimal_text(value)
        case date():
            return value.isoformat()
        case _:
            return str(value).replace("|", "\\|")


def _m(definition: Definition, letter: Letter) -> str:
    most = definition.letters.M[letter].max_nights_outside
    if most == 0:
        return "within the floor on every night"
    return f"outside the floor on at most {counted(most, 'night')}"


def _t(definition: Definition, letter: Letter) -> str:
    return f"at most {_points(definition.letters.T[letter].max_points)}"


def _d(definition: Definition, letter: Letter) -> str:
    states = definition.letters.D[letter].states
    unchanged = " or ".join(state for state in ("present", "absent") if state in states)
    words = [f"{unchanged}, unchanged"] if unchanged else []
    if "changed" in states:
        words.append("changed during the window, each change dated")
    return "; or ".join(words) or "nothing meets it"


def _r(definition: Definition, letter: Letter) -> str:
    rule = definition.letters.R[letter]
    errors = NO_CONDITION if rule.errors_below_percent is None else f"under {decimal_text(rule.errors_below_percent)} %"
    truncation = (
        NO_CONDITION
        if rule.truncation_below_percent is None
        else f"under {decimal_text(rule.truncation_below_percent)} %"
    )
    misrouted = NO_CONDITION if rule.max_misrouted is None else f"at most {rule.max_misrouted}"
    if rule.max_misrouted == 0:
        misrouted = "none"
    return f"errors {errors}; truncation {truncation}; misrouted {misrouted}"


def _letter_d(definition: Definition) -> tuple[str, str, str, str]:
    """Return what reads D in each column: whatever meets none of the conditions above."""
    most_nights = definition.letters.M[Letter.C].max_nights_outside
    rule = definition.letters.R[Letter.C]
    others = (rule.truncation_below_percent, rule.max_misrouted)
    if rule.errors_below_percent is not None and others == (None, None):
        reliability = f"errors {decimal_text(rule.errors_below_percent)} % or more"
    elif rule.errors_below_percent is None and others == (None, None):
        reliability = _NO_LETTER_D
    else:
        reliability = "whatever meets none of the conditions above"
    return (
        f"outside the floor on {most_nights + 1} or more nights",
        f"over {_points(definition.letters.T[Letter.C].max_points)}",
        _NO_LETTER_D,
        reliability,
    )


def _latency_bounds(latency_class: LatencyClass, lower: int | None) -> str:
    upper = latency_class.below_ms
    if upper is None:
        return "any" if lower is None else f"{_seconds(lower)} or more"
    return f"under {_seconds(upper)}" if lower is None else f"{_seconds(lower)} or more, under {_seconds(upper)}"


def _seconds(milliseconds: int) -> str:
    return f"{decimal_text(Decimal(milliseconds) / 1000)} s"


def _points(points: Decimal) -> str:
    return f"{decimal_text(points)} {'point' if points == 1 else 'points'}"
