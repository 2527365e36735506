"""The repository's files, and what no file that is handed to anybody may hold."""

from __future__ import annotations

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
SKIPPED = {".git", ".venv", "demo", "site", "dist", "__pycache__", ".cache"}

FORBIDDEN = (
    ("a registry's address", rb"pypi\.org|pythonhosted\.org|registry\.npmjs|deb\.debian\.org|/simple/"),
    ("a path of a machine", rb"/(?:home|root|Users|opt|work)/[A-Za-z0-9._-]+/"),
    ("a key", rb"sk-or-v1-[0-9a-f]{8}|ghp_[A-Za-z0-9]{20}|-----BEGIN [A-Z ]*PRIVATE KEY"),
)


def committed() -> list[Path]:
    """Return the files of the repository as git lists them, or as they lie where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return [path for name in listed.stdout.decode().split("\0") if name and (path := REPOSITORY / name).is_file()]
    return [
        path
        for path in REPOSITORY.rglob("*")
        if path.is_file() and not SKIPPED & set(path.relative_to(REPOSITORY).parts)
    ]
