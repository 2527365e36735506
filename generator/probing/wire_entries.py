"""A listing's body as raw entries, each to be read by itself: what is malformed in one costs no other."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from generator.errors import RouterError
from generator.probing.wire_values import NotJsonError, read_json, short

# A JSON escape: a surrogate pair, half of one, or any other.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_Kind = TypeVar("_Kind", bound=msgspec.Struct)


class _Page(msgspec.Struct, frozen=True):
    data: list[msgspec.Raw]


def data_of(body: bytes, what: str) -> list[msgspec.Raw]:
    """Return the entries of a body of the form {"data": [...]}.

    Args:
        body: as received.
        what: it should be, for the message.

    Raises:
        RouterError: where it is of another form.
    """
    return decode(body, _Page, what).data


def decode(body: bytes, kind: type[_Kind], what: str) -> _Kind:
    """Return a body as a record whose entries stay raw.

    Args:
        body: as received.
        kind: of record.
        what: it should be, for the message.

    Raises:
        RouterError: where it is no such record.
    """
    # Bytes that are no UTF-8, and halves of surrogate pairs, cost the field they stand in, not the listing.
    text = _ESCAPE.sub(_whole_character, body.decode("utf-8-sig", "replace"))
    try:
        return msgspec.json.decode(text, type=kind)
    # What is nested too deep exhausts the decoder's recursion.
    except (msgspec.DecodeError, RecursionError) as error:
        raise RouterError(f"expected {what}, found {error}", do="Try again later") from None


def members(raw: bytes | msgspec.Raw) -> dict[str, Any]:
    """Return an entry's members; none where it is no object that can be read."""
    try:
        return table(read_json(bytes(raw), unique_names=False))
    except NotJsonError:
        return {}


def table(value: object) -> dict[str, Any]:
    """Return an object's members; none where it is no object."""
    return value if isinstance(value, dict) else {}


def whole_name(value: object) -> str | None:
    """Return a name without white space around it; None where it is none, or too long: cut, it would name another."""
    name = short(value)
    return name if isinstance(value, str) and name == value.strip() else None


def compact(raw: msgspec.Raw) -> str:
    """Return an entry's JSON without white space between its parts."""
    return msgspec.json.format(bytes(raw), indent=-1).decode("utf-8", "replace")


def _whole_character(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape["half"] else escape[0]
