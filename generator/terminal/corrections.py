"""The commands that correct what was recorded, and never by an edit: void a night, withhold a text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from generator.site.text import visible_plain
from generator.terminal import completing
from generator.terminal.options import JsonOption, RootOption, parsed_date
from generator.terminal.session import locked, messages, print_result, quiet
from generator.workflows import voiding, withholding

_Night = Annotated[
    str, typer.Argument(metavar="NIGHT", help="The date of a recorded night.", autocompletion=completing.nights)
]
_Reason = Annotated[
    str,
    typer.Option(
        "--reason", metavar="TEXT", help="Why, in one line of words that a stranger understands. It is published."
    ),
]


def add_correction_commands(app: typer.Typer, *, now: Callable[[], datetime]) -> None:
    """Add the commands to the program.

    Args:
        app: the program.
        now: the time, UTC.
    """

    @app.command()
    def void(
        night: _Night,
        reason: _Reason,
        root: RootOption = Path(),
        *,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Write nothing; show which grades used the night.")
        ] = False,
        json: JsonOption = False,
    ) -> None:
        """Declare a recorded night void. Grades that used it stay; windows graded from now on leave it out.

        Nothing takes a declaration back, and nothing is asked before it is made.
        """
        with messages(json), (quiet if dry_run else locked)(root) as site:
            done = voiding.void(site, parsed_date(night), reason=reason, now=now(), dry_run=dry_run)
            print_result(json, done, lambda console: print_voided(console, done))

    @app.command()
    def withhold(  # noqa: PLR0913, PLR0917 - what is taken out of where, and why
        night: _Night,
        model: Annotated[
            str,
            typer.Option("--model", help="A model of that night, author/name.", autocompletion=completing.models),
        ],
        endpoint: Annotated[
            str, typer.Option("--endpoint", help="One of its endpoints.", autocompletion=completing.endpoints)
        ],
        prompt: Annotated[str, typer.Option("--prompt", help="The prompt_id of the prompt that was answered.")],
        reason: _Reason,
        root: RootOption = Path(),
        *,
        answer: Annotated[
            bool, typer.Option("--answer", help="Withhold the normalised answer too; its digest stays in its place.")
        ] = False,
        json: JsonOption = False,
    ) -> None:
        """Take a text that must not be shown (law, personal data) out of a night's observations, for good.

        Every figure stays what it was. Interrupted, the same command completes.
        """
        with messages(json), locked(root) as site:
            key = withholding.ObservationKey(model=model, endpoint=endpoint, prompt_id=prompt)
            done = withholding.withhold(site, parsed_date(night), key, answer=answer, reason=reason, now=now())
            print_result(json, done, lambda console: print_withheld(console, done))


def print_voided(console: Console, done: voiding.Voided) -> None:
    """Print what was declared, and every graded window that holds the night."""
    verb = "would be declared" if done.declared is None else "is declared"
    _say(console, f"{done.night.isoformat()} {verb} void: {done.reason}")
    if not done.graded:
        _say(console, "no grade used it")
    else:
        table = Table(title="Graded with it, and left as issued", title_justify="left")
        for heading in ("window end", "method", "graded as", "grades"):
            table.add_column(heading)
        for each in done.graded:
            table.add_row(each.window_end.isoformat(), each.method_version, each.role, str(each.grades))
        console.print(table)
    if done.declared is not None:
        _say(console, "windows graded from now on leave it out; 'bitdepth render' lets their index pages say so")


def print_withheld(console: Console, done: withholding.Withheld) -> None:
    """Print what was declared, who else gave the same, and what this program cannot take back."""
    declared = done.declared
    for row in declared.rows:
        what = "text" if row.answer_sha256 is None else "text and answer"
        _say(console, f"withheld: {what} of {row.model} {row.endpoint} {row.prompt_id}: {declared.reason}")
    _say(console, f"archive/nights/{declared.night.isoformat()}/{declared.file}: SHA-256 {declared.after_sha256}")
    for same in done.same:
        _say(console, f"the same was given, and is not withheld, by {same.model} {same.endpoint} {same.prompt_id}")
    _say(
        console,
        "copies made before still hold it: the site until 'bitdepth render', a published site until it is published "
        "again, the history of a version control system, earlier versions that a bucket keeps, .cache/archive of other "
        "machines, backups",
    )


def _say(console: Console, line: str) -> None:
    console.print(Text(visible_plain(line)), soft_wrap=True)
