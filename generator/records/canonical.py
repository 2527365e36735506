"""Canonical JSON (RFC 8785) of records: the bytes that are hashed, published and compared."""

from __future__ import annotations

import hashlib
from typing import TypeVar

import msgspec
import rfc8785

from generator.errors import IntegrityError

_Record = TypeVar("_Record", bound=msgspec.Struct)

SEALED_FORMAT = 1
"""The format of night.json, void.json and manifests that this program writes and reads."""

COMPARE_ELSEWHERE = "Compare with another copy of the archive before anything else"
"""What to do about a kept file that is not what it was."""


def canonical_json(record: object) -> bytes:
    """Return the RFC 8785 JSON of a record: dates and decimals as strings, everything else as it is."""
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
