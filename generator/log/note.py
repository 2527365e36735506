"""Signed notes: a text and the signatures of it, as C2SP signed-note says.

A note is its text, which ends in a newline, an empty line, and one line a signature. Nothing of a text is to be
believed before `open_note` has given it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from generator.errors import IntegrityError
from generator.log.keys import DASH, SigningKey, VerifierKey, is_name
from generator.log.text import has_controls, read_base64, shown

__all__ = ["Note", "Signature", "SigningKey", "VerifierKey", "open_note", "read_note"]

_MOST_SIGNATURES = 100
"""In one note: the format asks for 16 at least, and Go's reader stops here too."""

_ID_BYTES = 4


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line, not yet checked."""

    name: str
    """Of the key."""
    key_id: str
    """As 8 hexadecimal digits."""
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A note taken apart, not yet checked."""

    text: str
    signatures: tuple[Signature, ...]


def open_note(data: bytes, keys: Iterable[VerifierKey], *, where: str = "the note") -> str:
    """Return the text of a note that at least one of the keys has signed.

    Signatures by other keys are let pass unread, as the format asks: witnesses may add theirs.

    Args:
        data: the note, as it is kept.
        keys: those to be believed.
        where: the note was found, for messages.

    Raises:
        IntegrityError: where it is no note, where none of the keys has signed it, or where a signature that bears a
            key's name and id is not that key's.
    """
    note = read_note(data, where=where)
    known = {(key.name, key.key_id): key for key in keys}
    by_known = [one for one in note.signatures if (one.name, one.key_id) in known]
    if not by_known:
        expected = ", ".join(f"{name}+{key_id}" for name, key_id in sorted(known)) or "a known key"
        found = ", ".join(shown(f"{one.name}+{one.key_id}") for one in note.signatures)
        raise IntegrityError(f"expected a signature by {expected}, found {found}", where=where)
    for one in by_known:
        if not known[one.name, one.key_id].verifies(note.text, one.signature):
            problem = f"expected a signature of this text by {one.name}+{one.key_id}, found one that does not fit"
            raise IntegrityError(problem, where=where)
    return note.text


def read_note(data: bytes, *, where: str = "the note") -> Note:
    """Return a note's text and signatures without having checked one.

    Raises:
        IntegrityError: where it is no note.
    """
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise IntegrityError(f"expected UTF-8, found other bytes at {error.start}", where=where) from None
    if has_controls(whole):
        raise IntegrityError("expected a note without control characters, found some", where=where)
    head, gap, tail = whole.rpartition("\n\n")
    if not gap or not tail.endswith("\n"):
        raise IntegrityError("expected a text, an empty line and signature lines, found a note without", where=where)
    lines = tail[:-1].split("\n")
    if len(lines) > _MOST_SIGNATURES:
        raise IntegrityError(f"expected at most {_MOST_SIGNATURES} signatures, found {len(lines)}", where=where)
    return Note(head + "\n", tuple(_signature(line, where=where) for line in lines))


def _signature(line: str, *, where: str) -> Signature:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    if dash != DASH or not is_name(name):
        raise IntegrityError(f"expected a signature line, found {shown(line)}", where=where)
    data = read_base64(encoded, where=where)
    if len(data) <= _ID_BYTES:
        raise IntegrityError(f"expected a key id and a signature, found {len(data)} bytes", where=where)
    return Signature(name, data[:_ID_BYTES].hex(), data[_ID_BYTES:])
