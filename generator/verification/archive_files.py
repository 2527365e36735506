"""The archive's files: each seal, each digest, the chain of nights, and nothing that does not belong."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from itertools import pairwise

from generator.records.canonical import check_digest, read_sealed, sha256
from generator.records.finding import FindingKind
from generator.records.manifest import GradesManifest, PagesManifest
from generator.records.night import NightRecord, VoidRecord, date_words, missed
from generator.verification.findings import Findings
from generator.verification.interface import Kept
from generator.verification.withheld_files import kept_tables

ARCHIVE = "archive/"
FORMAT_FILE = "FORMAT.md"
LOG = "log/"
"""What lies in there is held against its leaves."""


NIGHT_FILES = {f"{table}.parquet" for table in ("observations", "listings", "prompts", "context")}


def check_archive(
    kept: Kept,
    format_texts: frozenset[bytes],
    unsealed: frozenset[str],
    findings: Findings,
    *,
    only: Collection[str] | None = None,
) -> None:
    """Add a finding for every file of the archive that is missing, changed, or none of it.

    Args:
        kept: the archive's files; where not all of them are looked at, every night.json is among those that are.
        format_texts: every text of FORMAT.md that this program knows to be true.
        unsealed: nights whose journal is there: what lies in their folders does not count yet.
        findings: where mismatches are added.
        only: nights whose other files are looked at, too; None for all.
    """
    names = {name for name in kept.names() if not _unsealed(name, unsealed) and not name.startswith(LOG)}
    for night in sorted(unsealed):
        findings.note(
            f"night {night} is not sealed yet: the command that began it carries on with it, after midnight UTC with "
            f"--night {night}"
        )
    known = {FORMAT_FILE}
    with findings.reading(ARCHIVE + FORMAT_FILE):
        findings.checked("archive files")
        if kept.read(FORMAT_FILE) not in format_texts:
            findings.add(
                FindingKind.CHANGED,
                ARCHIVE + FORMAT_FILE,
                expected="the description of this archive's format",
                found="another text",
            )
    nights = _check_nights(kept, names, known, only, findings)
    _check_manifests(kept, names, known, nights, findings)
    for name in sorted(names - known):
        findings.add(FindingKind.UNEXPECTED, ARCHIVE + name, expected="no such file", found="a file that nothing names")


def _check_nights(
    kept: Kept, names: set[str], known: set[str], only: Collection[str] | None, findings: Findings
) -> dict[str, str | None]:
    """Check every night's files and their chain.

    Return the SHA-256 of each night.json, by night; None for one that is missing from its folder or not as sealed.
    """
    records: dict[str, NightRecord] = {}
    digests: dict[str, str] = {}
    folders = sorted({name.split("/")[1] for name in names if name.startswith("nights/") and name.count("/") > 1})
    for folder in folders:
        name = f"nights/{folder}/night.json"
        known.add(name)
        findings.checked("nights")
        with findings.reading(ARCHIVE + name):
            data = kept.read(name)
            records[folder] = read_sealed(data, NightRecord, where=name)
            digests[folder] = sha256(data)
        if only is not None and folder not in only:
            continue
        if folder in records:
            _check_night(kept, folder, records[folder], names, known, findings)
        else:
            # Its tables are no strays because the record that names them is broken.
            known.update(other for other in names if other.startswith(f"nights/{folder}/"))
    _check_chain(folders, records, digests, findings)
    return {folder: digests.get(folder) for folder in folders}


def _check_night(  # noqa: PLR0913, PLR0917 - one night among all names
    kept: Kept, folder: str, record: NightRecord, names: set[str], known: set[str], findings: Findings
) -> None:
    """Check one night's tables, and the declaration that it is void where there is one."""
    name = f"nights/{folder}/night.json"
    findings.require(ARCHIVE + name, expected=folder, found=record.night.isoformat(), what="night")
    findings.require(ARCHIVE + name, expected=sorted(NIGHT_FILES), found=sorted(record.files), what="files")
    tables = kept_tables(kept, ARCHIVE, f"nights/{folder}", record, names, known, findings)
    for file, digest in tables.items():
        path = f"nights/{folder}/{file}"
        known.add(path)
        findings.checked("archive files")
        with findings.reading(ARCHIVE + path):
            check_digest(kept.read(path), digest, where=path)
    void = f"nights/{folder}/void.json"
    if void in names:
        known.add(void)
        findings.checked("archive files")
        with findings.reading(ARCHIVE + void):
            declared = read_sealed(kept.read(void), VoidRecord, where=void)
            findings.require(ARCHIVE + void, expected=folder, found=declared.night.isoformat(), what="night")


def _check_chain(
    folders: list[str], records: dict[str, NightRecord], digests: dict[str, str], findings: Findings
) -> None:
    """Require that each night names the one kept before it and the dates missed between, so that gaps are stated."""
    for before, folder in pairwise(["", *folders]):
        if folder not in records:
            continue
        previous = records[folder].previous
        named = "" if previous is None else previous.night.isoformat()
        if named != before:
            findings.add(
                FindingKind.MISSING if named else FindingKind.CHANGED,
                f"{ARCHIVE}nights/{named or folder}/night.json",
                expected=f"the night kept before {folder}",
                found="none" if named else f"a record that names none before it, and {before}",
            )
        elif previous is not None and before in digests and previous.sha256 != digests[before]:
            findings.add(
                FindingKind.CHANGED,
                f"{ARCHIVE}nights/{before}/night.json",
                expected=f"SHA-256 {previous.sha256}, which {folder} is chained to",
                found=digests[before],
            )
        _check_missed(records[folder], f"{ARCHIVE}nights/{folder}/night.json", findings)


def _check_missed(record: NightRecord, where: str, findings: Findings) -> None:
    """Require that a night states every date since the night it names before it, and no other, as missed."""
    expected = missed(record.previous, record.night)
    if record.missed != expected:
        findings.add(
            FindingKind.CHANGED,
            f"{where}, missed",
            expected=_missed_words(expected),
            found=_missed_words(record.missed),
        )


def _missed_words(dates: tuple[date, ...]) -> str:
    return f"no night begun {date_words(dates)}" if dates else "no date missed"


def _check_manifests(
    kept: Kept, names: set[str], known: set[str], nights: dict[str, str | None], findings: Findings
) -> None:
    """Check every grades, pages and method page file against the manifest beside it."""
    for name in sorted(name for name in names if name.startswith(("grades/", "pages/")) and name.endswith(".json")):
        known.add(name)
        method_page = name.startswith("pages/methods/")
        file = name.removesuffix(".json") + (".html" if method_page else ".parquet")
        known.add(file)
        findings.checked("archive files", 2)
        with findings.reading(ARCHIVE + name):
            kind: type[GradesManifest | PagesManifest] = GradesManifest if name.startswith("grades/") else PagesManifest
            manifest = read_sealed(kept.read(name), kind, where=name)
            findings.require(ARCHIVE + name, expected=file, found=manifest.file, what="file")
            if isinstance(manifest, GradesManifest):
                for night, digest in manifest.nights.items():
                    found = nights.get(night, "no such night")
                    if found is not None:
                        where = f"{ARCHIVE}nights/{night}/night.json"
                        findings.require(where, expected=digest, found=found, what="SHA-256")
                for night, digest in manifest.voided.items():
                    _check_voided(kept, night, digest, findings)
            with findings.reading(ARCHIVE + file):
                check_digest(kept.read(file), manifest.sha256, where=file)
    _check_counterparts(names, findings)
    for name in sorted(names - known):
        if name.startswith(("grades/", "pages/")) and name.endswith((".parquet", ".html")):
            known.add(name)
            beside = ARCHIVE + name.rsplit(".", 1)[0] + ".json"
            findings.add(FindingKind.MISSING, beside, expected=f"the manifest of {name}", found="none")


def _unsealed(name: str, unsealed: frozenset[str]) -> bool:
    """True for a file of a night that has a journal and no night.json: it was still being sealed."""
    return any(name.startswith(f"nights/{night}/") for night in unsealed)


def _check_voided(kept: Kept, night: str, digest: str, findings: Findings) -> None:
    """Require that a night that grades left out as void is still declared so, in the same words."""
    name = f"nights/{night}/void.json"
    with findings.reading(ARCHIVE + name):
        check_digest(kept.read(name), digest, where=name)


def _check_counterparts(names: set[str], findings: Findings) -> None:
    """Require a window's grades for its pages, its pages for its grades, and the version's page for both."""
    manifests = {name for name in names if name.endswith(".json")}
    grades = {name.removeprefix("grades/") for name in manifests if name.startswith("grades/")}
    pages = {name.removeprefix("pages/") for name in manifests if name.startswith("pages/")}
    methods = {name for name in pages if name.startswith("methods/")}
    for window in sorted(grades - pages):
        findings.add(
            FindingKind.MISSING, f"{ARCHIVE}pages/{window}", expected="the pages of these grades", found="none"
        )
    for window in sorted(pages - methods - grades):
        findings.add(
            FindingKind.MISSING, f"{ARCHIVE}grades/{window}", expected="the grades of these pages", found="none"
        )
    for version in sorted({name.split("/")[0] for name in grades | (pages - methods)}):
        if f"methods/{version}.json" not in methods:
            where = f"{ARCHIVE}pages/methods/{version}.html"
            findings.add(FindingKind.MISSING, where, expected="the page of a version graded under", found="none")
