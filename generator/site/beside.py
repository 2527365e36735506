"""What lies beside the site's folder, so that a build knows what the last one laid out.

.<site>.fresh/         the views of a build that has not been swapped in yet
.<site>.views          the paths of the views that lie in the site, one a line
.<site>.permanent/     for each shelf that was laid out whole: its digest, and each file's size and time of change
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec

from generator.site.files import Files, is_safe, read


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One shelf as it was laid out."""

    digest: str
    files: tuple[tuple[str, int, int], ...]
    """Each file's path, its size in bytes and when it was last written, in nanoseconds."""


class Beside:
    """The lists and records of one site."""

    def __init__(self, site_dir: Path) -> None:
        """Look beside a folder."""
        # Resolved: 'site' and './site/' are one folder, and '.' has no name of its own.
        place = site_dir.resolve()
        self.fresh = place.with_name(f".{place.name}.fresh")
        self._views = place.with_name(f".{place.name}.views")
        self._permanent = place.with_name(f".{place.name}.permanent")

    def views(self) -> frozenset[str]:
        """Return the paths of the views in place."""
        try:
            lines = self._views.read_text("utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return frozenset()
        return frozenset(line for line in lines if is_safe(line))

    def list_views(self, paths: Iterable[str]) -> None:
        """Write the paths of the views in place."""
        self._keep(self._views, "".join(f"{path}\n" for path in sorted(paths)).encode())

    def shelves(self) -> Iterator[str]:
        """Yield the name of each shelf that was laid out, sorted."""
        if self._permanent.is_dir():
            yield from sorted(unquote(each.name) for each in self._permanent.iterdir() if each.name[0] != ".")

    def record(self, name: str) -> Record | None:
        """Return what was recorded of a shelf; None where nothing was, or what is there is no record."""
        try:
            return msgspec.json.decode(read(self._place(name)) or b"", type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def keep(self, name: str, record: Record) -> None:
        """Record that a shelf is laid out whole, once all of it is on the disk."""
        self._keep(Path(self._place(name)), msgspec.json.encode(record))

    def _place(self, name: str) -> str:
        return f"{self._permanent}/{quote(name, safe='')}"

    def _keep(self, place: Path, data: bytes) -> None:
        with Files(place.parent) as files:
            files.lay(str(place), data)
            files.settle()


def marks(target: str) -> tuple[int, int]:
    """Return a file's size in bytes and when it was last written, in nanoseconds; two times -1 where there is none."""
    try:
        found = os.stat(target)  # noqa: PTH116 - a path object costs more than the look
    except (FileNotFoundError, NotADirectoryError):
        return -1, -1
    return found.st_size, found.st_mtime_ns
