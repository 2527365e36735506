"""The nightly workflow on a router that answers with the runner's own commands: none is read from what is printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from actions_night import NightGitHub, missing_tools
from actions_records import command_in
from aiohttp import web
from lookup_router import Asked, LookupRouter, completion

WHY_NOT = missing_tools()
pytestmark = [pytest.mark.ci, pytest.mark.timeout(1200), pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]

LINES = (
    "::add-mask::grades",
    "  ::set-output name=sealed::false",
    "::error title=bitdepth::paid for",
    "told ##[add-mask]grades",
    ":::stop-commands:::x",
    "::add-path::/evil",
)


class CommandRouter(LookupRouter):
    """A router whose providers are called, and whose models answer, what a runner would obey."""

    def __init__(self) -> None:
        """Give each provider such a name."""
        super().__init__()
        for number, name in enumerate(self.listed):
            self.listed[name] = {"provider_name": f"{LINES[number]} {name}"}

    async def _completion(self, request: web.Request) -> web.Response:
        body = await request.json()
        name = body["provider"]["only"][0].partition("/")[0].title()
        prompt = body["messages"][0]["content"]
        self.asked.append(Asked(provider=name, prompt=prompt))
        return completion(self.listed[name]["provider_name"], "\n".join(LINES), 9)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[NightGitHub]:
    """Yield a repository whose router is hostile, and whose commands print what they read."""
    with CommandRouter().running() as router:
        made = NightGitHub(tmp_path, router)
        made.make_noise("".join(f"{line}\r{line}\n" for line in LINES))
        yield made


def test_a_whole_night_prints_no_command(github: NightGitHub):
    """Each job prints all of them, on both streams; the outputs, the summary and the commit hold nothing of theirs."""
    run = github.nightly()
    assert set(run.results.values()) == {"success"}, run.out
    assert run.commands == []
    for line in LINES:
        assert command_in(line) is not None or line == LINES[4]
        assert line not in run.out
    for job in ("due", "probe", "grade", "publish"):
        printed = "\n".join(step.out for step in run.jobs[job].steps)
        assert ": :add-mask: :grades" in printed
        assert "## [add-mask]grades" in printed
    said = "".join(job.summary for job in run.jobs.values()) + str([job.outputs for job in run.jobs.values()])
    said += github.git(github.remote, "log", "--format=%B", "main")
    assert not [word for word in ("mask", "evil", "paid for", "title", "::") if word in said]


def test_a_failed_night_tells_no_issue_what_a_stranger_said(github: NightGitHub):
    """The issue is made of results, a date, an address and the meaning of a code."""
    github.fail(verify=6)
    run = github.nightly()
    assert run.results["grade"] == "failure"
    assert run.commands == []
    (issue,) = github.open_issues()
    assert not [word for word in ("mask", "evil", "title", "::", "Elm", "sphinx") if word in str(issue["body"])]
