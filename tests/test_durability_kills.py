"""A night killed at any instant, from the lock to the verification, loses and changes nothing that was kept.

The whole `nightly` command is ended by SIGKILL at seeded random instants over the time that it takes, up to three times
before a run gets to its end; the last tenth of the instants fall between the first file of the seal and the end. The
clock stands, so that the end can be held against a night that nobody disturbed, byte for byte, whatever was asked
twice. `test_probing_kills` does the same at the real clock and counts what the router served.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import durable_world
import pytest
from durable_world import SECOND, World

from generator.records.draws import Draws

KILLS = (
    pytest.param(4, id="4"),
    pytest.param(50, id="50", marks=[pytest.mark.ci, pytest.mark.timeout(900)]),
    pytest.param(1000, id="1000", marks=[pytest.mark.long, pytest.mark.timeout(7200)]),
)
"""How many instants, in each tier."""
KILLS_A_NIGHT = 3
LATE_SHARE = 10
"""One in so many falls inside the seal and what follows it."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Yield a small archive before and after its second night."""
    with durable_world.world() as made:
        yield made


class Pace:
    """How long a night takes here, measured again by each run that gets to its end."""

    def __init__(self, world: World) -> None:
        """Measure a run that nobody disturbs."""
        self.whole_s = self.late_s = 0.0
        began, sealing = time.monotonic(), 0.0
        root = world.copy("pace")
        world.runner.start(root)
        while world.runner.is_running():
            sealing = sealing or (time.monotonic() if begins_sealing(root) else 0.0)
            time.sleep(0.001)
        self.whole_s, self.late_s = time.monotonic() - began, time.monotonic() - sealing
        assert world.runner.end().code == 0
        assert 0 < self.late_s < self.whole_s


@pytest.mark.parametrize("kills", KILLS)
def test_killed_at_any_instant_nothing_kept_is_lost_or_changed(world: World, kills: int):
    """Neither kept file nor permanent page; nothing half done is signed; the next run ends as an undisturbed one."""
    draws, pace = Draws("durability kills", str(kills)), Pace(world)
    done = late = 0
    while done < kills:
        root = world.copy("killed")
        for _ in range(KILLS_A_NIGHT):
            is_late = done >= kills - kills // LATE_SHARE
            if done == kills or not killed(world, root, pace, draws.below(1_000_000) / 1_000_000, late=is_late):
                break
            done += 1
            late += begins_sealing(root)
            world.check_kept(root)
        world.check_end(root)
    assert late >= kills // LATE_SHARE


def killed(world: World, root: Path, pace: Pace, share: float, *, late: bool) -> bool:
    """Start a run and kill it once its instant has come; False where it ended before."""
    world.runner.start(root)
    while late and not begins_sealing(root) and world.runner.is_running():
        time.sleep(0.0005)
    began, wait_s = time.monotonic(), share * (pace.late_s if late else pace.whole_s)
    while world.runner.is_running() and time.monotonic() - began < wait_s:
        time.sleep(0.0005)
    was_killed = world.runner.kill()
    ended = world.runner.end()
    assert was_killed or ended.code == 0, ended.err
    if not was_killed:
        pace.late_s *= 0.95
        pace.whole_s *= 0.95
    return was_killed


def begins_sealing(root: Path) -> bool:
    """True once a file of the second night lies in the archive."""
    return any((root / f"archive/nights/{SECOND.date()}").glob("*"))
