"""Progress as bars on a terminal, as plain lines elsewhere, as events under --log-json, and else as nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from generator.site.text import visible_plain
from generator.terminal.events import EventLog, current_log

LINE_EVERY_S = 60.0
"""Often enough to see in a log that a night goes on, and seldom enough that the log of a night stays short."""
EVENT_EVERY_S = 1.0


class TerminalProgress:
    """Bars, lines and events on standard error, so that standard output holds results alone."""

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
        every_s: float = LINE_EVERY_S,
    ) -> None:
        """Write to a console, or to the log of the command that runs now.

        Args:
            console: on standard error.
            quiet: write nothing at all to the console.
            monotonic: seconds that never run backwards.
            every_s: elsewhere than on a terminal, the least time between two lines of one step, in seconds.
        """
        self._monotonic = monotonic
        self._every_s = every_s
        self._console = console
        self._quiet = quiet
        self._log = current_log()

    def say(self, line: str) -> None:
        """Tell one line; what a stranger said in it is made visible."""
        if self._log is not None:
            self._log.tell("said", message=line)
        elif not self._quiet:
            self._console.print(Text(visible_plain(line)), soft_wrap=True)

    @contextmanager
    def bar(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show how much of a long step is done; elsewhere than on a terminal, a line now and then and when it ends."""
        if self._log is not None:
            yield from self._events(self._log, label, total)
        elif self._quiet or total == 0:
            yield lambda _: None
        elif not self._console.is_terminal:
            count = _Count(
                lambda done: self.say(f"{label}: {done:,} of {total:,}"), total, self._every_s, self._monotonic
            )
            yield count.add
            count.tell(count.done)
        else:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            with RichProgress(*columns, console=self._console) as progress:
                task = progress.add_task(escape(label), total=total)
                yield lambda more: progress.advance(task, more)

    def _events(self, log: EventLog, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Tell that a step begins, at most once a second how far it is, and that it ends, however it does."""

        def tell(state: str, done: int) -> None:
            log.tell("progress", label=label, state=state, done=done, total=total)

        count = _Count(lambda done: tell("going", done), total, EVENT_EVERY_S, self._monotonic)
        tell("begun", 0)
        try:
            yield count.add
        finally:
            tell("ended", count.done)


class _Count:
    """How much is done, told now and then, and not at the end."""

    def __init__(self, tell: Callable[[int], None], total: int, every_s: float, monotonic: Callable[[], float]) -> None:
        self.done = 0
        self.tell = tell
        self._total = total
        self._every_s = every_s
        self._monotonic = monotonic
        self._said_at = monotonic()

    def add(self, more: int) -> None:
        self.done += more
        now = self._monotonic()
        if self.done < self._total and now - self._said_at >= self._every_s:
            self._said_at = now
            self.tell(self.done)
