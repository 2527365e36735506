"""A disk below a folder whose n-th change fails, for one process: what is asked of it is counted.

A change is a write, an fsync, a rename, a removal, a truncation, or the making of a file or folder. The write that
fails takes half of its bytes before. A full disk refuses everything after it too, but for what makes room.
"""

from __future__ import annotations

import builtins
import io
import os
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from types import ModuleType

_MAKES = os.O_CREAT | os.O_TRUNC
_MAKING_ROOM = {"unlink", "remove", "rmdir", "truncate", "ftruncate"}


class Disk:
    """The disk."""

    def __init__(self, root: Path, at: int, errno: int) -> None:
        """Fail.

        Args:
            root: changes to what lies below it are counted.
            at: which change fails, from 1 on; 0 for none.
            errno: as what; a full disk (ENOSPC) stays full.
        """
        self._root = f"{root}/"
        self._at = at
        self._errno = errno
        self.count = 0

    def install(self) -> None:
        """Stand between this process and its disk, for good."""
        for name in ("fsync", "replace", "rename", "unlink", "remove", "rmdir", "mkdir", "truncate", "ftruncate"):
            self._patch(os, name, lambda *_: True)
        self._patch(os, "write", lambda *_: True)
        self._patch(os, "open", lambda _path, flags=0, *_: bool(flags & _MAKES))
        for module in (io, builtins):
            self._patch(module, "open", lambda _path, mode="r", *_: bool(set(mode) & set("wxa+")))

    def _patch(self, module: ModuleType, name: str, is_change: Callable[..., bool]) -> None:
        real = getattr(module, name)

        def changed(*args: object, **named: object) -> object:
            if self._is_below(args[0], named.get("dir_fd")) and is_change(*args) and self._fails(name):
                if name == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])
                raise OSError(self._errno, os.strerror(self._errno))
            return real(*args, **named)

        setattr(module, name, changed)

    def _fails(self, name: str) -> bool:
        self.count += 1
        is_full = self._errno == ENOSPC and 0 < self._at < self.count and name not in _MAKING_ROOM
        return self.count == self._at or is_full

    def _is_below(self, what: int | str | os.PathLike[str], folder: int | None) -> bool:
        if isinstance(what, int) or folder is not None:
            try:
                found = os.readlink(f"/proc/self/fd/{what if folder is None else folder}")  # noqa: PTH115 - is patched
            except OSError:
                return False
        else:
            found = os.path.abspath(os.fsdecode(what))  # noqa: PTH100 - counted, so that it costs little
        return f"{found}/".startswith(self._root)
