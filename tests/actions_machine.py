"""A machine of a test's own that really runs the shell of one job, and stands in for the actions that it uses.

A checkout clones, an upload and a download copy folders. Each step gets nothing but what the workflow gives it.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from actions_expressions import Expressions
from actions_records import Job, Run, Step

TOKEN = "ghs-canary-5b0d"  # noqa: S105 - no token of anything
BRANCH = "main"


class GitHubLike(Protocol):
    """What a machine needs of the repository that its job is of."""

    folder: Path
    state: Path
    remote: Path
    secrets: dict[str, Mapping[str, str]]
    variables: dict[str, str]
    attested: list[dict[str, str]]
    watching: Callable[[str], bool] | None

    def git(self, where: Path, *arguments: str) -> str:
        """Return what git says."""
        ...

    def artifacts(self, number: int) -> list[str]:
        """Return the names of a run's artifacts."""
        ...

    def environment(self) -> dict[str, str]:
        """Return what every step finds on its machine."""
        ...


class Machine:
    """One job on a fresh machine."""

    def __init__(
        self,
        github: GitHubLike,
        document: Mapping[str, Any],
        name: str,
        job: Mapping[str, Any],
        run: Run,
        event: str,
        inputs: Mapping[str, str],
        attempt: int,
    ) -> None:
        self._github, self._document, self._job, self._run = github, document, job, run
        self._artifacts = github.state / "artifacts" / str(run.number)
        machine = github.folder / "machines" / f"{run.number}-{attempt}-{name}"
        shutil.rmtree(machine, ignore_errors=True)
        self._work, self._temp = machine / "work", machine / "temp"
        self._temp.mkdir(parents=True)
        self._work.mkdir()
        needs = job.get("needs", [])
        self._needs = {each: run.jobs[each] for each in ([needs] if isinstance(needs, str) else needs)}
        self._done: dict[str, Step] = {}
        self._failed = False
        environment = Expressions({"vars": github.variables}, {}).filled(job.get("environment", ""))
        secrets = {"GITHUB_TOKEN": TOKEN, **github.secrets.get(environment, {})}
        self._contexts = {
            "github": {
                "event_name": event,
                "ref_name": BRANCH,
                "repository": "octo/grades",
                "token": TOKEN,
                "run_attempt": str(attempt),
                "event": {"repository": {"default_branch": BRANCH, "private": False}},
            },
            "runner": {"temp": str(self._temp)},
            "secrets": secrets,
            "vars": github.variables,
            "inputs": inputs,
            "needs": {each: {"result": done.result, "outputs": done.outputs} for each, done in self._needs.items()},
        }
        self._environment = {
            **github.environment(),
            "RUNNER_TEMP": str(self._temp),
            "GITHUB_WORKSPACE": str(self._work),
            "GITHUB_REPOSITORY": "octo/grades",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REF_NAME": BRANCH,
            "GITHUB_RUN_ID": str(run.number),
            "GITHUB_RUN_ATTEMPT": str(attempt),
        }

    def result(self) -> Job:
        """Run the job, where its condition holds."""
        ended = [each.result for each in self._needs.values()]
        if not self._expressions(all(each == "success" for each in ended)).holds(self._job.get("if")):
            return Job(result="skipped")
        steps = []
        for number, step in enumerate(self._job["steps"]):
            done = self._step(number, step)
            steps.append(done)
            self._failed |= done.outcome == "failure"
            if "id" in step:
                self._done[step["id"]] = done
        expressions = self._expressions(not self._failed)
        outputs = {name: expressions.filled(text) for name, text in self._job.get("outputs", {}).items()}
        summary = self._temp / "summary"
        return Job(
            result="failure" if self._failed else "success",
            outputs=outputs,
            steps=steps,
            summary=summary.read_text() if summary.exists() else "",
        )

    def _expressions(self, succeeded: bool) -> Expressions:  # noqa: FBT001 - as a function reads it
        steps = {name: {"outputs": done.outputs, "outcome": done.outcome} for name, done in self._done.items()}
        functions = {
            "always": lambda: True,
            "success": lambda: succeeded,
            "failure": lambda: not succeeded,
            "cancelled": lambda: False,
        }
        return Expressions({**self._contexts, "steps": steps}, functions)

    def _step(self, number: int, step: Mapping[str, Any]) -> Step:
        name = step.get("name", step.get("uses", "").partition("@")[0])
        expressions = self._expressions(not self._failed)
        if not expressions.holds(step.get("if")):
            return Step(name=name, outcome="skipped")
        if "uses" in step:
            given = {key: expressions.filled(str(value)) for key, value in step.get("with", {}).items()}
            why = getattr(self, f"_{name_of(step['uses'])}")(given)
            return Step(name=name, outcome="failure" if why else "success", out=why or "")
        layers = (self._document.get("env", {}), self._job.get("env", {}), step.get("env", {}))
        env = {key: expressions.filled(str(value)) for layer in layers for key, value in layer.items()}
        return self._shell(name, number, step["run"], env)

    def _shell(self, name: str, number: int, text: str, env: dict[str, str]) -> Step:
        """Run a script as the runner runs `shell: bash`."""
        script, output = self._temp / f"{number}.sh", self._temp / f"{number}.output"
        script.write_text(text)
        output.touch()
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(self._temp / "summary")}
        with subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self._work,
            env={**self._environment, **files, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            ended = threading.Event()
            watcher = threading.Thread(target=self._watch, args=(name, process, ended))
            watcher.start()
            out, _ = process.communicate(timeout=600)
            ended.set()
            watcher.join()
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return Step(
            name=name,
            outcome="success" if process.returncode == 0 else "failure",
            code=process.returncode,
            out=out.decode(errors="replace"),
            env=env,
            outputs=outputs,
        )

    def _watch(self, name: str, process: subprocess.Popen[bytes], ended: threading.Event) -> None:
        """Kill a step, and all that it started, once a test says so."""
        watching = self._github.watching
        while watching is not None and not ended.wait(0.01):
            if watching(name):
                for each in _session(process.pid):
                    os.kill(each, signal.SIGKILL)
                return

    def _checkout(self, given: Mapping[str, str]) -> str | None:
        depth = [] if given.get("fetch-depth") == "0" else ["--depth", "1"]
        address = self._github.remote.as_uri()
        branch = given.get("ref", BRANCH)
        self._github.git(self._temp, "clone", "--quiet", *depth, "--branch", branch, address, str(self._work))
        return None

    def _setup_python(self, given: Mapping[str, str]) -> str | None:
        assert given["python-version"]
        return None

    def _upload_artifact(self, given: Mapping[str, str]) -> str | None:
        source, target = Path(given["path"]), self._artifacts / given["name"]
        if not source.is_dir() or not any(each.is_file() for each in source.rglob("*")):
            return "no files were found" if given["if-no-files-found"] == "error" else None
        if target.exists():
            return "an artifact of this name is there already"
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*"))
        return None

    def _download_artifact(self, given: Mapping[str, str]) -> str | None:
        target = Path(given["path"])
        if "name" in given:
            if not (self._artifacts / given["name"]).is_dir():
                return "no such artifact"
            shutil.copytree(self._artifacts / given["name"], target, dirs_exist_ok=True)
            return None
        for name in self._github.artifacts(self._run.number):
            if any(fnmatch.fnmatchcase(name, each) for each in _braces(given["pattern"])):
                folder = target if given.get("merge-multiple") == "True" else target / name
                shutil.copytree(self._artifacts / name, folder, dirs_exist_ok=True)
        return None

    def _attest(self, given: Mapping[str, str]) -> str | None:
        permissions = self._job["permissions"]
        assert {"id-token", "attestations", "artifact-metadata"} <= permissions.keys()
        paths = [self._work / each for each in given["subject-path"].split()]
        self._github.attested.append(
            {path.name: sha256(path.read_bytes()).hexdigest() for path in paths if path.is_file()}
        )
        return None


def name_of(uses: str) -> str:
    """Return the name of an action, as a name in Python."""
    return uses.partition("@")[0].rpartition("/")[2].replace("-", "_")


def _braces(pattern: str) -> Iterator[str]:
    """Yield the patterns that one with braces stands for."""
    found = re.fullmatch(r"(.*)\{([^}]*)\}(.*)", pattern)
    if found is None:
        yield pattern
    else:
        yield from (f"{found[1]}{each}{found[3]}" for each in found[2].split(","))


def _session(leader: int) -> list[int]:
    """Return the processes of a session."""
    listed = subprocess.run(["ps", "-o", "pid=", "-s", str(leader)], capture_output=True, text=True, check=False).stdout
    return [int(each) for each in listed.split()]
