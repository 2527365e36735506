"""Withheld texts: from the table that a night was sealed with, declarations lead on to the one that is kept now."""

from __future__ import annotations

from generator.records.canonical import read_sealed
from generator.records.finding import FindingKind
from generator.records.night import NightRecord
from generator.records.withheld import (
    OBSERVATIONS,
    WithheldRecord,
    declaration_name,
    kept_observations,
    table_name,
)
from generator.verification.findings import Findings
from generator.verification.interface import Kept


def kept_tables(  # noqa: PLR0913, PLR0917 - one night among all names
    kept: Kept, root: str, folder: str, record: NightRecord, names: set[str], known: set[str], findings: Findings
) -> dict[str, str]:
    """Return the SHA-256 of each table that must lie in a night's folder, by name, and check what was withheld.

    Args:
        kept: the archive's files.
        root: where the archive lies, as findings name it.
        folder: the night's own, below it.
        record: what night.json says.
        names: of every file of the archive.
        known: where the names of declarations and of what they name are added.
        findings: where mismatches are added.
    """
    declared: list[WithheldRecord] = []
    number = 0
    while (name := f"{folder}/{declaration_name(number + 1)}") in names:
        number += 1
        known.add(name)
        findings.checked("archive files")
        with findings.reading(root + name):
            declared.append(read_sealed(kept.read(name), WithheldRecord, where=name))
    if not number:
        return record.files
    tables = {file: digest for file, digest in record.files.items() if file != OBSERVATIONS}
    # Where a declaration is broken, its table is no stray.
    known.add(f"{folder}/{table_name(number)}")
    if len(declared) == number:
        with findings.reading(f"{root}{folder}/{declaration_name(number)}"):
            file, digest = kept_observations(record, declared)
            tables[file] = digest
    for name in (f"{folder}/{table_name(each)}" for each in range(number)):
        if name in names:
            known.add(name)
            findings.add(
                FindingKind.UNEXPECTED,
                root + name,
                expected="no table that holds what was withheld",
                found="one: run the same 'bitdepth withhold' again, which takes it away",
            )
    return tables
