"""The archive as Croissant metadata 1.1 (JSON-LD of MLCommons), which dataset tools read: files, tables, columns. Pure.

The record sets read the files that lie below the folder of croissant.json, so that a copy of the folder is a dataset.
Whatever the archive's size, this stays small: the files of the newest nights stand one by one with their digests;
those of all nights stand in SHA256SUMS, whose own digest is here.

Source: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

import msgspec

from generator.records.data_file import DATA, DataFile
from generator.settings import Settings
from generator.site.data_columns import TABLES, Column, Table
from generator.site.linked_data import LICENCE

PATH = f"{DATA}croissant.json"
NEWEST = 31
"""Nights whose files stand one by one."""
_PARQUET = "application/x-parquet"
"""What Croissant calls it."""
_NAMESPACE = "http://mlcommons.org/croissant/"
_OWN_TERMS = (
    *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject"),
    *("fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator"),
    *("source", "subField", "transform"),
)
_CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": _NAMESPACE,
    "dct": "http://purl.org/dc/terms/",
    "rai": f"{_NAMESPACE}RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _OWN_TERMS},
}


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One file beside the archive's own: it says what the archive holds, and may change."""

    name: str
    says: str
    encoding: str
    bytes: int
    sha256: str


def describe(settings: Settings, files: Sequence[DataFile], lists: Iterable[Listed], *, days: Sequence[date]) -> bytes:
    """Return croissant.json.

    Args:
        settings: the site's.
        files: every file of the archive.
        lists: what describes these files and lies beside croissant.json.
        days: the dates on which a night of the archive finished, ascending; at least one.
    """
    nights = sorted({file.night for file in files if file.kind == "night" and file.night is not None})
    newest = set(nights[-NEWEST:])
    shown = [file for file in files if file.night in newest and file.kind in TABLES]
    publisher = {"@type": "Organization", "name": settings.publisher, "url": settings.address}
    metadata = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": f"{_NAMESPACE}1.1",
        "name": name(settings),
        "description": description(nights),
        "license": LICENCE,
        "url": settings.address + DATA,
        "citeAs": f"{settings.publisher}. {name(settings)}. {settings.address}{DATA}",
        "creator": publisher,
        "publisher": publisher,
        "datePublished": days[0].isoformat(),
        "dateModified": days[-1].isoformat(),
        "temporalCoverage": f"{nights[0].isoformat()}/{nights[-1].isoformat()}",
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "isLiveDataset": True,
        "keywords": ["inference endpoints", "language models", "measurements"],
        "version": f"1.{len(nights)}.0",
        "distribution": [
            *(_listed(each, settings) for each in lists),
            *(_file_set(of, table) for of, table in TABLES.items()),
            *(_file_object(file, settings) for file in shown),
        ],
        "recordSet": [_record_set(of, table) for of, table in TABLES.items()],
    }
    return msgspec.json.format(msgspec.json.encode(metadata), indent=1) + b"\n"


def name(settings: Settings) -> str:
    """Return what the archive is called."""
    return f"{settings.title}: nights and grades"


def description(nights: Sequence[date]) -> str:
    """Return what the archive is, in a few sentences.

    Args:
        nights: those that are kept, ascending; at least one.
    """
    return (
        "What endpoints that serve language models returned to the same prompts, night by night, and the grades that a "
        f"published method makes of it. {len(nights):,} nights, {nights[0].isoformat()} to {nights[-1].isoformat()}. "
        "A night or grade that is kept never changes; the archive grows. A declared precision is a claim, a grade is a "
        "measurement, and agreement with the plurality is no proof of weights, quantization or configuration."
    )


def _listed(each: Listed, settings: Settings) -> Mapping[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": each.name,
        "name": each.name,
        "description": each.says,
        "contentUrl": f"{settings.address}{DATA}{each.name}",
        "contentSize": f"{each.bytes} B",
        "encodingFormat": each.encoding,
        "sha256": each.sha256,
    }


def _file_object(file: DataFile, settings: Settings) -> Mapping[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": f"{settings.address}{DATA}{file.path}",
        "contentSize": f"{file.bytes} B",
        "encodingFormat": _PARQUET,
        "sha256": file.sha256,
    }


def _file_set(of: str, table: Table) -> Mapping[str, object]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{of}-files",
        "name": f"{of}-files",
        "description": f"Every file of the table '{of}', below the folder of this description.",
        "encodingFormat": _PARQUET,
        "includes": table.includes,
    }


def _record_set(of: str, table: Table) -> Mapping[str, object]:
    return {
        "@type": "cr:RecordSet",
        "@id": of,
        "name": of,
        "description": table.says,
        "key": [{"@id": f"{of}/{column}"} for column in (*(("night",) if table.is_nightly else ()), *table.key)],
        "field": list(_fields(of, table)),
    }


def _fields(of: str, table: Table) -> Iterator[Mapping[str, object]]:
    files = {"fileSet": {"@id": f"{of}-files"}}
    if table.is_nightly:
        night = Column("night", "sc:Date", "the night of the file, which its path names")
        path = {"extract": {"fileProperty": "fullpath"}, "transform": {"regex": "^nights/([0-9-]+)/.*$"}}
        yield _field(of, night, {**files, **path})
    for column in table.columns:
        yield _field(of, column, {**files, "extract": {"column": column.name}})


def _field(of: str, column: Column, source: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{of}/{column.name}",
        "name": column.name,
        "description": column.says,
        "dataType": column.kind,
        **({"isArray": True, "arrayShape": "-1"} if column.is_list else {}),
        "source": source,
    }
