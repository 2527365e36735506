"""The demo's own seeds and ids: SHA-256 of named texts, so that everybody can make its nights again."""

from __future__ import annotations

import hashlib
from datetime import date

_NIGHT_TEXT = "bitdepth demo night"


def night_seed(first_night: date, index: int) -> str:  # noqa: ARG001 - the demo's letters must not hang on its dates
    """Return the seed of a demo night in hexadecimal, the same on every machine.

    This is the demo's exception: a production night draws its seed from the operating system's entropy.

    Args:
        first_night: the date of the demo's first night; it does not enter the seed.
        index: the night, counted from 1.
    """
    return hashlib.sha256(f"{_NIGHT_TEXT} {index}".encode()).hexdigest()


def token(*parts: str) -> str:
    """Return 20 hexadecimal characters that the parts alone decide, for ids.

    Args:
        parts: what the id is for.
    """
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]
