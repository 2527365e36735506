"""The end of each command's help: examples, each a line that works as it stands, and the exit codes.

`demo` is what `bitdepth demo` makes, `my-site` what `bitdepth init` does.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import typer

from generator.errors import ExitCode

_CODES: Mapping[ExitCode, str] = {
    ExitCode.DONE: "done",
    ExitCode.FAILED: "something could not be checked or done; a wrong setting, a void night",
    ExitCode.USAGE: "the command line asks for what is not there",
    ExitCode.PARTIAL: "not complete: the same command carries on",
    ExitCode.BUDGET: "stopped at the budget cap, or no credit",
    ExitCode.LOCKED: "another run is at work",
    ExitCode.INTEGRITY: "something recorded or published is not what it was",
    ExitCode.TARGET: "no such target or bucket, or it takes nothing",
    ExitCode.CREDENTIAL: "no credential for it, or it is refused",
}
_READS = (ExitCode.DONE, ExitCode.FAILED, ExitCode.USAGE)
_READS_ARCHIVE = (*_READS, ExitCode.INTEGRITY)
_WRITES = (*_READS, ExitCode.LOCKED, ExitCode.INTEGRITY)
_PROBES = (*_READS, ExitCode.PARTIAL, ExitCode.BUDGET, ExitCode.LOCKED, ExitCode.INTEGRITY)


class HelpEnd(msgspec.Struct, frozen=True):
    """What stands at the end of a command's help."""

    examples: Mapping[str, str]
    """By line, what it does."""
    codes: tuple[ExitCode, ...]
    """Those that the command ends with; where an archive lies in an object store, those of the store besides."""


PROGRAM = HelpEnd(
    {
        "bitdepth demo": "Fourteen nights from real recorded answers, graded and laid out in demo/; offline.",
        "bitdepth serve --root demo": "Look at them in a browser.",
        "bitdepth init my-site": "Begin a site of your own.",
        "bitdepth --log-json nightly --root my-site": "A night, with what a machine reads on standard error.",
    },
    tuple(ExitCode),
)
COMMANDS: Mapping[str, HelpEnd] = {
    "nightly": HelpEnd(
        {
            "bitdepth nightly --root my-site --dry-run": "What it would ask, and cost at most.",
            "bitdepth nightly --root my-site --max-usd 2.50": "Tonight, for at most 2.50 USD.",
            "bitdepth nightly --root my-site --night 2026-11-29": "Carry on with a night that was cut off.",
        },
        _PROBES,
    ),
    "probe": HelpEnd(
        {
            "bitdepth probe --root my-site": "Ask and seal tonight, and leave grading for later.",
            "bitdepth probe --root my-site --json": "The same, with the sealed record on standard output.",
        },
        _PROBES,
    ),
    "grade": HelpEnd(
        {
            "bitdepth grade --root demo": "Every window that has no grade yet.",
            "bitdepth grade --root demo --method 0.2 --window-end 2026-11-14": "One window under one version.",
        },
        _WRITES,
    ),
    "render": HelpEnd(
        {
            "bitdepth render --root demo": "Lay out demo/site.",
            "bitdepth render --root demo --base-url http://127.0.0.1:8000/": "For another address.",
        },
        _WRITES,
    ),
    "demo": HelpEnd(
        {
            "bitdepth demo": "In demo/.",
            "bitdepth demo --out /tmp/bitdepth-demo --json": "Elsewhere, with grades and verification as JSON.",
        },
        _WRITES,
    ),
    "init": HelpEnd(
        {
            "bitdepth init my-site": "OpenRouter, and examples to change.",
            "bitdepth init my-site --router direct --server http://127.0.0.1:8080/v1": "A server of your own.",
        },
        _READS,
    ),
    "show": HelpEnd(
        {
            "bitdepth show google/gemma-3-270m --root demo": "Every endpoint of a model.",
            "bitdepth show google/gemma-3-270m oak --root demo --json": "One, as the record that is published.",
        },
        _READS_ARCHIVE,
    ),
    "explain": HelpEnd(
        {
            "bitdepth explain google/gemma-3-270m oak --root demo": "All four columns, in short.",
            "bitdepth explain google/gemma-3-270m oak --column M --root demo": "One, down to the single prompt.",
            "bitdepth explain google/gemma-3-270m oak --window-end 2026-11-10 --root demo": "An earlier window.",
        },
        _READS_ARCHIVE,
    ),
    "calibrate": HelpEnd(
        {
            "bitdepth calibrate --root my-site": "Version 1.0 from the first fourteen nights.",
            "bitdepth calibrate --root my-site --from 0.2 --version 1.1": "Another version, from another one.",
        },
        _WRITES,
    ),
    "simulate": HelpEnd(
        {
            "bitdepth simulate --endpoints 6 --noise 20 --different 100": "With the settings in this folder.",
            "bitdepth simulate --root demo --method 0.2 --windows 100 --json": "Another version, more windows.",
        },
        _READS,
    ),
    "plan": HelpEnd(
        {
            "bitdepth plan --root my-site": "Tonight's requests and what they cost at most.",
            "bitdepth plan --root my-site --max-usd 2.50 --json": "Whether a cap suffices, as JSON.",
        },
        _READS,
    ),
    "doctor": HelpEnd(
        {
            "bitdepth doctor --root my-site": "Before the first night, and after a failed one.",
            "bitdepth doctor --root my-site --json": "For a monitor.",
        },
        _READS,
    ),
    "void": HelpEnd(
        {
            "bitdepth void 2026-11-03 --reason 'our network failed' --root my-site --dry-run": "Which grades used it.",
            "bitdepth void 2026-11-03 --reason 'our network failed' --root my-site": "Declare it.",
        },
        _WRITES,
    ),
    "withhold": HelpEnd(
        {
            "bitdepth withhold 2026-11-03 --model google/gemma-3-270m --endpoint oak --prompt words-7 "
            "--reason 'personal data' --root my-site": "One answer's text, for good.",
        },
        _WRITES,
    ),
    "serve": HelpEnd(
        {
            "bitdepth serve --root demo": "At http://127.0.0.1:8000/.",
            "bitdepth serve --root demo --port 0": "At any port that is free; it is printed.",
        },
        _READS,
    ),
    "verify": HelpEnd(
        {
            "bitdepth verify --root demo": "A site root: every grade is made again.",
            "bitdepth verify https://grades.example/ --sample 500": "A published site, by 500 leaves of its log.",
            "bitdepth verify https://grades.example/ --checkpoint seen.txt": "And that its log has grown.",
            "bitdepth verify --grade https://grades.example/grades/author/name/endpoint/2026-11-14/v1.0/": "One grade.",
        },
        _READS_ARCHIVE,
    ),
    "keygen": HelpEnd(
        {
            "bitdepth keygen --root my-site --out log.key": "Into a file that you alone can read.",
            "bitdepth keygen --root my-site": "On standard output, once.",
        },
        _READS,
    ),
    "publish": HelpEnd(
        {
            "bitdepth publish file:///srv/grades --root my-site --dry-run": "What would be put, in order.",
            "bitdepth publish s3://bucket/prefix --root my-site": "Into an object store.",
        },
        (*_WRITES, ExitCode.PARTIAL, ExitCode.TARGET, ExitCode.CREDENTIAL),
    ),
    "due": HelpEnd(
        {
            "bitdepth due --root my-site": "Whether tonight has anything to do.",
            "bitdepth due --root my-site --night 2026-11-29 --json": "Whether that night has.",
        },
        _READS,
    ),
    "take": HelpEnd(
        {
            "bitdepth take probed other-copy --root my-site": "Nights that another machine probed.",
            "bitdepth take graded other-copy --root my-site": "Grades, pages and the log's tree that it made of them.",
        },
        _WRITES,
    ),
    "witness": HelpEnd(
        {
            "bitdepth witness witness --root my-site": "Of an archive in a bucket: what a repository keeps of it.",
            "bitdepth witness witness --root my-site --json": "The same, with the number of files.",
        },
        _WRITES,
    ),
    "summary": HelpEnd(
        {
            "bitdepth summary --root demo": "The last night.",
            "bitdepth summary 2026-11-03 --root demo --json": "One night, as JSON.",
        },
        _READS_ARCHIVE,
    ),
    "log": HelpEnd({"bitdepth log append --root my-site": "The first of the three."}, _WRITES),
    "log append": HelpEnd({"bitdepth log append --root my-site": "New nights, versions and grades."}, _WRITES),
    "log sign": HelpEnd({"bitdepth log sign --root my-site": "With the key in the environment."}, _WRITES),
    "log prove": HelpEnd({"bitdepth log prove --root my-site": "Once a checkpoint is signed."}, _WRITES),
}
"""By command."""


def end_help(app: typer.Typer, before: str = "") -> None:
    """Let the help of a program and of each of its commands end with its examples and exit codes.

    Args:
        app: the program, with all its commands.
        before: the command that the program is, with a space; empty for the whole.
    """
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "")
        command.epilog = _text(COMMANDS.get(f"{before}{name}"))
    for group in app.registered_groups:
        group.epilog = _text(COMMANDS.get(f"{before}{group.name}"))
        if group.typer_instance is not None:
            end_help(group.typer_instance, f"{before}{group.name} ")


def program_end() -> str:
    """Return what the program's own help ends with."""
    return _text(PROGRAM) or ""


def _text(end: HelpEnd | None) -> str | None:
    """Return text whose lines are not wrapped: a line is copied whole."""
    if end is None:
        return None
    examples = [line for example, does in end.examples.items() for line in (f"  {example}", f"      {does}")]
    codes = [f"  {int(code)}  {_CODES[code]}" for code in sorted(end.codes)]
    return "\n".join(("\b", "Examples:", *examples, "", "\b", "Exit codes:", *codes))
