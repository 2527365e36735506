"""A night on a disk that takes nothing, that has no room or runs full, and by a clock that is set back or put forward.

The disks are real: small file systems in memory, mounted for a test; where that is not permitted the test is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path

import durable_world
import pytest
from durable_world import FIRST, SECOND, Ended, World
from tiers import few

from generator.archive.condition import kept_bytes
from generator.archive.disk_folder import DiskFolder
from generator.workflows.room import FIRST_BYTES, FIRST_OBSERVATION_BYTES, ROOM_FACTOR

MOUNT_BYTES = 32_000_000
"""More than a night of this world needs."""
ZONES = {
    "Europe/Berlin": datetime(2026, 10, 25, 1, 0, tzinfo=UTC),
    "America/New_York": datetime(2026, 11, 1, 6, 0, tzinfo=UTC),
    "Australia/Lord_Howe": datetime(2026, 10, 3, 15, 30, tzinfo=UTC),
}
"""By zone, a moment at which its clocks change: back by an hour, back by an hour, forward by half of one."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Yield a small archive before and after its second night."""
    with durable_world.world() as made:
        yield made


@pytest.fixture
def mounted(world: World, tmp_path: Path) -> Iterator[Path]:
    """Yield the archive before its second night, on a small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    done = _mount("-t", "tmpfs", "-o", f"size={MOUNT_BYTES}", "tmpfs", str(place))
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
    try:
        shutil.copytree(world.before, place / "root")
        yield place / "root"
    finally:
        subprocess.run(["umount", str(place)], check=True)


class TestADiskThatTakesNothing:
    def test_a_read_only_file_system_is_one_message(self, world: World, mounted: Path):
        """Nothing is asked and nothing is changed; once it can be written to, the night is as if nothing had been."""
        asked = len(world.runner.router.asked)
        assert _mount("-o", "remount,ro", str(mounted.parent)).returncode == 0
        ended = world.runner.run(mounted)
        _refused(ended, "Read-only file system")
        assert durable_world.files(mounted) == world.old
        assert len(world.runner.router.asked) == asked
        assert _mount("-o", "remount,rw", str(mounted.parent)).returncode == 0
        world.check_end(mounted)

    def test_a_read_only_archive_is_verified_all_the_same(self, world: World, mounted: Path):
        """What only reads needs no right to write."""
        assert _mount("-o", "remount,ro", str(mounted.parent)).returncode == 0
        ended = world.runner.run(mounted, "verify")
        assert ended.code == 0, ended.err
        assert durable_world.files(mounted) == world.old


class TestADiskWithoutRoom:
    def test_a_night_is_not_begun_where_it_would_not_end(self, world: World, mounted: Path):
        """Below twenty times what is kept of the last night nothing is asked; the message says how much is missing."""
        need = ROOM_FACTOR * kept_bytes(DiskFolder(mounted / "archive"), FIRST.date())
        _leave(mounted.parent, need - 100_000)
        asked = len(world.runner.router.asked)
        ended = world.runner.run(mounted)
        _refused(ended, f"expected {need / 1_000_000:,.1f} MB free for a night, found ")
        assert durable_world.files(mounted) == world.old
        assert len(world.runner.router.asked) == asked
        _leave(mounted.parent, need + 100_000)
        world.check_end(mounted)

    def test_a_night_with_more_to_ask_needs_more(self, world: World, mounted: Path):
        """Four times the endpoints of the last night need four times its room: nothing is asked where it is missing."""
        _leave(mounted.parent, 2 * ROOM_FACTOR * kept_bytes(DiskFolder(mounted / "archive"), FIRST.date()))
        listed, asked = world.runner.router.listed, len(world.runner.router.asked)
        more = {f"Yew{letter}": {} for letter in "abcdefghi"}
        listed.update(more)
        try:
            ended = world.runner.run(mounted)
        finally:
            for name in more:
                del listed[name]
        _refused(ended, "MB free for a night, found ")
        assert durable_world.files(mounted) == world.old
        assert len(world.runner.router.asked) == asked

    def test_a_first_night_needs_room_too(self, world: World, mounted: Path):
        """With no night to go by it is what a first one took, and so much for each observation that is planned."""
        for path in mounted.iterdir():
            if path.name != "content":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        need, asked = FIRST_BYTES + 18 * FIRST_OBSERVATION_BYTES, len(world.runner.router.asked)
        _leave(mounted.parent, need - 100_000)
        _refused(world.runner.run(mounted), f"expected {need / 1_000_000:,.1f} MB free for a night, found ")
        assert len(world.runner.router.asked) == asked
        assert [path.name for path in (mounted / "archive").iterdir() if path.is_file()] in (
            ["FORMAT.md", ".lock"],
            [".lock", "FORMAT.md"],
        )
        _leave(mounted.parent, need + 100_000)
        assert world.runner.run(mounted).code == 0

    @pytest.mark.parametrize("left", few([8, 0, 40]))
    def test_a_disk_that_runs_full_under_a_night(self, world: World, mounted: Path, left: int):
        """Whatever somebody else leaves of it, kept files stay; with room again, the night ends undisturbed."""
        world.runner.start(mounted)
        while world.runner.is_running() and not any((mounted / "archive/journal").glob("*.jsonl")):
            time.sleep(0.0005)
        with world.runner.paused():  # Else it takes room while that is measured.
            _leave(mounted.parent, left * 4096)
        ended = world.runner.end()
        _refused(ended, "No space left on device")
        world.check_kept(mounted)
        _leave(mounted.parent, MOUNT_BYTES)
        world.check_end(mounted)


class TestTheClock:
    def test_set_back_a_day_before_the_archive_nothing_is_asked(self, world: World):
        """A night before the last one kept is refused: usage, exit code 2, the clock named, nothing changed."""
        root, asked = world.copy("back"), len(world.runner.router.asked)
        ended = world.runner.run(root, now=FIRST - timedelta(days=1))
        assert ended.code == 2
        (message,) = ended.errors
        assert "clock" in message
        assert durable_world.files(root) == world.old
        assert len(world.runner.router.asked) == asked

    @pytest.mark.ci
    def test_set_back_a_day_in_the_middle_of_a_night_its_journal_waits(self, world: World):
        """Yesterday is sealed and stays; when the clock is right again, the night begun is carried on with."""
        root = _killed_midway(world)
        (journal,) = (root / "archive/journal").glob("*.jsonl")
        begun = journal.read_bytes()
        ended = world.runner.run(root, now=FIRST)
        assert ended.code == 0, ended.err
        assert "sealed already: nothing to ask" in ended.err
        assert journal.read_bytes() == begun
        world.check_kept(root)
        world.check_end(root)

    @pytest.mark.parametrize(
        ("zone", "moment"),
        [
            pytest.param(zone, moment, marks=[pytest.mark.ci] if number else [])
            for number, (zone, moment) in enumerate(product(ZONES, ("the change", "after midnight")))
        ],
    )
    def test_a_night_is_a_utc_date_where_clocks_change(self, world: World, zone: str, moment: str):
        """At the change and half an hour past midnight UTC, a machine of the zone keeps the bytes of one of UTC."""
        now = ZONES[zone] if moment == "the change" else ZONES[zone].replace(hour=0, minute=30)
        if not Path("/usr/share/zoneinfo", zone).exists():
            pytest.skip("this machine has no time zones")
        kept = {}
        for name in ("UTC", zone):
            root = world.copy("zone")
            ended = world.runner.run(root, now=now, TZ=name)
            assert ended.code == 0, ended.err
            kept[name] = durable_world.files(root)
        assert kept[zone] == kept["UTC"]
        nights = {Path(name).parts[2] for name in kept[zone] if name.startswith("archive/nights/")}
        assert nights == {str(FIRST.date()), str(now.date())}

    def test_the_zones_differ_from_utc_at_those_moments(self):
        """Else a zone that is not known here, and so taken for UTC, would be held against itself."""
        told = {zone: _local(zone, now) for zone, now in ZONES.items()}
        assert told == {
            "Europe/Berlin": date(2026, 10, 25),
            "America/New_York": date(2026, 11, 1),
            "Australia/Lord_Howe": date(2026, 10, 4),
        }
        late = ZONES["America/New_York"].replace(hour=0, minute=30)
        assert _local("America/New_York", late) == late.date() - timedelta(days=1)
        assert SECOND.date() == date(2026, 3, 28)


def _refused(ended: Ended, why: str) -> None:
    """A run that ended with one message and the code of what could not be done."""
    assert ended.code == 1, ended.err + ended.out
    assert "Traceback" not in ended.err + ended.out
    (message,) = ended.errors
    assert why in message, message


def _leave(disk: Path, room: int) -> None:
    """Fill a disk with somebody's file until so many bytes are free, or empty it of that file."""
    filler = disk / "somebody's"
    filler.unlink(missing_ok=True)
    more = shutil.disk_usage(disk).free - room
    if more > 0:
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, more)


def _killed_midway(world: World) -> Path:
    """Return a root whose second night was killed while its journal held some answers, before it was sealed."""
    for _ in range(20):
        root = world.copy("middle")
        world.runner.start(root)
        while world.runner.is_running() and _lines(root) < 5:
            time.sleep(0.0005)
        world.runner.kill()
        world.runner.end()
        if _lines(root) >= 5 and not (root / f"archive/nights/{SECOND.date()}").exists():
            return root
    pytest.fail("no kill of 20 fell between the first answers of a night and its seal")


def _lines(root: Path) -> int:
    """Return how many lines the journals of a root have; 0 where there is none, or none any more."""
    lines = 0
    for journal in (root / "archive/journal").glob("*.jsonl"):
        with suppress(FileNotFoundError):
            lines += journal.read_bytes().count(b"\n")
    return lines


def _local(zone: str, now: datetime) -> date:
    """Return the date that a machine of a zone shows."""
    shown = subprocess.run(
        ["date", "-d", f"@{int(now.timestamp())}", "+%F"],
        env={"TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    return date.fromisoformat(shown.stdout.strip())


def _mount(*arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("mount") is None:
        return subprocess.CompletedProcess(arguments, 1, "", "there is no mount command")
    return subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
