"""One archive folder: files read checked, and added once, each with the smaller file that makes it count."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TypeVar

import msgspec

from generator.archive import files, layout
from generator.records.canonical import canonical_json, read_sealed, sealed
from generator.records.definition import version_key
from generator.records.manifest import GradesManifest, PagesManifest

_Record = TypeVar("_Record", bound=msgspec.Struct)


class Folder:
    """The archive/ folder of a site root, as its nights, grades and pages share it."""

    def __init__(self, path: Path) -> None:
        """Use a folder; nothing is opened yet."""
        self.path = path

    def exists(self, name: str) -> bool:
        """True where a file of that name is there."""
        return (self.path / name).exists()

    def read(self, name: str) -> bytes:
        """Return a kept file's bytes as they lie."""
        return files.read(self.path, name)

    def size(self, name: str) -> int:
        """Return how many bytes a kept file has."""
        return files.size(self.path, name)

    def create(self, name: str, data: bytes) -> None:
        """Create a file; one with the same bytes may be there already."""
        files.create(self.path, name, data)

    def replace(self, name: str, data: bytes) -> None:
        """Put a file in the place of whatever is there: for the log's head and its newest checkpoint alone."""
        files.replace(self.path, name, data)

    def add(self, name: str, data: bytes, manifest: GradesManifest | PagesManifest) -> None:
        """Write a file, then the manifest that makes it count."""
        beside = layout.manifest_of(name)
        self.create_before(beside, name, data)
        self.create(beside, canonical_json(sealed(manifest)))

    def create_before(self, sealing: str, name: str, data: bytes) -> None:
        """Create a file that counts only once `sealing` is written.

        What an interrupted run left there with other bytes, and was never sealed, makes way.
        """
        path = self.path / name
        with files.writing(name):
            if path.exists() and not self.exists(sealing) and path.read_bytes() != data:
                path.unlink()
        self.create(name, data)

    def remove(self, name: str) -> None:
        """Take a file away, where it is there, for good."""
        path = self.path / name
        with files.writing(name):
            path.unlink(missing_ok=True)
            files.sync_folder(path.parent)

    def names(self) -> Iterator[str]:
        """Yield every file of the archive; the lock, the journal and unfinished files are none of it."""
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            unfinished = name.endswith(layout.UNFINISHED) or name.startswith(f"{layout.JOURNAL}/")
            if path.is_file() and name != layout.LOCK and not unfinished:
                yield name

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Return the names of the files that a pattern finds, sorted; unfinished ones are none of them."""
        found = (path.relative_to(self.path).as_posix() for path in self.path.glob(pattern) if path.is_file())
        return tuple(sorted(name for name in found if not name.endswith(layout.UNFINISHED)))

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the method versions that have a folder in one of the archive's folders, oldest first."""
        found = (path.name for path in (self.path / name).glob("*") if path.is_dir() and version_key(path.name))
        return tuple(sorted(found, key=version_key))

    def dates(self, pattern: str) -> tuple[date, ...]:
        """Return the dates that name the files, or their folders, that a pattern finds; ascending."""
        found = set()
        for path in self.path.glob(pattern):
            text = path.parent.name if path.name == layout.NIGHT_JSON else path.stem
            try:
                found.add(date.fromisoformat(text))
            except ValueError:
                continue
        return tuple(sorted(found))


def record_at(folder: Folder, name: str, kind: type[_Record]) -> _Record:
    """Return the sealed record of a JSON file."""
    return read_sealed(folder.read(name), kind, where=name)
