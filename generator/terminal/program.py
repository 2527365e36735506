"""The command line as a whole: `--log-json`, wherever it stands, and how a run under it ends."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

import typer
from typer.core import TyperGroup

from generator.errors import ExitCode
from generator.terminal.events import EventLog, logging_to

LOG_JSON = "--log-json"
_NO_MORE_OPTIONS = "--"


def program(now: Callable[[], datetime]) -> type[TyperGroup]:
    """Return the class of the command line.

    Args:
        now: the time, UTC.
    """

    class Program(TyperGroup):
        """All commands; under `--log-json` every message is an event."""

        def main(self, args: Sequence[str] | None = None, *rest: Any, **options: Any) -> Any:  # noqa: ANN401 - typer's
            given = list(sys.argv[1:] if args is None else args)
            options_end = given.index(_NO_MORE_OPTIONS) if _NO_MORE_OPTIONS in given else len(given)
            if LOG_JSON not in given[:options_end]:
                return super().main(args, *rest, **options)
            given.remove(LOG_JSON)
            log = EventLog(sys.stderr, now)
            with logging_to(log):
                main = super().main
                code = _ended(log, lambda: main([LOG_JSON, *given], *rest, **{**options, "standalone_mode": False}))
            log.tell("ended", level="error" if code else "info", exit_code=code)
            sys.exit(code)

    return Program


@runtime_checkable
class _Refused(Protocol):
    """What the parser of a command line raises: a message, and the exit code."""

    exit_code: int

    def format_message(self) -> str:
        """Return the message."""
        ...


def _ended(log: EventLog, run: Callable[[], object]) -> int:
    """Return the exit code that a run ends with, once whatever ended it is told."""
    try:
        code = run()
    except SystemExit as ending:
        code = ending.code
    except typer.Abort:
        log.tell("error", level="error", message="interrupted", exit_code=int(ExitCode.FAILED))
        code = ExitCode.FAILED
    except Exception as error:  # noqa: BLE001 - a reader of events gets an event of a defect too
        code = _refused(log, error) if isinstance(error, _Refused) else _defect(log, error)
    return int(code) if isinstance(code, int) else int(ExitCode.DONE if code is None else ExitCode.FAILED)


def _refused(log: EventLog, error: _Refused) -> int:
    context = getattr(error, "ctx", None)
    log.tell(
        "error",
        level="error",
        message=error.format_message(),
        where=None if context is None else context.command_path,
        do=None if context is None else f"Look at '{context.command_path} --help'",
        exit_code=error.exit_code,
    )
    return error.exit_code


def _defect(log: EventLog, error: Exception) -> int:
    log.tell(
        "defect",
        level="error",
        message=f"{type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
    )
    return ExitCode.FAILED
