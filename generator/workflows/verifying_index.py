"""The log's index, which says where each source's leaves are, against the leaves themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from generator.archive import layout
from generator.records.canonical import read_sealed
from generator.records.finding import FindingKind
from generator.records.log_index import LogIndex
from generator.verification.findings import Findings
from generator.workflows.kept_log import KeptLog
from generator.workflows.leaves import Source
from generator.workflows.world import Root

INDEX = f"{layout.LOG}/index/"
_ARCHIVE = "archive/"


def check_index(root: Root, kept: KeptLog, names: Sequence[str], told: Collection[str], findings: Findings) -> None:
    """Add a finding for each record of the index that does not follow from the leaves, and each that is not there.

    Args:
        root: the site root.
        kept: its log.
        names: of every file of the log.
        told: the sources whose leaves the archive gives now; of no other one is the file held against the index.
        findings: where mismatches are added.
    """
    expected = {layout.log_index_file(source): source for source in kept.placed.places}
    found = {name for name in names if name.startswith(INDEX)}
    for name in sorted(expected.keys() - found):
        findings.add(FindingKind.MISSING, _ARCHIVE + name, expected="where these leaves are", found="none")
    for name in sorted(found):
        findings.checked("log index files")
        with findings.reading(_ARCHIVE + name):
            index = read_sealed(root.store.folder.read(name), LogIndex, where=name)
            source = expected.get(name)
            if source is None:
                findings.add(FindingKind.UNEXPECTED, _ARCHIVE + name, expected="no such file", found="one")
                continue
            place = kept.placed.places[source]
            findings.require(_ARCHIVE + name, expected=place.first, found=index.first, what="first leaf")
            findings.require(_ARCHIVE + name, expected=place.count, found=index.count, what="leaves")
            if source in told:
                digest = Source(root, source).sha256
                findings.require(_ARCHIVE + name, expected=digest, found=index.sha256, what="SHA-256")
