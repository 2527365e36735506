"""A published site as somebody outside sees it: files by path, whether over HTTP or in a folder that was saved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from generator.errors import SiteError
from generator.site.files import is_safe

MOST_SMALL = 17 * 1024 * 1024
"""Bytes of anything that is held in memory: a full bundle of leaves takes up to 16.8 MB."""
MOST_FILE = 4 * 1024**3
"""Bytes of anything that is only hashed."""
_CHUNK = 1 << 20


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

    def digests(self, paths: Iterable[str]) -> Iterator[tuple[str, str | SiteError | None]]:
        """Yield each path with its file's SHA-256, None where there is none, or why that cannot be told."""
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

    def digests(self, paths: Iterable[str]) -> Iterator[tuple[str, str | SiteError | None]]:
        """Yield each path with its file's SHA-256."""
        for path in paths:
            yield path, self._digest(path)

    def _digest(self, path: str) -> str | SiteError | None:
        try:
            target = self._target(path)
            with target.open("rb") as file:
                digest = hashlib.sha256()
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
                return digest.hexdigest()
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
