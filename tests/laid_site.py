"""What a build is given to lay out, what lies there afterwards, and how it is killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from generator.records.canonical import sha256
from generator.site.interface import Shelf

PAGE = "grades/a/b/c/2026-11-27/v0.1/index.html"
RECORD = "grades/a/b/c/2026-11-27/v0.1/grade.json"
METHOD = "method/0.1/index.html"
PERMANENT = {PAGE: b"page", RECORD: b"{}"}


class Killed(Exception):  # noqa: N818 - stands for the end of the process
    """The process ended here."""


def shelves(permanent: Mapping[str, bytes]) -> list[Shelf]:
    """Return permanent files as the archive hands them: what lies in one folder on one shelf."""
    found: dict[str, dict[str, bytes]] = {}
    for path, data in permanent.items():
        found.setdefault(path.rpartition("/")[0], {})[path] = data
    return [
        Shelf(name=f"pages/{folder}", digest=sha256(b"".join(of.values())), files=of.items)
        for folder, of in found.items()
    ]


def files(site: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@contextmanager
def killed_before(at: int, *names: str) -> Iterator[Callable[[], bool]]:
    """Kill before the call of one of some functions of `os` that so many others came before; yield whether it was."""
    done = 0
    was_killed = False

    def stopping(act: Callable[..., object]) -> Callable[..., object]:
        def stopped(*args: object, **named: object) -> object:
            nonlocal done, was_killed
            if done == at:  # And from then on: whoever is killed takes nothing away.
                was_killed = True
                raise Killed
            done += 1
            return act(*args, **named)

        return stopped

    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(os, name, stopping(getattr(os, name)))
        try:
            yield lambda: was_killed
        except Killed:
            assert was_killed
