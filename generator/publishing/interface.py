"""What publishing is given and asks of a place, on one page.

    open_target(url, is_set)           -> a Target, or why there is none; nothing is sent yet
    plan(files, there, published, ...) -> what has to be put, compared and removed, in which order (pure)
    Sender(target, ...).send(plan)     -> the target holds the site

A target fails with TargetError (no such bucket or folder, no right), CredentialError (no credential, or refused),
UnreachableError (the same command carries on) and LockedError (another publisher is at work).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

OWN = ".bitdepth/"
"""Where a target keeps what is no file of the site; nothing of the site's begins with a dot."""
LEASE = f"{OWN}publishing.json"
"""The object that a bucket is held by."""


class SiteFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the laid-out site."""

    path: str
    """Relative to the site's folder, with '/'."""
    size: int
    """Bytes."""
    sha256: str
    md5: str
    """Hex; what many stores give as the ETag of an object. Held against accidents, never against malice."""
    permanent: bool
    """Write-once: never replaced, never removed."""
    content_type: str
    cache_control: str


class There(msgspec.Struct, frozen=True, kw_only=True):
    """One object of the target, as a listing says."""

    size: int
    """Bytes."""
    e_tag: str | None
    """Without its quotes."""


class Target(Protocol):
    """A place that the site is published to."""

    name: str
    """Its address, without anything secret."""

    def listed(self) -> AsyncIterator[list[tuple[str, There]]]:
        """Yield path and marks of every object below the target, at most a thousand at a time."""
        ...

    async def read(self, path: str) -> bytes | None:
        """Return an object's bytes; None where there is none."""
        ...

    async def create(self, file: SiteFile, data: bytes) -> bool:
        """Put an object where none is; return False, with nothing changed, where one is. The target decides."""
        ...

    async def replace(self, file: SiteFile, data: bytes) -> None:
        """Put an object, whole, in the place of whatever there is."""
        ...

    async def remove(self, path: str) -> None:
        """Take an object away; one that is not there is no error."""
        ...

    def held(self, owner: str) -> AbstractAsyncContextManager[Callable[[], None]]:
        """Hold the target against other publishers; what is given raises LockedError once that is not certain.

        Args:
            owner: names whoever publishes, by what no other at work can have: where the last one with this name was
                killed, its hold ends at once.
        """
        ...
