"""Shell completion, by the protocol that bash follows: names come from the archive and content/ of --root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kept_site
import pytest
from typer.testing import CliRunner

from generator.archive import layout
from generator.cli import app

MODEL = kept_site.MODEL
PROGRAM = "import sys; sys.argv = ['bitdepth']; from generator.cli import main; main()"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded root; nobody may write into it."""
    return kept_site.make_root(tmp_path_factory.mktemp("completion") / "root", nights=8, rendered=False).path


def request(*words: str) -> dict[str, str]:
    """Return what bash puts into the environment to ask for the last of some words."""
    line = " ".join(("bitdepth", *words))
    return {"_BITDEPTH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}


def offered(*words: str) -> list[str]:
    """Return what is offered for the last of some words, without any message."""
    done = CliRunner().invoke(app, [], prog_name="bitdepth", env=request(*words))
    assert done.stderr == ""
    return done.stdout.split()


class TestNames:
    """'completion of MODEL, ENDPOINT, NIGHT, method versions from the archive'."""

    def test_of_models_and_endpoints(self, root: Path):
        """Models by their beginning, then the endpoints of that one."""
        assert offered("show", "--root", str(root), "ast") == [MODEL]
        assert offered("show", "--root", str(root), MODEL, "") == ["kiln", "loom", "mill"]
        assert offered("explain", "--root", str(root), MODEL, "m") == ["mill"]
        assert offered("withhold", "--root", str(root), "--model", MODEL, "--endpoint", "k") == ["kiln"]

    def test_of_nights_windows_and_versions(self, root: Path):
        """Sealed nights, graded windows, and method versions."""
        assert offered("void", "--root", str(root), "2026-03-0") == [f"2026-03-0{day}" for day in range(1, 9)]
        assert "2026-03-08" in offered("explain", MODEL, "mill", "--root", str(root), "--window-end", "")
        assert {"0.1", "0.2"} <= set(offered("grade", "--root", str(root), "--method", "0."))

    def test_of_a_model_that_is_none(self, root: Path):
        """A model that was never graded has no endpoints."""
        assert offered("show", "--root", str(root), "aster/unknown", "") == []

    def test_where_nothing_can_be_read(self, root: Path, tmp_path: Path):
        """No root, and a grades file that is not what it was: nothing is offered, and no message breaks the line."""
        assert offered("show", "--root", str(tmp_path), "") == []
        broken = tmp_path / "root"
        shutil.copytree(root, broken)
        (broken / "archive" / layout.grades_file("0.1", kept_site.FIRST.replace(day=8))).write_bytes(b"PAR1")
        assert offered("show", "--root", str(broken), MODEL, "") == []

    def test_of_a_hostile_name(self, tmp_path: Path):
        """A watched name that a shell would read as more than a word is not offered."""
        (tmp_path / "content").mkdir()
        settings = kept_site.SITE_TOML.replace('["aster/sphinx-8b"]', '["aster/sphinx-8b", "aster/$(touch x)"]')
        (tmp_path / "content" / "site.toml").write_text(settings)
        assert set(offered("show", "--root", str(tmp_path), "aster/")) <= {MODEL}


def test_of_commands_and_options():
    """What the program itself has, as a process of its own says it."""
    environment = {**os.environ, **request("nigh")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.stderr) == ("nightly\n", "")
    assert offered("log", "") == ["append", "sign", "prove"]
    assert offered("render", "--ba") == ["--base-url"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on the path")
def test_the_script_that_is_installed_is_a_shells_own():
    """Bash takes what --show-completion prints, and then asks the program through it."""
    environment = {**os.environ, "_BITDEPTH_COMPLETE": "source_bash"}
    script = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment
    )
    ask = f"{script.stdout}\nbitdepth() {{ :; }}\ncomplete -p bitdepth"
    done = subprocess.run(["bash", "--norc", "-c", ask], capture_output=True, text=True, check=True)
    assert "bitdepth" in done.stdout
    assert "_BITDEPTH_COMPLETE=complete_bash" in script.stdout
