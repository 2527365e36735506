"""The commands that look at the method: show and explain grades, calibrate a version, simulate a setting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from generator.records.grade import Column
from generator.records.simulation import SimulatedSetting
from generator.terminal import completing
from generator.terminal.calibration import print_calibration, print_simulation
from generator.terminal.explanation import print_explanation
from generator.terminal.options import JsonOption, RootOption, parsed_date
from generator.terminal.progress import TerminalProgress
from generator.terminal.session import locked, messages, print_result, site_at
from generator.terminal.tables import print_grades
from generator.workflows import calibrating, explaining, showing, simulating
from generator.workflows.near import require_method

SEED_BYTES = 32

_Model = Annotated[str, typer.Argument(help="A model, author/name.", autocompletion=completing.models)]
_Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="VERSION",
        help="One method version, instead of the current one.",
        autocompletion=completing.method_versions,
    ),
]


def add_method_commands(app: typer.Typer, *, today: Callable[[], date], entropy: Callable[[int], bytes]) -> None:
    """Add the commands to the program.

    Args:
        app: the program.
        today: the date, UTC.
        entropy: so many bytes from the operating system.
    """

    @app.command()
    def show(
        model: _Model,
        endpoint: Annotated[
            str | None, typer.Argument(help="One of its endpoints.", autocompletion=completing.endpoints)
        ] = None,
        root: RootOption = Path(),
        *,
        json: JsonOption = False,
    ) -> None:
        """Show the latest grades of a model, or of one endpoint."""
        with messages(json):
            shown = showing.show(site_at(root), model, endpoint)
            print_result(json, shown.grades, lambda console: print_grades(console, shown))

    @app.command()
    def explain(  # noqa: PLR0913, PLR0917 - each option narrows what is explained
        model: _Model,
        endpoint: Annotated[str, typer.Argument(help="One of its endpoints.", autocompletion=completing.endpoints)],
        root: RootOption = Path(),
        window_end: Annotated[
            str | None,
            typer.Option(
                "--window-end",
                metavar="DATE",
                help="The last night of a graded window; else the latest.",
                autocompletion=completing.window_ends,
            ),
        ] = None,
        column: Annotated[
            Column | None, typer.Option("--column", help="One column, down to the single prompt.")
        ] = None,
        method: _Method = None,
        *,
        json: JsonOption = False,
    ) -> None:
        """Explain a grade from the archive alone: nights, prompts, floors, and what would have changed the letter."""
        with messages(json):
            columns = tuple(Column) if column is None else (column,)
            found = explaining.explain(site_at(root), model, endpoint, parsed_date(window_end), method)
            print_result(
                json, found.only(frozenset(columns)), lambda console: print_explanation(console, found, columns)
            )

    @app.command()
    def calibrate(
        root: RootOption = Path(),
        from_version: Annotated[
            str | None,
            typer.Option(
                "--from",
                metavar="VERSION",
                help="The version to calibrate; else the current one.",
                autocompletion=completing.method_versions,
            ),
        ] = None,
        version: Annotated[str, typer.Option("--version", help="The version to write.")] = calibrating.FIRST_FINAL,
        *,
        json: JsonOption = False,
    ) -> None:
        """Write a method version calibrated on the first fourteen recorded nights, with its evidence.

        It makes no version current: 'method' in content/site.toml does.
        """
        progress = TerminalProgress(Console(stderr=True), quiet=json)
        with messages(json), locked(root) as site:
            require_method(site, from_version, "--from")
            evidence = calibrating.calibrate(
                site,
                made=today(),
                seed=entropy(SEED_BYTES).hex(),
                progress=progress,
                from_version=from_version,
                version=version,
            )
            print_result(json, evidence, lambda console: print_calibration(console, evidence))

    @app.command()
    def simulate(  # noqa: PLR0913, PLR0917 - a setting is what its options say
        root: RootOption = Path(),
        endpoints: Annotated[int, typer.Option(help="Endpoints of the model.", min=2, max=200)] = 10,
        families: Annotated[int, typer.Option(help="Families of the prompt set.", min=1, max=50)] = 8,
        fixed: Annotated[int, typer.Option(help="Fixed prompts a family.", min=1, max=200)] = 20,
        generated: Annotated[int, typer.Option(help="Prompts drawn a family each night.", min=0, max=200)] = 3,
        noise: Annotated[int, typer.Option(help="Answers of 1,000 that change by chance.", min=0, max=1000)] = 10,
        different: Annotated[
            int, typer.Option(help="Prompts of 1,000 on which one endpoint differs.", min=0, max=1000)
        ] = 50,
        windows: Annotated[int, typer.Option(help="Windows to simulate.", min=1, max=10_000)] = 40,
        seed: Annotated[str, typer.Option(help="What the draws come from.")] = "simulate",
        method: _Method = None,
        *,
        json: JsonOption = False,
    ) -> None:
        """Say what column M would read in a setting that has not been run: size a prompt set before paying for it."""
        progress = TerminalProgress(Console(stderr=True), quiet=json)
        with messages(json):
            site = site_at(root)
            require_method(site, method, "--method")
            version = method or site.content.settings().method
            setting = SimulatedSetting(
                endpoints=endpoints,
                families=families,
                fixed_prompts=fixed,
                generated_prompts=generated,
                noise_per_mille=noise,
                different_per_mille=different,
                windows=windows,
                seed=seed,
            )
            result = simulating.simulate(site.content.method(version), setting, progress=progress)
            print_result(json, result, lambda console: print_simulation(console, result))
