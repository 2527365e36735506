"""One command's session: its site root held, its result printed once, its errors as messages with exit codes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from generator.errors import ArchiveError, BitdepthError, CredentialError, ExitCode
from generator.records.finding import VerificationReport
from generator.site.text import visible_plain
from generator.terminal.ascii_json import ascii_json
from generator.terminal.environment import is_set
from generator.terminal.events import current_log
from generator.workflows.world import Root


@contextmanager
def messages(json: bool) -> Iterator[None]:  # noqa: FBT001 - an option's value
    """Turn an error that somebody can act on into its message and its exit code."""
    try:
        yield
    except BitdepthError as error:
        if json:
            told = {"error": visible_plain(str(error)), "exit_code": int(error.exit_code)}
            sys.stdout.write(ascii_json(told) + "\n")
        say_error(error)
        raise typer.Exit(error.exit_code) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        say_error(_InterruptedError("interrupted: run the same command again to carry on"))
        raise typer.Exit(ExitCode.PARTIAL) from None


def site_at(root: Path) -> Root:
    """Return a site root; a folder that is none is refused before anything is written to it."""
    site = Root(root, is_set)
    site.content.settings()
    return site


@contextmanager
def locked(root: Path) -> Iterator[Root]:
    """Hold a site root for a command that writes."""
    site = site_at(root)
    with site.store.lock():
        yield site


@contextmanager
def quiet(root: Path) -> Iterator[Root]:
    """Hold a site root while it is read, so that nothing is at work in it.

    A folder that cannot be written to is quiet, and a bucket that may only be read is read as it is.
    """
    site = site_at(root)
    with ExitStack() as stack:
        if site.store.is_begun:
            with suppress(ArchiveError, CredentialError):
                stack.enter_context(site.store.lock())
        yield site


def print_result(json: bool, value: object, show: Callable[[Console], None]) -> None:  # noqa: FBT001 - an option's value
    """Print a result on standard output: as JSON, or for a reader."""
    if json:
        sys.stdout.write(ascii_json(value) + "\n")
        sys.stdout.flush()
    else:
        show(Console())


def say_site(console: Console, site: Root) -> None:
    """Print where the site lies."""
    console.print(Text(f"site: {visible_plain(str(site.site))}/index.html"), soft_wrap=True)


def end(failure: BitdepthError | None, code: ExitCode) -> None:
    """Say what failed, and end with an exit code of its own."""
    if failure is not None:
        say_error(failure)
    if code != ExitCode.DONE:
        raise typer.Exit(code)


def sound(report: VerificationReport) -> ExitCode:
    """Return how a verification ends: mismatches, or something that could not be checked, or done."""
    if report.findings:
        return ExitCode.INTEGRITY
    return ExitCode.DONE if report.complete else ExitCode.FAILED


def say_error(error: BitdepthError) -> None:
    """Tell one error on standard error: as a message, or as an event of the log that there is."""
    log = current_log()
    if log is None:
        Console(stderr=True).print(Text(f"error: {visible_plain(str(error))}"), soft_wrap=True)
    else:
        code = int(error.exit_code)
        log.tell("error", level="error", message=error.problem, where=error.where, do=error.do, exit_code=code)


class _InterruptedError(BitdepthError):
    """Ctrl-C, or what ends a service."""

    exit_code = ExitCode.PARTIAL
