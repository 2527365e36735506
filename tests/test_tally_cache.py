"""A cache of tallies can make a grade cheaper and never another one: real files, really broken."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from generator.archive.nights import Nights
from generator.method.interface import Issue
from generator.method.tally import NightTally, tally_night
from generator.records.canonical import sha256
from generator.records.definition import Method
from generator.records.grade import Grade
from generator.workflows.tally_cache import TallyCache
from generator.workflows.tally_codec import TALLY_FORMAT, TallyKey, read_tally, tally_bytes
from generator.workflows.windows import Windows, night_tables
from generator.workflows.world import Root
from tests.kept_site import make_root
from tests.method_random import random_archive
from tests.method_variants import METHOD, varied

NIGHTS = 9
OTHER = varied({"reference.min_agreeing": "3"})
"""Another reference rule: three endpoints must agree, so that fewer prompts have a reference."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root with nine nights, nothing graded and nothing cached."""
    path = tmp_path_factory.mktemp("tallies") / "root"
    make_root(path, NIGHTS, graded=False, rendered=False)
    return path


@pytest.fixture
def root(archive: Path, tmp_path: Path) -> Root:
    """Return a copy of it to work on."""
    shutil.copytree(archive, tmp_path / "root")
    return Root(tmp_path / "root")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list that each read of a night's table adds its name to."""
    found: list[str] = []
    table = Nights.table

    def counted(self: Nights, record, name: str):  # noqa: ANN001, ANN202 - stands in for the method
        found.append(f"{record.night}/{name}")
        return table(self, record, name)

    monkeypatch.setattr(Nights, "table", counted)
    return found


def grades(root: Root, method: Method = METHOD, *, cached: bool = True) -> list[tuple[Grade, ...]]:
    """Return the grades of every window."""
    windows = Windows(root, method, TallyCache(root.path) if cached else None)
    return [
        windows.grade(windows.of(end), windows.voided, Issue(issued=end, supersedes={})) for end in windows.recorded
    ]


def files(root: Root) -> list[Path]:
    """Return the kept tallies."""
    return sorted((root.path / ".cache" / "tallies").glob("*.tally"))


class TestANightIsTalliedOnce:
    def test_a_second_run_reads_no_table(self, root: Root, reads: list[str]) -> None:
        """Nine nights are counted from four tables each, once, and all their windows graded again from the cache."""
        first = grades(root)
        assert len(reads) == 4 * NIGHTS
        reads.clear()
        assert grades(root) == first
        assert reads == []

    @pytest.mark.parametrize("end", [6, 8])
    def test_one_more_window_reads_its_own_nights_alone(self, root: Root, reads: list[str], end: int) -> None:
        """However long the archive, seven nights are read for one window."""
        windows = Windows(root, METHOD, TallyCache(root.path))
        nights = windows.of(windows.recorded[end])
        windows.grade(nights, (), Issue(issued=nights[-1], supersedes={}))
        assert {name.split("/")[0] for name in reads} == {night.isoformat() for night in nights}
        assert len(nights) == 7
        assert len(files(root)) == 7

    def test_the_next_window_reads_one_night_more(self, root: Root, reads: list[str]) -> None:
        """Of the next window's nights, six are counted already; with the cache, none is read from the archive."""
        windows = Windows(root, METHOD)
        windows.grade(windows.of(windows.recorded[7]), (), Issue(issued=windows.recorded[7], supersedes={}))
        reads.clear()
        windows.grade(windows.of(windows.recorded[8]), (), Issue(issued=windows.recorded[8], supersedes={}))
        assert {name.split("/")[0] for name in reads} == {windows.recorded[8].isoformat()}

    def test_without_a_cache_nothing_is_kept(self, root: Root) -> None:
        """A check counts for itself and leaves no file."""
        grades(root, cached=False)
        assert not (root.path / ".cache").exists()

    def test_the_archive_is_left_as_it_is(self, root: Root) -> None:
        """Tallies are derived data: nothing of them is in archive/, and git is told to leave them out."""
        before = sorted(root.store.folder.names())
        grades(root)
        assert sorted(root.store.folder.names()) == before
        assert (root.path / ".cache" / ".gitignore").read_text() == "*\n"


def _flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut by one byte": lambda data: data[:-1],
    "cut in half": lambda data: data[: len(data) // 2],
    "cut after its first line": lambda data: data[:15],
    "one byte more": lambda data: data + b"\0",
    "a flipped bit in its first line": lambda data: _flip(data, 3),
    "a flipped bit in its digest": lambda data: _flip(data, 20),
    "a flipped bit in its key": lambda data: _flip(data, 100),
    "a flipped bit in its counts": lambda data: _flip(data, len(data) // 2),
    "a flipped bit at its end": lambda data: _flip(data, len(data) - 1),
    "zeros": lambda data: bytes(len(data)),
    "something else": lambda _: b"{}",
    "a page of zeros within": lambda data: data[:1000] + bytes(500) + data[1500:],
}


class TestACacheCanNeverChangeAGrade:
    @pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
    def test_a_damaged_file_is_counted_again_and_mended(
        self, root: Root, reads: list[str], damage: Callable[[bytes], bytes]
    ) -> None:
        """The grades are those without a cache, the night is read again, and the next run finds a sound file."""
        expected = grades(root)
        kept = files(root)[3]
        sound = kept.read_bytes()
        kept.write_bytes(damage(sound))
        assert kept.read_bytes() != sound
        reads.clear()
        assert grades(root) == expected
        assert len(reads) == 4
        assert kept.read_bytes() == sound

    def test_another_nights_tally_under_this_nights_name_is_not_used(self, root: Root) -> None:
        """A file says what it holds: one that was renamed is counted again."""
        expected = grades(root)
        one, two, *_ = files(root)
        sound = one.read_bytes()
        shutil.copyfile(two, one)
        assert grades(root) == expected
        assert one.read_bytes() == sound

    def test_a_tally_under_another_rule_is_not_used(self, root: Root) -> None:
        """Tallies of two reference rules lie side by side, and neither is taken for the other, whatever its name."""
        first, second = grades(root), grades(root, OTHER)
        assert second == grades(root, OTHER, cached=False)
        assert [grade.pairs_without_reference for grade in first[-1]] != [
            grade.pairs_without_reference for grade in second[-1]
        ]
        assert len(files(root)) == 2 * NIGHTS
        one, two = files(root)[:2]
        held = one.read_bytes()
        one.write_bytes(two.read_bytes())
        two.write_bytes(held)
        assert (grades(root), grades(root, OTHER)) == (first, second)

    def test_a_definition_with_the_same_rule_shares_the_tallies(self, root: Root, reads: list[str]) -> None:
        """What a tally does not depend on does not make another one."""
        grades(root)
        reads.clear()
        other = varied({"stability.threshold_percent": "50"})
        assert grades(root, other) == grades(root, other, cached=False)
        assert len(files(root)) == NIGHTS

    def test_a_tally_of_a_night_that_is_another_now_is_not_used(self, root: Root, tmp_path: Path) -> None:
        """The key is of night.json: an archive made anew under the same dates is counted anew."""
        grades(root)
        other = make_root(tmp_path / "other", NIGHTS - 1, graded=False, rendered=False)
        shutil.copytree(root.path / ".cache", other.path / ".cache")
        night = other.store.nights.kept()[3]
        record = other.store.nights.get(night).record
        tables = {name: other.store.nights.table(record, name) for name in ("listings", "prompts", "context")}
        tables["observations"] = other.store.nights.table(record, "observations").slice(0, 0)
        shutil.rmtree(other.path / "archive" / "nights" / night.isoformat())
        other.store.nights.seal(record, tables)
        assert grades(other) == grades(other, cached=False)
        assert grades(other)[3] != grades(root)[3]

    def test_a_tally_of_another_format_is_not_used(self, root: Root) -> None:
        """A file that is whole and of a format of another time is not read."""
        tally = self._some(root)
        key = TallyKey(night_sha256="0" * 64, reference=METHOD.definition.reference)
        older = msgspec.structs.replace(key, format=TALLY_FORMAT + 1)
        assert read_tally(tally_bytes(tally, key), key) is not None
        assert read_tally(tally_bytes(tally, older), key) is None

    def test_a_body_that_is_whole_and_no_tally_is_not_used(self) -> None:
        """A digest that fits does not make a tally of what is none."""
        key = TallyKey(night_sha256="0" * 64, reference=METHOD.definition.reference)
        for content in (b"", b"\xc0", msgspec.msgpack.encode(list(range(17)))):
            body = key.line() + content
            assert read_tally(b"bitdepth tally\n" + sha256(body).encode() + b"\n" + body, key) is None

    @staticmethod
    def _some(root: Root) -> NightTally:
        windows = Windows(root, METHOD)
        return tally_night(night_tables(root, windows.nights[windows.recorded[0]], frozenset()), METHOD.definition)


class TestWritingTheCacheNeverFailsARun:
    def test_a_file_where_the_folder_should_be(self, root: Root) -> None:
        """Grades come out the same where the cache cannot be made."""
        (root.path / ".cache").write_text("in the way")
        assert grades(root) == grades(root, cached=False)

    def test_a_folder_where_a_file_should_be(self, root: Root) -> None:
        """A name that cannot be read or replaced is done without, and nothing unfinished is left."""
        expected = grades(root)
        kept = files(root)[0]
        kept.unlink()
        (kept / "in the way").mkdir(parents=True)
        assert grades(root) == expected
        assert not [path for path in kept.parent.iterdir() if path.name.startswith(".")]

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_cannot_be_written(self, root: Root) -> None:
        """A root without the right to write is graded without a cache."""
        root.path.chmod(0o500)
        try:
            assert grades(root) == grades(root, cached=False)
        finally:
            root.path.chmod(0o700)


class TestATallyComesBackAsItWas:
    @pytest.mark.parametrize("seed", range(30))
    def test_the_same_bytes_and_the_same_endpoints(self, seed: int) -> None:
        """Every field of any night's tally survives being kept."""
        key = TallyKey(night_sha256="0" * 64, reference=METHOD.definition.reference)
        for tables in random_archive(seed).tables():
            tally = tally_night(tables, METHOD.definition)
            kept = tally_bytes(tally, key)
            again = read_tally(kept, key)
            assert again is not None
            assert tally_bytes(again, key) == kept
            for one, two in zip(tally.endpoints, again.endpoints, strict=True):
                assert (one.listed, one.outcomes, one.fixed_answers) == (two.listed, two.outcomes, two.fixed_answers)
                assert (one.latencies_ms, one.context_observed) == (two.latencies_ms, two.context_observed)
                assert [one.family(f) for f in tally.families] == [two.family(f) for f in again.families]
