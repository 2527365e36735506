"""The command that puts the laid-out site where a host serves it from: publish."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from generator.publishing.targets import open_target
from generator.records.figures import counted
from generator.site.text import visible_plain
from generator.stores.owner import owner_of
from generator.terminal.options import BaseUrlOption, JsonOption, RootOption, parsed_address
from generator.terminal.progress import TerminalProgress
from generator.terminal.session import locked, messages, print_result, quiet
from generator.workflows.publishing import Publication, publish, refuse_own_folder, refuse_unsound

TargetArgument = Annotated[
    str, typer.Argument(help="file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print what would be put, in order, and put nothing.")]


def add_publish_command(
    app: typer.Typer,
    *,
    is_set: Callable[[str], bool],
    entropy: Callable[[int], bytes],
    run: Callable[[Coroutine[Any, Any, Publication]], Publication],
) -> None:
    """Add the command to the program.

    Args:
        app: the program.
        is_set: whether an environment variable holds anything.
        entropy: so many bytes from the operating system.
        run: runs a workflow to its end.
    """

    @app.command(name="publish")
    def command(
        target: TargetArgument,
        root: RootOption = Path(),
        base_url: BaseUrlOption = None,
        *,
        dry_run: DryRunOption = False,
        json: JsonOption = False,
    ) -> None:
        """Put the laid-out site into a folder or an object store, permanent objects write-once.

        Archive and site are verified first. No reader meets a link to what is not there yet, and a run that was cut off
        is carried on by the same command. Credentials come from the environment: those of AWS, Google or Azure.
        """
        progress = TerminalProgress(Console(stderr=True), quiet=json)
        with messages(json), (quiet if dry_run else locked)(root) as site:
            refuse_own_folder(site, target)
            opened = open_target(target, is_set)
            refuse_unsound(site, progress=progress, base_url=parsed_address(base_url))
            owner = "" if dry_run else owner_of(site.path, entropy)
            done = run(publish(site, opened, progress=progress, owner=owner, dry_run=dry_run))
            print_result(json, done, lambda console: print_publication(console, done))


def print_publication(console: Console, done: Publication) -> None:
    """Print what a publication did; of a dry run, each step that it would take."""
    for step in done.steps:
        size = "" if step.bytes is None else f"  {step.bytes:,} bytes, {step.content_type}, {step.cache_control}"
        console.print(Text(f"{step.action:6} {visible_plain(step.path)}{size}"), soft_wrap=True)
    if done.foreign:
        more = f" and {done.foreign - len(done.foreign_paths):,} more" if done.foreign > len(done.foreign_paths) else ""
        named = visible_plain(", ".join(done.foreign_paths))
        line = f"not of this site, and left as they are: {counted(done.foreign, 'object')}: {named}{more}"
        console.print(Text(line), soft_wrap=True)
    would = "would be " if done.dry_run else ""
    console.print(
        Text(
            f"{visible_plain(done.target)}: {done.created:,} permanent objects {would}created, {done.replaced:,} views "
            f"{would}put, {done.removed:,} {would}removed; {done.bytes:,} bytes; {done.kept:,} were there already"
        ),
        soft_wrap=True,
    )
