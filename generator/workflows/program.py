"""What tells this program from any other version of it, released or not: what it makes may be kept under that name."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import generator
from generator.records.canonical import sha256

_MAKERS = ("jinja2", "markupsafe", "markdown-it-py")
"""Whose versions can change a page."""


@lru_cache(maxsize=1)
def program_sha256() -> str:
    """Return the SHA-256 over this program's own code, and the versions of what renders pages for it."""
    folder = Path(generator.__file__).parent
    code = ((path.relative_to(folder).as_posix(), sha256(path.read_bytes())) for path in folder.rglob("*.py"))
    return sha256(repr((sorted(code), [version(name) for name in _MAKERS])).encode())
