"""Whichever change a night asks of the disk is refused, what was kept stays, and the next run ends undisturbed.

The whole `nightly` command runs, from the lock to the verification; the n-th write, fsync, rename, removal or making of
a file or folder below its root fails, on a full disk with every one after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from errno import EIO, ENOSPC
from os import strerror
from pathlib import Path

import durable_world
import pytest
from durable_world import Ended, World

ERRNOS = (ENOSPC, EIO)
_FEW, _EVERY = 4, 5
"""How many places each tier tries: about so many, every so many-th, or, in full, each as either error."""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Yield a small archive before and after its second night."""
    with durable_world.world() as made:
        yield made


def check(world: World, at: int, errno: int) -> bool:
    """Fail one change of a night; look at what is left, and at the next run. Return whether the run ended by it."""
    root = world.copy("faulty")
    ended = world.runner.run(root, at=at, errno=errno)
    assert "Traceback" not in ended.err + ended.out, ended.err
    world.check_kept(root)
    if ended.code == 0:
        check_done_without(world, root, ended)
    else:
        assert ended.code == 1, ended.err
        (message,) = ended.errors
        assert message.count(strerror(errno)) == 1, message
        assert str(root.parent) not in message.replace(str(root / "site"), "site"), message
    world.check_end(root)
    return ended.code != 0


def check_done_without(world: World, root: Path, ended: Ended) -> None:
    """A run that ends well has all that an undisturbed one has: what failed was the cache, or a tidying up."""
    found = durable_world.files(root)
    assert {path: data for path, data in found.items() if is_shown(path)} == {
        path: data for path, data in world.new.items() if is_shown(path)
    }
    assert not ended.errors


def is_shown(path: str) -> bool:
    """True for a file that is neither hidden nor below what is."""
    return not any(part.startswith(".") for part in Path(path).parts)


def test_a_change_that_the_disk_refuses_costs_nothing_but_a_run(world: World):
    """At places over the whole night, the old archive is intact, nothing is signed, and one message says why."""
    step = world.whole.changes // _FEW
    stopped = [
        check(world, at, ERRNOS[number % 2]) for number, at in enumerate(range(1, world.whole.changes + 1, step))
    ]
    assert sum(stopped) > len(stopped) // 2


@pytest.mark.ci
@pytest.mark.timeout(900)
def test_every_fifth_change(world: World):
    """The same at every fifth change, as one error or the other in turn."""
    for number, at in enumerate(range(1, world.whole.changes + 1, _EVERY)):
        check(world, at, ERRNOS[number % 2])


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("errno", ERRNOS, ids=strerror)
def test_every_change(world: World, errno: int):
    """The same at each, as either error."""
    for at in range(1, world.whole.changes + 1):
        check(world, at, errno)


def test_a_run_asks_as_much_of_the_disk_each_time(world: World):
    """Counting says the same again, or no place would be the n-th; nothing is refused beyond the last."""
    assert world.runner.run(world.copy("again")).changes == world.whole.changes > 100
    assert world.runner.run(world.copy("again"), at=world.whole.changes + 1, errno=EIO).code == 0
