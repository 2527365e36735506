"""A function run in a new process, which has loaded nothing but what it needs."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Found = TypeVar("_Found")


def in_a_process(
    work: Callable[_Arguments, _Found], *arguments: _Arguments.args, **options: _Arguments.kwargs
) -> _Found:
    """Return what a function returns, called in a process of its own."""
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=_send, args=(its, work, arguments, options))
    process.start()
    its.close()
    try:
        found: _Found = mine.recv()
    finally:
        process.join()
    return found


def _send(
    pipe: Connection, work: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object]
) -> None:
    pipe.send(work(*arguments, **options))
