"""What stands for an archive that lies elsewhere: its log's head and checkpoint, and every small file that has digests.

Kept where its own history is public, such as a repository, it is a witness of what the archive was.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from generator.archive import files, layout
from generator.workflows.world import Root

_ONCE = (f"{layout.NIGHTS}/*/*.json", "grades/*/*.json", "pages/*/*.json", f"{layout.LOG}/keys/*")
"""Of each night, window and method version, what names the SHA-256 of the rest; and the keys that sign."""


class Witnessed(msgspec.Struct, frozen=True, kw_only=True):
    """What a witness came to."""

    added: int
    """Files that it had not; head and checkpoint are not counted."""
    size: int
    """Files that it has, without these two."""


def witness(root: Root, out: Path) -> Witnessed | None:
    """Bring a witness up to date; None where the archive lies in the root, whose history is one itself.

    Args:
        root: the site root; the caller holds its lock.
        out: a folder, laid out as the archive is. What it holds already is neither read nor changed.

    Raises:
        ArchiveError: where the folder cannot be written.
    """
    if root.content.archive() is None:
        return None
    folder = root.store.folder
    names = [name for pattern in _ONCE for name in folder.matching(pattern)]
    added = [name for name in names if not (out / name).exists()]
    for name in added:
        files.create(out, name, folder.read(name))
    for name in (layout.LOG_HEAD, layout.LOG_CHECKPOINT):
        if folder.exists(name):
            files.replace(out, name, folder.read(name))
    return Witnessed(added=len(added), size=len(names))
