"""A stand-in for `gh`, as the workflows call it: it answers from a test's runs and issues, and writes down each call.

    actions_gh.py STATE ARGUMENTS...        STATE is a folder with runs.json, issues.json, artifacts/<run>/<name>/

It needs a token, knows no command but those that the workflows use, and applies --jq with jq itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

BOT = "github-actions[bot]"


def main() -> int:  # noqa: PLR0911 - one end for each command
    """Answer one call."""
    state, arguments = Path(sys.argv[1]), sys.argv[2:]
    with (state / "gh.jsonl").open("a") as said:
        said.write(json.dumps(arguments) + "\n")
    if not os.environ.get("GH_TOKEN"):
        return _refuse("no GH_TOKEN")
    if (state / "gh_is_down").exists():
        return _refuse("HTTP 502")
    match arguments:
        case ["api", "--method", "GET", *rest]:
            return _api(state, [each for each in rest if each != "--paginate"])
        case ["run", "download", run, "--repo", _, "--name", name, "--dir", folder]:
            shutil.copytree(state / "artifacts" / run / name, folder)
            return 0
        case ["issue", "create", "--title", title, "--body-file", body]:
            issues = _read(state, "issues")
            number = len(issues) + 1
            text = Path(body).read_text()
            issues.append({"number": number, "title": title, "state": "open", "user": {"login": BOT}, "body": [text]})
            return _write(state, issues)
        case ["issue", "comment", number, "--body-file", body]:
            issues = _read(state, "issues")
            issues[int(number) - 1]["body"].append(Path(body).read_text())
            return _write(state, issues)
        case ["issue", "close", number, "--comment", text]:
            issues = _read(state, "issues")
            issues[int(number) - 1]["state"] = "closed"
            issues[int(number) - 1]["body"].append(text)
            return _write(state, issues)
        case _:
            return _refuse(f"unknown: {arguments}")


def _api(state: Path, arguments: list[str]) -> int:
    path, rest = arguments[0], arguments[1:]
    options = list(zip(rest[::2], rest[1::2], strict=True))
    fields = dict(value.split("=", 1) for option, value in options if option in {"-f", "-F"})
    program = next(value for option, value in options if option == "--jq")
    if path.endswith("/actions/workflows/nightly.yml/runs"):
        runs = [each for each in _read(state, "runs") if each["head_branch"] == fields["branch"]]
        answer: Any = {"workflow_runs": runs[: int(fields["per_page"])]}
    elif found := re.search(r"/actions/runs/(\d+)/artifacts$", path):
        folder = state / "artifacts" / found[1]
        names = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []
        answer = {"artifacts": [{"name": name, "expired": False} for name in names]}
    elif path.endswith("/issues"):
        answer = [each for each in _read(state, "issues") if each["state"] == fields["state"]]
    elif re.fullmatch(r"repos/[^/]+/[^/]+", path):
        answer = {"has_issues": not (state / "issues_are_off").exists()}
    else:
        return _refuse(f"unknown: {path}")
    return subprocess.run(["jq", "--raw-output", program], input=json.dumps(answer), text=True, check=False).returncode


def _read(state: Path, name: str) -> list[Any]:
    path = state / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else []


def _write(state: Path, issues: list[Any]) -> int:
    (state / "issues.json").write_text(json.dumps(issues))
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(f"gh: {why}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
