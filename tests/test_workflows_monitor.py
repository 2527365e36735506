"""The monitor workflow, its shell run for real against a site on loopback: what it saw is kept, and held against."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import logged_site
import pytest
from actions_night import missing_tools
from actions_world import REPOSITORY, WORKFLOWS, GitHub

from generator.workflows.rendering import render
from generator.workflows.world import Root

WHY_NOT = missing_tools()
pytestmark = [pytest.mark.timeout(1200), pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]
MONITOR = WORKFLOWS / "monitor.yml"
BOTH = {"check": "success", "keep": "success"}


def fork(folder: Path) -> GitHub:
    """Return a repository that can do nothing but run bitdepth."""
    program = folder / "bitdepth"
    folder.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from generator.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    root = folder / "root"
    root.mkdir()
    (root / "Makefile").write_text(f"install:\n\tmkdir -p .venv/bin\n\tcp {program} .venv/bin/bitdepth\n")
    return GitHub(folder, root, secrets={})


@contextmanager
def watched(tmp_path: Path) -> Iterator[tuple[GitHub, Root, Path]]:
    """Yield a fork that watches a site, the site's root, and the folder that its host serves."""
    github = fork(tmp_path / "fork")
    root = logged_site.make_logged(tmp_path / "site", nights=2)
    served = logged_site.published(root, tmp_path / "served")
    with logged_site.hosting(served) as address:
        github.variables["SITE"] = address
        yield github, root, served


def seen(github: GitHub) -> bytes:
    """Return the checkpoint that the fork keeps."""
    return github.git(github.remote, "show", "monitor:checkpoint").encode()


@pytest.mark.ci
def test_every_checkpoint_seen_is_kept_and_a_site_that_forgot_one_ends_red(tmp_path: Path):
    """First the whole site, then the same one, then one that has grown; last, one whose log is another."""
    with watched(tmp_path) as (github, root, served):
        first = github.run(MONITOR)
        assert first.results == BOTH, first.out
        assert seen(github) == root.store.log.checkpoint()
        again = github.run(MONITOR)
        assert again.results == BOTH, again.out
        assert github.log("monitor") == ["Checkpoint seen"]

        logged_site.add_last(root, 4)
        logged_site.keep(root)
        render(root, progress=logged_site.SILENT)
        shutil.rmtree(served)
        logged_site.published(root, served)
        grown = github.run(MONITOR)
        assert grown.results == BOTH, grown.out
        assert github.log("monitor") == ["Checkpoint seen", "Checkpoint seen"]
        kept = seen(github)
        assert kept == root.store.log.checkpoint()

        other = logged_site.make_logged(tmp_path / "other", nights=3)
        shutil.rmtree(served)
        logged_site.published(other, served)
        forgot = github.run(MONITOR)
        assert forgot.results == {"check": "failure", "keep": "skipped"}
        assert forgot.jobs["check"].step("Verify the site against it and against the last one seen").code == 6
        assert seen(github) == kept
        for run in (first, again, grown, forgot):
            assert run.commands == []


def test_a_page_that_was_changed_ends_red(tmp_path: Path):
    """On the first day all files are looked at."""
    with watched(tmp_path) as (github, _, served):
        page = next((served / "grades").rglob("grade.json"))
        page.write_text(json.dumps({"letter": "A"}))
        run = github.run(MONITOR)
        assert run.results == {"check": "failure", "keep": "skipped"}
        assert page.relative_to(served).as_posix() in run.out


def test_a_site_whose_log_is_not_signed_ends_red_and_is_told_so(tmp_path: Path):
    """There is no checkpoint: one message says what that means."""
    with watched(tmp_path) as (github, _, served):
        (served / "log/checkpoint").unlink()
        run = github.run(MONITOR)
        assert run.results == {"check": "failure", "keep": "skipped"}
        assert "its log is not signed" in run.jobs["check"].step("Fetch the checkpoint of today").out
        assert run.commands == []


def test_without_a_site_nothing_is_done(tmp_path: Path):
    """A fork whose owner named none stays silent."""
    assert fork(tmp_path / "fork").run(MONITOR).results == {"check": "skipped", "keep": "skipped"}
