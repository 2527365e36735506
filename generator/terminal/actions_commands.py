"""The commands that a nightly workflow is made of beside the stages: due, take, summary and witness."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from generator.errors import UsageError
from generator.records.figures import counted
from generator.terminal.options import JsonOption, RootOption, parsed_date
from generator.terminal.session import locked, messages, print_result, site_at
from generator.workflows.due import Due, Standing
from generator.workflows.due import due as due_for
from generator.workflows.summary import summary as summary_of
from generator.workflows.summary import summary_text
from generator.workflows.taking import Part
from generator.workflows.taking import take as take_over
from generator.workflows.witnessing import witness as bring_up_to_date

_WORDS = {
    Standing.NOT_BEGUN: "not begun",
    Standing.EARLY: "its hour has not come",
    Standing.UNSEALED: "begun and not sealed",
    Standing.NOT_LOGGED: "sealed and not logged",
    Standing.SEALED: "sealed and logged",
    Standing.VOID: "void and logged",
}


def add_actions_commands(app: typer.Typer, *, now: Callable[[], datetime]) -> None:
    """Add the commands to the program.

    Args:
        app: the program.
        now: UTC.
    """

    @app.command()
    def due(
        root: RootOption = Path(),
        night: Annotated[
            str | None,
            typer.Option("--night", metavar="DATE", help="A night by name, whose hour is not waited for."),
        ] = None,
        *,
        github: Annotated[
            bool, typer.Option("--github", help="Print name=value lines, as GitHub Actions reads outputs.")
        ] = False,
        json: JsonOption = False,
    ) -> None:
        """Print whether tonight has anything to do: to ask what it lacks, or to log what is sealed. It asks nothing.

        Exits 0 whatever the answer is.
        """
        with messages(json):
            found = due_for(site_at(root), now(), parsed_date(night))
            if github:
                typer.echo(_outputs(found))
                return
            print_result(json, found, lambda console: console.print(Text(_told(found)), soft_wrap=True))

    @app.command()
    def take(
        part: Annotated[
            str,
            typer.Argument(
                metavar="PART", help="probed: nights and journals; or graded: grades, pages and the log's tree."
            ),
        ],
        source: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that holds archive/ of the other copy.")],
        root: RootOption = Path(),
        *,
        json: JsonOption = False,
    ) -> None:
        """Take over what another copy of this archive has new: additions alone, whatever is here stays as it is.

        Exits 6 and writes nothing where a file of it is here with other bytes, or is none of that part.
        """
        with messages(json), locked(root) as site:
            done = take_over(site, source, _part(part))

            def told(console: Console) -> None:
                console.print(f"{counted(done.added, 'file')} added, {done.same:,} here already", highlight=False)
                for each in done.left_out:
                    console.print(f"night {each} is left out: a later one is kept", highlight=False)

            print_result(json, done, told)

    @app.command()
    def summary(
        night: Annotated[
            str | None, typer.Argument(metavar="NIGHT", help="A date.", show_default="the last night kept")
        ] = None,
        root: RootOption = Path(),
        *,
        json: JsonOption = False,
    ) -> None:
        """Print a night in figures as Markdown: state, outcomes, cost, letters and log; no name and no answer."""
        with messages(json):
            found = summary_of(site_at(root), parsed_date(night))
            print_result(json, found, lambda _: typer.echo(summary_text(found)))

    @app.command()
    def witness(
        out: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of a repository, say.")],
        root: RootOption = Path(),
        *,
        json: JsonOption = False,
    ) -> None:
        """Keep what stands for an archive in a bucket: the log's head and checkpoint, and every file of digests.

        An archive in the root itself needs none, and nothing is written.
        """
        with messages(json), locked(root) as site:
            done = bring_up_to_date(site, out)
            told = (
                "the archive lies in the root, and is its own witness"
                if done is None
                else f"{counted(done.added, 'file')} added to the {done.size - done.added:,} before"
            )
            print_result(json, done, lambda console: console.print(told, highlight=False))


def _part(text: str) -> Part:
    """Return the part that a word names.

    Raises:
        UsageError: where it names none.
    """
    if text not in set(Part):
        raise UsageError(f"expected {' or '.join(Part)}, found another word", where="PART")
    return Part(text)


def _outputs(found: Due) -> str:
    """Return the answer as name=value lines."""
    return "\n".join(
        (
            f"night={found.night}",
            f"standing={found.standing}",
            f"due={str(found.due).lower()}",
            f"probe={str(found.probe).lower()}",
            f"not_logged={found.not_logged}",
        )
    )


def _told(found: Due) -> str:
    """Return the answer in one line."""
    more = f"; {counted(found.not_logged, 'night')} sealed and not logged" if found.not_logged else ""
    return f"night {found.night}: {'due' if found.due else 'nothing to do'}, {_WORDS[found.standing]}{more}"
