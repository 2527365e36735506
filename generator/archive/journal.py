"""The journal of a night that is not sealed yet: its plan, then each observation as it is decided.

One JSON object a line. A line is written at once, so that a killed process loses none, and fsynced in small batches.
A last line without its line feed was cut by a crash and never counted as done.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from generator.archive.files import make_folder, sync_folder, writing
from generator.archive.layout import UNFINISHED
from generator.errors import ArchiveError
from generator.records.night import PLAN_FORMAT, NightPlan
from generator.records.observation import Observation

_BATCH = 32
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Observation)


class Journal:
    """An open journal: append observations, close to make the last ones durable."""

    def __init__(self, path: Path, name: str) -> None:
        """Open the journal of a night that has one; see `start` and `load`."""
        self._name = name
        with writing(name):
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        self._unsynced = 0

    def add(self, observation: Observation) -> None:
        """Append one decided observation.

        Raises:
            ArchiveError: where the disk cannot take it; the run must stop asking.
        """
        with writing(self._name):
            _write(self._handle, _encoder.encode(observation) + b"\n")
            self._unsynced += 1
            if self._unsynced >= _BATCH:
                self.sync()

    def sync(self) -> None:
        """Make everything appended so far durable."""
        os.fsync(self._handle)
        self._unsynced = 0

    def __enter__(self) -> Self:
        """Return the journal."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Make the last lines durable and close."""
        try:
            with writing(self._name):
                self.sync()
        finally:
            os.close(self._handle)


def start(path: Path, name: str, plan: NightPlan) -> None:
    """Begin a journal with its plan; whole or not at all."""
    with writing(name):
        make_folder(path.parent)
        temporary = path.with_name(path.name + UNFINISHED)
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            file.write(_encoder.encode(plan) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
        sync_folder(path.parent)


def load(path: Path, name: str) -> tuple[NightPlan, tuple[Observation, ...]]:
    """Return a journal's plan and decided observations; a last line that was cut is taken off the file.

    Raises:
        ArchiveError: naming the line that is no plan or observation.
    """
    with writing(name):
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(path, whole)
    lines = data[:whole].splitlines()
    if not lines:
        raise ArchiveError("expected a plan, found an empty journal", where=name, do="Remove the file and run again")
    try:
        plan = msgspec.json.decode(lines[0], type=NightPlan)
    except msgspec.DecodeError as error:
        raise _broken(name, 1, error) from None
    if plan.format != PLAN_FORMAT:
        raise ArchiveError(
            f"expected journal format {PLAN_FORMAT}, found {plan.format}",
            where=name,
            do="Seal this night with the version of bitdepth that began it",
        )
    return plan, tuple(_observations(lines[1:], name))


def _observations(lines: Iterable[bytes], name: str) -> Iterable[Observation]:
    seen: set[tuple[str, str, str]] = set()
    for number, line in enumerate(lines, start=2):
        try:
            found = _decoder.decode(line)
        except msgspec.DecodeError as error:
            raise _broken(name, number, error) from None
        key = (found.model, found.endpoint, found.prompt_id)
        if key in seen:
            raise _broken(name, number, "an observation that an earlier line holds already")
        seen.add(key)
        yield found


def _broken(name: str, number: int, error: Exception | str) -> ArchiveError:
    return ArchiveError(
        f"expected a journal line, found: {error}",
        where=f"{name}, line {number}",
        do="Move the file aside to give the night up, or restore the line",
    )


def _write(handle: int, data: bytes) -> None:
    """Write all of some bytes; a plain write may take only part."""
    while data:
        data = data[os.write(handle, data) :]
