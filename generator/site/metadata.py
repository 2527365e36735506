"""What machines read in the head of a permanent page: a schema.org Dataset, never a Review or Rating.

Beside it the template has typed links by FAIR Signposting level 1 (cite-as, describedby, item, license, author, type)
and RFC 5829 (latest-version, version-history, predecessor-version). Which version is the latest, a page that never
changes cannot know: the grade's index lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache

import msgspec

from generator.records.grade import Grade
from generator.records.permalink import grade_index_path, method_path, night_path
from generator.records.reading import COLUMN_WORDS, NO_LETTER, Reading
from generator.settings import Settings
from generator.site.citation import Named
from generator.site.linked_data import described, raw
from generator.site.text import visible_plain

RECORD = "grade.json"
"""What lies beside every permanent page."""


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
    base = settings.address
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
    return described(
        "Dataset",
        name.permalink,
        settings,
        name=name.title,
        description=description(name),
        identifier=[name.permalink, f"sha256:{record_sha256}"],
        version=grade.method_version,
        datePublished=grade.issued.isoformat(),
        temporalCoverage=f"{grade.window_start.isoformat()}/{grade.window_end.isoformat()}",
        measurementTechnique=base + method_path(grade.method_version),
        isBasedOn=_nights(base, grade.nights),
        isPartOf=base + grade_index_path(grade.model, grade.endpoint, grade.window_end),
        variableMeasured=measured,
        distribution={
            "@type": "DataDownload",
            "contentUrl": name.permalink + RECORD,
            "encodingFormat": "application/json",
            "sha256": record_sha256,
        },
    )


@lru_cache(1024)  # A window's nights stand on the pages of every endpoint.
def _nights(base: str, nights: tuple[date, ...]) -> msgspec.Raw:
    return raw([base + night_path(night) for night in nights])
