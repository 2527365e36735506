"""A published site as somebody outside sees it: files by path, whether over HTTP or in a folder that was saved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from generator.errors import SiteError
from generator.site.files import is_safe

MOST_SMALL = 17 * 1024 * 1024
"""Bytes of anything that is held in memory: a full bundle of leaves takes up to 16.8 MB."""
MOST_FILE = 4 * 1024**3
"""Bytes of anything that is only hashed."""
_CHUNK = 1 << 20


class FileDigest(msgspec.Struct, frozen=True, kw_only=True):
    """What a file was found to be."""

    sha256: str
    bytes: int


class Published(Protocol):
    """Something that is read path by path."""

    where: str
    """Its address or folder, with a closing slash."""

    def get(self, path: str) -> bytes | None:
        """Return a file's bytes; None where there is none.

        Raises:
            SiteError: where that cannot be told, or it is too large to be what it should be.
        """
        ...

    def bodies(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | SiteError | None]]:
        """Yield each path with its file's bytes, None where there is none, or why that cannot be told."""
        ...

    def digests(self, paths: Iterable[str]) -> Iterator[tuple[str, FileDigest | SiteError | None]]:
        """Yield each path with its file's digest, None where there is none, or why that cannot be told."""
        ...

    def listed(self) -> tuple[str, ...] | None:
        """Return every file's path, sorted; None where a site does not say."""
        ...


class SavedSite:
    """A folder that holds a copy of a site."""

    def __init__(self, folder: Path) -> None:
        """Use a folder."""
        self.where = f"{folder}/"
        self._folder = folder

    def get(self, path: str) -> bytes | None:
        """Return a file's bytes; None where there is none."""
        target = self._target(path)
        try:
            if target.stat().st_size > MOST_SMALL:
                raise SiteError(f"expected at most {MOST_SMALL} bytes, found more", where=self.where + path)
            return target.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SiteError(f"cannot read: {error.strerror}", where=self.where + path) from None

    def bodies(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | SiteError | None]]:
        """Yield each path with its file's bytes."""
        for path in paths:
            try:
                yield path, self.get(path)
            except SiteError as error:
                yield path, error

    def digests(self, paths: Iterable[str]) -> Iterator[tuple[str, FileDigest | SiteError | None]]:
        """Yield each path with its file's digest."""
        for path in paths:
            yield path, self._digest(path)

    def listed(self) -> tuple[str, ...]:
        """Return every file's path, sorted."""
        found = (path for path in self._folder.rglob("*") if path.is_file())
        return tuple(sorted(path.relative_to(self._folder).as_posix() for path in found))

    def _digest(self, path: str) -> FileDigest | SiteError | None:
        try:
            target = self._target(path)
            with target.open("rb") as file:
                digest, length = hashlib.sha256(), 0
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
                    length += len(chunk)
                return FileDigest(sha256=digest.hexdigest(), bytes=length)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except SiteError as error:
            return error
        except OSError as error:
            return SiteError(f"cannot read: {error.strerror}", where=self.where + path)

    def _target(self, path: str) -> Path:
        if not is_safe(path):
            raise SiteError("expected a path within the site", where=repr(path))
        return self._folder / path
