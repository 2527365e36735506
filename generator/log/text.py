"""Numbers and base64 as the C2SP formats write them: each value has one spelling, and every other is refused.

Python's own decoders take more: base64 with stray bits in its last character, numbers with underscores, signs or
leading zeroes. A reader that took those would accept two files for one signature.
"""

from __future__ import annotations

import base64
import binascii
import re

from generator.errors import IntegrityError

HASH_BYTES = 32
"""Of a SHA-256."""

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,17}")
"""Up to 18 digits, which a signed 64-bit number holds in every language."""

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")

_LONGEST_SHOWN = 100
"""In characters: what a message quotes of a text that may be anything."""


def read_decimal(text: str, *, where: str) -> int:
    """Return the number that ASCII digits without leading zeroes write.

    Raises:
        IntegrityError: where the text is anything else.
    """
    if _DECIMAL.fullmatch(text) is None:
        raise IntegrityError(f"expected a decimal number without leading zeroes, found {shown(text)}", where=where)
    return int(text)


def read_base64(text: str, *, where: str) -> bytes:
    """Return the bytes that standard base64 with padding writes (RFC 4648, section 4).

    Raises:
        IntegrityError: where the text is anything else, or another spelling of the same bytes.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = None
    if data is None or written_base64(data) != text:
        raise IntegrityError(f"expected base64, found {shown(text)}", where=where)
    return data


def read_hash(text: str, *, where: str) -> bytes:
    """Return the SHA-256 that base64 writes.

    Raises:
        IntegrityError: where the text is no base64, or not of 32 bytes.
    """
    data = read_base64(text, where=where)
    if len(data) != HASH_BYTES:
        raise IntegrityError(f"expected a hash of {HASH_BYTES} bytes, found {len(data)} bytes", where=where)
    return data


def written_base64(data: bytes) -> str:
    """Return the standard base64 of some bytes, with padding and without line breaks."""
    return base64.b64encode(data).decode("ascii")


def shown(text: str) -> str:
    """Return a text as a message may quote it: on one line, escaped, and cut after 100 characters."""
    return ascii(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")


def has_controls(text: str) -> bool:
    """True where a text holds an ASCII control character other than a newline."""
    return _CONTROL.search(text) is not None
