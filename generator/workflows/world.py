"""What workflows are handed: a site root, the world outside (clocks, entropy) and somebody to report to.

Only `cli.py` makes these from the real clock, the real environment and the real terminal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol

import msgspec

from generator.archive.store import Store, believed
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

    def __init__(self, path: Path, is_set: Callable[[str], bool] = believed) -> None:
        """Use a folder; nothing is opened yet.

        Args:
            path: of the folder. It is enough for a process that only reads what its parent holds.
            is_set: whether an environment variable holds anything: the archive may need a credential.
        """
        self.path = path
        self.content = Content(path)
        self.templates = (path / "templates", packaged("templates"))
        self.site = path / "site"
        self._is_set = is_set

    @cached_property
    def store(self) -> Store:
        """The archive, where the settings say that it lies.

        Raises:
            ContentError: where they name no folder or bucket.
            CredentialError: where they name a bucket, and no variable holds a credential.
        """
        return Store(self.path, self.content.archive(), self._is_set)
