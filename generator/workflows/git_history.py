"""Every version of a file that a git checkout remembers: what was once committed is a witness.

Git is asked, and never obeyed: no hook, no filter and no program that a checkout names is run, and a folder that is no
checkout, a machine without git and a history cut short all read as 'nothing remembered'.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

_ANSWER_S = 60
_OBJECT_ID = 4
"""Column of the new object's id in a raw line: modes, ids and status, then a tab and the path."""


def versions(folder: Path, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield (a name with the path in it, bytes) of every version of some files, in every branch and tag.

    Args:
        folder: in a checkout, or not.
        paths: of files or folders, relative to it.
    """
    listed = _git(folder, "log", "--all", "-m", "--raw", "--no-abbrev", "--no-renames", "--format=", "--", *paths)
    found: dict[str, str] = {}
    for line in listed.decode(errors="replace").splitlines():
        fields, tab, path = line.partition("\t")
        parts = fields.split()
        if tab and len(parts) > _OBJECT_ID and set(parts[3]) != {"0"}:
            found[parts[3]] = path
    for object_id, path in found.items():
        yield f"{path}, git object {object_id[:12]}", _git(folder, "cat-file", "blob", object_id)


def _git(folder: Path, *arguments: str) -> bytes:
    """Return what git says, or nothing."""
    program = shutil.which("git")
    if program is None:
        return b""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
    command = [program, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager", *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and every argument is ours
            command, cwd=folder, env=environment, capture_output=True, timeout=_ANSWER_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return done.stdout if done.returncode == 0 else b""
