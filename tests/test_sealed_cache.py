"""What is remembered beside the archive makes a run cheaper and never another one: real files, really broken."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from generator.archive.grades import Grades
from generator.archive.nights import Nights
from generator.records.endpoint import KnownEndpoint
from generator.records.night import NightState
from generator.workflows.held_grades import held_grades
from generator.workflows.knowing import known_endpoints
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.voiding import void
from generator.workflows.world import Root
from tests.kept_site import (
    ENDPOINTS,
    FIRST,
    MODEL,
    PROMPTS,
    add_night,
    listed,
    make_root,
    observations,
    seal_night,
)

NIGHTS = 5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root with nights and grades, and no cache of them; nobody writes into it."""
    path = tmp_path_factory.mktemp("cache") / "root"
    make_root(path, NIGHTS, rendered=False)
    return path


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Root:
    """Return a copy to work on."""
    shutil.copytree(made, tmp_path / "root")
    return Root(tmp_path / "root")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list that each read of a night's table, or of a window's grades, adds its name to."""
    found: list[str] = []
    table, get = Nights.table, Grades.get

    def counted(self: Nights, record, name: str):  # noqa: ANN001, ANN202 - stands in for the method
        found.append(f"{record.night}/{name}")
        return table(self, record, name)

    def got(self: Grades, version: str, end):  # noqa: ANN001, ANN202 - same
        found.append(f"{version}/{end}")
        return get(self, version, end)

    monkeypatch.setattr(Nights, "table", counted)
    monkeypatch.setattr(Grades, "get", got)
    return found


def forgotten(root: Root) -> dict[str, tuple[KnownEndpoint, ...]]:
    """Return who is known to a root without a cache."""
    shutil.rmtree(root.path / ".cache", ignore_errors=True)
    return known_endpoints(root)


def files(root: Root, folder: str) -> list[Path]:
    """Return the files of one of the cache's folders."""
    return sorted((root.path / ".cache" / folder).iterdir())


class TestWhoIsKnown:
    def test_every_night_is_read_once(self, root: Root, reads: list[str]) -> None:
        """The first time all listings, the second time none, and after one more night that one."""
        first = known_endpoints(root)
        assert [each.endpoint for each in first[MODEL]] == sorted(ENDPOINTS)
        assert len(reads) == NIGHTS
        reads.clear()
        assert known_endpoints(root) == first
        assert not reads
        night = FIRST + timedelta(days=NIGHTS)
        add_night(root, night)
        reads.clear()
        found = known_endpoints(root)
        assert reads == [f"{night}/listings"]
        assert len(files(root, "endpoints")) == 1
        assert found == forgotten(root)

    def test_a_night_declared_void_is_forgotten(self, root: Root, reads: list[str]) -> None:
        """What was remembered with it does not count: first and last listing may have been on it."""
        known_endpoints(root)
        void(root, FIRST, reason="the power was out", now=datetime(2026, 4, 1, tzinfo=UTC))
        reads.clear()
        found = known_endpoints(root)
        assert len(reads) == NIGHTS
        assert {each.first_listed for each in found[MODEL]} == {FIRST + timedelta(days=1)}
        assert found == forgotten(root)

    def test_of_another_archive_nothing_is_believed(self, root: Root, reads: list[str], tmp_path: Path) -> None:
        """Nights of the same dates, of which the newest is another one: what was remembered is not of them."""
        shutil.rmtree(root.path / "archive" / "nights" / f"{FIRST + timedelta(days=NIGHTS - 1)}")
        shutil.copytree(root.path, tmp_path / "other")
        add_night(root, FIRST + timedelta(days=NIGHTS - 1))
        other = Root(tmp_path / "other")
        gone = [listed(endpoint) for endpoint in ENDPOINTS[1:]]
        rows = [row for each in gone for row in observations(FIRST + timedelta(days=NIGHTS - 1), each.endpoint)]
        seal_night(other, FIRST + timedelta(days=NIGHTS - 1), rows, gone, PROMPTS)
        known_endpoints(root)
        shutil.copytree(root.path / ".cache", other.path / ".cache", dirs_exist_ok=True)
        reads.clear()
        found = known_endpoints(other)
        assert len(reads) == NIGHTS
        assert found == forgotten(other)
        assert [each.on_last_recorded_night for each in found[MODEL]] == [False, True, True]

    def test_what_is_remembered_is_of_the_nights_that_are_kept(self, root: Root, reads: list[str]) -> None:
        """Where one of them is gone, all that are left are read."""
        known_endpoints(root)
        shutil.rmtree(root.path / "archive" / "nights" / f"{FIRST + timedelta(days=1)}")
        reads.clear()
        assert known_endpoints(root) == forgotten(root)
        assert len(reads) == 2 * (NIGHTS - 1)

    def test_a_night_sealed_void_counts_for_nobody(self, root: Root, reads: list[str]) -> None:
        """The last night that counts is remembered with what was listed on it, however many void ones follow."""
        for day in range(3):
            add_night(root, FIRST + timedelta(days=NIGHTS + day), state=NightState.VOID, sent_below=0)
            reads.clear()
            found = known_endpoints(root)
            assert len(reads) == (1 if day else NIGHTS + 1)
            assert all(each.on_last_recorded_night for each in found[MODEL])
        assert found == forgotten(root)

    def test_nights_that_do_not_lead_to_one_another_are_not_remembered(self, root: Root, reads: list[str]) -> None:
        """A night that was sealed behind a later one is named by none: its digest stands in no other's record."""
        known_endpoints(root)
        shutil.rmtree(root.path / "archive" / "nights" / f"{FIRST + timedelta(days=1)}")
        add_night(root, FIRST + timedelta(days=1))
        expected = forgotten(root)
        for _ in range(2):
            reads.clear()
            assert known_endpoints(root) == expected
            assert len(reads) == NIGHTS
        assert not (root.path / ".cache" / "endpoints").exists()

    @pytest.mark.parametrize("damage", ["cut", "flipped", "emptied"])
    def test_a_broken_file_costs_a_reading(self, root: Root, reads: list[str], damage: str) -> None:
        """It is made again."""
        expected = known_endpoints(root)
        (file,) = files(root, "endpoints")
        data = file.read_bytes()
        broken = {"cut": data[:-1], "flipped": data[:-2] + bytes([data[-2] ^ 1]) + data[-1:], "emptied": b""}
        file.write_bytes(broken[damage])
        reads.clear()
        assert known_endpoints(root) == expected
        assert len(reads) == NIGHTS
        assert file.read_bytes() == data

    def test_a_folder_that_cannot_be_written_is_done_without(self, root: Root) -> None:
        """A file stands where the folder would be."""
        shutil.rmtree(root.path / ".cache")
        (root.path / ".cache").write_bytes(b"")
        assert [each.endpoint for each in known_endpoints(root)[MODEL]] == sorted(ENDPOINTS)


class TestHeldGrades:
    def test_a_window_is_read_once(self, root: Root, reads: list[str]) -> None:
        """A second build holds the same grades and opens no grades file."""
        cache = SealedCache(root.path, "grades")
        with held_grades(root) as grades:
            expected = list(grades)
        assert len(expected) == NIGHTS * len(ENDPOINTS)
        for count in (NIGHTS, 0):
            reads.clear()
            with held_grades(root, cache) as grades:
                assert list(grades) == expected
            assert len(reads) == count

    def test_without_a_cache_nothing_of_it_is_believed(self, root: Root) -> None:
        """Who verifies reads the archive, whatever lies in the cache."""
        with held_grades(root, SealedCache(root.path, "grades")) as grades:
            expected = list(grades)
        for file in files(root, "grades"):
            file.write_bytes(b"nonsense")
        with held_grades(root) as grades:
            assert list(grades) == expected
        with held_grades(root, SealedCache(root.path, "grades")) as grades:
            assert list(grades) == expected

    def test_another_windows_file_is_not_taken_for_it(self, root: Root) -> None:
        """The key is in the file, not in its name."""
        with held_grades(root, SealedCache(root.path, "grades")) as grades:
            expected = list(grades)
        first, second, *_ = files(root, "grades")
        first.write_bytes(second.read_bytes())
        with held_grades(root, SealedCache(root.path, "grades")) as grades:
            assert list(grades) == expected

    def test_no_copy_of_the_root_in_git_carries_it(self, root: Root) -> None:
        """The cache ignores itself."""
        known_endpoints(root)
        assert (root.path / ".cache" / ".gitignore").read_bytes() == b"*\n"
