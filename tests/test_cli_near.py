"""Mistyped words: a message with the near word, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import kept_site
import pytest
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import ExitCode
from generator.workflows.near import did_you_mean

MODEL = kept_site.MODEL


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded root; nobody may write into it."""
    return kept_site.make_root(tmp_path_factory.mktemp("near") / "root", nights=8).path


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (("nigthly",), "Did you mean 'nightly'?"),
        (("log", "porve"), "Did you mean 'prove'?"),
        (("render", "--bas-url", "x"), "--base-url"),
        (("explain", MODEL, "mill", "--column", "X"), "'M', 'T', 'D', 'R'"),
        (("show", "aster/sphnix-8b"), "Did you mean 'aster/sphinx-8b'?"),
        (("show", "sphinx-8b"), "Did you mean 'aster/sphinx-8b'?"),
        (("show", MODEL, "milll"), "Did you mean 'mill'"),
        (("explain", MODEL, "lom"), "Did you mean 'loom'"),
        (("explain", MODEL, "mill", "--method", "0.11"), "Did you mean '0.1'?"),
        (("explain", MODEL, "mill", "--window-end", "2026-04-01"), "'2026-03-08'?"),
        (("explain", MODEL, "mill", "--window-end", "2026-3-8"), "Did you mean '2026-03-08'?"),
        (("grade", "--method", "0.11"), "'0.1'"),
        (("simulate", "--method", "0.11"), "'0.1'"),
        (("calibrate", "--from", "0.11"), "'0.1'"),
        (("void", "2026-04-01", "--reason", "x", "--dry-run"), "2026-03-08"),
        (
            ("withhold", "2026-03-01", "--model", "aster/sphinx", "--endpoint", "mill", "--prompt", "tales-0"),
            f"'{MODEL}'?",
        ),
        (("withhold", "2026-03-01", "--model", MODEL, "--endpoint", "mil", "--prompt", "tales-0"), "'mill'"),
        (("withhold", "2026-03-01", "--model", MODEL, "--endpoint", "mill", "--prompt", "tale-1"), "'tales-1'"),
    ],
)
def test_the_near_word_is_named(root: Path, arguments: tuple[str, ...], near: str):
    """Command, option, model, endpoint, method version, night, window and prompt."""
    reason = ("--reason", "a test") if arguments[0] == "withhold" else ()
    where = ("--root", str(root)) if arguments[0] not in {"nigthly", "log"} else ()
    result = CliRunner().invoke(app, [*arguments, *reason, *where])
    assert result.exit_code == ExitCode.USAGE, result.stderr
    assert near in result.stderr
    assert "Traceback" not in result.stderr


def test_the_nearest_comes_first_and_few_are_named():
    """At most three; where none is alike, the first three."""
    names = [f"words-{number}" for number in range(100)]
    assert did_you_mean("words7", names).startswith("Did you mean 'words-7' or ")
    assert did_you_mean("words7", names).count(" or ") == 2
    assert did_you_mean("xyz", ["b", "a", "d", "c"]) == "Did you mean 'a' or 'b' or 'c'?"
