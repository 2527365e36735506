"""Progress as bars on a terminal, as plain lines elsewhere, and as nothing where a machine reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from generator.site.text import visible_plain


class TerminalProgress:
    """Bars and lines on standard error, so that standard output holds results alone."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        """Write to a console; nothing at all where quiet."""
        self._console = console
        self._quiet = quiet

    def say(self, line: str) -> None:
        """Print one line; what a stranger said in it is made visible."""
        if not self._quiet:
            self._console.print(Text(visible_plain(line)), soft_wrap=True)

    @contextmanager
    def bar(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show how much of a long step is done; elsewhere than on a terminal, one line when it ends."""
        done = 0

        def count(more: int) -> None:
            nonlocal done
            done += more

        if self._quiet or total == 0:
            yield count
        elif not self._console.is_terminal:
            yield count
            self.say(f"{label}: {done} of {total}")
        else:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            with RichProgress(*columns, console=self._console) as progress:
                task = progress.add_task(escape(label), total=total)
                yield lambda more: progress.advance(task, more)
