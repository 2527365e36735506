"""Wheel and source distribution as a stranger gets them: built for real, and installed away from the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from repository_files import REPOSITORY, committed


def build(folder: Path) -> tuple[Path, Path]:
    """Build wheel and source distribution from the repository's files alone, and return them."""
    source = folder / "source"
    for path in committed():
        target = source / path.relative_to(REPOSITORY)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    build_in(source, folder / "dist", "wheel", "sdist")
    (wheel,), (sdist,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


def build_in(source: Path, out: Path, *targets: str) -> None:
    """Build a source folder as an installer does, without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    done = run([*command, *(word for target in targets for word in ("-t", target))], source)
    assert done.returncode == 0, done.stderr


def install(wheel: Path, place: Path) -> Path:
    """Install a wheel into a new environment, and return the folder of its programs.

    The packages that it depends on are those of the running Python, seen through links: all but bitdepth's own, so that
    nothing can be imported from the checkout.
    """
    empty_environment(place)
    installed = run([str(place / "bin/python"), "-m", "pip", "install", "--no-deps", "--no-compile", str(wheel)], place)
    assert installed.returncode == 0, installed.stderr
    return place / "bin"


def empty_environment(place: Path) -> None:
    """Make an environment that holds what bitdepth depends on, and pip, but no bitdepth."""
    made = run([sys.executable, "-m", "venv", "--without-pip", str(place)], place.parent)
    assert made.returncode == 0, made.stderr
    links = place / "dependencies"
    links.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "bitdepth" not in path.name:
            (links / path.name).symlink_to(path)
    (own,) = place.glob("lib/python3*/site-packages")
    (own / "dependencies.pth").write_text(f"{links}\n")


def run(
    command: Sequence[str], folder: Path, *, path: Path | None = None, patience_s: float = 250
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end, with no index to install from and nothing of the checkout to import.

    Args:
        command: as typed.
        folder: where.
        path: a folder of programs that come first.
        patience_s: seconds that it may take.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PIP_", "PYTHON", "BITDEPTH_", "MAKE", "MFLAGS"))
    }
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    first = {"PATH": f"{path}{os.pathsep}{kept['PATH']}"} if path else {}
    environment = {**kept, **offline, **first, "NO_COLOR": "1", "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=patience_s, check=False
    )
