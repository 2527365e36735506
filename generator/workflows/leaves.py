"""What the archive says in the log: its sources by name, in the order in which an append takes them.

A source is one file of the archive that says something once: `keys/<key id>`, `nights/<date>`, `missed/<date>` (said by
the night after it), `methods/<version>`, `grades/<version>/<window end>`, `voided/<date>`, `withheld/<date>/<number>`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import assert_never

from generator.archive import layout
from generator.errors import IntegrityError
from generator.records.canonical import sha256
from generator.records.definition import version_key
from generator.records.leaf import (
    GradeLeaf,
    KeyLeaf,
    Leaf,
    MethodLeaf,
    MissedLeaf,
    NightLeaf,
    VoidedLeaf,
    WithheldLeaf,
)
from generator.records.withheld import table_name
from generator.workflows.leaf_making import LEAVES, stating_night
from generator.workflows.world import Root

_WORDS = {"grades": 2, "withheld": 2}
"""How many words follow the first one in the name of a source; elsewhere one."""

_Logged = Callable[[str], Collection[str]]
_Missed = Callable[[Root, date], tuple[date, ...]]


@dataclass(frozen=True, slots=True)
class Source:
    """One source of an archive, by its name."""

    root: Root
    name: str

    @property
    def file(self) -> str:
        """Where the file lies that the source is, relative to archive/."""
        kind, *words = self.name.split("/")
        return _FILES[kind](self.root, *words)

    @property
    def sha256(self) -> str:
        """SHA-256 of that file as it lies now."""
        return sha256(self.root.store.folder.read(self.file))

    def leaves(self) -> tuple[Leaf, ...]:
        """Return the source's leaves, in their order; all that they speak of is read now.

        Raises:
            IntegrityError: where a file is missing, or is not what the one that names it says.
            ContentError: where a method version is not the one that was graded under.
        """
        kind, *words = self.name.split("/")
        return tuple(LEAVES[kind](self.root, *words))


def sources(root: Root) -> tuple[Source, ...]:
    """Return every source of an archive, in the order in which one append takes them.

    A night whose record is not as it was sealed is among them, and no date that it says was missed.
    """
    return tuple(Source(root, name) for name in _sources(root, lambda _: (), _missed_if_read))


def new_sources(root: Root) -> tuple[Source, ...]:
    """Return the sources that the log's index does not name yet, in the order in which an append takes them.

    Of the files of what is in the log already, none is read.

    Raises:
        IntegrityError: where the record of a new night is not as it was sealed.
    """
    return tuple(Source(root, name) for name in _sources(root, root.store.log.sources, _missed))


def source_of(leaf: Leaf) -> str:
    """Return the name of the source that a leaf must come from.

    Raises:
        ValueError: where what the leaf speaks of is nothing that an archive has.
    """
    match leaf:
        case KeyLeaf():
            name = f"keys/{leaf.vkey.partition('+')[2].partition('+')[0]}"
        case MissedLeaf():
            name = f"missed/{leaf.night.isoformat()}"
        case NightLeaf():
            name = f"nights/{leaf.night.isoformat()}"
        case VoidedLeaf():
            name = f"voided/{leaf.night.isoformat()}"
        case WithheldLeaf():
            name = f"withheld/{leaf.night.isoformat()}/{_number(leaf.file)}"
        case MethodLeaf():
            name = f"methods/{leaf.version}"
        case GradeLeaf():
            end, version = leaf.path.split("/")[-3:-1]
            name = f"grades/{version.removeprefix('v')}/{date.fromisoformat(end).isoformat()}"
        case _:
            assert_never(leaf)
    kind, *words = name.split("/")
    if len(words) != _WORDS.get(kind, 1):
        raise ValueError(name)
    return name


def _sources(root: Root, logged: _Logged, missed: _Missed) -> Iterator[str]:
    """Yield the sources that are not logged, in order; a kind of source is asked for once."""
    store = root.store
    yield from _without((f"keys/{key_id}" for key_id in store.log.key_ids()), logged("keys"))
    kept = store.nights.kept()
    yield from _dated(root, kept, logged, missed)
    yield from _without((f"methods/{version}" for version in store.pages.methods()), logged("methods"))
    graded = logged("grades")
    for version in sorted(store.grades.versions(), key=version_key):
        yield from _without((f"grades/{version}/{end.isoformat()}" for end in store.pages.windows(version)), graded)
    voided = (f"voided/{night.isoformat()}" for night, _ in _beside(root, kept, "void"))
    yield from _without(voided, logged("voided"))
    withheld = (f"withheld/{night.isoformat()}/{number}" for night, number in _beside(root, kept, "withheld-*"))
    yield from _without(withheld, logged("withheld"))


def _beside(root: Root, kept: Iterable[date], stem: str) -> Iterator[tuple[date, int]]:
    """Yield the night and the number of each declaration that lies beside the night.json of a night; 0 for none."""
    nights = {night.isoformat(): night for night in kept}
    found = []
    for name in root.store.folder.matching(f"{layout.NIGHTS}/*/{stem}.json"):
        _, folder, file = name.split("/")
        number = file.removesuffix(".json").partition("-")[2]
        if folder in nights and (number.isdecimal() or not number):
            found.append((nights[folder], int(number or 0)))
    yield from sorted(found)


def _dated(root: Root, kept: Iterable[date], logged: _Logged, missed: _Missed) -> Iterator[str]:
    """Yield the nights that are not logged, each after the dates that it says were missed."""
    nights, known = logged("nights"), logged("missed")
    for night in kept:
        if f"nights/{night.isoformat()}" not in nights:
            yield from _without((f"missed/{each.isoformat()}" for each in missed(root, night)), known)
            yield f"nights/{night.isoformat()}"


def _missed(root: Root, night: date) -> tuple[date, ...]:
    return root.store.nights.get(night).record.missed


def _missed_if_read(root: Root, night: date) -> tuple[date, ...]:
    with suppress(IntegrityError):
        return _missed(root, night)
    return ()


def _without(names: Iterable[str], logged: Collection[str]) -> Iterator[str]:
    return (name for name in names if name not in logged)


def _number(file: str) -> int:
    """Return which withholding of its night a table was made by."""
    number = int(file.rpartition("-")[2].removesuffix(".parquet"))
    if file != table_name(number):
        raise ValueError(file)
    return number


_FILES: Mapping[str, Callable[..., str]] = {
    "keys": lambda _, key_id: layout.log_key_file(key_id),
    "nights": lambda _, night: layout.night_file(date.fromisoformat(night)),
    "missed": lambda root, missed: layout.night_file(stating_night(root, date.fromisoformat(missed))),
    "methods": lambda _, version: layout.manifest_of(layout.method_page_file(version)),
    "grades": lambda _, version, end: layout.manifest_of(layout.grades_file(version, date.fromisoformat(end))),
    "voided": lambda _, night: layout.void_file(date.fromisoformat(night)),
    "withheld": lambda _, night, number: layout.withheld_file(date.fromisoformat(night), int(number)),
}
"""By the first word of a source's name, which file it is, from the words after it."""
