"""A key that comes back in a reply is taken out of it before anybody judges or keeps anything of the reply.

Routers echo headers in error pages and debug fields. Found are the key in any case, with any of its characters behind
strokes or written as a JSON escape, however often the text that holds it was itself put into JSON, and in base64
wherever it stands in the encoded text. A router that hides the key on purpose gains nothing by it: it holds the key
already.
"""

from __future__ import annotations

import base64
import re

MARK = b"[key]"
"""What stands in a key's place."""

SHORTEST = 8
"""A shorter key is a placeholder for servers that ask for none (`EMPTY`, `ollama`), and may be a word of an answer."""

_STROKE = b"\\"
_ESCAPES = tuple(b"u00%d" % digit for digit in range(2, 8))
"""How JSON begins an escape of a printable ASCII character, in lower case and without its strokes."""


class Redaction:
    """Takes one key out of bytes."""

    def __init__(self, key: str | None) -> None:
        """Prepare for a key of ASCII characters; None, or one that is too short to be secret, is found nowhere."""
        secret = (key if key is not None and len(key) >= SHORTEST else "").encode("ascii")
        self._forms = (secret, *_in_base64(secret)) if secret else ()
        self._bare = secret.lower().replace(_STROKE, b"")
        self._written = re.compile(_pattern(secret), re.IGNORECASE)

    def __call__(self, data: bytes) -> bytes:
        """Return the bytes with the mark wherever the key stood."""
        if self._may_be_in(data):
            data = self._written.sub(MARK, data)
        for form in self._forms:
            if form in data:
                data = data.replace(form, MARK)
        return data

    def _may_be_in(self, data: bytes) -> bool:
        """True where the key may stand there as text, found by searches for plain bytes that cost next to nothing."""
        if not self._bare:
            return False
        bare = data.lower().translate(None, _STROKE)
        return self._bare in bare or any(escape in bare for escape in _ESCAPES)


def _pattern(key: bytes) -> bytes:
    """Return a pattern of a key, but for strokes at its ends, in which each character may stand as JSON writes it.

    No run of strokes is gone through twice, so that the search takes no longer than the text is long.
    """
    parts = []
    for place, word in enumerate(key.strip(_STROKE).split(_STROKE)):
        # Strokes before the key go with it: one that stayed would escape the mark.
        between = rb"(?:\\|u005c)++" if place else rb"(?<!\\)\\*+"
        parts.append(between + rb"(?:\\|u005c)*+".join(_character(one) for one in word))
    return b"".join(parts)


def _character(one: int) -> bytes:
    """Return a pattern of a character in either case, as it is or as what follows the strokes of its JSON escape."""
    plain = bytes([one])
    return b"(?:u%04x|u%04x|%b)" % (ord(plain.lower()), ord(plain.upper()), re.escape(plain))


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
