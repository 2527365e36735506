"""A folder of this machine as a target: each file whole or not there, on the disk before the next step begins.

A file is written beside, in `.bitdepth/half/`, written through, and then linked to its name, which the file system
refuses where one is (a permanent file), or renamed to it (a view). What a killed publisher left beside is taken away by
the next.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import filelock

from generator.errors import TargetError
from generator.publishing.interface import OWN, SiteFile, There
from generator.stores.durable import make_folder, sync_folder
from generator.stores.lease import at_work

_LOCK = f"{OWN}lock"
_HALF = f"{OWN}half"
_AT_ONCE = 1000
_LOOK_S = 0.05


class LocalFolder:
    """A folder that is published to; it is made where only the folder above it is there."""

    def __init__(self, folder: Path) -> None:
        """Use a folder; nothing is opened yet."""
        self.name = folder.as_uri()
        self._folder = folder
        self._numbers = count()

    async def listed(self) -> AsyncIterator[list[tuple[str, There]]]:
        """Yield path and marks of every file; the ETag is its MD5, read from the file itself."""
        with self._saying():
            chunk = []
            for path in await asyncio.to_thread(self._paths):
                data = await asyncio.to_thread((self._folder / path).read_bytes)
                chunk.append((path, There(size=len(data), e_tag=hashlib.md5(data, usedforsecurity=False).hexdigest())))
                if len(chunk) == _AT_ONCE:
                    yield chunk
                    chunk = []
        yield chunk

    async def read(self, path: str) -> bytes | None:
        """Return a file's bytes; None where there is none."""
        with self._saying():
            try:
                return await asyncio.to_thread((self._folder / path).read_bytes)
            except FileNotFoundError:
                return None

    async def create(self, file: SiteFile, data: bytes) -> bool:
        """Put a file where none is; return False where one is."""
        with self._saying():
            try:
                await asyncio.to_thread(self._put, file.path, data, os.link)
            except FileExistsError:
                return False
            return True

    async def replace(self, file: SiteFile, data: bytes) -> None:
        """Put a file in the place of whatever there is."""
        with self._saying():
            await asyncio.to_thread(self._put, file.path, data, os.replace)

    async def remove(self, path: str) -> None:
        """Take a file away, and the folders that it leaves empty."""
        with self._saying():
            await asyncio.to_thread(self._remove, path)

    @asynccontextmanager
    async def held(self, owner: str) -> AsyncIterator[Callable[[], None]]:  # noqa: ARG002 - a lock ends with its process
        """Hold the folder by a lock that ends with its process, however that ends."""
        with self._saying():
            self._check()
            (self._folder / OWN).mkdir(parents=True, exist_ok=True)
            lock = filelock.FileLock(self._folder / _LOCK)
            try:
                lock.acquire(timeout=_LOOK_S, poll_interval=_LOOK_S / 5)
            except filelock.Timeout:
                raise at_work(self.name) from None
        try:
            with self._saying():
                shutil.rmtree(self._folder / _HALF, ignore_errors=True)
                (self._folder / _HALF).mkdir()
            yield _nothing
        finally:
            shutil.rmtree(self._folder / _HALF, ignore_errors=True)
            lock.release()

    def _check(self) -> None:
        if not self._folder.is_dir() and not self._folder.parent.is_dir():
            raise TargetError(
                "expected a folder, or one above it, found none",
                where=self.name,
                do="Make the folder above it, or name another; the last part is made by itself",
            )

    def _paths(self) -> list[str]:
        """Return the path of every file of the folder, sorted; lock and half-written files are none of it."""
        self._check()
        paths = (each.relative_to(self._folder).as_posix() for each in self._folder.rglob("*") if each.is_file())
        return sorted(path for path in paths if path != _LOCK and not path.startswith(f"{_HALF}/"))

    def _put(self, path: str, data: bytes, place: Callable[[Path, Path], None]) -> None:
        half, target = self._folder / _HALF / str(next(self._numbers)), self._folder / path
        make_folder(target.parent)
        with half.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            place(half, target)
        finally:
            half.unlink(missing_ok=True)
        sync_folder(target.parent)

    def _remove(self, path: str) -> None:
        target = self._folder / path
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == self._folder:
                break
            try:
                folder.rmdir()
            except OSError:  # Not empty, or gone: others are removed side by side.
                break
        if target.parent.is_dir():
            sync_folder(target.parent)

    @contextmanager
    def _saying(self) -> Iterator[None]:
        """Say in one message what the file system refuses."""
        try:
            yield
        except OSError as error:
            raise TargetError(
                f"cannot publish: {error.strerror or error}",
                where=str(error.filename or self.name),
                do="Check the folder, its rights and the free space, and run again: what is there already stays",
            ) from None


def _nothing() -> None:
    """Be certain of a lock that cannot be lost."""
