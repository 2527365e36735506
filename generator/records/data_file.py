"""One file of the archive as it can be downloaded: where it lies below data/, its digest and its size."""

from __future__ import annotations

from datetime import date
from typing import Literal

import msgspec

from generator.records.night import Count, Sha256

DATA = "data/"
"""The folder of the site that holds these files, each under the path that it has in the archive."""

DataKind = Literal[
    "night",
    "void",
    "withheld",
    "observations",
    "listings",
    "prompts",
    "context",
    "grades",
    "pages",
    "methods",
    "manifest",
]
"""'night' and 'void' are night.json and void.json; 'withheld' declares what was taken out of a night's observations;
'pages' are permanent pages as they were kept, of a window or of a method version; 'methods' are a version's definition
and its prose, which lie in content/; 'manifest' lies beside grades and pages and holds their digest."""


class DataFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One file, which never changes."""

    path: str
    """Below data/, and in the archive or in content/."""
    kind: DataKind
    night: date | None = None
    """The night that the file is of; for grades, pages and their manifests, the last night of their window. None for
    what belongs to a method version and to no window."""
    method_version: str | None = None
    """None for the files of a night."""
    bytes: Count
    sha256: Sha256
