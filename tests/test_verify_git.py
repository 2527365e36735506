"""`verify` holds the log against every checkpoint that the git history of the root has ever held."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import logged_site
import pytest
import sound_worlds
from logged_site import OTHER_KEY, check, log, wheres

from generator.workflows.git_history import versions
from generator.workflows.world import Root

sound, root = sound_worlds.logged_small, sound_worlds.root


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, as nobody in particular."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here: git history is what is tried")
class TestGitHistory:
    def test_every_committed_checkpoint_is_held_against_the_log(self, root: Path):
        """Both versions of the checkpoint and both signed files: one object each."""
        git(root, "init", "-q")
        newest = (log(root) / "checkpoint").read_bytes()
        shutil.copyfile(log(root) / "signed/10", log(root) / "checkpoint")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        (log(root) / "checkpoint").write_bytes(newest)
        git(root, "commit", "-qam", "second")
        report = check(root)
        assert wheres(report) == ""
        assert report.checked["checkpoints"] == 4

    def test_a_log_made_anew_contradicts_what_was_committed(self, root: Path):
        """With a new key, so that nothing in the folder tells of the old one."""
        git(root, "init", "-q")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        shutil.rmtree(root / "archive/log")
        shutil.rmtree(root / "site")
        logged_site.keep(Root(root), key=OTHER_KEY)
        found = wheres(check(root))
        assert "git object" in found
        assert f"a signature by kept.example/log+{OTHER_KEY.verifier.key_id}" in found

    def test_a_log_made_anew_with_the_same_key_is_a_fork(self, root: Path):
        """The leaves stand in another order: one append instead of two."""
        git(root, "init", "-q")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        shutil.rmtree(root / "archive/log")
        shutil.rmtree(root / "site")
        logged_site.keep(Root(root))
        assert "two logs have grown from one" in wheres(check(root))

    def test_a_log_taken_out_of_a_checkout_is_missed(self, root: Path):
        """The history tells of it."""
        git(root, "init", "-q")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        shutil.rmtree(root / "archive/log")
        shutil.rmtree(root / "site")
        assert "missing archive/log/head" in wheres(check(root))

    def test_what_is_no_checkpoint_is_noted(self, root: Path):
        """A mishap of its day is no fork."""
        git(root, "init", "-q")
        newest = (log(root) / "checkpoint").read_bytes()
        (log(root) / "checkpoint").write_bytes(b"oops\n")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        (log(root) / "checkpoint").write_bytes(newest)
        report = check(root)
        assert wheres(report) == ""
        assert any("no checkpoint" in note for note in report.notes)

    def test_a_folder_that_is_no_checkout_remembers_nothing(self, tmp_path: Path):
        """Neither does a machine without git."""
        assert list(versions(tmp_path, ("log/checkpoint",))) == []

    def test_a_machine_without_git_remembers_nothing(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        """Nothing is looked for in vain, and nothing breaks."""
        git(root, "init", "-q")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        monkeypatch.setenv("PATH", str(root))
        assert list(versions(root / "archive", ("log/checkpoint",))) == []

    def test_no_program_that_a_checkout_names_is_run(self, root: Path):
        """Its configuration may name pagers, monitors, hooks and filters for differences."""
        git(root, "init", "-q")
        git(root, "add", "archive")
        git(root, "commit", "-qm", "first")
        trap = root / "trap"
        trap.write_text(f"#!/bin/sh\ntouch {root}/sprung\n")
        trap.chmod(0o755)
        for name in ("core.pager", "pager.log", "core.fsmonitor", "diff.external", "diff.log.textconv"):
            git(root, "config", name, str(trap))
        (root / ".gitattributes").write_text("* diff=log\n")
        assert len(list(versions(root / "archive", ("log/checkpoint", "log/signed")))) == 2
        assert not (root / "sprung").exists()
