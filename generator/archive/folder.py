"""The archive's folder, wherever it lies: files read as they are kept, and added once, each with what makes it count.

Names are relative to the archive, with '/'. What is added is whole or not there, and lasts when a method returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import date
from typing import TypeVar

import msgspec

from generator.archive import layout
from generator.records.canonical import canonical_json, read_sealed, sealed
from generator.records.definition import version_key
from generator.records.manifest import GradesManifest, PagesManifest

_Record = TypeVar("_Record", bound=msgspec.Struct)


class Folder(ABC):
    """An archive's folder, as its nights, grades, pages and log share it."""

    @abstractmethod
    def held(self) -> AbstractContextManager[None]:
        """Hold the folder against runs on other machines; the caller holds the lock of this one.

        Raises:
            LockedError: where another run is at work.
        """

    @abstractmethod
    def distrust_copies(self) -> None:
        """Read every file from where it lies at least once from now on, whatever earlier runs have kept of it."""

    @abstractmethod
    def exists(self, name: str) -> bool:
        """True where a file of that name is there."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return a kept file's bytes as they lie.

        Raises:
            MissingFileError: where it is not there.
        """

    @abstractmethod
    def size(self, name: str) -> int:
        """Return how many bytes a kept file has.

        Raises:
            MissingFileError: where it is not there.
        """

    @abstractmethod
    def create(self, name: str, data: bytes) -> None:
        """Create a file; one with the same bytes may be there already.

        Raises:
            IntegrityError: where the file is there with other bytes: it is never replaced.
        """

    @abstractmethod
    def replace(self, name: str, data: bytes) -> None:
        """Put a file in the place of whatever is there: for the log's head and its newest checkpoint alone."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Take a file away, where it is there, for good."""

    @abstractmethod
    def names(self) -> Iterator[str]:
        """Yield every file of the archive, folder by folder; the lock, the journal and unfinished files are none."""

    @abstractmethod
    def matching(self, pattern: str) -> tuple[str, ...]:
        """Return the names that a pattern finds, sorted; unfinished files are none of them.

        Args:
            pattern: '*' stands for anything but '/', and '**' for any number of folders.
        """

    def add(self, name: str, data: bytes, manifest: GradesManifest | PagesManifest) -> None:
        """Write a file, then the manifest that makes it count."""
        beside = layout.manifest_of(name)
        self.create_before(beside, name, data)
        self.create(beside, canonical_json(sealed(manifest)))

    def create_before(self, sealing: str, name: str, data: bytes) -> None:
        """Create a file that counts only once `sealing` is written.

        What an interrupted run left there with other bytes, and was never sealed, makes way.
        """
        if self.exists(name) and not self.exists(sealing) and self.read(name) != data:
            self.remove(name)
        self.create(name, data)

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the method versions that have files in one of the archive's folders, oldest first."""
        found = {each.split("/")[1] for each in self.matching(f"{name}/*/*")}
        return tuple(sorted(filter(version_key, found), key=version_key))

    def dates(self, pattern: str) -> tuple[date, ...]:
        """Return the dates that name the files, or their folders, that a pattern finds; ascending."""
        found = set()
        for name in self.matching(pattern):
            above, _, file = name.rpartition("/")
            word = above.rpartition("/")[2] if file == layout.NIGHT_JSON else file.rpartition(".")[0] or file
            try:
                found.add(date.fromisoformat(word))
            except ValueError:
                continue
        return tuple(sorted(found))


def record_at(folder: Folder, name: str, kind: type[_Record]) -> _Record:
    """Return the sealed record of a JSON file."""
    return read_sealed(folder.read(name), kind, where=name)
