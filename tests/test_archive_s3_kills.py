"""A whole night into a bucket that is killed at any instant, and two at once: the end is that of an undisturbed one.

A real process probes, grades, signs, renders and verifies with its archive in a bucket of a real S3 server, and is
ended by SIGKILL at seeded random instants, several times a night, before one run gets to its end.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import archive_world
import durable_world
import pytest
from archive_world import different, is_held, moved, objects
from durable_world import SECOND, Runner, World
from publish_world import Bucket, running_s3

from generator.archive import layout
from generator.errors import ExitCode
from generator.records.draws import Draws

KILLS = (
    pytest.param(4, id="4", marks=pytest.mark.ci),
    pytest.param(50, id="50", marks=[pytest.mark.ci, pytest.mark.timeout(1200)]),
)
"""How many instants, in each tier."""
KILLS_A_NIGHT = 2
"""Before a run is left to get to its end."""


class BucketWorld:
    """The world of `durable_world`, with its archives in a bucket."""

    def __init__(self, world: World, bucket: Bucket) -> None:
        """Use both."""
        self.world = world
        self.bucket = bucket
        self.environment = {name: value for name, value in bucket.environment().items() if name.startswith("AWS_")}
        self.old, self.new = ({name.removeprefix("archive/"): data for name, data in files.items()
                               if name.startswith("archive/")} for files in (world.old, world.new))  # fmt: skip

    def begin(self, name: str) -> Path:
        """Return a root before its second night; its archive lies in the bucket under the root's name."""
        return moved(self.bucket, self.world.copy(name), name)

    def check_kept(self, prefix: str) -> None:
        """Nothing old is lost or changed; what is new is what an undisturbed night makes."""
        found = objects(self.bucket, prefix)
        for name, data in self.old.items():
            if durable_world.is_kept(f"archive/{name}"):
                assert found.get(name) == data, name
        for name, data in found.items():
            if durable_world.is_kept(f"archive/{name}") and name not in self.old:
                assert data == self.new.get(name), name
        self.world.check_unsigned({f"archive/{name}": data for name, data in found.items()})

    def check_end(self, root: Path, prefix: str) -> None:
        """Archive and site have the bytes of the night that nobody disturbed, and nobody holds the bucket."""
        assert different(objects(self.bucket, prefix), self.new) == []
        site = {name: data for name, data in self.world.new.items() if name.startswith("site/")}
        found = {name: data for name, data in durable_world.files(root).items() if name.startswith("site/")}
        assert different(found, site) == []
        assert not is_held(self.bucket, prefix)
        assert not list((root / "archive").glob("journal/*"))


@pytest.fixture(scope="module")
def made() -> Iterator[BucketWorld]:
    """Return the world and a running server."""
    with durable_world.world() as world, running_s3() as endpoint:
        yield BucketWorld(world, Bucket(endpoint, archive_world.BUCKET))


def test_undisturbed(made: BucketWorld):
    """Objects and site are the files of the same night in a folder; of the night only the lock stays in the root."""
    root = made.begin("undisturbed")
    ended = made.world.runner.run(root, **made.environment)
    assert ended.code == 0, ended.err
    made.check_end(root, "undisturbed")
    assert [path.name for path in (root / "archive").iterdir() if path.is_file()] == [".lock"]


@pytest.mark.parametrize("kills", KILLS)
def test_killed_at_any_instant(made: BucketWorld, kills: int):
    """Nothing that counts is lost or changed by a kill, and the rerun ends with the undisturbed objects."""
    draws, done, midway, night = Draws("archive"), 0, 0, 0
    took_s = None
    while done < kills:
        prefix = f"killed-{kills}-{night}"
        night += 1
        root = made.begin(prefix)
        for _ in range(min(KILLS_A_NIGHT, kills - done)):
            share = draws.below(1_000_000) / 1_000_000
            if not killed(made, root, prefix, 1.5 if took_s is None else share * took_s, late=bool(done % 2)):
                break
            done += 1
            made.check_kept(prefix)
            midway += any(name.startswith(f"nights/{SECOND.date()}/") for name in objects(made.bucket, prefix))
        began = time.monotonic()
        ended = made.world.runner.run(root, **made.environment)
        took_s = time.monotonic() - began
        assert ended.code == 0, ended.err
        made.check_end(root, prefix)
    assert midway >= kills // 4, "the instants fall where something is written"


def killed(made: BucketWorld, root: Path, prefix: str, after_s: float, *, late: bool) -> bool:
    """Start a night and kill it so long after it began, or after it began to seal; False where it ended before."""
    runner, store = made.world.runner, made.bucket.store(prefix)
    runner.start(root, **made.environment)
    while late and runner.is_running() and not store.list(f"nights/{SECOND.date()}").collect():
        time.sleep(0.002)
    deadline = time.monotonic() + (after_s / 2 if late else after_s)
    while runner.is_running() and time.monotonic() < deadline:
        time.sleep(0.001)
    was_killed = runner.kill()
    ended = runner.end()
    assert was_killed or ended.code == 0, ended.err
    return was_killed


def test_two_machines_at_once(made: BucketWorld, tmp_path: Path):
    """One of them completes the night, undisturbed; the other ends with exit 5, having asked and written nothing."""
    root = made.begin("at-once")
    shutil.copytree(root, tmp_path / "other")
    asked = len(made.world.runner.router.asked)
    (tmp_path / "second").mkdir()
    with Runner(tmp_path / "second", made.world.runner.router) as second:
        made.world.runner.start(root, **made.environment)
        while made.world.runner.is_running() and not is_held(made.bucket, "at-once"):
            time.sleep(0.005)
        other = second.run(tmp_path / "other", **made.environment)
        first = made.world.runner.end()
    assert (first.code, other.code) == (0, ExitCode.LOCKED), first.err + other.err
    assert len(other.errors) == 1
    assert "another run at work" in other.errors[0]
    made.check_end(root, "at-once")
    assert len(made.world.runner.router.asked) - asked == len(made.world.runner.router.listed) * 6
    assert not (tmp_path / "other/archive" / layout.JOURNAL).exists()
