"""The folder that a host serves: permanent files laid out once and left in place, views swapped in when all are built.

`beside` says what lies beside the folder. Killed at any point, each address shows its old or its new page, and the
next run completes. A permanent file is never opened for writing, and never taken away but where a text was withheld
from it; only paths that are listed as views are replaced or removed, so a file of somebody else's is left alone.

A shelf of permanent files that is recorded as laid out, with the digest that the archive has for it now, is not read
again while each of its files has the size and the time of change that it had. Where one has not, all of them are held
against their kept bytes. Who sets a file's time back is found out when the site is verified, which reads all of it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from generator.errors import ArchiveError, IntegrityError
from generator.site.beside import Beside, Record, marks
from generator.site.files import Files
from generator.site.interface import UNCHANGED, Shelf

_PERMANENT = re.compile(
    r"grades/(?:[^/]+/){3}[0-9-]{10}/v[0-9]+\.[0-9]+/(?:index\.html|grade\.json|grade\.tlog-proof)|method/[0-9]+\.[0-9]+/index\.html"
    r"|data/nights/[0-9-]{10}/[a-z]+(?:(?:\.withheld)?-[0-9]+)?\.(?:json|parquet)"
    r"|data/(?:grades|pages)/[0-9]+\.[0-9]+/[0-9-]{10}\.(?:json|parquet)"
    r"|data/(?:pages/methods/[0-9]+\.[0-9]+\.(?:html|json)|methods/[0-9]+\.[0-9]+\.(?:toml|md))"
    r"|log/(?:tile/[0-9a-z/.]+|keys/[0-9a-f]{8}\.vkey|signed/[0-9]+)",
)

_AT_ONCE = 100
"""Files that are made before the first of them is laid: a few megabytes."""


class LaidOut(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did."""

    permanent_new: int
    """Permanent files that were not there before."""
    permanent_kept: int
    """Permanent files that lay there already, with the same bytes."""
    views: int
    """Views that lie there now."""
    views_changed: int
    """Of those, the ones that are new or have other bytes than before."""
    views_removed: int
    """Views of an earlier build that are no longer there."""


def lay_out(site_dir: Path, permanent: Iterable[Shelf], views: Iterable[tuple[str, bytes]]) -> LaidOut:
    """Return what was laid out once the site's folder holds every permanent file and exactly these views.

    Args:
        site_dir: the folder that is served; made where it is missing.
        permanent: every shelf of kept files.
        views: path and bytes of each view; read to the end before any view in place is touched.

    Raises:
        IntegrityError: naming a permanent file that lies there with other bytes, one that the archive no longer has,
            or a path that is no place for a file of the site. Nothing is overwritten.
        ArchiveError: naming a file or folder that cannot be read or written.
    """
    with _writing(site_dir), Files(site_dir) as files:
        beside = Beside(site_dir)
        files.make("")
        old_views = beside.views()
        laid = _Permanent(site_dir, files, beside, old_views)
        for shelf in permanent:
            laid.lay(shelf)
        laid.refuse_missing()
        files.settle()  # No view links to a page that is not there yet.
        if laid.no_views:  # Views no longer: no later run may take them away as stale.
            old_views -= laid.no_views
            beside.list_views(old_views)
        fresh, new = _build(files, beside.fresh, views, old_views)
        files.settle()
        # Listed before the first is moved: whatever a killed run leaves behind is known as a view to the next.
        beside.list_views(fresh | old_views)
        for path in new:
            files.move(f"{beside.fresh}/{path}", files.target(path))
        stale = old_views - fresh
        for path in stale:
            files.remove(files.target(path))
        laid.withdraw()
        files.settle()
        beside.list_views(fresh)
        laid.record()
        shutil.rmtree(beside.fresh)
    return LaidOut(
        permanent_new=laid.new,
        permanent_kept=laid.kept,
        views=len(fresh),
        views_changed=len(new),
        views_removed=len(stale),
    )


def is_permanent(path: str) -> bool:
    """True for a path at which a permanent file lies.

    A grade's page, its record and its proof; the log's tiles, keys and signed checkpoints; a method version's page; and
    for downloading the files of a night, of a window's grades and pages, and of a method version.
    """
    return _PERMANENT.fullmatch(path) is not None


class _Permanent:
    """The permanent files of one build, shelf by shelf."""

    def __init__(self, site_dir: Path, files: Files, beside: Beside, old_views: frozenset[str]) -> None:
        self._site_dir = str(site_dir)
        self._files = files
        self._beside = beside
        self._old_views = old_views
        self._seen: set[str] = set()
        self._laid: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._withdrawn: tuple[str, ...] = ()
        self.new = self.kept = 0
        self.no_views: frozenset[str] = frozenset()
        """Paths that were views until something was kept there."""

    def lay(self, shelf: Shelf) -> None:
        """Lay a shelf's files, unless it is recorded as laid out and nobody was there since."""
        self._seen.add(shelf.name)
        record = self._beside.record(shelf.name)
        if record is not None and record.digest == shelf.digest and self._untouched(record):
            self.kept += len(record.files)
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
        self._laid[shelf.name] = (shelf.digest, tuple(paths))

    def refuse_missing(self) -> None:
        """Refuse an archive without a shelf that was laid out from it."""
        for name in self._beside.shelves():
            if name not in self._seen:
                raise _missing(name)

    def withdraw(self) -> None:
        """Take away what a text was withheld from, once no view leads there."""
        for path in self._withdrawn:
            self._files.remove(self._files.target(path))

    def record(self) -> None:
        """Record what was laid, once it is on the disk and no other file will be written."""
        for name, (digest, paths) in self._laid.items():
            found = tuple((path, *marks(f"{self._site_dir}/{path}")) for path in paths)
            self._beside.keep(name, Record(digest=digest, files=found))

    def _untouched(self, record: Record) -> bool:
        return all(marks(f"{self._site_dir}/{path}") == (size, when) for path, size, when in record.files)

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


def _build(
    files: Files, fresh: Path, views: Iterable[tuple[str, bytes]], old_views: frozenset[str]
) -> tuple[frozenset[str], list[str]]:
    """Write the views that are new or changed into a fresh folder; return all paths, and those."""
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir(parents=True)
    paths: set[str] = set()
    new = []
    for path, data in views:
        if path in paths:
            raise IntegrityError("expected one file for each path, found two", where=path)
        if data is UNCHANGED:
            paths.add(path)
            continue
        target = files.target(path)
        found = files.read(target)
        if found is not None and is_permanent(path) and path not in old_views:
            raise IntegrityError(
                "expected no view where a permanent page lies",
                where=target,
                do="Compare the archive with the copy that this page came from",
            )
        paths.add(path)
        if found != data:
            files.put(f"{fresh}/{path}", data)
            new.append(path)
    return frozenset(paths), new


@contextmanager
def _writing(site_dir: Path) -> Iterator[None]:
    """Say in one message which file or folder could not be read or written."""
    try:
        yield
    except OSError as error:
        raise ArchiveError(
            f"the site cannot be laid out: {error.strerror or error}",
            where=str(error.filename or site_dir),
            do="Check the folder, its rights and the free space, and run again",
        ) from error
