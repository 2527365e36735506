"""Canonical JSON (RFC 8785) of records: the bytes that are hashed, published and compared."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import msgspec
import rfc8785
from msgspec import inspect

from generator.errors import IntegrityError

_Record = TypeVar("_Record", bound=msgspec.Struct)

SEALED_FORMAT = 1
"""The format of night.json, void.json and manifests that this program writes and reads."""

COMPARE_ELSEWHERE = "Compare with another copy of the archive before anything else"
"""What to do about a kept file that is not what it was."""


_MAYBE_TOO_LARGE = re.compile(rb"[:,\[]-?[0-9]{16}")
"""Finds every value that RFC 8785 may refuse, which is a whole number from 2^53 on; and now and then a text."""

_PLAIN = (
    inspect.StrType,
    inspect.IntType,
    inspect.BoolType,
    inspect.NoneType,
    inspect.DateType,
    inspect.DateTimeType,
    inspect.DecimalType,
)
_SORTED = msgspec.json.Encoder(order="sorted")
_LEAST, _MOST = 0.001, 2**53
"""Between them, every encoder writes a float that is not whole without an exponent, and a whole one is a number."""


class _Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What of a plain record type depends on the record whether it can be written in two ways."""

    floats: tuple[tuple[str, ...], ...]
    """The names that lead to each float."""
    mappings: bool
    """Whether there are any: RFC 8785 sorts their keys by UTF-16."""


def canonical_json(record: object) -> bytes:
    """Return the RFC 8785 JSON of a record: dates and decimals as strings, everything else as it is.

    rfc8785 is in charge. Of records in which nothing can be written in two ways, the JSON library's own encoder,
    which escapes text alike, gives the same bytes in an eighth of the time.
    """
    if isinstance(record, msgspec.Struct):
        data = _plainly(type(record), record)
        if data is not None:
            return data
    return rfc8785.dumps(msgspec.to_builtins(record, str_keys=True))


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sealed(record: _Record) -> _Record:
    """Return the record with its `seal`: the digest of its canonical JSON without that member.

    The seal makes a changed byte show even where no other file holds the record's digest. It is no signature.
    """
    return msgspec.structs.replace(record, seal=_seal(record))


def read_sealed(data: bytes, kind: type[_Record], *, where: str) -> _Record:
    """Return the sealed record that canonical JSON holds.

    Raises:
        IntegrityError: where it is no such record, is not canonical, or its seal does not fit.
    """
    try:
        record = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise IntegrityError(f"expected a {kind.__name__}, found: {error}", where=where, do=COMPARE_ELSEWHERE) from None
    try:
        fits = canonical_json(record) == data and _seal(record) == getattr(record, "seal", None)
    except rfc8785.CanonicalizationError:
        fits = False
    if not fits:
        raise IntegrityError("expected the bytes that were sealed, found others", where=where, do=COMPARE_ELSEWHERE)
    known, written = SEALED_FORMAT, getattr(record, "format", SEALED_FORMAT)
    if written != known:
        raise IntegrityError(
            f"expected format {known}, found {written}", where=where, do="Use a version of bitdepth that knows it"
        )
    return record


def check_digest(data: bytes, expected: str, *, where: str) -> None:
    """Refuse bytes whose SHA-256 is not the recorded one.

    Raises:
        IntegrityError: naming both digests.
    """
    found = sha256(data)
    if found != expected:
        raise IntegrityError(f"expected SHA-256 {expected}, found {found}", where=where, do=COMPARE_ELSEWHERE)


def _seal(record: msgspec.Struct) -> str:
    """Return the SHA-256 of a record's canonical JSON without its seal."""
    content = msgspec.to_builtins(record, str_keys=True)
    content.pop("seal")
    data = _plainly(type(record), content)
    return sha256(rfc8785.dumps(content) if data is None else data)


def _plainly(kind: type[msgspec.Struct], content: object) -> bytes | None:
    """Return the JSON of a record where nothing in it can be written in two ways; else None.

    Args:
        kind: the record's type.
        content: the record, or a mapping of its members, in which floats may become the whole numbers that they are.
    """
    shape = _shape(kind)
    if shape is None:
        return None
    if shape.floats:
        if isinstance(content, msgspec.Struct):
            content = msgspec.to_builtins(content, str_keys=True)
        if not all(_settle(content, *names) for names in shape.floats):
            return None
    with suppress(UnicodeEncodeError):  # Of half a character, which rfc8785 refuses in its own words.
        data = _SORTED.encode(content)
        if _MAYBE_TOO_LARGE.search(data) is None and (data.isascii() or not shape.mappings):
            return data
    return None


def _settle(content: Any, *names: str) -> bool:  # noqa: ANN401 - JSON as deep as the names lead
    """Make a float that is whole a whole number, as RFC 8785 writes it. Return whether there is one way to write it."""
    *above, last = names
    for name in above:
        content = content[name]
    value = content[last]
    if isinstance(value, float) and value.is_integer() and abs(value) < _MOST:
        content[last] = int(value)
        return True
    return not isinstance(value, float) or _LEAST < abs(value) < _MOST


@cache
def _shape(kind: type[msgspec.Struct]) -> _Shape | None:
    """Return what else counts, for a record type whose members have ASCII names and which is plain; else None.

    Plain is what JSON can write in one way only. Floats are, where no list and no choice leads to them, as far as
    their shape says; so are mappings from text; whatever else is not listed is not.
    """
    floats: list[tuple[str, ...]] = []
    mappings: list[inspect.Type] = []
    if not _plain(inspect.type_info(kind), floats, mappings, ()):
        return None
    return _Shape(floats=tuple(floats), mappings=bool(mappings))


def _plain(
    info: inspect.Type, floats: list[tuple[str, ...]], mappings: list[inspect.Type], names: tuple[str, ...] | None
) -> bool:
    """Return whether a type is plain; add the floats and mappings in it.

    Args:
        info: the type.
        floats: added to.
        mappings: added to.
        names: that lead to it; None where more than names do.
    """
    match info:
        case inspect.StructType(fields=fields, array_like=False, tag=None):
            return all(
                field.encode_name.isascii()
                and _plain(field.type, floats, mappings, None if names is None else (*names, field.encode_name))
                for field in fields
            )
        case inspect.FloatType() if names:
            floats.append(names)
            return True
        case inspect.EnumType(cls=members):
            return all(isinstance(member.value, str) for member in members)
        case inspect.VarTupleType(item_type=item):
            inside: tuple[inspect.Type, ...] = (item,)
        case inspect.DictType(key_type=inspect.StrType(), value_type=value):
            mappings.append(info)
            inside = (value,)
        case inspect.UnionType(types=inside):
            pass
        case _:
            return isinstance(info, _PLAIN)
    return all(_plain(each, floats, mappings, None) for each in inside)
