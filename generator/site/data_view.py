"""The page of downloads: nights, grades, kept pages and methods as files, how big they are, and how to read them.

Beside it stand the lists for programs, and the description of the archive's format as a page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import groupby

import msgspec

from generator.records.data_file import DATA, DataFile
from generator.records.definition import version_key
from generator.records.withheld import OBSERVATIONS
from generator.site import data_examples, data_lists, grade_schema
from generator.site.citation import script_json
from generator.site.data_examples import Example, Graded
from generator.site.frame import Step, frame, replayed_line
from generator.site.interface import NightMaterial
from generator.site.library import Library, counts_as_recorded
from generator.site.links import INDEX, Links
from generator.site.night_list_view import MOST_TOGETHER
from generator.site.prose import to_html
from generator.site.templates import Templates

PATH = DATA + INDEX
FORMAT_PATH = f"{DATA}format/{INDEX}"
_OF_A_TABLE = re.compile(r"^(?=\*\*\w+\*\*.*(?:\n.+)*\n\n\|)", re.MULTILINE)
"""Where a paragraph begins that opens with a table's name and stands right before it: its caption on the page."""
_THOUSAND = 1000


class NightRow(msgspec.Struct, frozen=True, kw_only=True):
    """One night and what can be downloaded of it."""

    night: NightMaterial
    standing: str
    files: tuple[DataFile, ...]
    grades: tuple[DataFile, ...]
    """Of the windows that end on it, one for each method version that graded them; their manifests are left out."""
    pages: tuple[DataFile, ...]
    """The permanent pages of these windows."""
    count: int
    """All files, manifests too."""
    bytes: int
    """The size of all files together."""


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """The nights of one month."""

    name: str
    """As in '2026-11'."""
    nights: int
    planned: int
    count: int
    bytes: int


class VersionGrades(msgspec.Struct, frozen=True, kw_only=True):
    """All grades under one method version."""

    version: str
    status: str
    windows: tuple[DataFile, ...]
    """Ascending by window end."""
    bytes: int


class VersionFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What defines one method version, and the pages that were issued under it."""

    version: str
    methods: tuple[DataFile, ...]
    """Its definition and its prose."""
    page: DataFile
    windows: int
    """Windows with pages."""
    bytes: int
    """Of all of these files, manifests left out."""


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the page, the lists, and the description of the format."""
    yield from data_lists.render(library.material)
    yield FORMAT_PATH, _format_page(library, templates)
    yield PATH, _page(library, templates)


def in_words(size: int) -> str:
    """Return a size in the unit that leaves it below 1,000, with one decimal: '1.2 GB', of 10^9 bytes."""
    if size < _THOUSAND:
        return f"{size} bytes"
    value = size / _THOUSAND
    for unit in ("kB", "MB", "GB"):
        if round(value, 1) < _THOUSAND:
            return f"{value:.1f} {unit}"
        value /= _THOUSAND
    return f"{value:,.1f} TB"


def _page(library: Library, templates: Templates) -> bytes:
    material, listed = library.material, _rows(library)
    is_long = len(listed) > MOST_TOGETHER
    return templates.render(
        "data.html",
        page=frame(
            PATH,
            material.settings,
            title="Data",
            description="Every night and every grade as files, with their digests, and how to read them.",
            steps=(Step(text="data", href=INDEX),),
            replayed=_replayed(library),
        ),
        links=Links(PATH),
        library=library,
        file_count=len(material.data),
        total=sum(file.bytes for file in material.data),
        listed=listed,
        months=_months(listed) if is_long else (),
        versions=_versions(library),
        defined=_defined(library),
        copying=data_examples.copying(material.settings),
        examples=_examples(library),
        json_ld=script_json(data_lists.dataset(material)) if material.data else None,
        schema_path=grade_schema.PATH,
        in_words=in_words,
    )


def _format_page(library: Library, templates: Templates) -> bytes:
    prose = to_html(_OF_A_TABLE.sub("Table: ", library.material.format_text), where=f"archive/{data_lists.FORMAT}")
    title = prose.title or data_lists.FORMAT
    return templates.render(
        "prose.html",
        page=frame(
            FORMAT_PATH,
            library.material.settings,
            title=title,
            description="What every file of the archive and every column of its tables says.",
            steps=(Step(text="data", href=f"../{INDEX}"), Step(text="format", href=INDEX)),
            replayed=_replayed(library),
        ),
        links=Links(FORMAT_PATH),
        title=title,
        body=prose.html,
    )


def _rows(library: Library) -> tuple[NightRow, ...]:
    """Return a row for each night of which something can be downloaded, newest first."""
    of_night: Mapping[date, list[DataFile]] = defaultdict(list)
    for file in library.material.data:
        if file.night is not None:
            of_night[file.night].append(file)
    return tuple(
        NightRow(
            night=night,
            standing="recorded" if counts_as_recorded(night) else "void",
            files=tuple(file for file in files if file.method_version is None),
            grades=tuple(sorted((file for file in files if file.kind == "grades"), key=_version)),
            pages=tuple(sorted((file for file in files if file.kind == "pages"), key=_version)),
            count=len(files),
            bytes=sum(file.bytes for file in files),
        )
        for night in reversed(library.material.nights)
        if (files := of_night[night.record.night])
    )


def _months(rows: Iterable[NightRow]) -> tuple[Month, ...]:
    """Return the months of some rows, in their own order."""
    grouped = groupby(rows, key=lambda row: row.night.record.night.isoformat()[:7])
    together = ((name, tuple(of_month)) for name, of_month in grouped)
    return tuple(
        Month(
            name=name,
            nights=len(of_month),
            planned=sum(row.night.record.counts.planned for row in of_month),
            count=sum(row.count for row in of_month),
            bytes=sum(row.bytes for row in of_month),
        )
        for name, of_month in together
    )


def _versions(library: Library) -> tuple[VersionGrades, ...]:
    """Return the grades under each version, newest version first."""
    windows = [file for file in library.material.data if file.kind == "grades"]
    grouped = groupby(sorted(windows, key=lambda file: (_version(file), file.path)), key=_version)
    together = (tuple(of_version) for _, of_version in grouped)
    found = [
        VersionGrades(
            version=(version := str(of_version[0].method_version)),
            status=library.status(version),
            windows=of_version,
            bytes=sum(file.bytes for file in of_version),
        )
        for of_version in together
    ]
    return tuple(reversed(found))


def _defined(library: Library) -> tuple[VersionFiles, ...]:
    """Return what belongs to each method version that was graded under, newest first."""
    of_version: Mapping[str, list[DataFile]] = defaultdict(list)
    for file in library.material.data:
        if file.kind in {"methods", "pages"}:
            of_version[str(file.method_version)].append(file)
    return tuple(
        VersionFiles(
            version=version,
            methods=tuple(reversed([file for file in files if file.kind == "methods"])),
            page=next(file for file in files if file.kind == "pages" and file.night is None),
            windows=sum(file.night is not None for file in files),
            bytes=sum(file.bytes for file in files),
        )
        for version, files in sorted(of_version.items(), key=lambda of: version_key(of[0]), reverse=True)
    )


def _version(file: DataFile) -> tuple[int, ...]:
    return version_key(str(file.method_version))


def _examples(library: Library) -> tuple[Example, ...]:
    """Return what can be run on the archive as it is: about its newest night, and about its newest graded window."""
    material, current = library.material, library.current
    recorded = frozenset(night.record.night for night in library.recorded)
    # What the examples count again stands in the table that a night was sealed with: nothing is withheld from it.
    whole = {file.night for file in material.data if file.night is not None and file.path.endswith(f"/{OBSERVATIONS}")}
    nights = sorted(whole & recorded)
    graded = (file for file in material.data if file.kind == "grades" and file.method_version == current)
    windows = whole.intersection(file.night for file in graded if file.night is not None)
    found = data_examples.of_night(nights[-1], material.settings) if nights else ()
    if windows:
        reference = material.methods[current].definition.reference
        window = Graded(window_end=max(windows), method_version=current, reference=reference)
        found += data_examples.of_window(window)
    return found


def _replayed(library: Library) -> str | None:
    return replayed_line(night.record for night in library.material.nights)
