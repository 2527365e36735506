"""The files of a new site root that are the same for every owner, and the one that names where the program is from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from generator.starter.requirement import requirement

_FOLDER = Path(__file__).parent / "root"
_NAMES = {
    "Makefile": "Makefile",
    "README.md": "README.md",
    "gitignore": ".gitignore",
}
"""By name in the program, where no tool may take one for its own: the name in the root."""
REQUIREMENTS = "requirements.txt"
_NAMED = """\
# The program that this root runs, by address and commit. What it depends on is pinned, by hash, in requirements.lock.
"""
_NOT_NAMED = """\
# The program that this root runs. What it depends on is pinned, by hash, in requirements.lock.
#
# No source of bitdepth is named here yet: the program that made this root was not installed from a public git address,
# so it knows none. Put one here before the first push, in a line of its own, at a commit or with a digest:
#   bitdepth @ git+https://HOST/OWNER/bitdepth@COMMIT
#   bitdepth @ https://HOST/bitdepth-VERSION-py3-none-any.whl#sha256=DIGEST
# Not the bare name: an index gives that to whoever registered it, and what is installed runs where the keys are.
#
# Until then 'make install' ends with a message, here and in every job of the workflows; a build on Netlify ends because
# it finds no 'bitdepth'. For this machine alone: make install BITDEPTH=<a wheel, a folder or a git address>
"""


def same_files() -> Mapping[str, bytes]:
    """Return the files by their path in the root."""
    files = {there: (_FOLDER / here).read_bytes() for here, there in _NAMES.items()}
    named = requirement(_origin())
    return {**files, REQUIREMENTS: (_NOT_NAMED if named is None else f"{_NAMED}{named}\n").encode()}


def _origin() -> str | None:
    """Return where an installer says that it got this program; None where it says nothing."""
    try:
        return metadata.distribution("bitdepth").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
