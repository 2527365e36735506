"""Letters as records say them: what a published site's changing pages are held against."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from generator.errors import SiteError
from generator.records.canonical import sha256
from generator.records.finding import FindingKind
from generator.records.grade import Grade
from generator.records.leaf import GradeLeaf
from generator.records.reading import short_form
from generator.verification.claims import Shown
from generator.verification.findings import Findings
from generator.workflows.named_files import RECORD
from generator.workflows.published import Published

_SHOWN = 160


class Letters:
    """What records say, of those that were read; each is the one that the log names."""

    def __init__(self, site: Published, leaves: Iterable[GradeLeaf]) -> None:
        """Know every permanent page of a log, and read nothing yet."""
        self._site = site
        self._digests = {leaf.path: leaf.record_sha256 for leaf in leaves}
        self.known: dict[str, Shown | None] = dict.fromkeys(self._digests)
        """By the folder of each permanent page."""

    def take(self, path: str, found: bytes | SiteError | None, findings: Findings) -> None:
        """Take a record, or what came of asking for it."""
        where, folder = self._site.where + path, path.removesuffix(RECORD)
        expected = f"SHA-256 {self._digests[folder]}"
        if isinstance(found, SiteError):
            findings.unchecked(f"{found.problem} at {where}")
        elif found is None:
            findings.add(FindingKind.MISSING, where, expected=expected, found="none")
        elif sha256(found) != self._digests[folder]:
            findings.add(FindingKind.CHANGED, where, expected=expected, found=sha256(found))
        else:
            with findings.reading(where):
                self.known[folder] = _shown(found, where)

    def read(self, folders: Iterable[str], findings: Findings) -> None:
        """Read the records of some permanent pages that were not read yet."""
        wanted = sorted({folder for folder in folders if folder in self.known and self.known[folder] is None})
        for path, found in self._site.bodies(folder + RECORD for folder in wanted):
            self.take(path, found, findings)


def endpoint_of(path: str) -> str:
    """Return the part of a permanent page's path that names its endpoint: author, name and endpoint."""
    return "/".join(path.split("/")[1:4])


def end_of(path: str) -> str:
    """Return the last night of a permanent page's window."""
    return path.split("/")[4]


def version_of(path: str) -> str:
    """Return the method version of a permanent page."""
    return path.split("/")[5].removeprefix("v")


def _shown(data: bytes, where: str) -> Shown:
    """Return what a record says in short.

    Raises:
        SiteError: where it is none that this version can read.
    """
    try:
        grade = msgspec.json.decode(data, type=Grade)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SiteError(
            f"expected a record that this version reads, found: {str(error)[:_SHOWN]}", where=where
        ) from None
    return Shown(letter=grade.letter.value, short=short_form(grade))
