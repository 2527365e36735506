"""The folder that a host serves: permanent files laid out once and left in place, views swapped in when all are built.

`beside` says what lies beside the folder. Killed at any point, each address shows its old or its new page, and the
next run completes. A permanent file is never opened for writing, and never taken away but where a text was withheld
from it; only paths that are listed as views are replaced or removed, so a file of somebody else's is left alone.

A shelf of permanent files, or a group of settled pages, that is recorded as laid out with the digest or fingerprint
that it has now is not made again. Who asks to look has each of its files held against the size and the time of change
that it had, and where one differs all of them are held against the bytes that they should have. Who does not, as each
night's run, looks at none of them: a night costs the same whatever lies there already. What somebody changed meanwhile,
and who set a file's time back, is found out when the site is verified, which reads all of it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from generator.errors import ArchiveError, IntegrityError
from generator.site.beside import Beside
from generator.site.files import Files
from generator.site.interface import UNCHANGED, SettledPages, Shelf
from generator.site.links import INDEX
from generator.site.permanent_shelves import PermanentShelves
from generator.site.settled_groups import SettledGroups

_PERMANENT = re.compile(
    r"grades/(?:[^/]+/){3}[0-9-]{10}/v[0-9]+\.[0-9]+/(?:index\.html|grade\.json|grade\.tlog-proof)|method/[0-9]+\.[0-9]+/index\.html"
    r"|data/nights/[0-9-]{10}/[a-z]+(?:(?:\.withheld)?-[0-9]+)?\.(?:json|parquet)"
    r"|data/(?:grades|pages)/[0-9]+\.[0-9]+/[0-9-]{10}\.(?:json|parquet)"
    r"|data/(?:pages/methods/[0-9]+\.[0-9]+\.(?:html|json)|methods/[0-9]+\.[0-9]+\.(?:toml|md))"
    r"|log/(?:tile/[0-9a-z/.]+|keys/[0-9a-f]{8}\.vkey|signed/[0-9]+)",
)


class LaidOut(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did."""

    permanent_new: int
    """Permanent files that were not there before."""
    permanent_kept: int
    """Permanent files that lay there already, with the same bytes or not looked at."""
    views: int
    """Views that lie there now, settled ones among them."""
    views_changed: int
    """Of those, the ones that are new or have other bytes than before."""
    views_removed: int
    """Views of an earlier build that are no longer there."""


def lay_out(
    site_dir: Path,
    permanent: Iterable[Shelf],
    views: Iterable[tuple[str, bytes]],
    settled: Iterable[SettledPages] = (),
    *,
    look: bool = True,
) -> LaidOut:
    """Return what was laid out once the site's folder holds every permanent file and exactly these views.

    Args:
        site_dir: the folder that is served; made where it is missing.
        permanent: every shelf of kept files.
        views: path and bytes of each view that is not settled; read to the end before the first settled page is made.
        settled: every group of settled pages; read to the end before any view in place is touched.
        look: whether files are looked at that are recorded as laid out; in a folder without a first page they are.

    Raises:
        IntegrityError: naming a permanent file that lies there with other bytes, one that the archive no longer has,
            a path that two views have, or one that is no place for such a file of the site. Nothing is overwritten.
        ArchiveError: naming a file or folder that cannot be read or written.
    """
    with _writing(site_dir), Files(site_dir) as files:
        beside = Beside(site_dir)
        files.make("")
        look = look or not (site_dir / INDEX).is_file()
        old_views = beside.listed_views()
        laid = PermanentShelves(site_dir, files, beside.permanent, old_views, look=look)
        for shelf in permanent:
            laid.lay(shelf)
        laid.refuse_missing()
        files.settle()  # No view links to a page that is not there yet.
        if laid.no_views:  # Views no longer: no later run may take them away as stale.
            old_views -= laid.no_views
            beside.list_views(old_views)
        fresh = _Fresh(files, beside.fresh, old_views)
        listed = fresh.take(views)
        groups = SettledGroups(site_dir, beside.settled, look=look)
        for group in settled:
            if not groups.stand(group):
                groups.take(group, fresh.take(group.pages(), are_settled=True))
        stale = {*old_views, *filter(_may_go, groups.paths_before())} - fresh.paths
        files.settle()
        groups.open()
        # Listed before the first is moved: whatever a killed run leaves behind is known as a view to the next.
        beside.list_views(fresh.paths | old_views)
        for path in fresh.new:
            files.move(f"{beside.fresh}/{path}", files.target(path))
        for path in stale:
            files.remove(files.target(path))
        laid.withdraw()
        files.settle()
        groups.record()
        beside.list_views(listed)
        groups.close()  # Last: what counts as laid out stands on no list of what may be stale.
        laid.record()
        shutil.rmtree(beside.fresh)
    return LaidOut(
        permanent_new=laid.new,
        permanent_kept=laid.kept,
        views=len(listed) + groups.count,
        views_changed=len(fresh.new),
        views_removed=len(stale),
    )


def is_permanent(path: str) -> bool:
    """True for a path at which a permanent file lies.

    A grade's page, its record and its proof; the log's tiles, keys and signed checkpoints; a method version's page; and
    for downloading the files of a night, of a window's grades and pages, and of a method version.
    """
    return _PERMANENT.fullmatch(path) is not None


class _Fresh:
    """The views of one build that are new or changed, in a folder of their own until all are made."""

    def __init__(self, files: Files, folder: Path, old_views: frozenset[str]) -> None:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        self._files = files
        self._folder = folder
        self._old_views = old_views
        self.paths: set[str] = set()
        """Of all, whether they lie in the folder or in place already."""
        self.new: list[str] = []
        """Of those in the folder."""

    def take(self, views: Iterable[tuple[str, bytes]], *, are_settled: bool = False) -> tuple[str, ...]:
        """Write the views that are new or changed; return the paths of all."""
        taken = []
        for path, data in views:
            if path in self.paths:
                raise IntegrityError("expected one file for each path, found two", where=path)
            if are_settled and is_permanent(path):
                raise IntegrityError("expected no settled page where a permanent one may lie", where=path)
            if data is not UNCHANGED:
                self._put(path, data)
            self.paths.add(path)
            taken.append(path)
        return tuple(taken)

    def _put(self, path: str, data: bytes) -> None:
        target = self._files.target(path)
        found = self._files.read(target)
        if found is not None and is_permanent(path) and path not in self._old_views:
            raise IntegrityError(
                "expected no view where a permanent page lies",
                where=target,
                do="Compare the archive with the copy that this page came from",
            )
        if found != data:
            self._files.put(f"{self._folder}/{path}", data)
            self.new.append(path)


def _may_go(path: str) -> bool:
    return not is_permanent(path)


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
