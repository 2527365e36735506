"""A GitHub of a test's own: a bare remote, artifacts, secrets and issues, and runs whose shell is really run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from actions_machine import BRANCH, Machine
from actions_records import Run

REPOSITORY = Path(__file__).parent.parent
WORKFLOWS = REPOSITORY / ".github/workflows"


class GitHub:
    """A repository with its runs, artifacts, secrets, variables and issues."""

    def __init__(self, folder: Path, root: Path, *, secrets: dict[str, Mapping[str, str]]) -> None:
        """Push a root to a new bare remote.

        Args:
            folder: for everything that is made.
            root: the files of the first commit.
            secrets: by environment.
        """
        self.folder, self.secrets, self.variables = folder, secrets, {}
        self.state, self.remote = folder / "state", folder / "remote.git"
        self.machine: dict[str, str] = {}
        """What else every step finds on its machine."""
        self.attested: list[dict[str, str]] = []
        self.watching: Callable[[str], bool] | None = None
        """Asked again and again with the name of the step that runs: True kills it, as a runner does that is lost."""
        (self.state / "artifacts").mkdir(parents=True)
        self._number = 0
        self._bin = folder / "bin"
        self._bin.mkdir()
        self.script("gh", f'exec {sys.executable} {Path(__file__).with_name("actions_gh.py")} {self.state} "$@"')
        work = folder / "first"
        shutil.copytree(root, work)
        self.git(folder, "init", "--quiet", "--bare", f"--initial-branch={BRANCH}", str(self.remote))
        self.git(work, "init", "--quiet", f"--initial-branch={BRANCH}")
        self.commit(work, "First")

    def script(self, name: str, body: str) -> Path:
        """Put a program on the path of every step."""
        path = self._bin / name
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)
        return path

    def git(self, where: Path, *arguments: str) -> str:
        """Return what git says."""
        done = subprocess.run(
            ["git", *arguments], cwd=where, env=self._git_environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, work: Path, message: str) -> None:
        """Commit everything in a clone, and push it."""
        self.git(work, "add", "--all")
        self.git(work, "-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "--quiet", "-m", message)
        self.git(work, "push", "--quiet", str(self.remote), f"HEAD:refs/heads/{BRANCH}")

    def clone(self, name: str) -> Path:
        """Return a fresh clone of the remote."""
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        self.git(self.folder, "clone", "--quiet", str(self.remote), str(target))
        return target

    def log(self, branch: str = BRANCH) -> list[str]:
        """Return the subjects of a branch's commits, newest first."""
        return self.git(self.remote, "log", "--format=%s", branch).splitlines()

    def issues(self) -> list[dict[str, Any]]:
        """Return every issue."""
        path = self.state / "issues.json"
        return json.loads(path.read_text()) if path.exists() else []

    def artifacts(self, number: int) -> list[str]:
        """Return the names of a run's artifacts."""
        folder = self.state / "artifacts" / str(number)
        return sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []

    def run(self, workflow: Path, event: str = "schedule", **inputs: str) -> Run:
        """Run a workflow to its end."""
        self._number += 1
        runs = self.state / "runs.json"
        known = json.loads(runs.read_text()) if runs.exists() else []
        runs.write_text(json.dumps([{"id": self._number, "event": event, "head_branch": BRANCH}, *known]))
        return self._run(workflow, Run(number=self._number, jobs={}), event, inputs, 1)

    def rerun_failed(self, workflow: Path, before: Run, attempt: int, event: str = "schedule") -> Run:
        """Run the jobs of a run again that failed, and those that need them; what succeeded keeps its outputs."""
        kept = {name: job for name, job in before.jobs.items() if job.result == "success" and name != "report"}
        return self._run(workflow, Run(number=before.number, jobs=kept), event, {}, attempt)

    def _run(self, workflow: Path, run: Run, event: str, inputs: Mapping[str, str], attempt: int) -> Run:
        document = yaml.safe_load(workflow.read_text())
        for name, job in document["jobs"].items():
            if name not in run.jobs:
                run.jobs[name] = Machine(self, document, name, job, run, event, inputs, attempt).result()
        return run

    def _git_environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self._bin}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def environment(self) -> dict[str, str]:
        """Return what every step finds on its machine."""
        return {**self._git_environment(), "NO_COLOR": "1", "CI": "true", "GITHUB_ACTIONS": "true", **self.machine}
