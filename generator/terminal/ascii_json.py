"""JSON on one line of printable ASCII: no sequence of a stranger's reaches a terminal or a reader of lines."""

from __future__ import annotations

import re

import msgspec

_NOT_ASCII = re.compile(r"[^ -~]")
"""What JSON without line ends holds in its strings alone."""


def ascii_json(value: object) -> str:
    """Return JSON in which whatever is not ASCII stands escaped."""
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return _NOT_ASCII.sub(lambda found: "".join(f"\\u{unit}" for unit in _utf16(found[0])), text)


def _utf16(character: str) -> list[str]:
    return character.encode("utf-16-be").hex(" ", 2).split()
