"""What workflows are handed: a site root, the world outside (clocks, entropy) and somebody to report to.

Only `cli.py` makes these from the real clock, the real environment and the real terminal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec

from generator.archive.store import Store
from generator.content import Content, packaged


class Progress(Protocol):
    """Somebody who is told how far a command has come."""

    def say(self, line: str) -> None:
        """Take one line that states a fact."""
        ...

    def bar(self, label: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """Return what takes 'so many more are done' while a long step runs."""
        ...


class World(msgspec.Struct, frozen=True, kw_only=True):
    """The clocks and the entropy of the machine."""

    now: Callable[[], datetime]
    """UTC, aware."""
    monotonic: Callable[[], float]
    """Seconds, never set back."""
    sleep: Callable[[float], Awaitable[None]]
    entropy: Callable[[int], bytes]
    """So many bytes from the operating system."""


class Root:
    """One site root: its content, its archive, its templates and its site."""

    def __init__(self, path: Path) -> None:
        """Use a folder; nothing is opened yet."""
        self.path = path
        self.content = Content(path)
        self.store = Store(path)
        self.templates = (path / "templates", packaged("templates"))
        self.site = path / "site"
