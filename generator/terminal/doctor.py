"""The command that looks at everything a night needs, and says what to do: doctor."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from generator.errors import ExitCode, UsageError
from generator.log.note import SigningKey
from generator.records.check import Check, CheckState
from generator.site.text import visible_plain
from generator.terminal.log_commands import SIGNING_KEY, signing_key
from generator.terminal.options import JsonOption, RootOption
from generator.terminal.session import end, messages, print_result
from generator.workflows.doctor import Examined, examine
from generator.workflows.probing import RouterOf
from generator.workflows.world import Root, World

WIDTH = 80
"""Columns that every terminal has."""
_INDENT = 13


def add_doctor_command(
    app: typer.Typer,
    *,
    world: Callable[[], World],
    router_of: RouterOf,
    is_set: Callable[[str], bool],
    run: Callable[[Coroutine[Any, Any, Examined]], Examined],
) -> None:
    """Add the command to the program.

    Args:
        app: the program.
        world: the clocks.
        router_of: makes the router that settings name.
        is_set: whether an environment variable holds anything.
        run: runs a workflow to its end.
    """

    @app.command()
    def doctor(root: RootOption = Path(), *, json: JsonOption = False) -> None:
        """Check keys, credit, router, clock, disk, lock, content and methods, and say what to do about each.

        It asks no endpoint, pays nothing, writes nothing and waits for no other run. Exits 1 where a night would fail.
        """
        with messages(json):
            signing = SIGNING_KEY, _signing_key()
            examined = run(examine(Root(root, is_set), world(), router_of, is_set=is_set, signing=signing))
            code = ExitCode.FAILED if examined.count(CheckState.FAILED) else ExitCode.DONE
            print_result(
                json,
                {"checks": examined.checks, "exit_code": int(code)},
                lambda console: print_checks(console, examined),
            )
            end(None, code)


def _signing_key() -> SigningKey | UsageError | None:
    """Return the key that signs the log, None where there is none, or why what is set is none."""
    try:
        return signing_key()
    except UsageError as error:
        return error


def print_checks(console: Console, examined: Examined) -> None:
    """Print each check in at most 80 columns, then how many ended how."""
    for check in examined.checks:
        for line in check_lines(check):
            console.print(Text(line), soft_wrap=True)
    counts = [f"{number} {state}" for state in CheckState if (number := examined.count(state))]
    console.print(f"{len(examined.checks)} checks: {', '.join(counts)}", highlight=False, soft_wrap=True)


def check_lines(check: Check) -> list[str]:
    """Return the lines that tell a check: its state in words, what was found, and what to do."""
    if check.state is CheckState.OK:
        told = f"{check.name}: {check.found}"
    else:
        told = f"{check.name}: expected {check.expected}; found {check.found}"
    lines = _wrapped(told, f"{check.state:<{_INDENT}}")
    return lines if check.do is None else [*lines, *_wrapped(f"-> {check.do}", " " * _INDENT)]


def _wrapped(text: str, first: str) -> list[str]:
    return textwrap.wrap(
        visible_plain(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * _INDENT,
        break_on_hyphens=False,
    )
