"""--log-json: whatever a command says on standard error is one JSON object a line, and standard output stays."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import kept_site
import msgspec
import pytest
from rich.console import Console
from typer.testing import CliRunner

from generator import cli
from generator.cli import app
from generator.errors import ExitCode
from generator.terminal import session
from generator.terminal.events import EventLog, logging_to
from generator.terminal.progress import TerminalProgress
from generator.workflows.world import Root

NOW = datetime(2026, 11, 29, 23, 59, 59, 987_654, tzinfo=UTC)
HOSTILE = 'kiln"}\n{"event":"forged"}\x1b[31m\u202e\u2028'


class Event(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One line."""

    time: str
    level: str
    event: str
    message: str | None = None
    where: str | None = None
    do: str | None = None
    exit_code: int | None = None
    label: str | None = None
    state: str | None = None
    done: int | None = None
    total: int | None = None
    traceback: str | None = None


def events(text: str) -> list[Event]:
    """Return the events of a log, every line of which is one, in printable ASCII."""
    assert re.fullmatch(r"(?:[ -~]+\n)*", text), text
    found = [msgspec.json.decode(line, type=Event) for line in text.splitlines()]
    assert all(datetime.fromisoformat(each.time).tzinfo == UTC for each in found)
    return found


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a graded root."""
    return kept_site.make_root(tmp_path_factory.mktemp("events") / "root", nights=8)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_now", lambda: NOW)


def run(*arguments: str) -> tuple[str, list[Event]]:
    """Return what a command put on standard output, and its events; the last one says how it ended."""
    result = CliRunner().invoke(app, list(arguments), prog_name="bitdepth")
    found = events(result.stderr)
    assert found[-1] == Event(
        time="2026-11-29T23:59:59.987Z",
        level="error" if result.exit_code else "info",
        event="ended",
        exit_code=result.exit_code,
    )
    return result.stdout, found[:-1]


class TestEveryCommand:
    """'Works for every command, for errors too'."""

    @pytest.mark.parametrize("place", [0, 1, 4])
    def test_tells_its_progress(self, root: Root, place: int):
        """Each step begins and ends in the log, wherever the option stands; the result is printed as ever."""
        arguments = ["render", "--root", str(root.path), "--json"]
        arguments.insert(place, "--log-json")
        out, found = run(*arguments)
        assert msgspec.json.decode(out)["views"] > 0
        assert [(each.label, each.state, each.done, each.total) for each in found if each.event == "progress"] == [
            ("rendering", "begun", 0, 1),
            ("rendering", "ended", 1, 1),
        ]
        assert {each.level for each in found} == {"info"}

    def test_tells_facts(self, root: Root):
        """A line that a command would say is an event."""
        _, found = run("--log-json", "log", "prove", "--root", str(root.path))
        assert [(each.event, each.message) for each in found if each.event == "said"] == [
            ("said", "the log is unsigned: nothing to prove against")
        ]

    def test_the_result_stays_where_it_was(self, root: Root):
        """Standard output has the same bytes with and without the log."""
        plain = CliRunner().invoke(app, ["show", kept_site.MODEL, "--root", str(root.path)])
        out, found = run("--log-json", "show", kept_site.MODEL, "--root", str(root.path))
        assert (out, found) == (plain.stdout, [])

    @pytest.mark.parametrize("json", [(), ("--json",)])
    def test_tells_an_error_in_its_parts(self, root: Root, json: tuple[str, ...]):
        """What was expected and found, where, what to do, and the exit code, each in a field of its own."""
        _, found = run("--log-json", "grade", "--method", "0.12", "--root", str(root.path), *json)
        (error,) = found
        assert (error.level, error.event, error.exit_code) == ("error", "error", ExitCode.USAGE)
        assert (error.message, error.where) == ("expected a method version, found '0.12'", "--method")
        assert (error.do or "").startswith("Did you mean '0.")

    @pytest.mark.parametrize(
        ("arguments", "message", "where"),
        [
            (("nigthly",), "No such command 'nigthly'. Did you mean 'nightly'?", "bitdepth"),
            (("--vershun",), "No such option: --vershun (Possible options: --version)", "bitdepth"),
            (("show", "--rot", "x"), "No such option: --rot (Possible options: --root)", "bitdepth show"),
            (("log", "apend"), "No such command 'apend'. Did you mean 'append'?", "bitdepth log"),
            ((), "Missing command.", "bitdepth"),
        ],
    )
    def test_tells_what_the_parser_refused(self, arguments: tuple[str, ...], message: str, where: str):
        """A mistyped command or option is an error with its near word, its place and exit code 2."""
        _, (error,) = run("--log-json", *arguments)
        assert (error.event, error.message, error.where, error.exit_code) == ("error", message, where, 2)
        assert error.do == f"Look at '{where} --help'"

    def test_is_a_word_like_any_other_after_two_dashes(self, root: Root):
        """What is an argument is no option."""
        result = CliRunner().invoke(app, ["show", "--root", str(root.path), "--", "--log-json"])
        assert result.stderr.startswith("error: expected a graded model, found '--log-json'")

    def test_of_a_real_process(self, root: Root):
        """Nothing else is on standard error of the program itself either."""
        command = [sys.executable, "-m", "generator", "--log-json", "verify", "--root", str(root.path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        *_, ended = found = events(done.stderr)
        assert (ended.event, ended.exit_code) == ("ended", done.returncode)
        assert {each.event for each in found} == {"progress", "ended"}


class TestHostileText:
    """'Hostile text in it is JSON-escaped'."""

    def test_is_one_field_of_one_event(self, root: Root):
        """A name that would end the line and forge another event comes back as it was given."""
        _, (error,) = run("--log-json", "show", HOSTILE, "--root", str(root.path))
        assert error.message == f"expected a graded model, found '{HOSTILE}'"

    def test_that_is_no_text_is_shown_by_its_code(self, root: Root):
        """What the operating system could not decode does not stop the log."""
        _, (error,) = run("--log-json", "show", "kiln\udcff", "--root", str(root.path))
        assert error.message == "expected a graded model, found 'kiln\\udcff'"


class TestTheRest:
    """What is neither progress nor an error of ours."""

    def test_a_stray_line_is_an_event(self):
        """Whatever else writes on standard error is said in the log, line by line, the last one without an end too."""
        out = StringIO()
        with logging_to(EventLog(out, lambda: NOW)):
            print("one\n\ntw", end="", file=sys.stderr)  # noqa: T201 - what some library would do
            print("o", file=sys.stderr)  # noqa: T201
            Console(stderr=True).print("three", end="")
        assert [(each.event, each.message) for each in events(out.getvalue())] == [
            ("said", "one"),
            ("said", "two"),
            ("said", "three"),
        ]

    def test_a_defect_is_an_event_with_its_traceback(self, monkeypatch: pytest.MonkeyPatch):
        """A fault of the program breaks no reader of events."""

        def broken(_: Path) -> str:
            raise ZeroDivisionError("broken")

        monkeypatch.setattr(cli, "version_text", broken)
        _, (defect,) = run("--log-json", "--version")
        assert (defect.event, defect.level, defect.message) == ("defect", "error", "ZeroDivisionError: broken")
        assert "in broken" in (defect.traceback or "")

    def test_an_interrupt_is_an_error(self, monkeypatch: pytest.MonkeyPatch, root: Root):
        """Ctrl-C ends with the code of what is not complete."""

        def interrupted(*_: object) -> Root:
            raise KeyboardInterrupt

        monkeypatch.setattr(session, "Root", interrupted)
        _, (error,) = run("--log-json", "render", "--root", str(root.path))
        assert (error.exit_code, error.message) == (
            ExitCode.PARTIAL,
            "interrupted: run the same command again to carry on",
        )


class Seconds:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class TestBars:
    """'Each bar reports at start, at end and at most once a second'."""

    def written(self, passing: list[tuple[float, int]], total: int) -> list[tuple[str | None, int | None]]:
        """Return state and count of each event of one step, of which so many are done as time passes."""
        out, seconds = StringIO(), Seconds()
        with logging_to(EventLog(out, lambda: NOW)):
            progress = TerminalProgress(Console(file=out), quiet=True, monotonic=seconds)
        with progress.bar(HOSTILE, total) as advance:
            for seconds.now, more in passing:
                advance(more)
        found = events(out.getvalue())
        assert {each.label for each in found} == {HOSTILE}
        return [(each.state, each.done) for each in found]

    def test_tell_at_most_once_a_second(self):
        """What happens within a second is told with what comes after it; the end is told once."""
        passing = [(0.2, 1), (0.99, 1), (1.0, 1), (1.5, 1), (1.99, 1), (2.5, 4), (2.6, 1)]
        assert self.written(passing, 10) == [("begun", 0), ("going", 3), ("going", 9), ("ended", 10)]

    def test_of_nothing_begin_and_end(self):
        """A step with nothing to do is told too."""
        assert self.written([], 0) == [("begun", 0), ("ended", 0)]

    def test_that_break_off_say_how_far_they_came(self):
        """The end of a step that failed bears what was done by then."""
        out = StringIO()
        with logging_to(EventLog(out, lambda: NOW)):
            progress = TerminalProgress(Console(file=out))
        with suppress(ZeroDivisionError), progress.bar("step", 3) as advance:
            advance(1)
            raise ZeroDivisionError
        assert [(each.state, each.done) for each in events(out.getvalue())] == [("begun", 0), ("ended", 1)]
