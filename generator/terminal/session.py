"""One command's session: its site root held, its result printed once, its errors as messages with exit codes."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from generator.errors import ArchiveError, BitdepthError, ExitCode
from generator.records.finding import VerificationReport
from generator.site.text import visible_plain
from generator.workflows.world import Root

_NOT_ASCII = re.compile(r"[^ -~]")
"""What JSON without line ends holds in its strings alone."""


@contextmanager
def messages(json: bool) -> Iterator[None]:  # noqa: FBT001 - an option's value
    """Turn an error that somebody can act on into its message and its exit code."""
    try:
        yield
    except BitdepthError as error:
        message = visible_plain(str(error))
        if json:
            sys.stdout.write(_ascii({"error": message, "exit_code": int(error.exit_code)}) + "\n")
        say_error(message)
        raise typer.Exit(error.exit_code) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        say_error("interrupted: run the same command again to carry on")
        raise typer.Exit(ExitCode.PARTIAL) from None


def site_at(root: Path) -> Root:
    """Return a site root; a folder that is none is refused before anything is written to it."""
    site = Root(root)
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
    """Hold a site root while it is read, so that nothing is at work in it; what cannot be written to is quiet."""
    site = site_at(root)
    with ExitStack() as stack:
        if site.store.folder.path.is_dir():
            with suppress(ArchiveError):
                stack.enter_context(site.store.lock())
        yield site


def print_result(json: bool, value: object, show: Callable[[Console], None]) -> None:  # noqa: FBT001 - an option's value
    """Print a result on standard output: as JSON, or for a reader."""
    if json:
        sys.stdout.write(_ascii(value) + "\n")
        sys.stdout.flush()
    else:
        show(Console())


def say_site(console: Console, site: Root) -> None:
    """Print where the site lies."""
    console.print(Text(f"site: {visible_plain(str(site.site))}/index.html"), soft_wrap=True)


def end(failure: BitdepthError | None, code: ExitCode) -> None:
    """Say what failed, and end with an exit code of its own."""
    if failure is not None:
        say_error(visible_plain(str(failure)))
    if code != ExitCode.DONE:
        raise typer.Exit(code)


def sound(report: VerificationReport) -> ExitCode:
    """Return how a verification ends: mismatches, or something that could not be checked, or done."""
    if report.findings:
        return ExitCode.INTEGRITY
    return ExitCode.DONE if report.complete else ExitCode.FAILED


def _ascii(value: object) -> str:
    """Return JSON in which whatever is not ASCII stands escaped: no sequence of a stranger's reaches a terminal."""
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return _NOT_ASCII.sub(lambda found: "".join(f"\\u{unit}" for unit in _utf16(found[0])), text)


def _utf16(character: str) -> list[str]:
    return character.encode("utf-16-be").hex(" ", 2).split()


def say_error(message: str) -> None:
    """Print one message on standard error."""
    Console(stderr=True).print(Text(f"error: {message}"), soft_wrap=True)
