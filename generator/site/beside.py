"""What lies beside the site's folder, so that a build knows what the last one laid out.

.<site>.fresh/            the pages of a build that have not been swapped in yet
.<site>.views             the paths of the views that lie in the site, one a line, but for those of settled pages
.<site>.permanent/        for each shelf that was laid out whole: its digest, and each file's size and time of change
.<site>.permanent.json    of all shelves, digest and number of files
.<site>.settled/          the same for each group of settled pages, with its fingerprint for a digest
.<site>.settled.json      of all groups, fingerprint and number of files
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec

from generator.records.canonical import sha256
from generator.site.files import Files, is_safe, read

_Index = dict[str, tuple[str, int]]
_INDEX = msgspec.json.Decoder(_Index)
_LONGEST = 200
"""Characters of a record's name; no file system takes many more."""
NOT_WHOLE = ("", 0)
"""In an index, for what may lie there in part."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Files that were laid out together."""

    digest: str
    files: tuple[tuple[str, int, int], ...]
    """Each file's path, its size in bytes and when it was last written, in nanoseconds."""

    def holds(self, site: str) -> bool:
        """True while each file has the size and the time of change that it had."""
        return all(marks(f"{site}/{path}") == (size, when) for path, size, when in self.files)


_RECORD = msgspec.json.Decoder(Record)


class Records:
    """What is recorded of files by what they belong to: one index of all, and one list of files of each."""

    def __init__(self, folder: Path) -> None:
        """Keep the lists in a folder, and the index beside it."""
        self._folder = folder
        self._index = folder.with_name(f"{folder.name}.json")

    @cached_property
    def index(self) -> Mapping[str, tuple[str, int]]:
        """By name, the digest and the number of files; where the index is lost, everything counts as not whole."""
        try:
            return _INDEX.decode(read(str(self._index)) or b"")
        except (msgspec.DecodeError, UnicodeDecodeError):
            there = self._folder.iterdir() if self._folder.is_dir() else ()
            return {unquote(each.name): NOT_WHOLE for each in there if each.name[0] != "."}

    def digest(self, name: str) -> str | None:
        """Return the digest that files were laid out whole with; None where they were not."""
        return self.index.get(name, NOT_WHOLE)[0] or None

    def record(self, name: str) -> Record | None:
        """Return what was recorded of some files; None where nothing was, or what is there is no record."""
        try:
            return _RECORD.decode(read(self._place(name)) or b"")
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def keep(self, site: str, laid: Iterable[tuple[str, str, Iterable[str]]]) -> None:
        """Record what is laid out whole, once all of it is on the disk; the index does not say so yet.

        Args:
            site: the site's folder.
            laid: name, digest, and the paths of the files within the site.
        """
        with Files(self._folder) as files:
            for name, digest, paths in laid:
                record = Record(digest=digest, files=tuple((path, *marks(f"{site}/{path}")) for path in paths))
                files.lay(self._place(name), msgspec.json.encode(record))
            files.settle()

    def forget(self, names: Iterable[str]) -> None:
        """Take away what was recorded of files that are no more."""
        with Files(self._folder) as files:
            for name in names:
                files.remove(self._place(name))
            files.settle()

    def write_index(self, index: Mapping[str, tuple[str, int]]) -> None:
        """Write the index, where it is another than before."""
        if index != self.index:
            _keep(self._index, msgspec.json.encode(dict(sorted(index.items()))))
            self.index = dict(index)

    def _place(self, name: str) -> str:
        quoted = quote(name, safe="")
        if len(quoted) > _LONGEST:
            quoted = f"{quoted[: _LONGEST // 2]}~{sha256(name.encode())}"
        return f"{self._folder}/{quoted}"


class Beside:
    """The lists and records of one site."""

    def __init__(self, site_dir: Path) -> None:
        """Look beside a folder."""
        # Resolved: 'site' and './site/' are one folder, and '.' has no name of its own.
        place = site_dir.resolve()
        self.fresh = place.with_name(f".{place.name}.fresh")
        self._views = place.with_name(f".{place.name}.views")
        self.permanent = Records(place.with_name(f".{place.name}.permanent"))
        self.settled = Records(place.with_name(f".{place.name}.settled"))

    def digest(self, name: str) -> str | None:
        """Return the digest of a shelf as it was laid out; None where it was not, or not whole."""
        return self.permanent.digest(name)

    def views(self) -> frozenset[str]:
        """Return the paths of all views in place, those of settled pages among them: every list of files is read."""
        records = (self.settled.record(name) for name in self.settled.index)
        settled = (path for record in records if record is not None for path, _, _ in record.files)
        return frozenset(chain(self.listed_views(), settled))

    def listed_views(self) -> frozenset[str]:
        """Return the paths of the views in place that are not settled."""
        lines = self._list.decode(errors="replace").splitlines()
        return frozenset(line for line in lines if is_safe(line))

    def list_views(self, paths: Collection[str]) -> None:
        """Write the paths of the views in place that are not settled, where they are others than before."""
        data = "".join(f"{path}\n" for path in sorted(paths)).encode()
        if data != self._list:
            _keep(self._views, data)
            self._list = data

    @cached_property
    def _list(self) -> bytes:
        return read(str(self._views)) or b""


def marks(target: str) -> tuple[int, int]:
    """Return a file's size in bytes and when it was last written, in nanoseconds; two times -1 where there is none."""
    try:
        found = os.stat(target)  # noqa: PTH116 - a path object costs more than the look
    except (FileNotFoundError, NotADirectoryError):
        return -1, -1
    return found.st_size, found.st_mtime_ns


def _keep(place: Path, data: bytes) -> None:
    with Files(place.parent) as files:
        files.lay(str(place), data)
        files.settle()
