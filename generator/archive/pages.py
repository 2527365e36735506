"""The permanent pages of the archive: their bytes, kept when they were issued and laid out ever after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from generator.archive import codec, layout
from generator.archive.folder import Folder, record_at
from generator.records.canonical import SEALED_FORMAT, check_digest, sha256
from generator.records.definition import version_key
from generator.records.manifest import PagesManifest


class Pages:
    """archive/pages/."""

    def __init__(self, folder: Folder) -> None:
        """Use an archive's folder."""
        self._folder = folder

    def windows(self, version: str) -> tuple[date, ...]:
        """Return the window ends whose pages are kept under a version, ascending."""
        return self._folder.dates(f"pages/{version}/*.json")

    def get(self, version: str, window_end: date) -> tuple[tuple[str, bytes], ...]:
        """Return the kept pages of a window, (path, bytes) each, sorted by path."""
        return tuple(self.each(version, window_end))

    def each(self, version: str, window_end: date) -> Iterator[tuple[str, bytes]]:
        """Yield the kept pages of a window as `get` returns them, without holding all of them."""
        name = layout.pages_file(version, window_end)
        data = self._folder.read(name)
        check_digest(data, self.manifest(version, window_end).sha256, where=name)
        return codec.each_page(data, where=name)

    def manifest(self, version: str, window_end: date) -> PagesManifest:
        """Return what lies beside a pages file."""
        return record_at(self._folder, layout.manifest_of(layout.pages_file(version, window_end)), PagesManifest)

    def add(self, pages: Iterable[tuple[str, bytes]], *, version: str, digest: str, window_end: date) -> None:
        """Write the permanent pages of a window, then their manifest."""
        table = codec.pages_table(pages)
        data = codec.parquet_bytes(table)
        self.add_file(data, table.num_rows, version=version, digest=digest, window_end=window_end)

    def add_file(self, data: bytes, rows: int, *, version: str, digest: str, window_end: date) -> None:
        """Write the permanent pages of a window as they were made into a file, then their manifest."""
        name = layout.pages_file(version, window_end)
        self._folder.add(name, data, pages_manifest(name, data, rows, version, digest))

    def methods(self) -> tuple[str, ...]:
        """Return every method version whose page is kept, oldest first."""
        names = self._folder.matching("pages/methods/*.json")
        found = (name.removeprefix("pages/methods/").removesuffix(".json") for name in names)
        return tuple(sorted(found, key=version_key))

    def method(self, version: str) -> bytes:
        """Return a method version's page as it was kept."""
        name = layout.method_page_file(version)
        data = self._folder.read(name)
        check_digest(data, self.method_manifest(version).sha256, where=name)
        return data

    def method_manifest(self, version: str) -> PagesManifest:
        """Return what lies beside a method version's page: it binds later grading to the same definition."""
        return record_at(self._folder, layout.manifest_of(layout.method_page_file(version)), PagesManifest)

    def add_method(self, page: bytes, *, version: str, digest: str) -> None:
        """Keep a method version's page, when something is first graded under it."""
        name = layout.method_page_file(version)
        self._folder.add(name, page, pages_manifest(name, page, 1, version, digest))


def pages_manifest(name: str, data: bytes, rows: int, version: str, digest: str) -> PagesManifest:
    """Return what lies beside a file of pages or proofs, or beside a method page, unsealed."""
    return PagesManifest(
        format=SEALED_FORMAT,
        file=name,
        sha256=sha256(data),
        rows=rows,
        method_version=version,
        method_digest=digest,
        seal="",
    )
