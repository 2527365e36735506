"""Single values from outside as the archive can store them, or None: never an error, never a wrong number."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Any, NoReturn

INT16_MAX = 2**15 - 1
INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1

MAX_SHORT = 200
"""Longest name or code, in characters, that is kept of what a router says."""

_USD_LIMIT = Decimal(10**6)
_USD_STEP = Decimal("1e-12")
# Wide enough that rounding to the column's twelve decimals never runs out of digits.
_USD_CONTEXT = Context(prec=60, rounding=ROUND_HALF_EVEN, Emax=999_999, Emin=-999_999)
_NUMBER = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,60})?(?:[eE][+-]?[0-9]{1,3})?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DIGITS = 40
# In place of a number that is too long to be one: not null, not whole, not finite.
_NO_NUMBER = Decimal("Infinity")


class NotJsonError(ValueError):
    """Some bytes are no JSON document that can be read in one way only."""


def read_json(body: bytes, *, unique_names: bool = True) -> object:
    """Return the value of a JSON document: numbers as int or Decimal, everything else as `json` gives it.

    Args:
        body: UTF-8, white space around it allowed.
        unique_names: refuse an object that has a name twice, which readers take in different ways (RFC 8259).

    Raises:
        NotJsonError: for anything that is no such document, NaN and a nesting too deep included.
    """
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            parse_float=_decimal,
            parse_int=_integer,
            parse_constant=_refuse,
            object_pairs_hook=_unique if unique_names else None,
        )
    except (ValueError, RecursionError):
        raise NotJsonError from None


def storable(text: str) -> str:
    """Return the text with lone surrogates, which no UTF-8 can hold, replaced."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def short(value: object) -> str | None:
    """Return a name or code without white space around it and not longer than `MAX_SHORT`; None if there is none."""
    if not isinstance(value, str):
        return None
    return storable(value[: 2 * MAX_SHORT].strip()[:MAX_SHORT]) or None


def whole(value: object, lowest: int, highest: int) -> int | None:
    """Return an integer within bounds, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if lowest <= value <= highest else None


def usd(value: object) -> Decimal | None:
    """Return an amount in US dollars as decimal128(18, 12) holds it, or None: negative and malformed ones included.

    Args:
        value: a number, or the text of one. More than twelve decimals are rounded half to even.
    """
    match value:
        case bool():
            return None
        case int() | Decimal():
            amount = Decimal(value)
        case str() if _NUMBER.fullmatch(value.strip()):
            amount = Decimal(value.strip())
        case _:
            return None
    if not amount.is_finite() or not 0 <= amount < _USD_LIMIT:
        return None
    rounded = amount.quantize(_USD_STEP, context=_USD_CONTEXT)
    return rounded if rounded < _USD_LIMIT else None


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return _NO_NUMBER


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _MAX_DIGITS else _NO_NUMBER


def _refuse(_: str) -> NoReturn:
    raise NotJsonError


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotJsonError
    return members
