"""The journal of a night that is not sealed yet: its plan, then each observation as it is decided.

Under a cap, lines between them say what the night had cost when a run began and when it ended. One JSON object a line.
A line is written at once, so that a killed process loses none, and fsynced in small batches against the loss of power,
in a thread of its own: whoever appends would else wait for the disk, and what is measured meanwhile would take longer.
A last line without its line feed was cut by a crash and never counted as done.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from generator.archive.files import place, writing
from generator.errors import ArchiveError
from generator.records.account import Account
from generator.records.night import PLAN_FORMAT, NightPlan
from generator.records.observation import Observation
from generator.stores.durable import sync_folder, write_all

_BATCH = 32
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Observation)
_account_decoder = msgspec.json.Decoder(Account)
_ACCOUNT = b'{"account":'


class Journal:
    """An open journal: append observations, close to make the last ones durable."""

    def __init__(self, path: Path, name: str) -> None:
        """Open the journal of a night that has one; see `start` and `load`."""
        self._name = name
        with writing(name):
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND)
            self._whole = os.fstat(self._handle).st_size
        self._cut = False
        """Whether the disk refused the end of a line: what it took of it may lie behind the last whole one."""
        self._unsynced = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._syncing: Future[None] | None = None

    def add(self, observation: Observation) -> None:
        """Append one decided observation.

        Raises:
            ArchiveError: where the disk cannot take it, or an earlier one; the run must stop asking.
        """
        with writing(self._name):
            self._append(_encoder.encode(observation) + b"\n")
            self._unsynced += 1
            if self._syncing is not None and self._syncing.done():
                self._synced()
            if self._unsynced >= _BATCH and self._syncing is None:
                self._unsynced = 0
                self._syncing = self._thread.submit(os.fsync, self._handle)

    def add_account(self, account: Account) -> None:
        """Append what the night has cost, durable when this returns.

        Raises:
            ArchiveError: where the disk cannot take it; nothing may be sent.
        """
        with writing(self._name):
            self._append(_encoder.encode(account) + b"\n")
            self.sync()

    def sync(self) -> None:
        """Make everything appended so far durable.

        Raises:
            ArchiveError: where the disk cannot take it.
        """
        with writing(self._name):
            self._synced()
            os.fsync(self._handle)
            self._unsynced = 0

    def _append(self, line: bytes) -> None:
        """Append a line; none is ever glued to one that was cut."""
        if self._cut:
            os.ftruncate(self._handle, self._whole)
        self._cut = True
        write_all(self._handle, line)
        self._whole += len(line)
        self._cut = False

    def _synced(self) -> None:
        """Wait for the batch on its way, if there is one, and raise what became of it."""
        syncing, self._syncing = self._syncing, None
        if syncing is not None:
            syncing.result()

    def __enter__(self) -> Self:
        """Return the journal."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Make the last lines durable and close."""
        try:
            self.sync()
        finally:
            self._thread.shutdown()
            os.close(self._handle)


def start(path: Path, name: str, plan: NightPlan) -> None:
    """Begin a journal with its plan; whole or not at all."""
    with writing(name):
        place(path, _encoder.encode(plan) + b"\n")
        sync_folder(path.parent)


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What a journal holds."""

    plan: NightPlan
    observations: tuple[Observation, ...]
    account: Account | None
    """The last one; None where no run had a cap."""
    counted: int
    """Observations that stand before it, and whose cost it counts."""


def load(path: Path, name: str, *, mend: bool) -> Loaded:
    """Return what a journal holds, without a last line that was cut.

    Args:
        path: of the file.
        name: what messages call it.
        mend: take a line that was cut off the file, so that more can be added; else nothing is written.

    Raises:
        ArchiveError: naming the line that is no plan, observation or account.
    """
    with writing(name):
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if mend and whole < len(data):
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
    numbered = tuple(enumerate(lines[1:], start=2))
    rows = [each for each in numbered if not each[1].startswith(_ACCOUNT)]
    accounts = [each for each in numbered if each[1].startswith(_ACCOUNT)]
    return Loaded(
        plan=plan,
        observations=tuple(_observations(rows, name)),
        account=_account(*accounts[-1], name) if accounts else None,
        counted=sum(number < accounts[-1][0] for number, _ in rows) if accounts else 0,
    )


def _account(number: int, line: bytes, name: str) -> Account:
    try:
        return _account_decoder.decode(line)
    except msgspec.DecodeError as error:
        raise _broken(name, number, error) from None


def _observations(lines: Iterable[tuple[int, bytes]], name: str) -> Iterable[Observation]:
    seen: set[tuple[str, str, str]] = set()
    for number, line in lines:
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
