"""What has the disk take files and folders: the one home of fsync and of writes that may take only part."""

from __future__ import annotations

import os
from pathlib import Path


def write_all(handle: int, data: bytes) -> None:
    """Write all of some bytes; a plain write may take only part."""
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each fsynced into its parent."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path | str) -> None:
    """Make a folder's entries durable; a no-op where folders cannot be opened (Windows)."""
    if os.name != "nt":
        sync(folder, os.O_RDONLY)


def sync(path: Path | str, flags: int) -> None:
    """Have the disk take a file or folder that is opened for it as the flags say."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
