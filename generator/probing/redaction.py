"""A key that comes back in a reply is taken out of it before anybody judges or keeps anything of the reply.

Routers echo headers in error pages and debug fields. Found are the key as it is, with any of its characters written
as a JSON escape, and in base64 wherever it stands in the encoded text. A router that hides the key on purpose gains
nothing by it: it holds the key already.
"""

from __future__ import annotations

import base64
import re

MARK = b"[key]"
"""What stands in a key's place."""

SHORTEST = 8
"""A shorter key is a placeholder for servers that ask for none (`EMPTY`, `ollama`), and may be a word of an answer."""

_ESCAPED_BY_A_STROKE = '/"\\'
"""What JSON may also write with a stroke before it."""


class Redaction:
    """Takes one key out of bytes."""

    def __init__(self, key: str | None) -> None:
        """Prepare for a key of ASCII characters; None, or one that is too short to be secret, is found nowhere."""
        secret = key if key is not None and len(key) >= SHORTEST else ""
        self._forms = (secret.encode("ascii"), *_in_base64(secret.encode("ascii"))) if secret else ()
        strokes = (f"\\{one}".encode("ascii") for one in _ESCAPED_BY_A_STROKE if one in secret)
        self._escapes = (b"\\u00", *strokes) if secret else ()
        self._escaped = re.compile("".join(map(_character, secret)).encode("ascii"))

    def __call__(self, data: bytes) -> bytes:
        """Return the bytes with the mark wherever the key stood."""
        # Nearly always absent: a search for plain bytes costs next to nothing.
        if any(escape in data for escape in self._escapes):
            data = self._escaped.sub(MARK, data)
        for form in self._forms:
            if form in data:
                data = data.replace(form, MARK)
        return data


def _character(one: str) -> str:
    """Return a pattern of a character, as it is or as JSON may escape it."""
    digits = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(one):04x}")
    stroke = [re.escape(f"\\{one}")] if one in _ESCAPED_BY_A_STROKE else []
    forms = [re.escape(one), re.escape("\\u") + digits, *stroke]
    return f"(?:{'|'.join(forms)})"


def _in_base64(key: bytes) -> set[bytes]:
    """Return the key in base64, after 0, 1 or 2 other bytes, but for the ends that it shares with its neighbours."""
    forms = set()
    for before in range(3):
        text = base64.b64encode(bytes(before) + key)
        # A character holds six bits: those that hold a bit of another byte, or padding, are left off.
        first = -(-8 * before // 6)
        last = 8 * (before + len(key)) // 6
        forms |= {text[first:last], text[first:last].translate(bytes.maketrans(b"+/", b"-_"))}
    return forms
