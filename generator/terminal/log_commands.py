"""The commands of the transparency log: append, sign and prove; and keygen, which makes the key that signs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from generator.errors import UsageError
from generator.log.note import SigningKey
from generator.records.figures import counted
from generator.site.text import visible_plain
from generator.terminal.options import JsonOption, RootOption
from generator.terminal.progress import TerminalProgress
from generator.terminal.session import locked, messages, print_result, site_at
from generator.workflows.appending import append as append_leaves
from generator.workflows.logged import log_origin
from generator.workflows.proving import prove as lay_down_proofs
from generator.workflows.signing import sign as sign_tree

SIGNING_KEY = "BITDEPTH_SIGNING_KEY"
"""The environment variable that holds the private key."""

_PRIVATE = 0o600


def add_log_commands(app: typer.Typer) -> None:
    """Add the commands to the program."""
    log = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The transparency log: append, sign, prove.")
    app.add_typer(log, name="log")

    @log.command()
    def append(root: RootOption = Path(), *, json: JsonOption = False) -> None:
        """Append what is new in the archive. No key is needed; one in the environment is appended, and signs nothing.

        The key of BITDEPTH_SIGNING_KEY, where it is set, becomes a leaf of the log, as it must be before it signs.
        """
        with messages(json), locked(root) as site:
            key = signing_key()
            done = append_leaves(site, progress=_progress(json), key=None if key is None else key.verifier)
            signed = f"{done.signed:,} of them signed" if done.signed else "unsigned"
            told = f"{counted(done.leaves, 'leaf is', 'leaves are')} new; the log has {done.size:,}, {signed}"
            print_result(json, done, lambda console: console.print(told))

    @log.command()
    def sign(root: RootOption = Path(), *, json: JsonOption = False) -> None:
        """Sign the newest tree with the key of BITDEPTH_SIGNING_KEY, once its new leaves are found true again.

        Exits 6 and signs nothing where a leaf, a tile or an earlier checkpoint is not as the archive says.
        """
        with messages(json), locked(root) as site:
            key = signing_key()
            if key is None:
                raise UsageError(
                    "expected a signing key in the environment, found none",
                    where=f"variable {SIGNING_KEY}",
                    do="Set it to what 'bitdepth keygen' printed",
                )
            done = sign_tree(site, key, progress=_progress(json))
            print_result(
                json,
                done,
                lambda console: console.print(
                    f"signed: {done.size:,} leaves, {done.leaves:,} of them for the first time"
                ),
            )

    @log.command()
    def prove(root: RootOption = Path(), *, json: JsonOption = False) -> None:
        """Keep the proof of each grade that a signed checkpoint covers. No key is needed."""
        with messages(json), locked(root) as site:
            done = lay_down_proofs(site, progress=_progress(json))
            print_result(
                json,
                done,
                lambda console: console.print(f"{done.proofs:,} proofs of {done.windows:,} windows are new"),
            )

    @app.command()
    def keygen(
        root: RootOption = Path(),
        out: Annotated[
            Path | None,
            typer.Option("--out", metavar="FILE", help="A new file for the private key, readable by you alone."),
        ] = None,
        *,
        json: JsonOption = False,
    ) -> None:
        """Make a key that signs this site's log, and print its private half once: nothing keeps it.

        The public half becomes a leaf of the log when 'bitdepth log append' finds the key in BITDEPTH_SIGNING_KEY.
        """
        with messages(json):
            key = SigningKey.generate(log_origin(site_at(root)))
            if out is not None:
                _write_private(out, key)
            told = {"vkey": key.vkey, "key_id": key.verifier.key_id}
            print_result(json, told if out else {**told, "key": key.text}, lambda _: _print_key(key, out))


def signing_key() -> SigningKey | None:
    """Return the key in the environment; None where there is none.

    Raises:
        UsageError: where it is no signing key; nothing of it is quoted.
    """
    text = os.environ.get(SIGNING_KEY, "").strip()
    # No key holds anything else; and what cannot be encoded must not be tried.
    return SigningKey.parse(text if text.isascii() else "", where=f"variable {SIGNING_KEY}") if text else None


def _print_key(key: SigningKey, out: Path | None) -> None:
    """Print the private key on standard output, alone, and what to do with it on standard error."""
    if out is None:
        typer.echo(key.text)
    do = f"Keep the private key secret and set {SIGNING_KEY} to it where the log is signed. Its public half: {key.vkey}"
    Console(stderr=True).print(Text(do), soft_wrap=True)


def _write_private(path: Path, key: SigningKey) -> None:
    """Write a new file that its owner alone can read.

    Raises:
        UsageError: where it is there already or cannot be made.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        with os.fdopen(handle, "w") as file:
            file.write(f"{key.text}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UsageError(
            f"expected a new file for the private key, found: {error.strerror}",
            where=f"--out {visible_plain(str(path))}",
            do="Name a file that is not there yet, in a folder that you can write to",
        ) from None


def _progress(json: bool) -> TerminalProgress:  # noqa: FBT001 - an option's value
    return TerminalProgress(Console(stderr=True), quiet=json)
