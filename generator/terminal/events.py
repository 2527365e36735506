"""What `--log-json` prints on standard error: events, one JSON object a line, and nothing else.

Each has `time` (RFC 3339, UTC), `level` ('info' or 'error') and `event`, and then fields of its own:

    said      message
    progress  label, state ('begun', 'going' or 'ended'), done, total
    error     message, where, do, exit_code
    defect    message, traceback: a fault of this program
    ended     exit_code; the last one
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal, TextIO

from generator.terminal.ascii_json import ascii_json

Level = Literal["info", "error"]


class EventLog:
    """Events on one stream."""

    def __init__(self, stream: TextIO, now: Callable[[], datetime]) -> None:
        """Write nothing yet.

        Args:
            stream: standard error.
            now: the time, UTC.
        """
        self._stream = stream
        self._now = now

    def tell(self, event: str, *, level: Level = "info", **fields: str | int | None) -> None:
        """Write one event; a field that is None is left out."""
        time = self._now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        told = {name: _sound(value) for name, value in fields.items() if value is not None}
        self._stream.write(ascii_json({"time": time, "level": level, "event": event, **told}) + "\n")
        self._stream.flush()


_current: ContextVar[EventLog | None] = ContextVar("_current", default=None)


def current_log() -> EventLog | None:
    """Return the log of the command that runs now; None where it talks to a person."""
    return _current.get()


@contextmanager
def logging_to(log: EventLog) -> Iterator[None]:
    """Make a log the current one; what anything else writes on standard error is said in it, line by line."""
    token = _current.set(log)
    stray = _Lines(log)
    try:
        with redirect_stderr(stray):
            yield
    finally:
        stray.close()
        _current.reset(token)


class _Lines(io.TextIOBase):
    """A stream whose lines are events."""

    def __init__(self, log: EventLog) -> None:
        super().__init__()
        self._log = log
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._say(line)
        return len(text)

    def close(self) -> None:
        if not self.closed:
            self._say(self._begun)
            self._begun = ""
        super().close()

    def _say(self, line: str) -> None:
        if line.strip():
            self._log.tell("said", message=line.rstrip())


def _sound(value: str | int) -> str | int:
    """Return a value that JSON can hold: what the operating system could not decode is shown by its code."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
