"""The grades of the archive: one file for each window and method version, never written twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

import msgspec

from generator.archive import codec, layout, schema
from generator.archive.folder import Folder, record_at
from generator.records.canonical import SEALED_FORMAT, check_digest, sha256
from generator.records.definition import Method
from generator.records.grade import Grade
from generator.records.manifest import GradesManifest


class GradesOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """What the grades of a window were made from, and as what they are issued."""

    nights: Mapping[date, str]
    """By night of the window, the SHA-256 of its night.json."""
    voided: Mapping[date, str]
    """By recorded night that has been declared void by now, the SHA-256 of its void.json."""
    role: str
    """'current' or 'candidate'."""
    regrade: bool
    """Whether another version had graded the window before."""


class Grades:
    """archive/grades/."""

    def __init__(self, folder: Folder) -> None:
        """Use an archive's folder."""
        self._folder = folder

    def versions(self) -> tuple[str, ...]:
        """Return every method version that something was graded under, oldest first."""
        return self._folder.versions("grades")

    def windows(self, version: str) -> tuple[date, ...]:
        """Return the window ends graded under a version, ascending."""
        return self._folder.dates(f"grades/{version}/*.json")

    def get(self, version: str, window_end: date) -> tuple[Grade, ...]:
        """Return the grades of a window under a version, sorted by model and endpoint."""
        name = layout.grades_file(version, window_end)
        data = self._folder.read(name)
        check_digest(data, self.manifest(version, window_end).sha256, where=name)
        return codec.records_of(codec.read_parquet(data, schema.GRADES, where=name), Grade)

    def manifest(self, version: str, window_end: date) -> GradesManifest:
        """Return what lies beside a grades file."""
        return record_at(self._folder, layout.manifest_of(layout.grades_file(version, window_end)), GradesManifest)

    def add(self, grades: Iterable[Grade], method: Method, window_end: date, origin: GradesOrigin) -> GradesManifest:
        """Write the grades of a window, then their manifest.

        Args:
            grades: all of the window under this version.
            method: that they were made under.
            window_end: the window's last night.
            origin: what they were made from and as what they are issued.
        """
        table = codec.grades_table(grades)
        return self.add_file(codec.parquet_bytes(table), table.num_rows, method, window_end, origin)

    def add_file(
        self, data: bytes, rows: int, method: Method, window_end: date, origin: GradesOrigin
    ) -> GradesManifest:
        """Write the grades of a window as they were made into a file, then their manifest.

        Args:
            data: the whole file.
            rows: grades in it.
            method: that they were made under.
            window_end: the window's last night.
            origin: what they were made from and as what they are issued.
        """
        name = layout.grades_file(method.version, window_end)
        manifest = GradesManifest(
            format=SEALED_FORMAT,
            file=name,
            sha256=sha256(data),
            rows=rows,
            method_version=method.version,
            method_digest=method.digest,
            window_end=window_end,
            nights={night.isoformat(): digest for night, digest in sorted(origin.nights.items())},
            voided={night.isoformat(): digest for night, digest in sorted(origin.voided.items())},
            role=origin.role,
            regrade=origin.regrade,
            seal="",
        )
        self._folder.add(name, data, manifest)
        return manifest
