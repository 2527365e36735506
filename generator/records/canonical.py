"""Canonical JSON (RFC 8785) of records: the bytes that are hashed, published and compared."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import cache
from typing import TypeVar

import msgspec
import rfc8785
from msgspec import inspect

from generator.errors import IntegrityError

_Record = TypeVar("_Record", bound=msgspec.Struct)

SEALED_FORMAT = 1
"""The format of night.json, void.json and manifests that this program writes and reads."""

COMPARE_ELSEWHERE = "Compare with another copy of the archive before anything else"
"""What to do about a kept file that is not what it was."""


_MAYBE_TOO_LARGE = re.compile(rb":-?[0-9]{16}")
"""Finds every member that RFC 8785 may refuse, which is a whole number from 2^53 on; and now and then a text."""

_PLAIN = (inspect.StrType, inspect.IntType, inspect.BoolType, inspect.NoneType, inspect.DateType, inspect.DecimalType)
_SORTED = msgspec.json.Encoder(order="sorted")


def canonical_json(record: object) -> bytes:
    """Return the RFC 8785 JSON of a record: dates and decimals as strings, everything else as it is.

    rfc8785 is in charge. Of records in which nothing can be written in two ways, the JSON library's own encoder,
    which escapes text alike, gives the same bytes in an eighth of the time.
    """
    if isinstance(record, msgspec.Struct) and _is_plain(type(record)):
        with suppress(UnicodeEncodeError):  # Of half a character, which rfc8785 refuses in its own words.
            data = _SORTED.encode(record)
            if _MAYBE_TOO_LARGE.search(data) is None:
                return data
    return rfc8785.dumps(msgspec.to_builtins(record, str_keys=True))


def sha256(data: bytes) -> str:
    """Return the SHA-256 of some bytes in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sealed(record: _Record) -> _Record:
    """Return the record with its `seal`: the digest of its canonical JSON without that member.

    The seal makes a changed byte show even where no other file holds the record's digest. It is no signature.
    """
    content = msgspec.to_builtins(record, str_keys=True)
    content.pop("seal")
    return msgspec.structs.replace(record, seal=sha256(rfc8785.dumps(content)))


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
        expected = canonical_json(sealed(record))
    except rfc8785.CanonicalizationError:
        expected = b""
    if expected != data:
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


@cache
def _is_plain(kind: type[msgspec.Struct]) -> bool:
    """True for a record type whose members have ASCII names and no value that JSON can write in two ways.

    Not plain: floats; mappings, whose keys RFC 8785 sorts by UTF-16; whatever else is not listed.
    """
    return _plain(inspect.type_info(kind))


def _plain(info: inspect.Type) -> bool:
    match info:
        case inspect.StructType(fields=fields, array_like=False, tag=None):
            return all(field.encode_name.isascii() and _plain(field.type) for field in fields)
        case inspect.VarTupleType(item_type=inspect.StructType() | inspect.StrType() | inspect.DateType() as item):
            return _plain(item)
        case inspect.VarTupleType(item_type=inspect.EnumType() as item):
            return _plain(item)
        case inspect.UnionType(types=kinds):
            return all(_plain(kind) for kind in kinds)
        case inspect.EnumType(cls=members):
            return all(isinstance(member.value, str) for member in members)
        case _:
            return isinstance(info, _PLAIN)
