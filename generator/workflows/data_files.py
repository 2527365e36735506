"""The archive's files for downloading: nights and grades, each under its own path, with its digest and its size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import partial

from generator.archive import layout
from generator.archive.nights import KeptNight
from generator.content import packaged
from generator.records.canonical import check_digest, sha256
from generator.records.data_file import DATA, DataFile, DataKind
from generator.site.interface import Shelf
from generator.workflows.world import Root

_TABLES: tuple[DataKind, ...] = ("observations", "listings", "prompts", "context")


def data_files(root: Root, nights: Iterable[KeptNight]) -> tuple[DataFile, ...]:
    """Return every file of some nights, and of all grades that have their pages, sorted by path; no table is read.

    Raises:
        IntegrityError: naming a file that is missing, or a record that is not as it was sealed.
    """
    files = [each for kept in nights for each in (*_night_files(root, kept), *_void_files(root, kept))]
    files += [each for version, end in _windows(root) for each in _window_files(root, version, end)]
    return tuple(sorted(files, key=lambda each: each.path))


def data_shelves(root: Root) -> Iterator[Shelf]:
    """Yield the files of each night, each declaration that a night is void, and the grades of each window."""
    folder = root.store.folder
    for night in root.store.nights.kept():
        name, void = layout.night_file(night), layout.void_file(night)
        yield Shelf(name=name, digest=sha256(folder.read(name)), files=partial(_lay_night, root, night))
        if folder.exists(void):
            yield Shelf(name=void, digest=sha256(folder.read(void)), files=partial(_lay_void, root, night))
    for version, end in _windows(root):
        name = layout.manifest_of(layout.grades_file(version, end))
        yield Shelf(name=name, digest=sha256(folder.read(name)), files=partial(_lay_window, root, version, end))


def format_text(root: Root) -> str:
    """Return the description of the archive's format that lies in it, or ours where there is no archive yet."""
    folder, name = root.store.folder, layout.FORMAT_FILE
    data = folder.read(name) if folder.exists(name) else packaged(f"archive/{name}").read_bytes()
    return data.decode(errors="replace")


def _night_files(root: Root, kept: KeptNight) -> Iterator[DataFile]:
    """Yield night.json and the tables that it names."""
    night, size = kept.record.night, root.store.folder.size
    name = layout.night_file(night)
    yield DataFile(path=name, kind="night", night=night, bytes=size(name), sha256=kept.sha256)
    for table in _TABLES:
        name, digest = layout.table_file(night, table), kept.record.files.get(f"{table}.parquet", "none")
        yield DataFile(path=name, kind=table, night=night, bytes=size(name), sha256=digest)


def _void_files(root: Root, kept: KeptNight) -> Iterator[DataFile]:
    if kept.void_sha256 is not None:
        name, size = layout.void_file(kept.record.night), root.store.folder.size
        yield DataFile(path=name, kind="void", night=kept.record.night, bytes=size(name), sha256=kept.void_sha256)


def _window_files(root: Root, version: str, end: date) -> Iterator[DataFile]:
    """Yield the grades of a window, and the manifest that holds their digest."""
    folder, name = root.store.folder, layout.grades_file(version, end)
    beside = layout.manifest_of(name)
    digests: tuple[tuple[str, DataKind, str], ...] = (
        (name, "grades", root.store.grades.manifest(version, end).sha256),
        (beside, "manifest", sha256(folder.read(beside))),
    )
    for path, kind, digest in digests:
        size = folder.size(path)
        yield DataFile(path=path, kind=kind, night=end, method_version=version, bytes=size, sha256=digest)


def _windows(root: Root) -> Iterator[tuple[str, date]]:
    """Yield each window that was graded and has its pages, which an interrupted run may not have written."""
    for version in root.store.grades.versions():
        for end in root.store.pages.windows(version):
            yield version, end


def _lay_night(root: Root, night: date) -> Iterator[tuple[str, bytes]]:
    return _lay(root, _night_files(root, root.store.nights.get(night)))


def _lay_void(root: Root, night: date) -> Iterator[tuple[str, bytes]]:
    return _lay(root, _void_files(root, root.store.nights.get(night)))


def _lay_window(root: Root, version: str, end: date) -> Iterator[tuple[str, bytes]]:
    return _lay(root, _window_files(root, version, end))


def _lay(root: Root, files: Iterable[DataFile]) -> Iterator[tuple[str, bytes]]:
    """Yield each file's path in the site and its bytes, held against its digest; one is held at a time."""
    for file in sorted(files, key=lambda each: each.path):
        data = root.store.folder.read(file.path)
        check_digest(data, file.sha256, where=file.path)
        yield DATA + file.path, data
