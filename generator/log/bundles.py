"""Bundles of leaves: each leaf after its length in two bytes, the higher one first (C2SP tlog-tiles, log entries)."""

from __future__ import annotations

from collections.abc import Sequence

from generator.errors import IntegrityError

LONGEST_ENTRY = 0xFFFF
"""In bytes: what a length of two bytes can say."""

_LENGTH_BYTES = 2


def encode_entries(entries: Sequence[bytes]) -> bytes:
    """Return a bundle of some leaves.

    Raises:
        IntegrityError: where a leaf is longer than 65,535 bytes.
    """
    parts: list[bytes] = []
    for entry in entries:
        if len(entry) > LONGEST_ENTRY:
            raise IntegrityError(f"expected a leaf of at most {LONGEST_ENTRY} bytes, found {len(entry)}")
        parts += (len(entry).to_bytes(_LENGTH_BYTES, "big"), entry)
    return b"".join(parts)


def decode_entries(data: bytes, *, where: str) -> tuple[bytes, ...]:
    """Return the leaves of a bundle.

    Raises:
        IntegrityError: where the bundle ends within a leaf or a length.
    """
    entries, start = [], 0
    while start < len(data):
        first = start + _LENGTH_BYTES
        end = first + int.from_bytes(data[start:first], "big")
        if max(first, end) > len(data):
            raise IntegrityError(f"expected a leaf up to byte {max(first, end)}, found {len(data)} bytes", where=where)
        entries.append(data[first:end])
        start = end
    return tuple(entries)
