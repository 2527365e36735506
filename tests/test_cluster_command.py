"""The options --scheduler and --workers: what they do, and one clear message where they cannot do it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from generator.cli import app
from generator.cluster import connection
from generator.errors import ExitCode
from generator.workflows.world import Root
from tests import cluster_world as world


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root of two nights; nobody writes into it."""
    return world.make_root(tmp_path_factory.mktemp("cluster") / "made", 2)


@pytest.fixture
def root(made: Root, tmp_path: Path) -> Root:
    """Return a copy to grade again."""
    return world.copy(made, tmp_path / "root")


def run(*arguments: str) -> Result:
    """Return the command done, in this process."""
    return CliRunner().invoke(app, arguments)


def refused(root: Root, options: tuple[str, ...], code: ExitCode, said: str) -> None:
    """Require one message, an exit code, and an archive as it was."""
    before = world.kept(root)
    done = run("grade", "--root", str(root.path), *options)
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert re.fullmatch(r"error: [^\n]+\n", done.stderr)
    assert not done.stdout
    assert world.kept(root) == before


def test_grade_with_workers_keeps_what_grade_keeps(made: Root, tmp_path: Path) -> None:
    """A program of its own, as a user starts it: the same archive, and its result alone on standard output."""
    one, two = (world.copy(made, tmp_path / name) for name in ("one", "two"))
    assert run("grade", "--root", str(one.path)).exit_code == ExitCode.DONE
    done = subprocess.run(
        [sys.executable, "-m", "generator", "grade", "--root", str(two.path), "--workers", "2"],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert (done.returncode, done.stdout) == (ExitCode.DONE, "2 windows and 24 grades are new\n"), done.stderr
    assert done.stderr == "grading under 0.2: 2 of 2\n"
    assert world.kept(one) == world.kept(two)


@pytest.mark.parametrize("options", [("--workers", "2"), ("--scheduler", "tcp://127.0.0.1:9")])
def test_without_the_extra(root: Root, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """One message that names it, and the exit code of a command line that was not understood."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused(root, options, ExitCode.USAGE, "bitdepth[cluster]")


@pytest.mark.ci
def test_everything_else_does_without_the_extra(root: Root, tmp_path: Path) -> None:
    """In a Python that has no Dask, the same command without the option grades."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "distributed.py").write_text("raise ImportError('No module named distributed')\n")
    (tmp_path / "hidden" / "dask.py").write_text("raise ImportError('No module named dask')\n")
    done = subprocess.run(
        [sys.executable, "-m", "generator", "grade", "--root", str(root.path)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "hidden")},
    )
    assert (done.returncode, done.stdout) == (ExitCode.DONE, "2 windows and 24 grades are new\n"), done.stderr


@pytest.mark.parametrize("address", ["127.0.0.1", "tcp://127.0.0.1", "tcp://127.0.0.1:notaport", "tcp://a@b:1"])
def test_an_address_that_is_none(root: Root, address: str) -> None:
    """What an address looks like; what was given is not repeated."""
    refused(root, ("--scheduler", address), ExitCode.USAGE, "such as tcp://host:8786")


def test_an_address_where_nobody_listens(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once the time is up that a scheduler is given to answer."""
    monkeypatch.setattr(connection, "CONNECT_S", 1)
    address = f"tcp://127.0.0.1:{world.free_port()}"
    refused(root, ("--scheduler", address), ExitCode.FAILED, "nothing was written")


@pytest.mark.ci
def test_a_scheduler_without_a_worker(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not waited for ever."""
    with world.scheduler() as (address, _):
        monkeypatch.setattr(connection, "CONNECT_S", 8)
        refused(root, ("--scheduler", address), ExitCode.FAILED, "at least one worker")


def test_both_options(root: Root) -> None:
    """One of them is enough."""
    refused(root, ("--workers", "2", "--scheduler", "tcp://127.0.0.1:9"), ExitCode.USAGE, "found both")


@pytest.mark.parametrize("target", [["--grade", "https://grades.example/x/"], ["https://grades.example/"]])
def test_verify_spreads_a_root_alone(target: list[str]) -> None:
    """A published site, or one grade, is not spread."""
    done = run("verify", *target, "--workers", "2")
    assert done.exit_code == ExitCode.USAGE
    assert "with a site root" in done.stderr


class TestWorkersThatDieAtOnce:
    """Dask says with an error that a worker ended before it had begun; when that happens nobody can time."""

    @pytest.fixture
    def starts(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """Return what is counted down with each start that fails."""
        distributed = pytest.importorskip("distributed")
        left, begin = [0], distributed.LocalCluster

        def failing(**options: object) -> object:
            if left[0]:
                left[0] -= 1
                raise RuntimeError("Nanny failed to start.")
            return begin(**options)

        monkeypatch.setattr(distributed, "LocalCluster", failing)
        return left

    def test_are_started_again(self, root: Root, starts: list[int]) -> None:
        """Twice in a row, and the run completes."""
        starts[0] = connection.STARTS - 1
        assert run("grade", "--root", str(root.path), "--workers", "1").exit_code == ExitCode.DONE
        assert starts == [0]

    def test_each_time_is_one_message(self, root: Root, starts: list[int]) -> None:
        """And nothing is written."""
        starts[0] = connection.STARTS
        refused(root, ("--workers", "1"), ExitCode.FAILED, "3 starts were tried")
