"""The downloads of a published site: what its lists say, against the log, against each other and against the files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from generator.archive import layout
from generator.errors import MissingFileError, SiteError
from generator.records.canonical import read_sealed, sha256
from generator.records.data_file import DATA, DataFile
from generator.records.leaf import MethodLeaf, NightLeaf, VoidedLeaf
from generator.records.manifest import GradesManifest, PagesManifest
from generator.site import croissant
from generator.site.data_lists import FILES, FORMAT, SUMS
from generator.site.files import is_safe
from generator.verification.data_lists import check_croissant, check_list, check_sizes, check_sums, read_list
from generator.verification.findings import Findings
from generator.workflows.comparing import compare
from generator.workflows.published import Published
from generator.workflows.verifying_site_log import SiteLog

_Window = tuple[str, str]
"""A method version and the last night of a window."""


def check_site_lists(  # noqa: PLR0913, PLR0917 - lists, against all that they speak of
    site: Published,
    log: SiteLog,
    named: Mapping[str, str],
    sizes: Mapping[str, int],
    drawn: Collection[str] | None,
    findings: Findings,
) -> frozenset[str]:
    """Return the paths of all downloads, having added a finding for each that is not as lists and log say.

    Args:
        site: as somebody outside sees it.
        log: its own.
        named: by path, the digest of each file that the log names.
        sizes: in bytes, of those of them that were looked at.
        drawn: folders of permanent pages, whose windows' files alone are looked at; None for all.
        findings: where mismatches are added.

    Raises:
        SiteError: where nothing could be had several times in a row.
    """
    windows = {_window(leaf.path) for _, leaf in log.grades()}
    wanted = _wanted(log, named, windows)
    where, files = site.where + DATA + FILES, tuple[DataFile, ...]()
    data = _get(site, DATA + FILES, findings)
    if data is not None:
        with findings.reading(where):
            files = read_list(data).files
            check_list(where, files, wanted, findings)
            looked_at = windows if drawn is None else {_window(path) for path in drawn}
            found = _compare_unnamed(site, files, wanted, looked_at, findings)
            known = {path.removeprefix(DATA): size for path, size in {**sizes, **found}.items()}
            check_sizes(where, files, known, findings)
            _check_manifests(site, log, files, looked_at, findings)
            _check_others(site, files, data, findings)
    return frozenset(DATA + path for path in wanted)


def _window(path: str) -> _Window:
    end, version = path.split("/")[-3:-1]
    return version.removeprefix("v"), end


def _of_window(window: _Window) -> Iterator[str]:
    version, end = window
    for kind in ("grades", "pages"):
        yield f"{kind}/{version}/{end}.parquet"
        yield f"{kind}/{version}/{end}.json"


def _wanted(log: SiteLog, named: Mapping[str, str], windows: Iterable[_Window]) -> dict[str, str | None]:
    """Return, by path, the digest of each file that must be among the downloads; None where the log names none."""
    found: dict[str, str | None] = {
        path.removeprefix(DATA): digest for path, digest in named.items() if path.startswith(DATA)
    }
    found |= {path: None for window in windows for path in _of_window(window)}
    for _, leaf in log.leaves:
        if isinstance(leaf, MethodLeaf):
            page = layout.method_page_file(leaf.version)
            found[page], found[layout.manifest_of(page)] = leaf.page_sha256, None
    return found


def _compare_unnamed(
    site: Published,
    files: Iterable[DataFile],
    wanted: Mapping[str, str | None],
    looked_at: Collection[_Window],
    findings: Findings,
) -> dict[str, int]:
    """Compare what the log does not name with its listed digest; return the sizes."""
    paths = {path for window in looked_at for path in _of_window(window)}
    expected = {
        DATA + file.path: file.sha256
        for file in files
        if file.path in wanted and (file.path in paths or file.path.startswith("pages/methods/")) and is_safe(file.path)
    }
    return compare(site, expected, "downloads of grades and pages", findings)


def _check_manifests(
    site: Published, log: SiteLog, files: Iterable[DataFile], looked_at: Iterable[_Window], findings: Findings
) -> None:
    """Hold what manifests say of their files, nights and methods against lists and log."""
    listed = {file.path: file.sha256 for file in files}
    nights = {leaf.night.isoformat(): leaf.record_sha256 for _, leaf in log.leaves if isinstance(leaf, NightLeaf)}
    voided = {leaf.night.isoformat(): leaf.record_sha256 for _, leaf in log.leaves if isinstance(leaf, VoidedLeaf)}
    methods = {leaf.version: leaf.digest for _, leaf in log.leaves if isinstance(leaf, MethodLeaf)}
    names = {name for window in looked_at for name in _of_window(window) if name.endswith(".json") and name in listed}
    names |= {name for name in listed if name.startswith("pages/methods/") and name.endswith(".json")}
    for path, found in site.bodies(DATA + name for name in sorted(names)):
        where = site.where + path
        if isinstance(found, SiteError):
            findings.unchecked(f"{found.problem} at {where}")
        if not isinstance(found, bytes):
            continue  # One that is missing was named where its digest was compared.
        findings.checked("manifests")
        name = path.removeprefix(DATA)
        with findings.reading(where):
            kind: type[GradesManifest | PagesManifest] = GradesManifest if name.startswith("grades/") else PagesManifest
            manifest = read_sealed(found, kind, where=where)
            beside = name.removesuffix(".json") + (".html" if name.startswith("pages/methods/") else ".parquet")
            findings.require(where, expected=beside, found=manifest.file, what="file")
            findings.require(where, expected=listed.get(beside), found=manifest.sha256, what="SHA-256")
            digest = methods.get(manifest.method_version)
            findings.require(where, expected=digest, found=manifest.method_digest, what="method digest")
            if isinstance(manifest, GradesManifest):
                for of, known in ((manifest.nights, nights), (manifest.voided, voided)):
                    for night, record in of.items():
                        findings.require(f"{where}, {night}", expected=known.get(night), found=record, what="SHA-256")


def _check_others(site: Published, files: Iterable[DataFile], list_data: bytes, findings: Findings) -> None:
    """Hold SHA256SUMS and croissant.json against files.json."""
    described = {file.path: (file.sha256, file.bytes) for file in files}
    text, sums = _get(site, DATA + FORMAT, findings), _get(site, DATA + SUMS, findings)
    if text is None or sums is None:
        return
    digests = {FORMAT: sha256(text), **{path: digest for path, (digest, _) in described.items()}}
    check_sums(site.where + DATA + SUMS, sums, digests, findings)
    for name, data in ((FORMAT, text), (SUMS, sums), (FILES, list_data)):
        described[name] = sha256(data), len(data)
    found = _get(site, croissant.PATH, findings) if files else None
    if found is not None:
        check_croissant(site.where + croissant.PATH, found, described, findings)


def _get(site: Published, path: str, findings: Findings) -> bytes | None:
    """Return a file that must be there; None, and a finding or a note, where it cannot be had."""
    data = None
    with findings.reading(site.where + path):
        data = site.get(path)
        if data is None:
            raise MissingFileError("expected a list of downloads, found none", where=path)
    return data
