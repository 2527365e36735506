"""The files of a new site root that are the same for every owner, and the one that names this program."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from generator import __version__
from generator.starter.requirement import requirement

_FOLDER = Path(__file__).parent / "root"
_NAMES = {
    "Makefile": "Makefile",
    "README.md": "README.md",
    "gitignore": ".gitignore",
}
"""By name in the program, where no tool may take one for its own: the name in the root."""
_REQUIREMENTS = """\
# The program that this root runs. What that depends on is pinned, by hash, in requirements.lock.
# A git address serves as well: bitdepth @ git+https://host/owner/bitdepth@<commit>
"""


def same_files() -> Mapping[str, bytes]:
    """Return the files by their path in the root."""
    files = {there: (_FOLDER / here).read_bytes() for here, there in _NAMES.items()}
    return {**files, "requirements.txt": f"{_REQUIREMENTS}{requirement(__version__, _origin())}\n".encode()}


def _origin() -> str | None:
    """Return where an installer says that it got this program; None where it says nothing."""
    try:
        return metadata.distribution("bitdepth").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
