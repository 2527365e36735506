"""Take over what another copy of this archive has new: additions alone, and nothing that is here is changed by them.

The other copy is a stranger: one job of a workflow hands it to the next, and the one that takes may hold what the one
that made it must not see.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path

import msgspec

from generator.archive import layout
from generator.archive.disk_folder import DiskFolder
from generator.archive.folder import Folder
from generator.errors import IntegrityError, UsageError
from generator.log.checkpoint import parse_checkpoint
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.site.text import visible_plain
from generator.workflows.logged import log_head
from generator.workflows.world import Root


class Part(StrEnum):
    """What is taken over; nothing else may lie in the other copy."""

    PROBED = "probed"
    """Sealed nights, and journals of those that are not."""
    GRADED = "graded"
    """Grades, pages, tiles and records of the log, and its head; no key, no signature and no proof."""


_DATE = r"(?P<night>\d{4}-\d{2}-\d{2})"
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_MAY_LIE: dict[Part, re.Pattern[str]] = {
    Part.PROBED: re.compile(
        rf"{re.escape(layout.FORMAT_FILE)}|{layout.JOURNAL}/{_DATE}\.jsonl|"
        rf"{layout.NIGHTS}/{_DATE.replace('night', 'folder')}/"
        rf"(?:{re.escape(layout.NIGHT_JSON)}|(?:{'|'.join(layout.NIGHT_TABLES)})\.parquet)"
    ),
    Part.GRADED: re.compile(rf"(?:grades|pages|{layout.LOG}/tile|{layout.LOG}/index)(?:/{_NAME})+|{layout.LOG_HEAD}"),
}


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What a take did."""

    added: int
    """Files that were not here."""
    same: int
    """Files that were here with the same bytes."""
    left_out: tuple[date, ...]
    """Nights that a later one, kept here, came before: they can no longer be added."""


def take(root: Root, source: Path, part: Part) -> Taken:
    """Add every file that another copy has and this archive has not; all are looked at before the first is written.

    Args:
        root: the site root; the caller holds its lock.
        source: a folder with a part of another copy's archive/ in it.
        part: what may lie there.

    Raises:
        UsageError: where there is no such folder.
        IntegrityError: naming a file that may not lie there, or is here with other bytes. Nothing was written.
    """
    if not (source / "archive").is_dir():
        raise UsageError("expected a folder with archive/ in it, found none", where="DIR", do="Name the copy's folder")
    found, left_out = _offered(root, source / "archive", part)
    wanted = {name: data for name, data in found.items() if _is_new(root, name, data)}
    grown = layout.LOG_HEAD in wanted and _has_grown(root, wanted[layout.LOG_HEAD])
    if not grown:
        wanted.pop(layout.LOG_HEAD, None)  # An earlier state of what is here: then all of it must be here already.
    if part is Part.GRADED and wanted and not grown:
        raise _refused(min(wanted), "nothing new beside a log that has not grown")
    for name in sorted(wanted, key=_late):
        folder = _folder(root, name)
        put = folder.replace if name == layout.LOG_HEAD else folder.create
        put(name, wanted[name])
    return Taken(added=len(wanted), same=len(found) - len(wanted), left_out=tuple(sorted(left_out)))


def _offered(root: Root, folder: Path, part: Part) -> tuple[dict[str, bytes], set[date]]:
    """Return the files of a copy that can be here, and the nights that no longer can.

    Raises:
        IntegrityError: naming a file that may not lie there.
    """
    kept = root.store.nights.kept()
    files: dict[str, bytes] = {}
    left_out: set[date] = set()
    for name, path in _files(folder):
        found = _MAY_LIE[part].fullmatch(name)
        if found is None:
            raise _refused(name, "a file of those that may be taken")
        night = _night(found)
        if night is not None and night not in kept and kept and night < kept[-1]:
            left_out.add(night)
        elif night not in kept or not name.startswith(f"{layout.JOURNAL}/"):
            files[name] = path.read_bytes()
    return files, left_out


def _is_new(root: Root, name: str, data: bytes) -> bool:
    """Return whether a file is not here, or is a head that is another one.

    Raises:
        IntegrityError: where it is here with other bytes.
    """
    folder = _folder(root, name)
    if not folder.exists(name):
        return True
    if folder.read(name) == data:
        return False
    if name != layout.LOG_HEAD:
        raise _refused(name, "no such file here, or the same bytes")
    return True


def _folder(root: Root, name: str) -> Folder:
    """Return where a file belongs: journals lie on this machine, wherever the archive does."""
    return DiskFolder(root.store.local) if name.startswith(f"{layout.JOURNAL}/") else root.store.folder


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file below a folder with its name there; a link, or what is no file, is refused."""
    for above, folders, names in os.walk(folder):
        for each in sorted((*folders, *names)):
            path = Path(above) / each
            mode = path.lstat().st_mode
            if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                raise _refused(path.relative_to(folder).as_posix(), "a file or a folder")
            if stat.S_ISREG(mode):
                yield path.relative_to(folder).as_posix(), path


def _night(found: re.Match[str]) -> date | None:
    """Return the night that a file is of; None for one of none."""
    text = next((each for each in found.groupdict().values() if each is not None), None)
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise _refused(found[0], "a date in its name") from None


def _has_grown(root: Root, data: bytes) -> bool:
    """Return whether a head counts more leaves than the one here; `verify` holds the tree itself.

    Raises:
        IntegrityError: where it is of another log, or none.
    """
    before = log_head(root)
    try:
        after = parse_checkpoint(data.decode("ascii"), where=layout.LOG_HEAD)
    except UnicodeDecodeError:
        raise _refused(layout.LOG_HEAD, "ASCII") from None
    if before is not None and after.origin != before.origin:
        raise _refused(layout.LOG_HEAD, f"the log {before.origin}")
    return before is None or after.size > before.size


def _late(name: str) -> tuple[bool, bool, str]:
    """Return where a file comes in the order of writing: what makes others count comes after them."""
    return name == layout.LOG_HEAD, name.endswith(".json"), name


def _refused(name: str, expected: str) -> IntegrityError:
    return IntegrityError(
        f"expected {expected}, found something else",
        where=f"the copy's archive/{visible_plain(name)}",
        do=f"Nothing was written. {COMPARE_ELSEWHERE}",
    )
