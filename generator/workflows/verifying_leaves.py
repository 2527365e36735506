"""The log's leaves against those that the archive gives now: a damaged file is named itself, and nothing for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter

import msgspec

from generator.errors import BitdepthError, ContentError, IntegrityError
from generator.records.leaf import read_leaf
from generator.verification.findings import Findings
from generator.verification.log_leaves import LeafSource, Place, Placed, check_leaves
from generator.workflows.leaves import Source, source_of, sources
from generator.workflows.world import Root

_ARCHIVE = "archive/"


def check_against_archive(
    root: Root, leaves: Sequence[tuple[int, bytes]], findings: Findings, *, part: Sequence[Source] | None = None
) -> tuple[Placed, Collection[str]]:
    """Return what the log holds of the archive, and the names of the sources whose leaves could be made.

    Where the others' leaves stand is as the log itself tells it.

    Args:
        root: the site root.
        leaves: the index and the bytes of each leaf that is looked at, in order.
        findings: where mismatches are added.
        part: the sources that these leaves come from; None for every source of the archive.
    """
    told, whole = _told(root, part, findings)
    placed = check_leaves(leaves, told, whole=whole, findings=findings)
    names = {source.name for source in told}
    others = {name: place for name, place in _logged(leaves) if name not in names}
    return msgspec.structs.replace(placed, places={**others, **placed.places}), names


def _told(root: Root, part: Sequence[Source] | None, findings: Findings) -> tuple[list[LeafSource], bool]:
    """Return what the archive says, source by source, and whether all of it could be read."""
    told: list[LeafSource] = []
    number = -1
    with findings.reading(_ARCHIVE):
        found = sources(root) if part is None else part
        number = len(found)
        for source in found:
            try:
                told.append(LeafSource(name=source.name, leaves=source.leaves()))
            except BitdepthError as error:
                _lost(source, error, findings)
    return told, len(told) == number


def _lost(source: Source, error: BitdepthError, findings: Findings) -> None:
    """Note that a source was not held against the log; what is to blame is a finding where it is none yet."""
    where = _blamed(source, error)
    if not findings.names(where):
        with findings.reading(where):
            raise error
    findings.unchecked(f"{source.name} was not held against the log, because of {where}")


def _blamed(source: Source, error: BitdepthError) -> str:
    """Return which file an error is about, from the site root."""
    if error.where is not None and isinstance(error, ContentError):
        return error.where
    if error.where is not None and isinstance(error, IntegrityError):
        return _ARCHIVE + error.where
    return _ARCHIVE + source.file


def _logged(leaves: Iterable[tuple[int, bytes]]) -> Iterator[tuple[str, Place]]:
    """Yield each source that leaves name, with where the first of them stands and how many follow one another."""
    for name, found in groupby(named_sources(leaves), key=itemgetter(1)):
        indexes = [index for index, _ in found]
        yield name, Place(first=indexes[0], count=len(indexes))


def named_sources(leaves: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
    """Yield the index of each leaf that names a source, and that source."""
    for index, data in leaves:
        with suppress(msgspec.DecodeError, ValueError):  # Which is a finding where leaves are held against the archive.
            yield index, source_of(read_leaf(data))
