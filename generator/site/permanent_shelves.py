"""Permanent files as a build lays them out, shelf by shelf: each once, never over other bytes, none ever lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from generator.errors import IntegrityError
from generator.site.beside import Records
from generator.site.files import Files
from generator.site.interface import Shelf

_AT_ONCE = 100
"""Files that are made before the first of them is laid: a few megabytes."""


class PermanentShelves:
    """The permanent files of one build."""

    def __init__(
        self, site_dir: Path, files: Files, records: Records, old_views: frozenset[str], *, look: bool
    ) -> None:
        """Lay out over what is recorded of an earlier build.

        Args:
            site_dir: the site's folder.
            files: what writes there.
            records: of the shelves that were laid out.
            old_views: paths of the views in place; nothing else may be replaced.
            look: whether the files of a shelf that is recorded as laid out are looked at.
        """
        self._site = str(site_dir)
        self._files = files
        self._records = records
        self._old_views = old_views
        self._look = look
        self._index: dict[str, tuple[str, int]] = {}
        self._laid: dict[str, tuple[str, ...]] = {}
        self._withdrawn: tuple[str, ...] = ()
        self.new = self.kept = 0
        self.no_views: frozenset[str] = frozenset()
        """Paths that were views until something was kept there."""

    def lay(self, shelf: Shelf) -> None:
        """Lay a shelf's files, unless it is recorded as laid out and nobody was there since as far as is looked."""
        if not self._look and self._records.digest(shelf.name) == shelf.digest:
            self._keep(shelf, self._records.index[shelf.name][1])
            return
        record = self._records.record(shelf.name)
        if self._look and record is not None and record.digest == shelf.digest and record.holds(self._site):
            self._keep(shelf, len(record.files))
            return
        paths: dict[str, None] = {}
        folder, is_new = "", False
        for path, data in _ahead(shelf.files()):
            if path in paths:
                raise IntegrityError("expected one file for each path, found two", where=f"{shelf.name}, {path}")
            paths[path] = None
            target = self._files.target(path)
            if folder != (folder := path.rpartition("/")[0]):
                is_new = self._files.make(folder)
            self._lay(path, target, data, None if is_new else self._files.read(target))
        for path, _, _ in () if record is None else record.files:
            if path not in paths and path not in shelf.withdrawn:
                raise _missing(f"{shelf.name}, {path}")
        self._withdrawn += shelf.withdrawn
        self._index[shelf.name] = (shelf.digest, len(paths))
        self._laid[shelf.name] = tuple(paths)

    def refuse_missing(self) -> None:
        """Refuse an archive without a shelf that was laid out from it."""
        gone = self._records.index.keys() - self._index.keys()
        if gone:
            raise _missing(min(gone))

    def withdraw(self) -> None:
        """Take away what a text was withheld from, once no view leads there."""
        for path in self._withdrawn:
            self._files.remove(self._files.target(path))

    def record(self) -> None:
        """Record what was laid, once it is on the disk and no other file will be written."""
        laid = ((name, self._index[name][0], paths) for name, paths in self._laid.items())
        self._records.keep(self._site, laid)
        self._records.write_index(self._index)

    def _keep(self, shelf: Shelf, files: int) -> None:
        self._index[shelf.name] = (shelf.digest, files)
        self.kept += files

    def _lay(self, path: str, target: str, data: bytes, found: bytes | None) -> None:
        """Lay one file, where none lies.

        A method version's page is a view until something is graded under it; only such a view is replaced.
        """
        is_view = path in self._old_views
        if is_view:
            self.no_views |= {path}
        if found == data:
            self.kept += 1
            return
        if found is not None and not is_view:
            raise IntegrityError(
                "expected a permanent page as it was issued, found other bytes",
                where=target,
                do="Compare it with the kept bytes in the archive; nothing was overwritten. "
                "A site's folder can be deleted and laid out again",
            )
        self._files.lay(target, data)
        self.new += 1


def _ahead(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield some files, many of them made before the first is laid.

    Making one and laying one by turns, each finds its code and data gone from the processor's cache: a tenth more CPU.
    """
    left = iter(files)
    while made := tuple(islice(left, _AT_ONCE)):
        yield from made


def _missing(where: str) -> IntegrityError:
    return IntegrityError(
        "expected the permanent pages that were laid out before, found none in the archive",
        where=where,
        do="Restore the archive from another copy; the site still holds the pages",
    )
