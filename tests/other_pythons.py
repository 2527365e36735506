"""The Pythons of this machine from 3.11 up, one of each minor version, each with the packages of requirements.lock.

The one that runs the tests has them. For each other one a virtual environment is made once, beside the packages of this
one, from the lock and its hashes; it is made again when the lock changes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
from filelock import FileLock

LOCK = Path(__file__).parent.parent / "requirements.lock"
OLDEST, NEWEST = 11, 20
"""Minor versions that are looked for."""
_PATIENCE_S = 240


class Python(msgspec.Struct, frozen=True, kw_only=True):
    """One interpreter."""

    version: str
    """As '3.12'."""
    program: str | None
    """None where its packages cannot be installed here."""
    why: str
    """What stood in the way; empty where nothing did."""


def pythons() -> tuple[Python, ...]:
    """Return every Python found, oldest first."""
    found = {
        sys.version_info.minor: own(),
        **{minor: _with_packages(minor, each) for minor, each in _installed().items()},
    }
    return tuple(found[minor] for minor in sorted(found))


def own() -> Python:
    """Return the one that runs the tests."""
    return Python(version=f"3.{sys.version_info.minor}", program=sys.executable, why="")


def _installed() -> dict[int, str]:
    """Return a program of each other minor version that starts, by minor version."""
    programs = [str(path) for path in sorted(Path("~/.pyenv/versions").expanduser().glob("3.*/bin/python3"))]
    programs += [path for minor in range(OLDEST, NEWEST) if (path := shutil.which(f"python3.{minor}"))]
    found: dict[int, str] = {}
    for program in programs:
        asked = [program, "-c", "import sys; print(*sys.version_info[:2])"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
        if len(said) == 2 and said[0] == "3" and OLDEST <= int(said[1]) != sys.version_info.minor:
            found.setdefault(int(said[1]), program)
    return found


def _with_packages(minor: int, program: str) -> Python:
    version = f"3.{minor}"
    place = Path(sys.prefix) / "pythons" / version
    made, digest = place / "made-from", sha256(LOCK.read_bytes()).hexdigest()
    place.parent.mkdir(exist_ok=True)
    with FileLock(f"{place}.lock"):
        if not made.exists() or made.read_text() != digest:
            shutil.rmtree(place, ignore_errors=True)
            why = _make(program, place)
            if why:
                shutil.rmtree(place, ignore_errors=True)
                return Python(version=version, program=None, why=why)
            made.write_text(digest)
    return Python(version=version, program=str(place / "bin" / "python"), why="")


def _make(program: str, place: Path) -> str:
    """Make a virtual environment; return what stood in the way."""
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", str(LOCK))
    for command in ([program, "-m", "venv", str(place)], [str(place / "bin" / "python"), *install]):
        try:
            done = subprocess.run(command, capture_output=True, timeout=_PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            return f"after {_PATIENCE_S} s its packages were not installed"
        if done.returncode:
            return "its packages cannot be installed from requirements.lock here"
    return ""
