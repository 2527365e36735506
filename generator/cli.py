"""The command line: options, clock, progress and exit codes. It builds the two ends and calls one workflow."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import typer
from rich.console import Console

from generator import __version__
from generator.errors import BitdepthError, ExitCode, PartialNightError, RouterError, UsageError
from generator.probing.demo_client import Demo
from generator.probing.openrouter import OpenRouter
from generator.records.finding import VerificationReport
from generator.records.night import NightState
from generator.settings import Key, Settings
from generator.site.text import visible_plain
from generator.terminal.progress import TerminalProgress
from generator.terminal.tables import print_grades, print_report
from generator.workflows import demo as demonstration
from generator.workflows import grading, probing, rendering, showing, verifying
from generator.workflows import nightly as night_run
from generator.workflows.world import Root, World

app = typer.Typer(
    name="bitdepth",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Honest, permanent, checkable grades for LLM inference endpoints.",
    epilog="Exit codes: 0 done, 1 could not check or do everything, 2 usage, 3 partial night, 4 budget stop, "
    "5 locked, 6 integrity.",
)

_Root = Annotated[
    Path,
    typer.Option("--root", help="The folder that holds content/, templates/ and archive/.", show_default="here"),
]
_Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
_Night = Annotated[
    str | None, typer.Option("--night", metavar="DATE", help="Carry on with an unsealed night instead of today's.")
]
_T = TypeVar("_T")


@app.callback(invoke_without_command=True)
def root_options(
    *, version: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False
) -> None:
    """Honest, permanent, checkable grades for LLM inference endpoints."""
    if version:
        typer.echo(f"bitdepth {__version__}")
        raise typer.Exit


@app.command()
def nightly(root: _Root = Path(), night: _Night = None, *, json: _Json = False) -> None:
    """Probe tonight, grade, render and verify: the main job.

    Run it again after a stop: it carries on where it was.
    """
    site, progress = _at(root), _progress(json)
    with _messages(json), site.store.lock():
        done = _run(night_run.nightly(site, _world(), _router_of, progress=progress, night=_date(night)))
        record = done.probed.record if done.probed else None
        _result(
            json,
            {"night": record, "failure": str(done.failure) if done.failure else None, "graded": done.graded,
             "verification": done.report},
            lambda console: print_report(console, done.report),
        )  # fmt: skip
        _require_sound(done.report)
        if done.failure:
            raise done.failure
        if record:
            _require_recorded(record.state == NightState.VOID, record.reason)


@app.command()
def probe(root: _Root = Path(), night: _Night = None, *, json: _Json = False) -> None:
    """Probe tonight and seal it: ask every endpoint every prompt, once."""
    site, progress = _at(root), _progress(json)
    with _messages(json), site.store.lock():
        night_run.begin_archive(site)
        done = _run(probing.probe(site, _world(), _router_of, progress=progress, night=_date(night)))
        _result(json, done, lambda _: None)
        if done.record:
            _require_recorded(done.record.state == NightState.VOID, done.record.reason)


@app.command()
def grade(
    root: _Root = Path(),
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="VERSION", help="One method version, instead of those in site.toml."),
    ] = None,
    *,
    json: _Json = False,
) -> None:
    """Grade every window that can now be graded, and keep the permanent pages."""
    site, progress = _at(root), _progress(json)
    with _messages(json), site.store.lock():
        done = grading.grade(site, today=_now().date(), progress=progress, only=method)
        _result(json, done, lambda console: console.print(f"{done.windows} windows and {done.grades} grades are new"))


@app.command()
def render(root: _Root = Path(), *, json: _Json = False) -> None:
    """Lay out the site: permanent pages from their kept bytes, views from the archive."""
    site, progress = _at(root), _progress(json)
    with _messages(json), site.store.lock():
        done = rendering.render(site, progress=progress)
        _result(json, done, lambda console: _say_site(console, site))


@app.command()
def verify(root: _Root = Path(), *, json: _Json = False) -> None:
    """Hold archive and site against what they were and what follows from them. Exits 6 on any mismatch."""
    site, progress = _at(root), _progress(json)
    with _messages(json):
        report = verifying.verify(site, progress=progress)
        _result(json, report, lambda console: print_report(console, report))
        _require_sound(report)


@app.command()
def show(
    model: Annotated[str, typer.Argument(help="A model, author/name.")],
    endpoint: Annotated[str | None, typer.Argument(help="One of its endpoints.")] = None,
    root: _Root = Path(),
    *,
    json: _Json = False,
) -> None:
    """Show the latest grades of a model, or of one endpoint."""
    site = _at(root)
    with _messages(json):
        shown = showing.show(site, model, endpoint)
        _result(json, shown.grades, lambda console: print_grades(console, shown))


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.", show_default="demo/")] = Path(
        "demo"
    ),
    first_night: Annotated[
        str, typer.Option("--first-night", metavar="DATE", help="The date that the first of the nights bears.")
    ] = demonstration.FIRST_NIGHT.isoformat(),
    *,
    json: _Json = False,
) -> None:
    """Run fourteen nights on the embedded router, which plays back real recorded answers, and lay out their site."""
    progress = _progress(json)
    with _messages(json):
        first = _date(first_night)
        site = demonstration.make_root(out)
        with site.store.lock():
            _run(demonstration.demo_nights(site, _world(), _demo_at, first_night=first, progress=progress))
            rendering.render(site, progress=progress)
            report = verifying.verify(site, progress=progress)
        shown = [showing.show(site, model, None) for model in showing.watched(site)]

        def tables(console: Console) -> None:
            for each in shown:
                print_grades(console, each)
            print_report(console, report)
            _say_site(console, site)

        _result(json, {"grades": [each.grades for each in shown], "verification": report}, tables)
        _require_sound(report)


def main() -> None:
    """Run the command line."""
    app()


def _at(root: Path) -> Root:
    return Root(root)


def _progress(json: bool) -> TerminalProgress:  # noqa: FBT001 - an option's value
    return TerminalProgress(Console(stderr=True), quiet=json)


def _now() -> datetime:
    return datetime.now(UTC)


def _world() -> World:
    return World(now=_now, monotonic=time.monotonic, sleep=asyncio.sleep, entropy=os.urandom)


def _router_of(settings: Settings, world: World) -> OpenRouter:
    """Return the router that settings name, with the key from the environment."""
    variable = settings.router.key_variable
    value = os.environ.get(variable, "").strip() if variable else ""
    if variable and not value:
        raise RouterError(
            "expected the router's key in the environment, found none",
            where=f"variable {variable}",
            do=f"Set {variable}, or change router.key_variable in content/site.toml",
        )
    kind = Demo if settings.router.kind == "demo" else OpenRouter
    key = Key(value) if value else None
    return kind(settings.router.address, key, settings.probing, world.now, world.monotonic)


def _demo_at(address: str) -> probing.RouterOf:
    """Return what makes the client of a demo router at an address."""
    return lambda settings, world: Demo(address, Key("demo"), settings.probing, world.now, world.monotonic)


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    return asyncio.run(work)


def _date(text: str | None) -> Any:  # noqa: ANN401 - None for None, else a date
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"expected a date, YYYY-MM-DD, found '{visible_plain(text)}'") from None


def _result(json: bool, value: object, show: Callable[[Console], None]) -> None:  # noqa: FBT001 - an option's value
    """Print a result on standard output: as JSON, or for a reader."""
    if json:
        sys.stdout.write(msgspec.json.encode(value, enc_hook=str).decode() + "\n")
        sys.stdout.flush()
    else:
        show(Console())


def _say_site(console: Console, site: Root) -> None:
    console.print(f"site: {visible_plain(str(site.site))}/index.html", highlight=False, soft_wrap=True)


def _require_sound(report: VerificationReport) -> None:
    if report.findings:
        raise typer.Exit(ExitCode.INTEGRITY)


def _require_recorded(void: bool, reason: str | None) -> None:  # noqa: FBT001 - a fact
    if void:
        raise PartialNightError(
            f"the night is void: {reason}", do="Its window is not graded; look at the router and the network"
        )


@contextmanager
def _messages(json: bool) -> Iterator[None]:  # noqa: FBT001 - an option's value
    """Turn an error that somebody can act on into its message and its exit code."""
    try:
        yield
    except BitdepthError as error:
        message = visible_plain(str(error))
        if json:
            sys.stdout.write(msgspec.json.encode({"error": message, "exit_code": int(error.exit_code)}).decode() + "\n")
        Console(stderr=True, markup=False, highlight=False, soft_wrap=True).print(f"error: {message}")
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted: run the same command again to carry on")
        raise typer.Exit(ExitCode.PARTIAL) from None
