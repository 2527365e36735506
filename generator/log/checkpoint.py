"""What a log signs: its origin, its size and its root, as the text of a C2SP tlog-checkpoint.

Three lines. Extension lines, which the format allows and advises against, this log never writes and never accepts.
"""

from __future__ import annotations

from dataclasses import dataclass

from generator.errors import IntegrityError
from generator.log.text import has_controls, read_decimal, read_hash, shown, written_base64

_LINES = 3


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tree of a log: nothing of a leaf can change, and no leaf go, without another root."""

    origin: str
    """Which log: its address without scheme."""
    size: int
    """In leaves."""
    root: bytes

    def text(self) -> str:
        """Return the text that is signed, and that log/head holds."""
        return f"{self.origin}\n{self.size}\n{written_base64(self.root)}\n"


def parse_checkpoint(text: str, *, where: str = "the checkpoint") -> Checkpoint:
    """Return the checkpoint of a text, which must be exactly as `Checkpoint.text` gives it.

    Raises:
        IntegrityError: where it is no checkpoint, or one with extension lines.
    """
    lines = text.split("\n")
    if len(lines) != _LINES + 1 or lines[_LINES] or not lines[0] or has_controls(text):
        raise IntegrityError(f"expected lines of origin, size and root, found {shown(text)}", where=where)
    return Checkpoint(lines[0], read_decimal(lines[1], where=where), read_hash(lines[2], where=where))
