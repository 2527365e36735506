"""The condition of disk and lock, looked at: nothing is waited for, taken from a run, or left behind."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from pathlib import Path

from generator.archive import layout
from generator.archive.folder import Folder

if sys.platform != "win32":
    import fcntl


def free_bytes(folders: Iterable[Path]) -> int | None:
    """Return what is free on the fullest of the disks that some folders lie on; None where none can be asked."""
    found = []
    for folder in folders:
        with suppress(OSError):
            found.append(shutil.disk_usage(folder).free)
    return min(found, default=None)


def kept_bytes(folder: Folder, night: date) -> int:
    """Return how much is kept of a night: its own files, and the grades and pages of the windows that it ends."""
    patterns = (f"{layout.night_folder(night)}/*", f"grades/*/{night}.*", f"pages/*/{night}.*")
    return sum(folder.size(name) for pattern in patterns for name in folder.matching(pattern))


def write_refusal(folder: Path) -> OSError | None:
    """Return why no file can be made in a folder, None where one can: by making one that never has a name.

    Where the file system knows no such files, one is made and removed.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b".")
            file.flush()
    except OSError as error:
        return error
    return None


def is_locked(archive: Path) -> bool | None:
    """Return whether a run holds the archive; None where that cannot be seen without taking the lock.

    The look is a shared hold that ends at once: it is refused where a run holds the lock, and `Store.lock` outlasts it.
    """
    if sys.platform == "win32":
        return None
    try:
        handle = os.open(archive / layout.LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    except OSError:
        return None
    finally:
        os.close(handle)
    return False
