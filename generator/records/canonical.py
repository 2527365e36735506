"""Canonical JSON (RFC 8785) of records: the bytes that are hashed, published and compared."""

from __future__ import annotations

import hashlib
from typing import TypeVar

import msgspec
import rfc8785

_Record = TypeVar("_Record", bound=msgspec.Struct)


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
