"""Sound roots and sites for tests that damage a copy: each is made once in a process, however many modules ask for it.

A module takes the fixtures that it needs by name: `sound, root = sound_worlds.logged, sound_worlds.root`.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import kept_site
import logged_site
import pytest

from generator.workflows.world import Root

NIGHTS = 8


@cache
def _folder() -> Path:
    """Return a folder of this process, which goes with it."""
    folder = Path(tempfile.mkdtemp(prefix="sound-worlds-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _logged(nights: int) -> Path:
    return logged_site.make_logged(_folder() / f"logged-{nights}", nights).path


@cache
def _laid_out() -> Path:
    return kept_site.make_root(_folder() / "laid-out", NIGHTS).path


@pytest.fixture
def logged() -> Path:
    """Return a root of eight nights and one more whose log is signed twice; nobody may write into it."""
    return _logged(NIGHTS)


@pytest.fixture
def logged_small() -> Path:
    """Return one of two nights and one more."""
    return _logged(2)


@pytest.fixture
def published() -> Path:
    """Return the site of a root of eight nights and one more whose log is signed twice; nobody may write into it."""
    return _logged(NIGHTS) / "site"


@pytest.fixture
def laid_out() -> Path:
    """Return a root of eight nights without a log, graded and laid out; nobody may write into it."""
    return _laid_out()


@pytest.fixture
def root(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of a sound root, to be damaged."""
    shutil.copytree(sound, tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def opened_root(sound: Path, tmp_path: Path) -> Root:
    """Return a copy of a sound root to work on."""
    shutil.copytree(sound, tmp_path / "root")
    return Root(tmp_path / "root")


@pytest.fixture
def site(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of a sound site, to be damaged."""
    shutil.copytree(sound, tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Yield where the copy of a site is served."""
    with logged_site.hosting(site) as found:
        yield found
