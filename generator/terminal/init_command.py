"""The command that makes a new site root: init."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from generator.errors import UsageError
from generator.records.figures import counted
from generator.records.refusal import refusal
from generator.settings import PATTERN_WORDS, Address, Slug
from generator.site.text import visible_plain
from generator.starter.same_files import REQUIREMENTS
from generator.starter.settings_text import (
    EXAMPLE_ADDRESS,
    EXAMPLE_TITLE,
    Choices,
    RouterKind,
    key_variable,
)
from generator.terminal.options import JsonOption
from generator.terminal.session import messages, print_result
from generator.workflows.initialising import Initialised, initialise

_IGNORED = "site/, demo/, .cache/, .venv/, archive/.lock, archive/journal/, .env, *.key and /signing*"
_DO = "'bitdepth init --help' says what it may be"
_NO_SOURCE = "name a source of bitdepth in it, as it says, before 'make install' and the first push"


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the options say, as settings want it."""

    site: Address
    title: Annotated[str, msgspec.Meta(min_length=1)]
    router: RouterKind
    model: tuple[Slug, ...]
    server: tuple[str, ...]


def add_init_command(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command()
    def init(  # noqa: PLR0913, PLR0917 - a place, and what is chosen for it
        directory: Annotated[
            Path, typer.Argument(metavar="DIR", help="A new or an empty folder, or a repository that was just made.")
        ],
        site: Annotated[
            str, typer.Option("--site", metavar="ADDRESS", help="Where the site will stand.")
        ] = EXAMPLE_ADDRESS,
        title: Annotated[
            str, typer.Option("--title", metavar="TEXT", help="What it is called, and who publishes it.")
        ] = EXAMPLE_TITLE,
        router: Annotated[
            str, typer.Option("--router", metavar="KIND", help="Who is asked: openrouter, huggingface or direct.")
        ] = "openrouter",
        model: Annotated[
            list[str] | None,
            typer.Option("--model", metavar="MODEL", help="A model to watch, author/name; may be given several times."),
        ] = None,
        server: Annotated[
            list[str] | None,
            typer.Option(
                "--server",
                metavar="ADDRESS",
                help="A server of a direct router, such as http://127.0.0.1:8000/v1; may be given several times.",
            ),
        ] = None,
        *,
        json: JsonOption = False,
    ) -> None:
        """Make a new site root: settings, method, workflows, Makefile, netlify.toml and an empty archive.

        Nothing that is there is overwritten: a folder that holds anything but .git, .gitattributes, .gitignore, README,
        LICENSE, NOTICE and COPYING is refused. What no option says stands as an example in content/site.toml.
        """
        with messages(json):
            address = site if site.endswith("/") else f"{site}/"
            choices = _choices(site=address, title=title, router=router, model=model or [], server=server or [])
            done = initialise(directory, choices)
            print_result(json, done, lambda console: print_initialised(console, done, choices))


def print_initialised(console: Console, done: Initialised, choices: Choices) -> None:
    """Print what was made, what was left as it was, and what to do next."""
    root = visible_plain(done.root)
    lines = [f"{root} is a site root: {counted(len(done.written), 'file is', 'files are')} new"]
    if done.left:
        lines.append(f"left as they were: {', '.join(done.left)}")
    if ".gitignore" in done.left:
        lines.append(f"let .gitignore name {_IGNORED}")
    key = key_variable(choices.router)
    lines += [
        "",
        "next:" if done.root == "." else f"cd {visible_plain(shlex.quote(_operand(done.root)))}, and then:",
        "  bitdepth demo       a whole site from real recorded answers, without a key",
        "  content/site.toml   set title, address, contact and what is watched, before the first night",
        *([f"  {key:<18}  set this variable to the router's key"] if key else []),
        *([] if done.sourced else [f"  {REQUIREMENTS}    {_NO_SOURCE}"]),
        "  bitdepth doctor     says what is missing; bitdepth plan what a night asks and costs at most",
        "  bitdepth nightly    the first night; README.md says how it runs by itself",
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _operand(path: str) -> str:
    """Return a path as one that no command takes for an option."""
    return f"./{path}" if path.startswith("-") else path


def _choices(**typed: object) -> Choices:
    """Return what the options say, by their names.

    Raises:
        UsageError: where one of them is no setting, or servers are named for a router that asks none.
    """
    try:
        options = msgspec.convert(typed, _Options)
    except msgspec.ValidationError as error:
        problem, field = refusal(error, typed, _Options, words=PATTERN_WORDS)
        raise UsageError(problem, where=f"--{field.partition('[')[0]}", do=_DO) from None
    if options.server and options.router != "direct":
        problem = f"expected no --server, which a direct router alone asks, found {len(options.server)}"
        raise UsageError(problem, where=f"--router {options.router}", do="Give --router direct with it")
    return Choices(
        address=options.site,
        title=options.title,
        router=options.router,
        models=options.model,
        servers=options.server,
    )
