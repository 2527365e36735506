"""A unit: a model at a declared precision with its grade, every attribute marked by what it depends on."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from generator.records.figures import decimal_text
from generator.records.grade import Column, DeclaredState, Grade
from generator.records.night import REPLAYED
from generator.records.reading import LETTER_WORDS, NOT_MEASURED, Reading, change_words, provisional_words
from generator.site.anchors import COLUMN_ANCHORS

REPLAYED_LATENCY = "replayed, not measured"
_MILLION = 1_000_000
_COLUMN_NAMES = {
    Column.M: "Match",
    Column.T: "Task accuracy",
    Column.D: "Declaration",
    Column.R: "Reliability",
}


class Mark(StrEnum):
    """What an attribute depends on."""

    DECLARED = "declared"
    MEASURED = "measured"
    HELD = "declared, held to consistency"
    BOTH = "declared and measured"


class Attribute(NamedTuple):
    """One attribute of a unit in words."""

    name: str
    value: str
    """May hold a stranger's text."""
    mark: Mark
    anchor: str
    """Where the method page explains it."""


def attributes(grade: Grade, columns: Iterable[Reading]) -> tuple[Attribute, ...]:
    """Return the attributes of a unit: what is declared, what is measured, and the letter that depends on both.

    Args:
        grade: the unit's.
        columns: the grade's four columns in words.
    """
    rows = [
        Attribute("Declared precision", precision_words(grade), Mark.DECLARED, "declared-precision"),
        Attribute("Price", price_words(grade.price_prompt, grade.price_completion), Mark.DECLARED, "price-and-context"),
        Attribute(
            "Context listed",
            tokens_words(grade.context_declared, "not declared"),
            Mark.DECLARED,
            "price-and-context",
        ),
        Attribute("Context observed", observed_words(grade), Mark.MEASURED, "price-and-context"),
        Attribute("Latency class", latency_words(grade), Mark.MEASURED, "latency"),
    ]
    for reading in columns:
        column = reading.column
        value = NOT_MEASURED if reading.letter is None else f"{reading.letter}: {reading.words}"
        mark = Mark.HELD if column is Column.D else Mark.MEASURED
        rows.append(Attribute(_COLUMN_NAMES[column], value, mark, COLUMN_ANCHORS[column]))
    letter = f"{grade.letter}, {LETTER_WORDS[grade.letter]}, method {grade.method_version}, {provisional_words(grade)}"
    rows.append(Attribute("Letter", letter, Mark.BOTH, "letters"))
    return tuple(rows)


def precision_words(grade: Grade) -> str:
    """Return the last declared precision of the window, or the dated changes that led to it."""
    if grade.d_state is not DeclaredState.CHANGED:
        return grade.d_precision or "absent"
    return "; ".join(change_words(change) for change in grade.d_changes)


def price_words(prompt: Decimal | None, completion: Decimal | None) -> str:
    """Return a listed price in US dollars for a million tokens, in and out."""
    if prompt is None and completion is None:
        return "not listed"
    sides = ((prompt, "in"), (completion, "out"))
    words = [f"{_per_million(price)} {side}" for price, side in sides if price is not None]
    return f"USD {', '.join(words)}, per million tokens"


@lru_cache(1024)  # A price stands on page after page.
def _per_million(price: Decimal) -> str:
    return decimal_text(price * _MILLION)


def price_short(prompt: Decimal | None, completion: Decimal | None) -> str:
    """Return a listed price where a caption says what it is in."""
    return price_words(prompt, completion).removeprefix("USD ").removesuffix(", per million tokens")


def context_short(count: int | None, mark: str) -> str:
    """Return a number of tokens with what it depends on, 'declared' or 'measured'."""
    return f"not {mark}" if count is None else f"{count:,} {mark}"


def latency_short(grade: Grade) -> str:
    """Return the latency class with its median where a heading says what it is of."""
    return latency_words(grade).removeprefix("class ").removesuffix(" to a complete answer").replace("median ", "")


def tokens_words(count: int | None, otherwise: str) -> str:
    """Return a number of tokens in words."""
    return otherwise if count is None else f"{count:,} tokens"


def observed_words(grade: Grade) -> str:
    """Return the longest context probe that was answered in the window."""
    if grade.context_observed is None:
        return NOT_MEASURED
    return f"{grade.context_observed:,} tokens, the longest probe answered"


def latency_words(grade: Grade) -> str:
    """Return the latency class with its median; a replayed latency has no class."""
    if grade.latency_class == REPLAYED:
        return REPLAYED_LATENCY
    if grade.latency_class is None or grade.median_latency_ms is None:
        return NOT_MEASURED
    return f"class {grade.latency_class}, median {grade.median_latency_ms:,} ms to a complete answer"
