"""The archive's folder on this machine finds the files that a search by pathlib finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.archive.disk_folder import DiskFolder

NAMES = (
    "nights/2026-03-01/night.json",
    "nights/2026-03-01/withheld-1.json",
    "nights/2026-03-02/night.json",
    "nights/2026-03-02/void.json",
    "nights/2026-03-03/night.json.tmp",
    "nights/.hidden/night.json",
    "nights/night.json",
    "nights/a line\nbreak/night.json",
    "grades/0.1/2026-03-01.json",
    "grades/0.1/2026-03-01.parquet",
    "grades/0.1/2026-03-01.json.tmp",
    "grades/0.10/2026-03-01.json",
    "log/tile/0/x001/000",
    "log/tile/0/x001/001.p/7",
    "log/tile/entries/000",
    "log/keys/ab+c.vkey",
    "log/head",
)
PATTERNS = (
    "nights/*/night.json",
    "nights/*/void.json",
    "nights/*/withheld-*.json",
    "nights/2026-03-01/*",
    "grades/*/*",
    "grades/0.1/*.json",
    "grades/*/2026-03-01.*",
    "log/tile/**/*",
    "log/tile/0/x001/001.p/*",
    "log/keys/*.vkey",
    "log/keys/ab+c.vkey",
    "log/head",
    "log/head/*",
    "log",
    "*",
    "*/*",
    "nowhere/*",
    "nowhere/**/*",
)


@pytest.fixture
def folder(tmp_path: Path) -> DiskFolder:
    """Return a folder with files of every kind, and links to a file, to a folder, to nothing and to itself."""
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "nights" / "2026-03-04").symlink_to(tmp_path / "nights" / "2026-03-02")
    (tmp_path / "grades" / "0.1" / "2026-03-02.json").symlink_to(tmp_path / "log" / "head")
    (tmp_path / "grades" / "0.1" / "2026-03-03.json").symlink_to(tmp_path / "nothing")
    (tmp_path / "grades" / "0.1" / "2026-03-04.json").symlink_to(tmp_path / "grades" / "0.1" / "2026-03-04.json")
    (tmp_path / "log" / "tile" / "0" / "above").symlink_to(tmp_path / "log")
    return DiskFolder(tmp_path)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_finds_what_pathlib_finds(folder: DiskFolder, pattern: str):
    """Sorted by name; a link counts as what it leads to, and an unfinished file is none."""
    found = [path for path in folder.path.glob(pattern) if path.is_file() and not path.name.endswith(".tmp")]
    assert folder.matching(pattern) == tuple(sorted(path.relative_to(folder.path).as_posix() for path in found))


def test_most_patterns_find_something(folder: DiskFolder):
    """What is compared is mostly not nothing."""
    empty = {pattern for pattern in PATTERNS if not folder.matching(pattern)}
    assert empty == {"log/head/*", "log", "*", "nowhere/*", "nowhere/**/*"}
