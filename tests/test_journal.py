"""The journal: what is added stands in the file at once, and nobody waits for the disk but who closes it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from generator.archive.journal import Journal
from generator.errors import ArchiveError
from generator.records.observation import Observation, Outcome

BATCHES = 200
"""Observations that make several batches."""


def observation(number: int) -> Observation:
    """Return an observation of its own."""
    return Observation(
        model="a/b", endpoint="elm", prompt_id=f"capital-f{number}", family="capital", fixed=True,
        outcome=Outcome.EMPTY,
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the file of a journal that has begun."""
    made = tmp_path / "2026-11-29.jsonl"
    made.write_bytes(b"")
    return made


class TestTheDisk:
    def test_adding_waits_for_no_disk(self, path: Path, monkeypatch: pytest.MonkeyPatch):
        """While a batch is on its way to the disk more can be added, and each stands in the file when `add` returns."""
        moved, synced = threading.Event(), threading.Event()
        real = os.fsync

        def slowly(handle: int) -> None:
            assert moved.wait(10)
            real(handle)
            synced.set()

        monkeypatch.setattr(os, "fsync", slowly)
        with Journal(path, path.name) as journal:
            for number in range(BATCHES):
                journal.add(observation(number))
                assert path.read_bytes().count(b"\n") == number + 1
            assert not synced.is_set()
            moved.set()

    def test_small_batches_reach_it_while_the_night_goes_on(self, path: Path, monkeypatch: pytest.MonkeyPatch):
        """A batch is made durable before the journal is closed; closing makes the rest durable."""
        real, lengths, several = os.fsync, list[int](), threading.Event()

        def noted(handle: int) -> None:
            lengths.append(path.stat().st_size)
            real(handle)
            several.set()

        monkeypatch.setattr(os, "fsync", noted)
        with Journal(path, path.name) as journal:
            for number in range(BATCHES):
                journal.add(observation(number))
                assert number != BATCHES // 2 or several.wait(10)
        # The first was done before the second half was added.
        assert lengths[0] < path.stat().st_size
        assert lengths[-1] == path.stat().st_size

    def test_a_batch_that_the_disk_refuses_stops_the_run(self, path: Path, monkeypatch: pytest.MonkeyPatch):
        """The next observation after it is refused: nothing more may be paid for."""
        refused = threading.Event()

        def full(_handle: int) -> None:
            refused.set()
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        journal = Journal(path, path.name)

        def go_on() -> None:
            for number in range(BATCHES):
                journal.add(observation(number))
                assert number != BATCHES // 2 or refused.wait(10)

        with pytest.raises(ArchiveError, match="No space"):
            go_on()
        monkeypatch.undo()
        journal.__exit__(None, None, None)

    def test_a_last_batch_that_the_disk_refuses_is_an_error(self, path: Path, monkeypatch: pytest.MonkeyPatch):
        """Closing says so where the end could not be made durable, and closes all the same."""

        def full(_handle: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(ArchiveError, match="No space"), Journal(path, path.name) as journal:
            journal.add(observation(1))
        assert not [each for each in threading.enumerate() if each.name.startswith("journal")]

    def test_a_line_that_the_disk_cut_is_never_glued_to_the_next(self, path: Path, monkeypatch: pytest.MonkeyPatch):
        """What was in flight when the disk refused a line is kept whole where there is room for it again."""
        real, left = os.write, [70]

        def nearly_full(handle: int, data: bytes) -> int:
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            taken = real(handle, data[: left[0]])
            left[0] -= taken
            return taken

        with Journal(path, path.name) as journal:
            journal.add(observation(1))
            one = path.read_bytes()
            monkeypatch.setattr(os, "write", nearly_full)
            for _ in range(2):
                with pytest.raises(ArchiveError, match="No space"):
                    journal.add(observation(2))
            monkeypatch.undo()
            journal.add(observation(3))
        assert path.read_bytes() == one + one.replace(b"f1", b"f3")
