"""The command that holds an archive, a published site or one grade against what was recorded: verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from generator.errors import IntegrityError, UsageError
from generator.log.checkpoint import parse_checkpoint
from generator.log.keys import PRIVATE, VerifierKey
from generator.log.note import read_note
from generator.records.finding import VerificationReport
from generator.terminal.cluster_options import SchedulerOption, WorkersOption, spreading
from generator.terminal.options import BaseUrlOption, JsonOption, RootOption, parsed_address
from generator.terminal.progress import TerminalProgress
from generator.terminal.session import end, messages, print_result, quiet, sound
from generator.terminal.tables import print_report
from generator.workflows import verifying
from generator.workflows.fetching import WebSite
from generator.workflows.kept_log import Trust
from generator.workflows.published import SavedSite
from generator.workflows.site_address import is_address
from generator.workflows.verifying_grade import grade_place, verify_grade, verify_saved_grade
from generator.workflows.verifying_site import CHECKPOINT, HEAD, verify_site

_MOST_BYTES = 64 * 1024
"""Of a checkpoint or a key."""

TargetArgument = Annotated[
    str | None,
    typer.Argument(metavar="[DIR|URL]", help="A site root, a saved copy of a published site, or a site's address."),
]
GradeOption = Annotated[
    str | None,
    typer.Option(
        "--grade",
        metavar="URL",
        help="One grade: its permanent page's address, or a folder with index.html, grade.json and grade.tlog-proof.",
    ),
]
CheckpointOption = Annotated[
    list[Path] | None,
    typer.Option("--checkpoint", metavar="FILE", help="A checkpoint seen before: the log must have grown from it."),
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", metavar="VKEY", help="The public key that is believed, or a file that holds it."),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample",
        metavar="N",
        min=1,
        help="Of a published site: N leaves by chance, and all that no --checkpoint given covers.",
    ),
]


def add_verify_command(
    app: typer.Typer, *, progress: Callable[[bool], TerminalProgress], entropy: Callable[[int], bytes]
) -> None:
    """Add the command to the program.

    Args:
        app: the program.
        progress: makes who is told, and whether quietly.
        entropy: draws a sample.
    """

    @app.command()
    def verify(  # noqa: PLR0913, PLR0917 - what is verified, and against what
        target: TargetArgument = None,
        root: RootOption = Path(),
        grade: GradeOption = None,
        checkpoint: CheckpointOption = None,
        key: KeyOption = None,
        sample: SampleOption = None,
        base_url: BaseUrlOption = None,
        scheduler: SchedulerOption = None,
        workers: WorkersOption = None,
        *,
        json: JsonOption = False,
    ) -> None:
        """Hold archive, log and site against what they were and what follows from them. Exits 6 on any mismatch.

        A site root is verified whole: every grade is made again. Of a published site, the log, what it signs, and
        every file that it names are verified; of one grade, page, record and proof.
        """
        with messages(json):
            for place, text in (("DIR|URL", target), ("--grade", grade)):
                _refuse_private(text or "", place)
            trust = Trust(checkpoints=tuple(_read_checkpoint(path) for path in checkpoint or ()), key=_read_key(key))
            if grade is not None and target is not None:
                raise UsageError("expected --grade or DIR|URL, found both", where="--grade", do="Give one of them")
            if sample is not None and (grade is not None or _is_root(target, root)):
                raise UsageError(
                    "expected --sample with a published site, found it without one",
                    where="--sample",
                    do="Give a site's address or a copy of one as DIR|URL",
                )
            if (scheduler or workers) and (grade is not None or not _is_root(target, root)):
                raise UsageError(
                    "expected --scheduler and --workers with a site root, found them without one",
                    where="--scheduler" if scheduler else "--workers",
                    do="Leave the option out",
                )
            if grade is not None:
                report = _verify_grade(grade, trust)
            elif _is_root(target, root):
                told, address = progress(json), parsed_address(base_url)
                with (
                    quiet(Path(target) if target else root) as site,
                    spreading(site, scheduler, workers, told) as spread,
                ):
                    site.store.folder.distrust_copies()
                    report = verifying.verify(site, progress=told, base_url=address, trust=trust, spread=spread)
            else:
                report = _verify_site(str(target), trust, sample, progress(json), entropy)
            print_result(json, report, lambda console: print_report(console, report))
            end(None, sound(report))


def _is_root(target: str | None, root: Path) -> bool:
    """True for what is a folder, and no copy of a published site."""
    if target is None:
        return root is not None
    folder = Path(target)
    saved = any((folder / name).is_file() for name in (CHECKPOINT, HEAD))
    return not is_address(target) and not (saved and not (folder / "content" / "site.toml").is_file())


def _verify_site(
    target: str, trust: Trust, sample: int | None, progress: TerminalProgress, entropy: Callable[[int], bytes]
) -> VerificationReport:
    if not is_address(target):
        return verify_site(SavedSite(Path(target)), trust, progress=progress, sample=sample, entropy=entropy)
    with WebSite(target) as site:
        return verify_site(site, trust, progress=progress, sample=sample, entropy=entropy)


def _verify_grade(grade: str, trust: Trust) -> VerificationReport:
    if not is_address(grade):
        if trust.checkpoints:
            raise UsageError(
                "expected no --checkpoint beside saved files, found one: they hold no tree to compare it with",
                where="--checkpoint",
                do="Give the grade's address, or verify a copy of the whole site",
            )
        return verify_saved_grade(Path(grade), trust)
    address, path = grade_place(grade)
    with WebSite(address) as site:
        return verify_grade(site, path, trust)


def _read_checkpoint(path: Path) -> tuple[str, bytes]:
    """Return a file that holds a signed checkpoint, whoever signed it.

    Raises:
        UsageError: where it holds none.
    """
    data = _read(path, "--checkpoint")
    try:
        parse_checkpoint(read_note(data).text)
    except IntegrityError as error:
        expected, _, found = error.problem.removeprefix("expected ").partition(", found ")
        found = f"a file that has not {expected}: {found}" if data else "an empty file"
        raise UsageError(
            f"expected a signed checkpoint, found {found}",
            where=f"--checkpoint {path}",
            do="Give the file log/checkpoint as a site published it, signature included",
        ) from None
    return str(path), data


def _read_key(text: str | None) -> VerifierKey | None:
    """Return a verifier key from its text, or from a file that holds it."""
    if text is None:
        return None
    _refuse_private(text, "--key")
    written = _read(Path(text), "--key").decode("utf-8", "replace").strip() if "+" not in text else text
    _refuse_private(written, "--key")
    try:
        return VerifierKey.parse(written, where="--key")
    except IntegrityError:  # Its message may quote what was given, and that may be a secret.
        raise UsageError(
            "expected a public key name+id+key, found another text",
            where="--key",
            do="Give it as the site's /log/ prints it",
        ) from None


def _refuse_private(text: str, where: str) -> None:
    """Return where a text is no private key.

    Raises:
        UsageError: where it is one; it is not quoted.
    """
    if PRIVATE in text:
        raise UsageError(
            "expected nothing secret, found a private key",
            where=where,
            do="Give the public key, as the site's /log/ prints it, and make a new private key if this one was seen",
        )


def _read(path: Path, where: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"expected a file, found: {error.strerror}, for {path}", where=where) from None
    if len(data) > _MOST_BYTES:
        raise UsageError(f"expected at most {_MOST_BYTES} bytes, found more in {path}", where=where)
    return data
