"""Make a new site root: a folder that is there whole or not at all, and in which nothing is ever overwritten."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from generator.archive import files
from generator.archive.layout import UNFINISHED
from generator.content import settings_of
from generator.errors import ContentError, UsageError
from generator.starter.requirement import names_a_source
from generator.starter.same_files import REQUIREMENTS
from generator.starter.settings_text import Choices
from generator.stores.durable import sync_folder
from generator.workflows.new_root_files import SETTINGS, new_root_files

_MAY_BE_THERE = frozenset({".git", ".gitattributes", ".gitignore"})
_MAY_BE_THERE_STEMS = frozenset({"copying", "licence", "license", "notice", "readme"})
"""What a repository that was just made holds, whatever the ending and the case."""
_MAY_BE_THERE_WORDS = ".git, .gitattributes, .gitignore, README, LICENSE, NOTICE and COPYING"
"""The same for a reader."""


class Initialised(msgspec.Struct, frozen=True, kw_only=True):
    """What was made."""

    root: str
    written: tuple[str, ...]
    left: tuple[str, ...]
    """Files that stood there and are as they were, although a new root has one of that name."""
    sourced: bool
    """Whether the requirements say where the program is installed from."""


def initialise(path: Path, choices: Choices) -> Initialised:
    """Make a folder a new site root. Killed while a folder that was there is filled, the same command carries on.

    Raises:
        UsageError: where the choices are no settings, or the folder holds anything but what a repository that was
            just made does.
        ArchiveError: where the disk or its rights do not allow it.
    """
    try:
        wanted = new_root_files(choices)
        settings_of(wanted[SETTINGS])
        sourced = names_a_source(wanted[REQUIREMENTS])
    except ContentError as error:
        raise UsageError(error.problem, where="the options", do="Name it otherwise; nothing was written") from None
    except UnicodeEncodeError:
        raise UsageError("expected text in UTF-8, found other bytes", where="the options") from None
    with files.writing(str(path)):
        place = _resolved(path)
        if not place.exists():
            _make(place, wanted)
            return Initialised(root=str(path), written=tuple(wanted), left=(), sourced=sourced)
        _refuse_strange(path, place, wanted)
        standing = {name: _in_the_place_of(place, name, body) for name, body in wanted.items()}
        own = [name for name, other in standing.items() if other is None]
        written = tuple(name for name in own if not (place / name).exists())
        for name in own:
            files.create(place, name, wanted[name])
        left = tuple(other for other in standing.values() if other is not None)
        return Initialised(root=str(path), written=written, left=left, sourced=sourced)


def _make(place: Path, wanted: Mapping[str, bytes]) -> None:
    """Make a folder under another name, and give it its own once it is whole."""
    fresh = place.with_name(f".{place.name}.{os.getpid()}{UNFINISHED}")
    try:
        for name, body in wanted.items():
            files.create(fresh, name, body)
        fresh.rename(place)
        sync_folder(place.parent)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _refuse_strange(path: Path, place: Path, wanted: Mapping[str, bytes]) -> None:
    where, do = str(path), "Name a new or an empty folder: nothing was written"
    if not place.is_dir():
        raise UsageError("expected a folder, found a file", where=where, do=do)
    if (place / SETTINGS).exists():
        raise UsageError("expected a folder without a site, found one with content/site.toml", where=where, do=do)
    strange = sorted(name for name in _names(place) if not _may_stay(place, name, wanted))
    if strange:
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        expected = f"expected an empty folder, or one with {_MAY_BE_THERE_WORDS} alone"
        raise UsageError(f"{expected}, found '{strange[0]}'{more}", where=where, do=do)


def _names(place: Path) -> Iterator[str]:
    """Yield every file and every link below a folder, and each folder that holds nothing; not what .git holds."""
    for folder in sorted(place.iterdir()):
        if folder.name == ".git" or folder.is_symlink() or not folder.is_dir():
            yield folder.name
            continue
        below = [f"{folder.name}/{name}" for name in _names(folder)]
        yield from below or [f"{folder.name}/"]


def _may_stay(place: Path, name: str, wanted: Mapping[str, bytes]) -> bool:
    """Return whether a file is one that a new repository holds, or one that a killed run of this left behind."""
    if "/" not in name and (name in _MAY_BE_THERE or _stem(name) in _MAY_BE_THERE_STEMS):
        return True
    if name.endswith("/"):
        return any(each.startswith(name) for each in wanted)
    if name.endswith(UNFINISHED):
        return name.removesuffix(UNFINISHED) in wanted
    return name in wanted and not (place / name).is_symlink() and _holds(place / name, wanted[name])


def _in_the_place_of(place: Path, name: str, body: bytes) -> str | None:
    """Return the file that stands where a wanted one would; None where that can be written, or is there already."""
    if os.path.lexists(place / name):
        return None if _holds(place / name, body) else name
    if "/" not in name and _stem(name) in _MAY_BE_THERE_STEMS:
        return next((each.name for each in sorted(place.iterdir()) if _stem(each.name) == _stem(name)), None)
    return None


def _holds(path: Path, body: bytes) -> bool:
    return path.is_file() and path.read_bytes() == body


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.casefold()


def _resolved(path: Path) -> Path:
    """Return where a path leads; a loop of links leads nowhere."""
    try:
        return path.resolve()
    except RuntimeError as error:
        raise UsageError(f"expected a folder, found {error}", where=str(path), do="Name a new one") from None
