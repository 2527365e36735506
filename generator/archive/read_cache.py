"""Copies of a bucket's objects on this machine, so that no object is fetched twice while it stays what it was.

A copy is kept under the object's name and its mark (size and ETag), with its own digest before it: one that was damaged
here is fetched again, and is no finding about the bucket. A cache that cannot be read or written is done without.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from generator.records.canonical import sha256

_IGNORED = b"*\n"
"""Of its .gitignore: no copy of the site root carries it along."""
_DIGEST_BYTES = 64


class ReadCache:
    """The copies that one site root keeps."""

    def __init__(self, folder: Path) -> None:
        """Use a folder; it is made once something is kept."""
        self._folder = folder

    def get(self, name: str, mark: str) -> bytes | None:
        """Return the copy of an object in one state; None where there is none, or it was damaged.

        Args:
            name: of the object.
            mark: names its state.
        """
        try:
            kept = self._place(name, mark).read_bytes()
        except OSError:
            return None
        data = kept[_DIGEST_BYTES:]
        return data if kept[:_DIGEST_BYTES] == sha256(data).encode() else None

    def keep(self, name: str, mark: str, data: bytes) -> None:
        """Keep a copy, or none where the disk refuses: a reader sees it whole, and a lost one is fetched again."""
        place = self._place(name, mark)
        unfinished = place.with_name(f".{os.getpid()}.{place.name}")
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            ignored = self._folder / ".gitignore"
            if not ignored.exists():
                ignored.write_bytes(_IGNORED)
            try:
                unfinished.write_bytes(sha256(data).encode() + data)
                unfinished.replace(place)
            finally:
                with suppress(OSError):
                    unfinished.unlink(missing_ok=True)

    def drop(self, name: str) -> None:
        """Take every copy of an object away.

        Raises:
            OSError: where one cannot be deleted, which may hold what must not be kept.
        """
        with suppress(FileNotFoundError):
            shutil.rmtree(self._folder / name)

    def keep_only(self, folder: str, names: Collection[str]) -> None:
        """Take away every copy of what lies in a folder of the archive no more.

        Args:
            folder: of the archive, such as 'nights'.
            names: every object that it has.
        """
        wanted = frozenset(names)
        for place in {path.parent for path in (self._folder / folder).rglob("*") if path.is_file()}:
            if folder and place.relative_to(self._folder).as_posix() not in wanted:
                shutil.rmtree(place, ignore_errors=True)

    def _place(self, name: str, mark: str) -> Path:
        return self._folder / name / sha256(mark.encode())[:16]
