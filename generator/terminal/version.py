"""What --version prints: the program's version, and the method versions that it knows."""

from __future__ import annotations

from pathlib import Path

from generator import __version__
from generator.content import Content, packaged
from generator.errors import ContentError


def version_text(root: Path) -> str:
    """Return the text.

    Args:
        root: a site root or any other folder: the method versions are the root's, over those that the program brings.
    """
    content = Content(root)
    versions = ", ".join(content.method_versions())
    return f"bitdepth {__version__}\nmethod versions: {versions}; current: {_current(content)}"


def _current(content: Content) -> str:
    """Return the version that a root's site.toml makes current; elsewhere, the one that the program's own does."""
    try:
        return content.settings().method
    except ContentError:
        return Content(packaged("content").parent).settings().method
