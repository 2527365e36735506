"""The command line: options, clock, progress and exit codes. It builds the two ends and calls one workflow."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from generator.errors import ExitCode
from generator.terminal.actions_commands import add_actions_commands
from generator.terminal.cluster_options import SchedulerOption, WorkersOption, spreading
from generator.terminal.completing import method_versions, window_ends
from generator.terminal.corrections import add_correction_commands
from generator.terminal.doctor import add_doctor_command
from generator.terminal.environment import is_set
from generator.terminal.examples import end_help, program_end
from generator.terminal.init_command import add_init_command
from generator.terminal.log_commands import add_log_commands, signing_key
from generator.terminal.method_commands import add_method_commands
from generator.terminal.options import BaseUrlOption, JsonOption, RootOption, parsed_address, parsed_date
from generator.terminal.plan_command import (
    AllowUnpricedOption,
    DryRunOption,
    MaxUsdOption,
    NightOption,
    Planner,
    add_plan_command,
    chosen_budget,
)
from generator.terminal.program import LOG_JSON, program
from generator.terminal.progress import TerminalProgress
from generator.terminal.publish_command import add_publish_command
from generator.terminal.routers import demo_at, router_of
from generator.terminal.serving import add_serve_command
from generator.terminal.session import end, locked, messages, print_result, say_site, sound
from generator.terminal.tables import print_grades, print_report
from generator.terminal.verify_command import add_verify_command
from generator.terminal.version import version_text
from generator.workflows import demo as demonstration
from generator.workflows import grading, probing, rendering, showing, verifying
from generator.workflows import nightly as night_run
from generator.workflows.near import require_method
from generator.workflows.world import World

app = typer.Typer(
    name="bitdepth",
    cls=program(lambda: _now()),  # noqa: PLW0108 - it stands below
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Honest, permanent, checkable grades for LLM inference endpoints.",
    epilog=program_end(),
)

_T = TypeVar("_T")


@app.callback(invoke_without_command=True)
def root_options(
    ctx: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and the method versions that it knows, and end.", is_eager=True
        ),
    ] = False,
    log_json: Annotated[  # noqa: ARG001 - the program has read it by now
        bool,
        typer.Option(LOG_JSON, help="Print progress, facts and errors on standard error as one JSON object a line."),
    ] = False,
) -> None:
    """Honest, permanent, checkable grades for LLM inference endpoints."""
    if version:
        typer.echo(version_text(Path()))
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        ctx.fail("Missing command.")


@app.command()
def nightly(  # noqa: PLR0913 - a night, and what it may cost
    root: RootOption = Path(),
    night: NightOption = None,
    max_usd: MaxUsdOption = None,
    base_url: BaseUrlOption = None,
    *,
    verify_all: Annotated[
        bool,
        typer.Option(
            "--verify-all",
            help="Verify everything at the end, and not what the night added with a sample of what is older.",
        ),
    ] = False,
    allow_unpriced: AllowUnpricedOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Probe tonight, grade, log, render and verify: the main job.

    Run it again after a stop: it carries on where it was. Where BITDEPTH_SIGNING_KEY is set, the log is signed.
    """
    progress = _progress(json)
    if dry_run:
        _planner.show(root, night, max_usd, allow_unpriced=allow_unpriced, json=json)
        raise typer.Exit
    with messages(json), locked(root) as site:
        budget = chosen_budget(site, max_usd, allow_unpriced=allow_unpriced)
        address, chosen, key = parsed_address(base_url), parsed_date(night), signing_key()
        done = _run(
            night_run.nightly(
                site,
                _world(),
                router_of,
                progress=progress,
                night=chosen,
                budget=budget,
                base_url=address,
                key=key,
                verify_all=verify_all,
            )
        )
        record = done.probed.record if done.probed else None
        failure = done.failure or (done.probed.void if done.probed else None)
        code = sound(done.report)
        if failure and code != ExitCode.INTEGRITY:
            code = failure.exit_code
        print_result(
            json,
            {"night": record, "graded": done.graded, "log": done.log, "verification": done.report,
             "error": str(failure) if failure else None, "exit_code": int(code)},
            lambda console: print_report(console, done.report),
        )  # fmt: skip
        end(failure, code)


@app.command()
def probe(  # noqa: PLR0913 - a night, and what it may cost
    root: RootOption = Path(),
    night: NightOption = None,
    max_usd: MaxUsdOption = None,
    *,
    allow_unpriced: AllowUnpricedOption = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Probe tonight and seal it: ask every endpoint every prompt, once."""
    progress = _progress(json)
    if dry_run:
        _planner.show(root, night, max_usd, allow_unpriced=allow_unpriced, json=json)
        raise typer.Exit
    with messages(json), locked(root) as site:
        budget = chosen_budget(site, max_usd, allow_unpriced=allow_unpriced)
        night_run.begin_archive(site)
        done = _run(
            probing.probe(site, _world(), router_of, progress=progress, night=parsed_date(night), budget=budget)
        )
        failure = done.void
        code = failure.exit_code if failure else ExitCode.DONE
        print_result(
            json,
            {"night": done.record, "error": str(failure) if failure else None, "exit_code": int(code)},
            lambda _: None,
        )
        end(failure, code)


@app.command()
def grade(  # noqa: PLR0913 - which windows, and by whom
    root: RootOption = Path(),
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="VERSION",
            help="One method version, instead of those in site.toml.",
            autocompletion=method_versions,
        ),
    ] = None,
    window_end: Annotated[
        str | None,
        typer.Option(
            "--window-end",
            metavar="DATE",
            help="The last night of one window, instead of all.",
            autocompletion=window_ends,
        ),
    ] = None,
    scheduler: SchedulerOption = None,
    workers: WorkersOption = None,
    *,
    json: JsonOption = False,
) -> None:
    """Grade every window that can now be graded, and keep the permanent pages."""
    progress = _progress(json)
    with messages(json), locked(root) as site:
        end_night = parsed_date(window_end)
        require_method(site, method, "--method")
        with spreading(site, scheduler, workers, progress) as spread:
            done = grading.grade(
                site, today=_now().date(), progress=progress, only=method, window_end=end_night, spread=spread
            )
        print_result(
            json, done, lambda console: console.print(f"{done.windows} windows and {done.grades} grades are new")
        )


@app.command()
def render(root: RootOption = Path(), base_url: BaseUrlOption = None, *, json: JsonOption = False) -> None:
    """Lay out the site: permanent pages from their kept bytes, views from the archive."""
    progress = _progress(json)
    with messages(json), locked(root) as site:
        done = rendering.render(site, progress=progress, base_url=parsed_address(base_url))
        print_result(json, done, lambda console: say_site(console, site))


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.", show_default="demo/")] = Path(
        "demo"
    ),
    first_night: Annotated[
        str, typer.Option("--first-night", metavar="DATE", help="The date that the first of the nights bears.")
    ] = demonstration.FIRST_NIGHT.isoformat(),
    *,
    json: JsonOption = False,
) -> None:
    """Run fourteen nights on the embedded router, which plays back real recorded answers, and lay out their site."""
    progress = _progress(json)
    with messages(json):
        first, key = parsed_date(first_night), signing_key()
        site = demonstration.make_root(out)
        with site.store.lock():
            _run(demonstration.demo_nights(site, _world(), demo_at, first_night=first, progress=progress, key=key))
            rendering.render(site, progress=progress)
            report = verifying.verify(site, progress=progress)
        shown = [showing.show(site, model, None) for model in showing.watched(site)]

        def tables(console: Console) -> None:
            for each in shown:
                print_grades(console, each)
            print_report(console, report)
            say_site(console, site)

        print_result(json, {"grades": [each.grades for each in shown], "verification": report}, tables)
        end(None, sound(report))


add_method_commands(app, today=lambda: _now().date(), entropy=os.urandom)


def main() -> None:
    """Run the command line."""
    app()


def _progress(json: bool) -> TerminalProgress:  # noqa: FBT001 - an option's value
    return TerminalProgress(Console(stderr=True), quiet=json)


def _now() -> datetime:
    return datetime.now(UTC)


def _world() -> World:
    return World(now=_now, monotonic=time.monotonic, sleep=asyncio.sleep, entropy=os.urandom)


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a workflow to its end; what ends a service or closes a terminal interrupts it as Ctrl-C does."""

    async def interruptible() -> _T:
        task = asyncio.current_task()
        for name in ("SIGTERM", "SIGHUP"):
            # Windows has no such handlers.
            with suppress(NotImplementedError, AttributeError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), task.cancel if task else print)
        return await work

    return asyncio.run(interruptible())


_planner = Planner(world=_world, router_of=router_of, run=_run)
add_plan_command(app, _planner)
add_doctor_command(app, world=_world, router_of=router_of, is_set=is_set, run=_run)
add_correction_commands(app, now=_now)
add_serve_command(app)
add_init_command(app)
add_verify_command(app, progress=_progress, entropy=os.urandom)
add_log_commands(app)
add_publish_command(app, is_set=is_set, entropy=os.urandom, run=_run)
add_actions_commands(app, now=_now)
end_help(app)  # Of every command that was added before.
