"""Progress as bars on a terminal, as plain lines elsewhere, and as nothing where a machine reads."""

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

LINE_EVERY_S = 60.0
"""Often enough to see in a log that a night goes on, and seldom enough that the log of a night stays short."""


class TerminalProgress:
    """Bars and lines on standard error, so that standard output holds results alone."""

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
        every_s: float = LINE_EVERY_S,
    ) -> None:
        """Write to a console.

        Args:
            console: on standard error.
            quiet: write nothing at all.
            monotonic: seconds that never run backwards.
            every_s: elsewhere than on a terminal, the least time between two lines of one step, in seconds.
        """
        self._monotonic = monotonic
        self._every_s = every_s
        self._console = console
        self._quiet = quiet

    def say(self, line: str) -> None:
        """Print one line; what a stranger said in it is made visible."""
        if not self._quiet:
            self._console.print(Text(visible_plain(line)), soft_wrap=True)

    @contextmanager
    def bar(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show how much of a long step is done; elsewhere than on a terminal, a line now and then and when it ends."""
        done, said_at = 0, self._monotonic()

        def count(more: int) -> None:
            nonlocal done, said_at
            done += more
            now = self._monotonic()
            if done < total and now - said_at >= self._every_s:
                said_at = now
                self.say(f"{label}: {done:,} of {total:,}")

        if self._quiet or total == 0:
            yield lambda _: None
        elif not self._console.is_terminal:
            yield count
            self.say(f"{label}: {done:,} of {total:,}")
        else:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            with RichProgress(*columns, console=self._console) as progress:
                task = progress.add_task(escape(label), total=total)
                yield lambda more: progress.advance(task, more)
