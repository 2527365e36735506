"""What became of a run of a workflow, and which commands the runner would have read from what it printed."""

from __future__ import annotations

import re

import msgspec

_LINE = re.compile(r"\r\n|\r|\n")
_COMMANDS = frozenset(
    {
        "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice",
        "remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning",
    }
)  # fmt: skip


class Step(msgspec.Struct, kw_only=True):
    """What became of a step."""

    name: str
    outcome: str
    """'success', 'failure' or 'skipped'."""
    code: int = 0
    out: str = ""
    """What it printed, on both streams."""
    env: dict[str, str] = {}
    """What the workflow gave it."""
    outputs: dict[str, str] = {}


class Job(msgspec.Struct, kw_only=True):
    """What became of a job."""

    result: str
    outputs: dict[str, str] = {}
    steps: list[Step] = []
    summary: str = ""

    def step(self, name: str) -> Step:
        """Return the step of a name."""
        return next(each for each in self.steps if each.name == name)


class Run(msgspec.Struct, kw_only=True):
    """What became of a run."""

    number: int
    jobs: dict[str, Job]

    @property
    def results(self) -> dict[str, str]:
        """Return each job's result."""
        return {name: job.result for name, job in self.jobs.items()}

    @property
    def out(self) -> str:
        """Return all that was printed."""
        return "\n".join(step.out for job in self.jobs.values() for step in job.steps)

    @property
    def commands(self) -> list[str]:
        """Return every command that the runner would have read from what was printed."""
        return [found for line in _LINE.split(self.out) if (found := command_in(line)) is not None]


def command_in(line: str) -> str | None:
    """Return the command that the runner reads from a line, by its two syntaxes; None for a line without one.

    Source: ActionCommand.cs of actions/runner. The first syntax begins a line, the second may stand anywhere.
    """
    modern, end, _ = line.lstrip().removeprefix("::").partition("::")
    if line.lstrip().startswith("::") and end and modern.partition(" ")[0].lower() in _COMMANDS:
        return modern.partition(" ")[0].lower()
    _, begin, rest = line.partition("##[")
    legacy, end, _ = rest.partition("]")
    return legacy.partition(" ")[0].lower() if begin and end and legacy.partition(" ")[0].lower() in _COMMANDS else None
