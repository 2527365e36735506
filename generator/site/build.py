"""The folder that a host serves: permanent files laid out once and left in place, views swapped in when all are built.

    <site>/                permanent files and views, and nothing else of ours
    .<site>.fresh/         beside it: the views of a build that has not been swapped in yet
    .<site>.views          beside it: the paths of the views that lie in the site, one a line

Every file appears under its name whole or not at all. Killed at any point, each address shows its old or its new
page, and the next run completes. A permanent file is never opened for writing and never taken away; only paths that
the list names as views are replaced or removed, so a file of somebody else's is left alone.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from generator.errors import ArchiveError, IntegrityError

_PERMANENT = re.compile(
    r"grades/.+/v[0-9]+\.[0-9]+/(?:index\.html|grade\.json)|method/[0-9]+\.[0-9]+/index\.html",
)
_SAFE_PATH = re.compile(r"(?!/)[^\x00-\x1f\\:]+(?<!/)")


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


def lay_out(site_dir: Path, permanent: Iterable[tuple[str, bytes]], views: Iterable[tuple[str, bytes]]) -> LaidOut:
    """Return what was laid out once the site's folder holds every permanent file and exactly these views.

    Args:
        site_dir: the folder that is served; made where it is missing.
        permanent: path and kept bytes of each permanent file.
        views: path and bytes of each view; read to the end before any view in place is touched.

    Raises:
        IntegrityError: naming a permanent file that lies there with other bytes, or a path that is no place for a
            file of the site. Nothing is overwritten.
        ArchiveError: naming a file or folder that cannot be read or written.
    """
    ours = _Beside(site_dir)
    with _writing(site_dir):
        site_dir.mkdir(parents=True, exist_ok=True)
        old_views = ours.listed()
        laid, new = set(), 0
        for path, data in permanent:
            laid.add(path)
            new += _lay(site_dir, path, data, replaceable=path in old_views)
        if old_views & laid:  # Views no longer: no later run may take them away as stale.
            ours.list(old_views - laid)
        fresh, changed = _build(site_dir, ours.fresh, views, laid, old_views)
        # Listed before the first is moved: whatever a killed run leaves behind is known as a view to the next.
        ours.list(fresh | (old_views - laid))
        for path in changed:
            target = _target(site_dir, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            (ours.fresh / path).replace(target)
        stale = old_views - fresh - laid
        for path in stale:
            _remove(site_dir, path)
        ours.list(fresh)
        shutil.rmtree(ours.fresh)
    return LaidOut(
        permanent_new=new,
        permanent_kept=len(laid) - new,
        views=len(fresh),
        views_changed=len(changed),
        views_removed=len(stale),
    )


def is_permanent(path: str) -> bool:
    """True for a path at which a permanent file lies: a grade's page, its record, a method version's page."""
    return _PERMANENT.fullmatch(path) is not None


class _Beside:
    """What lies beside the site's folder."""

    def __init__(self, site_dir: Path) -> None:
        # Resolved: 'site' and './site/' are one folder, and '.' has no name of its own.
        place = site_dir.resolve()
        self.fresh = place.with_name(f".{place.name}.fresh")
        self._list = place.with_name(f".{place.name}.views")

    def listed(self) -> frozenset[str]:
        """Return the paths of the views in place."""
        try:
            lines = self._list.read_text("utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return frozenset()
        return frozenset(line for line in lines if _is_safe(line))

    def list(self, paths: Iterable[str]) -> None:
        """Write the paths of the views in place."""
        _write(self._list, "".join(f"{path}\n" for path in sorted(paths)).encode())


def _lay(site_dir: Path, path: str, data: bytes, *, replaceable: bool) -> bool:
    """Lay one permanent file, and return whether it was not there before.

    A method version's page is a view until something is graded under it; only such a view is replaced.
    """
    target = _target(site_dir, path)
    found = _read(target)
    if found == data:
        return False
    if found is not None and not replaceable:
        raise IntegrityError(
            "expected a permanent page as it was issued, found other bytes",
            where=str(target),
            do="Compare it with the kept bytes in the archive; nothing was overwritten. "
            "A site's folder can be deleted and laid out again",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    _write(target, data)
    return True


def _build(
    site_dir: Path, fresh: Path, views: Iterable[tuple[str, bytes]], laid: set[str], old_views: frozenset[str]
) -> tuple[frozenset[str], list[str]]:
    """Write the views that are new or changed into a fresh folder; return all paths, and those."""
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir(parents=True)
    paths: set[str] = set()
    changed = []
    for path, data in views:
        target = _target(site_dir, path)
        if path in laid or path in paths:
            raise IntegrityError("expected one file for each path, found two", where=path)
        found = _read(target)
        if found is not None and is_permanent(path) and path not in old_views and found != data:
            raise IntegrityError(
                "expected no view where a permanent page lies",
                where=str(target),
                do="Compare the archive with the copy that this page came from",
            )
        paths.add(path)
        if found != data:
            built = fresh / path
            built.parent.mkdir(parents=True, exist_ok=True)
            _put(built, data)
            changed.append(path)
    return frozenset(paths), changed


def _remove(site_dir: Path, path: str) -> None:
    """Take a stale view away, and the folders that it leaves empty."""
    target = _target(site_dir, path)
    target.unlink(missing_ok=True)
    for folder in target.parents:
        if folder == site_dir or not folder.is_dir() or any(folder.iterdir()):
            break
        folder.rmdir()


def _target(site_dir: Path, path: str) -> Path:
    if not _is_safe(path):
        raise IntegrityError("expected a path relative to the site's folder", where=repr(path))
    return site_dir.joinpath(*path.split("/"))


def _is_safe(path: str) -> bool:
    """True for a plain path below the site's folder, with no part that leads elsewhere."""
    parts = path.split("/")
    return _SAFE_PATH.fullmatch(path) is not None and not {"", ".", ".."} & set(parts)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    """Put a whole file under its name; a half-written one is only ever seen under another."""
    # The same name each time: what a killed run left is written over by the next.
    half = path.with_name(f".{path.name}.half")
    _put(half, data)
    half.replace(path)
    _sync_folder(path.parent)


def _put(path: Path, data: bytes) -> None:
    """Write a file through to the disk, so that a rename after it never names less than the whole."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # Elsewhere a folder cannot be opened, and a rename is written through.
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
