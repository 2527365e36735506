"""Kept pages and methods for downloading: what a copy needs, beside nights and grades, to be the whole archive.

A method's definition and prose lie in content/ and not in the archive; a version that was graded under has both bound
by the method digest in the manifest of its page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import partial

from generator.archive import layout
from generator.records.canonical import check_digest, sha256
from generator.records.data_file import DATA, DataFile
from generator.site.interface import Shelf
from generator.workflows.world import Root


def page_files(root: Root, windows: Iterable[tuple[str, date]]) -> Iterator[DataFile]:
    """Yield the pages of some windows, and page, definition and prose of every version that was graded under.

    Args:
        root: the site root.
        windows: (method version, window end) of each window whose pages are kept.

    Raises:
        IntegrityError: naming a file that is missing, or a definition that is not the one graded under.
    """
    for version, end in windows:
        yield from _of_window(root, version, end)
    for version in root.store.pages.methods():
        yield from _of_method_page(root, version)
        yield from _of_method(root, version)


def page_shelves(root: Root, windows: Iterable[tuple[str, date]]) -> Iterator[Shelf]:
    """Yield the same files, those together that were kept together."""
    read = root.store.folder.read
    for version, end in windows:
        yield pages_shelf(root, version, end)
    for version in root.store.pages.methods():
        name = layout.manifest_of(layout.method_page_file(version))
        yield Shelf(name=name, digest=sha256(read(name)), files=partial(_lay_method_page, root, version))
        digest = root.store.pages.method_manifest(version).method_digest
        yield Shelf(name=_definition(version), digest=digest, files=partial(_lay_method, root, version))


def pages_shelf(root: Root, version: str, end: date) -> Shelf:
    """Return the files of a window's pages."""
    name = layout.manifest_of(layout.pages_file(version, end))
    digest = sha256(root.store.folder.read(name))
    return Shelf(name=name, digest=digest, files=partial(_lay_window, root, version, end))


def lay(root: Root, files: Iterable[DataFile]) -> Iterator[tuple[str, bytes]]:
    """Yield path in the site and bytes of files of the archive, held against their digests; one is held at a time."""
    for file in sorted(files, key=lambda each: each.path):
        data = root.store.folder.read(file.path)
        check_digest(data, file.sha256, where=file.path)
        yield DATA + file.path, data


def beside(root: Root, file: str, version: str, end: date | None) -> DataFile:
    """Return the manifest of a file of a window, or of a method version's page where there is no window."""
    name = layout.manifest_of(file)
    data = root.store.folder.read(name)
    return DataFile(path=name, kind="manifest", night=end, method_version=version, bytes=len(data), sha256=sha256(data))


def _of_window(root: Root, version: str, end: date) -> Iterator[DataFile]:
    name, digest = layout.pages_file(version, end), root.store.pages.manifest(version, end).sha256
    size = root.store.folder.size(name)
    yield DataFile(path=name, kind="pages", night=end, method_version=version, bytes=size, sha256=digest)
    yield beside(root, name, version, end)


def _of_method_page(root: Root, version: str) -> Iterator[DataFile]:
    name, digest = layout.method_page_file(version), root.store.pages.method_manifest(version).sha256
    size = root.store.folder.size(name)
    yield DataFile(path=name, kind="pages", method_version=version, bytes=size, sha256=digest)
    yield beside(root, name, version, None)


def _of_method(root: Root, version: str) -> Iterator[DataFile]:
    for path, data in _method_bytes(root, version):
        yield DataFile(path=path, kind="methods", method_version=version, bytes=len(data), sha256=sha256(data))


def _method_bytes(root: Root, version: str) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    """Return path and bytes of a method version's prose and definition, held against what was graded under."""
    definition, prose = root.content.method_files(version)
    name = _definition(version)
    bound = root.store.pages.method_manifest(version).method_digest
    check_digest(definition + prose, bound, where=f"content/{name} and .md")
    return (f"{name.removesuffix('.toml')}.md", prose), (name, definition)


def _definition(version: str) -> str:
    """Return where a method version's definition lies, below content/ as below data/."""
    return f"methods/{version}.toml"


def _lay_window(root: Root, version: str, end: date) -> Iterator[tuple[str, bytes]]:
    return lay(root, _of_window(root, version, end))


def _lay_method_page(root: Root, version: str) -> Iterator[tuple[str, bytes]]:
    return lay(root, _of_method_page(root, version))


def _lay_method(root: Root, version: str) -> Iterator[tuple[str, bytes]]:
    for path, data in _method_bytes(root, version):
        yield DATA + path, data
