"""What machines read in the head of a permanent page: JSON-LD and typed links.

A grade is described as a schema.org Dataset, never as a Review or Rating. The links follow FAIR Signposting level 1
(cite-as, describedby, item, license, author, type) and RFC 5829 (latest-version, version-history).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from generator.records.grade import Grade
from generator.records.permalink import grade_index_path, method_path
from generator.records.reading import COLUMN_WORDS, NO_LETTER, Reading
from generator.settings import Settings
from generator.site.citation import Named
from generator.site.links import Links
from generator.site.text import visible_plain

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
"""Of all pages and data."""


class TypedLink(msgspec.Struct, frozen=True, kw_only=True):
    """One `<link>` of a page's head."""

    rel: str
    href: str
    type: str | None = None


def typed_links(grade: Grade, name: Named, links: Links) -> tuple[TypedLink, ...]:
    """Return the head links of a permanent page."""
    index = links.grade_index(grade)
    return (
        TypedLink(rel="canonical", href=name.permalink),
        TypedLink(rel="cite-as", href=name.permalink),
        TypedLink(rel="describedby", href="grade.json", type="application/json"),
        TypedLink(rel="item", href="grade.json", type="application/json"),
        TypedLink(rel="license", href=LICENCE),
        TypedLink(rel="author", href=links.page("about")),
        TypedLink(rel="type", href="https://schema.org/AboutPage"),
        TypedLink(rel="type", href="https://schema.org/Dataset"),
        TypedLink(rel="latest-version", href=index),
        TypedLink(rel="version-history", href=index),
    )


def description(name: Named) -> str:
    """Return a grade in one sentence, for the head: letter, version, columns, unit and window."""
    return f"{name.title}: {name.result}."


def dataset(
    grade: Grade, name: Named, columns: Iterable[Reading], settings: Settings, record_sha256: str
) -> Mapping[str, object]:
    """Return the JSON-LD of a grade.

    Args:
        grade: the grade.
        name: what it is called.
        columns: its four columns in words.
        settings: the site's settings.
        record_sha256: the SHA-256 of grade.json.
    """
    address = name.permalink
    publisher = {"@type": "Organization", "name": settings.publisher, "url": settings.address}
    measured = [
        {
            "@type": "PropertyValue",
            "propertyID": str(reading.column),
            "name": COLUMN_WORDS[reading.column],
            "value": str(reading.letter or NO_LETTER),
            "description": visible_plain(reading.words),
        }
        for reading in columns
    ]
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "@id": address,
        "url": address,
        "name": name.title,
        "description": description(name),
        "identifier": [address, f"sha256:{record_sha256}"],
        "version": grade.method_version,
        "datePublished": grade.issued.isoformat(),
        "temporalCoverage": f"{grade.window_start.isoformat()}/{grade.window_end.isoformat()}",
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "license": LICENCE,
        "creator": publisher,
        "publisher": publisher,
        "measurementTechnique": settings.address + method_path(grade.method_version),
        "isPartOf": settings.address + grade_index_path(grade.model, grade.endpoint, grade.window_end),
        "variableMeasured": measured,
        "distribution": {
            "@type": "DataDownload",
            "contentUrl": address + "grade.json",
            "encodingFormat": "application/json",
            "sha256": record_sha256,
        },
    }
