"""Some windows and nights of an archive: their files, what they say in the log, and what the site has of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date

import msgspec

from generator.archive import layout
from generator.archive.folder import Folder
from generator.archive.nights import KeptNight
from generator.workflows.data_files import grades_shelf, night_shelves
from generator.workflows.leaves import Source
from generator.workflows.pages_data import pages_shelf
from generator.workflows.world import Root

Window = tuple[date, str]
"""Its end, and the method version that graded it."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What of an archive is looked at."""

    windows: tuple[Window, ...]
    """Ascending."""
    nights: tuple[date, ...]
    """Ascending."""


class SomeFiles:
    """An archive's folder of which some files are looked at."""

    def __init__(self, folder: Folder, names: Collection[str]) -> None:
        """Use a folder.

        Args:
            folder: the archive's.
            names: of the files.
        """
        self._folder = folder
        self._names = names

    def names(self) -> Iterable[str]:
        """Yield every file's name, sorted."""
        return sorted(self._names)

    def read(self, name: str) -> bytes:
        """Return a file's bytes, one of them or not."""
        return self._folder.read(name)


def archive_files(root: Root, part: Part) -> SomeFiles:
    """Return the files of some nights and windows, and every night.json; of a window, those that are there."""
    folder = root.store.folder
    named = {layout.FORMAT_FILE}
    for end, version in part.windows:
        named |= {layout.grades_file(version, end), layout.pages_file(version, end), layout.method_page_file(version)}
    named |= {layout.manifest_of(file) for file in named - {layout.FORMAT_FILE}}
    found = {name for name in named if folder.exists(name)}
    found |= {layout.night_file(night) for night in root.store.nights.kept()}
    for night in part.nights:
        found |= set(folder.matching(f"{layout.night_folder(night)}/**/*"))
    return SomeFiles(folder, found)


def log_sources(root: Root, part: Part, nights: Mapping[date, KeptNight]) -> tuple[Source, ...]:
    """Return what some nights and windows say in the log, with their method versions, and every key.

    Args:
        root: the site root.
        part: the nights and windows.
        nights: what is kept of each night that can be read.
    """
    names = [f"keys/{key_id}" for key_id in root.store.log.key_ids()]
    for night in part.nights:
        if (kept := nights.get(night)) is not None:
            names += [f"missed/{missed.isoformat()}" for missed in kept.record.missed]
            names.append(f"nights/{night.isoformat()}")
            names += [f"voided/{night.isoformat()}"] if kept.void is not None else []
            names += [f"withheld/{night.isoformat()}/{number}" for number, _ in enumerate(kept.withheld, 1)]
    names += [f"methods/{version}" for version in sorted({version for _, version in part.windows})]
    names += [f"grades/{version}/{end.isoformat()}" for end, version in _with_pages(root, part)]
    return tuple(Source(root, name) for name in names)


def site_files(root: Root, part: Part, log: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of what the site has of some nights and windows, as kept, and of some files of the log.

    Args:
        root: the site root.
        part: the nights and windows.
        log: names of the log's files; its newest trees are among what is yielded, whether or not they are here.
    """
    folder, store = root.store.folder, root.store
    for end, version in _with_pages(root, part):
        yield from store.pages.each(version, end)
        yield from grades_shelf(root, version, end).files()
        yield from pages_shelf(root, version, end).files()
        if folder.exists(layout.manifest_of(layout.proofs_file(version, end.isoformat()))):
            yield from store.log.proofs(version, end)
    for night in part.nights:
        for shelf in night_shelves(root, night):
            yield from shelf.files()
    for name in (*log, layout.LOG_HEAD, layout.LOG_CHECKPOINT):
        if folder.exists(name):
            yield name, folder.read(name)


def _with_pages(root: Root, part: Part) -> Iterator[Window]:
    """Yield the windows that have pages: one without an endpoint has none."""
    for end, version in part.windows:
        if root.store.folder.exists(layout.manifest_of(layout.pages_file(version, end))):
            yield end, version
