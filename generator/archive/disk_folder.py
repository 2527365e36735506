"""The archive in a folder of this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path

from generator.archive import files, layout
from generator.archive.folder import Folder
from generator.stores.durable import sync_folder


class DiskFolder(Folder):
    """A folder of this machine; its lock keeps other runs away, so that nothing else has to be held."""

    def __init__(self, path: Path) -> None:
        """Use a folder; nothing is opened yet."""
        self.path = path

    def held(self) -> AbstractContextManager[None]:
        """Return at once."""
        return nullcontext()

    def distrust_copies(self) -> None:
        """Return at once: there are no copies."""

    def exists(self, name: str) -> bool:
        """True where a file of that name is there."""
        return os.path.exists(f"{self.path}/{name}")  # noqa: PTH110 - it is asked of every night, twice

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
        """Put a file in the place of whatever is there."""
        files.replace(self.path, name, data)

    def remove(self, name: str) -> None:
        """Take a file away, where it is there, for good."""
        path = self.path / name
        with files.writing(name):
            path.unlink(missing_ok=True)
            sync_folder(path.parent)

    def names(self) -> Iterator[str]:
        """Yield every file of the archive; the lock, the journal and unfinished files are none of it."""
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if path.is_file() and layout.is_kept(name):
                yield name

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Return the names of the files that a pattern finds, sorted."""
        found = _found(f"{self.path}", "", pattern.split("/"))
        return tuple(sorted(name for name in found if not name.endswith(layout.UNFINISHED)))


def _found(folder: str, above: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield the files below a folder that the parts of a pattern find; a Path for each costs more than the look.

    Args:
        folder: where to look.
        above: what stands before the name of everything in it.
        parts: of the pattern, at least one.
    """
    part, *rest = parts
    if part == "**":
        yield from _found(folder, above, rest)
        for entry in _entries(folder):
            if entry.is_dir(follow_symlinks=False):
                yield from _found(entry.path, f"{above}{entry.name}/", parts)
    elif "*" not in "".join(parts):
        name = "/".join(parts)
        if os.path.isfile(f"{folder}/{name}"):  # noqa: PTH113 - same
            yield above + name
    elif "*" not in part:
        yield from _found(f"{folder}/{part}", f"{above}{part}/", rest)
    else:
        fits = _compiled(part).fullmatch
        entries = [each for each in _entries(folder) if fits(each.name)]
        yield from _in_each(entries, above, rest) if rest else (above + each.name for each in entries if _is_file(each))


def _in_each(entries: Sequence[os.DirEntry[str]], above: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield the files below some folders that the parts of a pattern find."""
    if any("*" in part for part in parts):
        for each in entries:
            yield from _found(each.path, f"{above}{each.name}/", parts)
        return
    name = "/".join(parts)
    yield from (f"{above}{each.name}/{name}" for each in entries if os.path.isfile(f"{each.path}/{name}"))  # noqa: PTH113 - same


def _is_file(entry: os.DirEntry[str]) -> bool:
    """True for a file, and for a link that leads to one."""
    return os.path.isfile(entry.path) if entry.is_symlink() else entry.is_file()  # noqa: PTH113 - False for a loop


def _entries(folder: str) -> Sequence[os.DirEntry[str]]:
    """Return what lies in a folder; nothing where it is none, or may not be looked into."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return ()


@lru_cache(256)
def _compiled(part: str) -> re.Pattern[str]:
    """Return what finds the names that a part of a pattern stands for."""
    return re.compile("(?s:.*)".join(map(re.escape, part.split("*"))))
