"""The workflows as they are written: schema, known weaknesses, pins, permissions, and where a secret may stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from actions_records import command_in
from actions_world import REPOSITORY, WORKFLOWS

from generator.errors import ExitCode

NAMES = ("ci", "monitor", "nightly")
PINS = Path(__file__).parent / "data/action-pins.md"
READS = {"contents": "read"}
PERMISSIONS = {
    "ci": {"test": READS, "all": READS, "package": READS, "workflows": READS},
    "monitor": {"check": READS, "keep": {"contents": "write"}},
    "nightly": {
        "due": {"contents": "read", "actions": "read"},
        "probe": READS,
        "grade": READS,
        "publish": {
            "contents": "write",
            "id-token": "write",
            "attestations": "write",
            "artifact-metadata": "write",
        },
        "report": {"issues": "write"},
    },
}
ARCHIVE = {"secrets.ARCHIVE_ACCESS_KEY_ID", "secrets.ARCHIVE_SECRET_ACCESS_KEY"}
"""Set where the archive lies in a bucket, alone: then every command works in it."""
SECRETS = {
    ("monitor", "keep", "Commit it to the branch 'monitor'"): {"github.token"},
    ("nightly", "due", "Fetch what earlier runs left"): {"github.token"},
    ("nightly", "due", "Ask whether the night is complete"): ARCHIVE,
    ("nightly", "probe", "Take it over"): ARCHIVE,
    ("nightly", "probe", "Probe"): {"secrets.OPENROUTER_API_KEY", "secrets.HF_TOKEN", *ARCHIVE},
    ("nightly", "probe", "Collect what is new"): ARCHIVE,
    ("nightly", "probe", "Sum up"): ARCHIVE,
    ("nightly", "grade", "Grade, log, render and verify"): ARCHIVE,
    ("nightly", "publish", "Hold it against the repository, and make every grade again"): ARCHIVE,
    ("nightly", "publish", "Sign"): {"secrets.BITDEPTH_SIGNING_KEY", *ARCHIVE},
    ("nightly", "publish", "Prove, render, verify and sum up"): ARCHIVE,
    ("nightly", "publish", "Commit and push"): {"github.token"},
    ("nightly", "publish", "Deploy"): {"secrets.AWS_ACCESS_KEY_ID", "secrets.AWS_SECRET_ACCESS_KEY", *ARCHIVE},
    ("nightly", "report", "Open, update or close the issue"): {"github.token"},
}
_SECRET = re.compile(r"secrets\.\w+|github\.token")


def path(name: str) -> Path:
    """Return where a workflow lies."""
    return WORKFLOWS / f"{name}.yml"


def read(name: str) -> dict[str, Any]:
    """Return a workflow as YAML reads it."""
    document = yaml.safe_load(path(name).read_text())
    assert isinstance(document, dict)
    return document


def steps(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return every step of a workflow with the name of its job."""
    return [(job, step) for job, body in read(name)["jobs"].items() for step in body["steps"]]


def checked(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Return how a checker ended; it asks nobody."""
    tool = Path(sys.executable).parent / program
    return subprocess.run([str(tool), *arguments], capture_output=True, text=True, check=False)


class TestTheCheckers:
    def test_find_each_workflow_in_its_published_schema(self):
        """check-jsonschema with the schema that it brings along."""
        done = checked("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, map(path, NAMES)))
        assert done.returncode == 0, done.stdout + done.stderr

    def test_find_no_weakness_at_the_strictest_persona(self):
        """zizmor, offline; nothing is ignored."""
        done = checked("zizmor", "--offline", "--no-progress", "--persona", "auditor", str(WORKFLOWS))
        assert done.returncode == 0, done.stdout + done.stderr
        assert "zizmor: ignore" not in "".join(path(name).read_text() for name in NAMES)

    def test_find_what_is_wrong(self, tmp_path: Path):
        """A tag in the place of a commit, and a key that no workflow has."""
        text = path("nightly").read_text()
        weak, wrong = tmp_path / "weak.yml", tmp_path / "wrong.yml"
        weak.write_text(re.sub(r"actions/checkout@[0-9a-f]{40}", "actions/checkout@v7", text))
        wrong.write_text(text.replace("concurrency:", "concurency:", 1))
        assert checked("zizmor", "--offline", "--no-progress", str(weak)).returncode != 0
        assert checked("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(wrong)).returncode != 0


@pytest.mark.parametrize("name", NAMES)
class TestEachWorkflow:
    def test_uses_only_actions_of_our_table_at_their_commits(self, name: str):
        """Each by its 40 hexadecimal digits, its version in a comment."""
        pins = {tuple(cell.strip() for cell in line.split("|")[1:4]) for line in PINS.read_text().splitlines()[2:]}
        used = re.findall(r"uses: (\S+)@([0-9a-f]{40}) # (v[\d.]+)$", path(name).read_text(), re.MULTILINE)
        assert len(used) == path(name).read_text().count("uses:")
        assert {(action, version, commit) for action, commit, version in used} <= pins

    def test_gives_a_shell_no_expression(self, name: str):
        """What stands in `run` is the same on every run; what differs comes by the environment."""
        scripts = [step["run"] for _, step in steps(name) if "run" in step]
        assert scripts
        assert not [script for script in scripts if "${{" in script]

    def test_gives_each_job_what_it_needs_and_no_more(self, name: str):
        """No permission at the top, and the least in each job."""
        document = read(name)
        assert document["permissions"] == {}
        assert {job: body["permissions"] for job, body in document["jobs"].items()} == PERMISSIONS[name]

    def test_names_a_secret_only_in_the_step_that_needs_it(self, name: str):
        """In no job's environment, in no `with` and in no condition."""
        found: dict[tuple[str, str, str], set[str]] = {}
        for job, step in steps(name):
            for secret in _SECRET.findall(" ".join(map(str, step.get("env", {}).values()))):
                found.setdefault((name, job, step["name"]), set()).add(secret)
        assert found == {place: secrets for place, secrets in SECRETS.items() if place[0] == name}
        assert len(_SECRET.findall(path(name).read_text())) == sum(map(len, found.values()))

    def test_leaves_no_credentials_behind_a_checkout(self, name: str):
        """The token is in no file of the machine."""
        checkouts = [step for _, step in steps(name) if step.get("uses", "").startswith("actions/checkout@")]
        assert checkouts
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)

    def test_ends_by_itself_on_a_named_system(self, name: str):
        """No 'latest', and no job without an end."""
        for job in read(name)["jobs"].values():
            systems = job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]])
            assert set(systems) <= {"ubuntu-24.04", "macos-26"}
            assert 0 < job["timeout-minutes"] <= 360

    def test_runs_in_a_shell_that_stops_at_an_error(self, name: str):
        """'bash' by name has -e and pipefail; without a name it has no pipefail."""
        assert read(name)["defaults"]["run"]["shell"] == "bash"


class TestTheNightlyWorkflow:
    def test_is_started_three_times_a_day_at_odd_minutes(self):
        """Off the hour, at which everybody's crons wait for each other."""
        crons = [each["cron"] for each in read("nightly")[True]["schedule"]]
        minutes = [int(cron.split()[0]) for cron in crons]
        assert len(crons) == 3
        assert all(minute % 2 == 1 and minute % 10 for minute in minutes)

    @pytest.mark.parametrize("name", ["nightly", "monitor"])
    def test_waits_for_the_run_before_it(self, name: str):
        """A night is never ended by the next cron."""
        assert read(name)["concurrency"]["cancel-in-progress"] is False

    def test_looks_at_the_branch_as_it_is_when_a_job_begins(self):
        """A run that waited for another one sees what that one pushed."""
        checkouts = [step for _, step in steps("nightly") if step.get("uses", "").startswith("actions/checkout@")]
        assert [step["with"]["ref"] for step in checkouts] == ["${{ github.ref_name }}"] * 4

    def test_keeps_secrets_in_environments(self):
        """The router's key and the keys that sign and deploy are in two, and no other job has one."""
        found = {job: body.get("environment") for job, body in read("nightly")["jobs"].items()}
        bucket = "${{ vars.ARCHIVE_ENVIRONMENT }}"  # None, where the archive lies in the repository.
        assert found == {"due": bucket, "probe": "probe", "grade": bucket, "publish": "publish", "report": None}

    def test_says_what_each_exit_code_of_a_probe_means(self):
        """Every code that a probe can end with."""
        (script,) = [step["run"] for job, step in steps("nightly") if job == "report"]
        for code in ExitCode:
            if code not in {ExitCode.TARGET, ExitCode.CREDENTIAL}:  # Of publishing alone.
                assert f" {code.value}) meaning=" in script

    def test_names_its_artifacts_by_the_attempt(self):
        """An artifact cannot be replaced: a second attempt makes others."""
        names = [step["with"]["name"] for _, step in steps("nightly") if "upload-artifact" in step.get("uses", "")]
        assert names == [f"{each}-${{{{ github.run_attempt }}}}" for each in ("carried", "probed", "graded")]


class TestWhatIsPrinted:
    @pytest.mark.parametrize("name", ["nightly", "monitor"])
    def test_holds_no_command_of_the_runners(self, name: str):
        """Whatever a line of ours holds, no second colon follows a first, and no command begins in its middle."""
        begins = ["", " ", "\t", "said: ", "\u00a0"]
        words = ["add-mask", "set-output name=probe", "error file=a", "stop-commands", "warning", "x"]
        forms = ["::{}::b", ":::{}:::b", "::::{}::::b", "##[{}]b", "###[{}]b", "::{}::##[{}]b", "a::{}", ":{}:"]
        lines = [f"{begin}{form.format(word, word)}" for begin in begins for word in words for form in forms]
        assert any(command_in(line) for line in lines)
        done = subprocess.run(
            ["sed", read(name)["env"]["INERT"]], input="\n".join(lines), capture_output=True, text=True, check=True
        )
        printed = done.stdout.split("\n")
        assert len(printed) == len(lines)
        assert not [line for line in printed if command_in(line) or "::" in line or "##[" in line]

    def test_is_read_here_as_the_runner_reads_it(self):
        """Both syntaxes, in any case; other words and other places are no commands."""
        assert command_in("  ::Add-Mask::x") == "add-mask"
        assert command_in("::error file=a,line=1::x") == "error"
        assert command_in("told: ##[set-output name=a]b") == "set-output"
        assert command_in("told: ::error::x") is None
        assert command_in("::unknown::x") is None
        assert command_in("::error") is None


class TestTheTestsOnEverySystem:
    def test_cover_what_the_project_promises(self):
        """Linux and macOS, and each Python that pyproject.toml names."""
        matrix = read("ci")["jobs"]["test"]["strategy"]["matrix"]
        named = re.findall(r"Python :: (3\.\d+)", (REPOSITORY / "pyproject.toml").read_text())
        assert matrix["python"] == named
        assert {each.partition("-")[0] for each in matrix["os"]} == {"ubuntu", "macos"}
