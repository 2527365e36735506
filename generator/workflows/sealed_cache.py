"""Bytes kept beside the archive in `<root>/.cache/` under a key: whole and of that very key when read, or not at all.

Derived data: the folder may be deleted at any time. What cannot be read or written is done without. A file says what it
is in its first line; then follow the SHA-256 of all after it, the key, and the bytes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from generator.records.canonical import sha256

_MAGIC = b"bitdepth cache\n"
_DIGEST_LENGTH = len(sha256(b""))
_IGNORED = b"*\n"
"""The .gitignore of the cache: no copy of the archive carries it along."""


class SealedCache:
    """One folder of a site root's cache."""

    def __init__(self, root: Path, folder: str) -> None:
        """Use a folder below `.cache/`; nothing is opened or made yet."""
        self.folder = root / ".cache" / folder

    def read(self, name: str, key: str) -> bytes | None:
        """Return what is kept under a name and a key; None where nothing whole is.

        Args:
            name: of the file.
            key: one line that says all that the bytes depend on.
        """
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return None
        head = len(_MAGIC) + _DIGEST_LENGTH + 1
        body, line = data[head:], f"{key}\n".encode()
        if data[:head] != _MAGIC + sha256(body).encode() + b"\n" or not body.startswith(line):
            return None
        return body[len(line) :]

    def names(self) -> frozenset[str]:
        """Return the name of every file that is kept."""
        return frozenset(each.name for each in self.folder.glob("*"))

    def write(self, name: str, key: str, data: bytes) -> None:
        """Keep bytes under a name, or none: a lost write costs work."""
        body = f"{key}\n".encode() + data
        put(self.folder / name, _MAGIC + sha256(body).encode() + b"\n" + body)

    def drop(self, name: str) -> None:
        """Delete what is kept under a name."""
        with suppress(OSError):
            (self.folder / name).unlink()

    def drop_others(self, name: str) -> None:
        """Delete what is kept under any other name."""
        for each in self.folder.glob("*"):
            if each.name != name:
                self.drop(each.name)


def put(path: Path, data: bytes) -> None:
    """Keep a file of the cache, or none: a reader sees the whole file or the one before it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        ignored = path.parent.parent / ".gitignore"
        if not ignored.exists():
            ignored.write_bytes(_IGNORED)
        try:
            unfinished.write_bytes(data)
            unfinished.replace(path)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
