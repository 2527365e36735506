"""The log's leaves against the archive, in both directions: each says what is kept, and what is kept is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

import msgspec

from generator.records.finding import FindingKind
from generator.records.leaf import (
    GradeLeaf,
    KeyLeaf,
    Leaf,
    MethodLeaf,
    MissedLeaf,
    NightLeaf,
    VoidedLeaf,
    WithheldLeaf,
    leaf_bytes,
    read_leaf,
)
from generator.verification.findings import Findings

LOG = "archive/log"
_SHOWN = 160
_NAMED = 3
"""New sources that one note names."""


class LeafSource(msgspec.Struct, frozen=True, kw_only=True):
    """What one part of the archive says in the log."""

    name: str
    """As the log's index names it: `nights/2026-03-01`, `grades/0.1/2026-03-07`."""
    leaves: tuple[Leaf, ...]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a source's leaves stand."""

    first: int
    count: int


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """What the log holds of the archive."""

    places: Mapping[str, Place]
    """By source whose leaves are all there, one after another."""
    new: tuple[str, ...]
    """Sources of which the log holds nothing yet."""
    indexes: Mapping[str, int]
    """Of every leaf that can be read, by what it speaks of."""


def subject(leaf: Leaf) -> str:
    """Return what a leaf speaks of; a log has one leaf for each."""
    match leaf:
        case KeyLeaf():
            name = f"key {leaf.vkey}"
        case MissedLeaf():
            name = f"missed night {leaf.night.isoformat()}"
        case NightLeaf():
            name = f"night {leaf.night.isoformat()}"
        case VoidedLeaf():
            name = f"voided night {leaf.night.isoformat()}"
        case WithheldLeaf():
            name = f"withheld from {leaf.night.isoformat()} {leaf.record_sha256}"
        case MethodLeaf():
            name = f"method {leaf.version}"
        case GradeLeaf():
            name = f"grade {leaf.path}"
    return name


def check_leaves(
    log: Iterable[tuple[int, bytes]],
    sources: Iterable[LeafSource],
    *,
    whole: bool,
    findings: Findings,
    place: str = LOG,
) -> Placed:
    """Add a finding for each leaf that the archive does not bear out, and for each thing kept that the log left out.

    Args:
        log: the index and the bytes of each leaf that is looked at, in order.
        sources: what the archive says, part by part.
        whole: False where some part could not be read: what a leaf speaks of may be there all the same.
        findings: where mismatches are added.
        place: where the log lies, as findings name it.
    """
    parts = tuple(sources)
    expected = {subject(leaf): leaf for part in parts for leaf in part.leaves}
    indexes: dict[str, int] = {}
    for index, data in log:
        findings.checked("log leaves")
        leaf = _read(f"{place}, leaf {index}", data, findings)
        if leaf is None:
            continue
        name = subject(leaf)
        where = f"{place}, leaf {index} ({name[:_SHOWN]})"
        if name in indexes:
            findings.add(FindingKind.UNEXPECTED, where, expected=f"leaf {indexes[name]} alone", found="another")
            continue
        indexes[name] = index
        if name in expected:
            _check_leaf(where, leaf, data, expected[name], findings)
        elif whole:
            findings.add(FindingKind.MISSING, where, expected="what the leaf speaks of", found="none in the archive")
    placed = _places(parts, indexes, findings)
    _check_gaps(placed, findings)
    return placed


def _read(where: str, data: bytes, findings: Findings) -> Leaf | None:
    try:
        return read_leaf(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        findings.add(
            FindingKind.UNREADABLE, where, expected="a leaf that this version knows", found=str(error)[:_SHOWN]
        )
        return None


def _check_leaf(where: str, found: Leaf, data: bytes, expected: Leaf, findings: Findings) -> None:
    """Add a finding for each member of a leaf that is not what the archive says."""
    if leaf_bytes(expected) == data:
        return
    names = [name for name in expected.__struct_fields__ if getattr(expected, name) != getattr(found, name, None)]
    for name in names:
        wanted, there = str(getattr(expected, name)), str(getattr(found, name, None))
        findings.add(FindingKind.DIFFERENT, f"{where}, {name}", expected=wanted[:_SHOWN], found=there[:_SHOWN])
    if not names:
        findings.add(FindingKind.DIFFERENT, where, expected="canonical JSON", found="the same in other bytes")


def _places(parts: Iterable[LeafSource], indexes: Mapping[str, int], findings: Findings) -> Placed:
    places: dict[str, Place] = {}
    new: list[str] = []
    for part in parts:
        found = [indexes.get(subject(leaf)) for leaf in part.leaves]
        known = [index for index in found if index is not None]
        if not known:
            if part.leaves:
                new.append(part.name)
            continue
        for leaf, index in zip(part.leaves, found, strict=True):
            if index is None:
                findings.add(FindingKind.MISSING, LOG, expected=f"a leaf of {subject(leaf)[:_SHOWN]}", found="none")
        if len(known) == len(found):
            places[part.name] = Place(first=known[0], count=len(known))
            if known != list(range(known[0], known[0] + len(known))):
                expected = f"leaves one after another from {known[0]}"
                findings.add(FindingKind.CHANGED, f"{LOG}, {part.name}", expected=expected, found="another order")
    return Placed(places=places, new=tuple(new), indexes=indexes)


def _check_gaps(placed: Placed, findings: Findings) -> None:
    """Add a finding for each part that the log cannot have left out; note the others, which are to be appended yet."""
    nights = [_last(name) for name in placed.places if name.startswith("nights/")]
    versions = {name.split("/")[1] for name in placed.places if name.startswith("grades/")}
    later = []
    for name in placed.new:
        dated = name.startswith(("nights/", "missed/")) and nights and _last(name) < max(nights)
        if dated or (name.startswith("methods/") and _last(name) in versions):
            findings.add(FindingKind.MISSING, LOG, expected=f"the leaves of {name}", found="none, and later ones")
        else:
            later.append(name)
    if later:
        more = f" and {len(later) - _NAMED} more" if len(later) > _NAMED else ""
        named = ", ".join(islice(later, _NAMED))
        findings.note(f"not in the log yet: {named}{more}: run 'bitdepth log append'")


def _last(name: str) -> str:
    return name.rsplit("/", 1)[1]
