"""Progress where no terminal is: a line now and then, one at the end, none for a machine."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from generator.terminal.progress import TerminalProgress


class Seconds:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def written(passing: list[tuple[float, int]], total: int, *, quiet: bool = False) -> list[str]:
    """Return the lines of one long step, of which so many are done as time passes."""
    file, seconds = StringIO(), Seconds()
    progress = TerminalProgress(Console(file=file), quiet=quiet, monotonic=seconds, every_s=10)
    with progress.bar("asking, night 2026-11-29", total) as advance:
        for now, more in passing:
            seconds.now = now
            advance(more)
    return file.getvalue().splitlines()


def test_a_line_now_and_then():
    """At most one for each interval, of how much is done by then, and one when the step ends."""
    passing = [(1.0, 100), (9.9, 25), (10.0, 400), (15.0, 1), (19.9, 1), (42.0, 500), (43.0, 261)]
    assert written(passing, 1288) == [
        "asking, night 2026-11-29: 525 of 1,288",
        "asking, night 2026-11-29: 1,027 of 1,288",
        "asking, night 2026-11-29: 1,288 of 1,288",
    ]


def test_the_last_line_is_not_written_twice():
    """What ends the step just then is told once."""
    assert written([(60.0, 2)], 2) == ["asking, night 2026-11-29: 2 of 2"]


def test_nothing_where_nothing_is_to_do_or_a_machine_reads():
    """Neither an empty step nor quiet progress writes anything."""
    assert written([(60.0, 1)], 0) == []
    assert written([(60.0, 1)], 2, quiet=True) == []


def test_a_minute_is_the_least_by_default():
    """A step of less than a minute is one line, by the machine's own clock."""
    file = StringIO()
    with TerminalProgress(Console(file=file)).bar("step", 3) as advance:
        advance(3)
    assert file.getvalue() == "step: 3 of 3\n"
