"""TOML of a content file as a record, with what is wrong in it named by file, line and field."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from generator.errors import ContentError
from generator.records.refusal import place, refusal

_T = TypeVar("_T")
_NO_WORDS: Mapping[str, str] = {}


def text_of(data: bytes, where: str) -> str:
    """Return a content file's text.

    Raises:
        ContentError: where it is no UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContentError(
            f"expected UTF-8, found {error.reason} at byte {error.start}",
            where=where,
            do="Save the file as UTF-8",
        ) from None


def table_of(data: bytes, where: str) -> dict[str, Any]:
    """Return what a TOML file says, its types not looked at yet.

    Raises:
        ContentError: naming the line that is no TOML.
    """
    try:
        return tomllib.loads(text_of(data, where).removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ContentError(
            f"expected TOML, found: {error}",
            where=where,
            do="Mend that line: a text stands in quotes, a list in brackets",
        ) from None


def record_of(table: dict[str, Any], kind: type[_T], where: str, *, words: Mapping[str, str] = _NO_WORDS) -> _T:
    """Return a table as a record.

    Args:
        table: what a file says.
        kind: of the record.
        where: the file, for messages.
        words: what a pattern asks for, by pattern.

    Raises:
        ContentError: naming the field that is missing, unknown, of another type or out of bounds.
    """
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        problem, field = refusal(error, table, kind, words=words)
        do = "Correct it there; the project's own file shows how each part is written"
        raise ContentError(problem, where=place(where, field), do=do) from None
