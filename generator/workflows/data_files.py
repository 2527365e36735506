"""The files for downloading: nights and grades, each under its own path in the archive, with digest and size.

Kept pages and methods come from `pages_data`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import partial

from generator.archive import layout
from generator.archive.nights import KeptNight
from generator.content import packaged
from generator.records.canonical import sha256
from generator.records.data_file import DATA, DataFile, DataKind
from generator.records.withheld import kept_observations, table_name
from generator.site.interface import Shelf
from generator.workflows.pages_data import beside, lay, page_files, page_shelves
from generator.workflows.world import Root

_TABLES: tuple[DataKind, ...] = ("observations", "listings", "prompts", "context")


def data_files(root: Root, nights: Iterable[KeptNight]) -> tuple[DataFile, ...]:
    """Return every file of some nights, of all grades that have their pages, and those pages; no table is read.

    Of each method version that was graded under, page, definition and prose are among them; all are sorted by path.

    Raises:
        IntegrityError: naming a file that is missing, or a record that is not as it was sealed.
    """
    files = [each for kept in nights for each in (*_night_files(root, kept), *_void_files(root, kept))]
    files += [each for version, end in _windows(root) for each in _window_files(root, version, end)]
    files += page_files(root, _windows(root))
    return tuple(sorted(files, key=lambda each: each.path))


def data_shelves(root: Root) -> Iterator[Shelf]:
    """Yield the files of each night, each declaration that it is void, each window's grades and pages, and methods."""
    for night in root.store.nights.kept():
        yield from night_shelves(root, night)
    for version, end in _windows(root):
        yield grades_shelf(root, version, end)
    yield from page_shelves(root, _windows(root))


def night_shelves(root: Root, night: date) -> Iterator[Shelf]:
    """Yield the files of a night, and the declaration that it is void where there is one."""
    folder, void = root.store.folder, layout.void_file(night)
    yield _night_shelf(root, night)
    if folder.exists(void):
        yield Shelf(name=void, digest=sha256(folder.read(void)), files=partial(_lay_void, root, night))


def grades_shelf(root: Root, version: str, end: date) -> Shelf:
    """Return the files of a window's grades."""
    name = layout.manifest_of(layout.grades_file(version, end))
    digest = sha256(root.store.folder.read(name))
    return Shelf(name=name, digest=digest, files=partial(_lay_window, root, version, end))


def format_text(root: Root) -> str:
    """Return the description of the archive's format that lies in it, or ours where there is no archive yet."""
    folder, name = root.store.folder, layout.FORMAT_FILE
    data = folder.read(name) if folder.exists(name) else packaged(f"archive/{name}").read_bytes()
    return data.decode(errors="replace")


def _night_files(root: Root, kept: KeptNight) -> Iterator[DataFile]:
    """Yield night.json, its tables as they are kept now, and each declaration of what was withheld from them."""
    night, size = kept.record.night, root.store.folder.size
    observations, observations_sha256 = kept_observations(kept.record, [each.record for each in kept.withheld])
    name = layout.night_file(night)
    yield DataFile(path=name, kind="night", night=night, bytes=size(name), sha256=kept.sha256)
    for table in _TABLES:
        name, digest = layout.table_file(night, table), kept.record.files.get(f"{table}.parquet", "none")
        if table == "observations":
            name, digest = f"{layout.night_folder(night)}/{observations}", observations_sha256
        yield DataFile(path=name, kind=table, night=night, bytes=size(name), sha256=digest)
    for number, each in enumerate(kept.withheld, 1):
        name = layout.withheld_file(night, number)
        yield DataFile(path=name, kind="withheld", night=night, bytes=size(name), sha256=each.sha256)


def _void_files(root: Root, kept: KeptNight) -> Iterator[DataFile]:
    if kept.void_sha256 is not None:
        name, size = layout.void_file(kept.record.night), root.store.folder.size
        yield DataFile(path=name, kind="void", night=kept.record.night, bytes=size(name), sha256=kept.void_sha256)


def _window_files(root: Root, version: str, end: date) -> Iterator[DataFile]:
    """Yield the grades of a window, and the manifest that holds their digest."""
    name, digest = layout.grades_file(version, end), root.store.grades.manifest(version, end).sha256
    size = root.store.folder.size(name)
    yield DataFile(path=name, kind="grades", night=end, method_version=version, bytes=size, sha256=digest)
    yield beside(root, name, version, end)


def _windows(root: Root) -> Iterator[tuple[str, date]]:
    """Yield each window that was graded and has its pages, which an interrupted run may not have written."""
    for version in root.store.grades.versions():
        for end in root.store.pages.windows(version):
            yield version, end


def _night_shelf(root: Root, night: date) -> Shelf:
    """Return a night's files; what was withheld makes another shelf of it, from which earlier tables are withdrawn."""
    withheld, digest = root.store.nights.withheld(night), sha256(root.store.folder.read(layout.night_file(night)))
    if withheld:
        digest = sha256("".join((digest, *(each.sha256 for each in withheld))).encode())
    return Shelf(
        name=layout.night_file(night),
        digest=digest,
        files=partial(_lay_night, root, night),
        withdrawn=tuple(f"{DATA}{layout.night_folder(night)}/{table_name(each)}" for each in range(len(withheld))),
    )


def _lay_night(root: Root, night: date) -> Iterator[tuple[str, bytes]]:
    return lay(root, _night_files(root, root.store.nights.get(night)))


def _lay_void(root: Root, night: date) -> Iterator[tuple[str, bytes]]:
    return lay(root, _void_files(root, root.store.nights.get(night)))


def _lay_window(root: Root, version: str, end: date) -> Iterator[tuple[str, bytes]]:
    return lay(root, _window_files(root, version, end))
