"""The nightly workflow, its shell run for real: a night is published once, and nothing is paid for twice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import kept_site
import msgspec
import pytest
from actions_machine import TOKEN
from actions_night import (
    ASKS,
    BUCKET_KEY,
    FIRST,
    NIGHTLY,
    ROUTER_KEY,
    SIGNING_KEY,
    HaltingRouter,
    NightGitHub,
    missing_tools,
)
from actions_records import Run

from generator.workflows.logged import log_head
from generator.workflows.rendering import render
from generator.workflows.verifying import verify

WHY_NOT = missing_tools()
pytestmark = [pytest.mark.timeout(1200), pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]
DONE = {"due": "success", "probe": "success", "grade": "success", "publish": "success", "report": "success"}
LATER = timedelta(hours=3)
DAY = timedelta(days=1)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[NightGitHub]:
    """Yield a repository that has no night yet."""
    with HaltingRouter().running() as router:
        yield NightGitHub(tmp_path, router)


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A night that one run published, and the run after it."""

    github: NightGitHub
    first: Run
    second: Run
    asked: int
    """Requests before the second run."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    """Yield a night that one cron published, and that the next one found complete."""
    with HaltingRouter().running() as router:
        github = NightGitHub(tmp_path_factory.mktemp("published"), router)
        first = github.nightly()
        asked = len(router.asked)
        second = github.nightly(FIRST + LATER)
        yield Published(github=github, first=first, second=second, asked=asked)


@pytest.mark.ci
class TestANight:
    def test_is_probed_graded_signed_and_pushed(self, published: Published):
        """The remote has one commit for the night; its archive renders and verifies, and its log is signed."""
        assert published.first.results == DONE, published.first.out
        assert published.github.log() == ["Night 2026-03-27", "First"]
        root = published.github.root()
        render(root, progress=kept_site.Silent())
        report = verify(root, progress=kept_site.Silent())
        assert (report.findings, report.complete) == ((), True)
        assert root.store.nights.kept() == (FIRST.date(),)
        assert root.store.log.checkpoint() is not None
        assert root.store.log.proved("0.1") == (FIRST.date(),)

    def test_commits_the_archive_and_nothing_else(self, published: Published):
        """Neither journal nor lock nor site is in the commit."""
        github = published.github
        names = github.git(github.remote, "show", "--name-only", "--format=", "main").split()
        assert all(name.startswith("archive/") for name in names)
        assert not [name for name in names if "journal" in name or ".lock" in name or name.endswith(".tmp")]

    def test_attests_what_was_pushed(self, published: Published):
        """Head and checkpoint of the log, with the bytes that the remote has."""
        root = published.github.root()
        lying = {name: sha256(root.store.log.read(name)).hexdigest() for name in ("head", "checkpoint")}
        assert published.github.attested == [lying]

    def test_is_summed_up_in_figures_of_our_own(self, published: Published):
        """The summary and the commit name counts, letters and the log's root, and no model and no provider."""
        summary = published.first.jobs["publish"].summary
        root = published.github.root()
        assert f"| answered | {ASKS} |" in summary
        # The night, the method version, three grades, and the key that signs.
        assert "| log | 6 leaves |" in summary
        assert f"| log root | `{log_head(root).root.hex()}` |" in summary
        assert "| signed | 6 leaves |" in summary
        assert "sphinx" not in summary
        assert "elm" not in summary.lower()
        message = published.github.git(published.github.remote, "log", "-1", "--format=%b", "main")
        assert message.strip() == summary.strip()

    def test_ends_green_and_asks_nothing_once_it_is_complete(self, published: Published):
        """The second cron looks, and every other job is skipped."""
        assert published.second.results == {
            "due": "success",
            "probe": "skipped",
            "grade": "skipped",
            "publish": "skipped",
            "report": "skipped",
        }
        assert published.asked == len(published.github.router.asked) == ASKS
        assert published.github.artifacts(published.second.number) == []
        assert published.github.issues() == []


@pytest.mark.ci
class TestTheSecrets:
    def test_each_is_read_by_the_commands_that_need_it(self, published: Published):
        """The router's key: probe. The signing key: log append and log sign of the last job. No token: anything."""
        seen = {(call["argv"][0], *call["keys"]) for call in published.github.calls() if call["keys"]}
        assert seen == {("probe", "OPENROUTER_API_KEY"), ("log", "BITDEPTH_SIGNING_KEY")}

    def test_stand_in_no_artifact_no_output_and_no_commit(self, published: Published):
        """Whatever lies on a machine or in the remote holds none of them, but for git's own environment."""
        github = published.github
        secrets = [each.encode() for each in (ROUTER_KEY, SIGNING_KEY.text, BUCKET_KEY, TOKEN)]
        for run in (published.first, published.second):
            assert not [each for each in secrets if each.decode() in run.out]
        folders = (github.state, github.folder / "machines", github.clone("searched"))
        for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
            assert not [each for each in secrets if each in path.read_bytes()], path


class TestOnWhatEarlierRunsLeft:
    @pytest.mark.ci
    def test_a_killed_probe_is_carried_on(self, github: NightGitHub):
        """Its journal is an artifact; the next run asks what is missing, and nothing that was answered."""
        with github.lost_runner(ASKS // 2):
            killed = github.nightly()
        assert killed.results == {**DONE, "probe": "failure", "grade": "skipped", "publish": "skipped"}, killed.out
        assert github.artifacts(killed.number) == ["probed-1"]
        (issue,) = github.open_issues()
        assert "| probe | failure |" in issue["body"][0]
        assert f"actions/runs/{killed.number} (attempt 1)" in issue["body"][0]
        assert "did not come to an end of its own" in issue["body"][0]

        done = github.nightly(FIRST + LATER)
        assert done.results == DONE, done.out
        assert github.artifacts(done.number) == ["carried-1", "graded-1", "probed-1"]
        assert (len(github.router.asked), github.asked_twice()) == (ASKS, 0)
        assert github.open_issues() == []
        assert "is published" in github.issues()[0]["body"][-1]
        assert github.log() == ["Night 2026-03-27", "First"]

    @pytest.mark.ci
    def test_a_second_attempt_of_the_same_run_carries_on(self, github: NightGitHub):
        """'Re-run failed jobs' begins with what the first attempt left, under names of its own."""
        with github.lost_runner(ASKS // 2):
            killed = github.nightly()
        done = github.rerun_failed(NIGHTLY, killed, attempt=2)
        assert done.results == DONE, done.out
        assert github.artifacts(done.number) == ["graded-2", "probed-1", "probed-2"]
        assert (len(github.router.asked), github.asked_twice()) == (ASKS, 0)
        assert github.log() == ["Night 2026-03-27", "First"]

    @pytest.mark.ci
    def test_a_night_at_its_cap_is_carried_on_once_the_cap_is_raised(self, github: NightGitHub):
        """Exit code 4 is in the issue; not one request is asked twice."""
        github.change_settings('max_usd = "1"', 'max_usd = "0.003"')
        stopped = github.nightly()
        assert stopped.results["probe"] == "failure"
        assert "code of the probe: 4 (budget stop" in github.open_issues()[0]["body"][0]
        assert 0 < len(github.router.asked) < ASKS
        github.nightly(FIRST + LATER)
        (issue,) = github.open_issues()
        assert len(issue["body"]) == 2

        github.change_settings('max_usd = "0.003"', 'max_usd = "1"')
        done = github.nightly(FIRST + 2 * LATER)
        assert done.results == DONE, done.out
        assert (len(github.router.asked), github.asked_twice()) == (ASKS, 0)
        assert github.open_issues() == []

    @pytest.mark.ci
    def test_a_sealed_night_that_was_not_published_is_published_without_asking(self, github: NightGitHub):
        """A push that is refused costs nothing: the next run has the night from the artifact."""
        hook = github.remote / "hooks/pre-receive"
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
        refused = github.nightly()
        assert refused.results == {**DONE, "publish": "failure"}, refused.out
        assert github.log() == ["First"]
        hook.unlink()
        done = github.nightly(FIRST + LATER)
        assert done.results == DONE, done.out
        assert done.jobs["probe"].step("Probe").outcome == "skipped"
        assert len(github.router.asked) == ASKS
        assert github.log() == ["Night 2026-03-27", "First"]

    @pytest.mark.ci
    def test_a_night_that_is_over_is_sealed_by_the_next_days_run(self, github: NightGitHub):
        """With too little of it sent it is void; both nights are published together, in one commit."""
        with github.lost_runner(4):
            github.nightly()
        done = github.nightly(FIRST + DAY)
        assert done.results == DONE, done.out
        root = github.root()
        assert [root.store.nights.get(each).record.state for each in root.store.nights.kept()] == ["void", "recorded"]
        assert github.log() == ["Night 2026-03-28", "First"]

    @pytest.mark.ci
    def test_an_artifact_that_a_pull_request_named_is_not_fetched(self, github: NightGitHub):
        """Only runs that nobody outside can start hand anything on."""
        planted = github.state / "artifacts/900/probed-1/archive/nights/2026-03-27"
        planted.mkdir(parents=True)
        (planted / "night.json").write_text("{}")
        (github.state / "runs.json").write_text('[{"id": 900, "event": "pull_request", "head_branch": "main"}]')
        done = github.nightly()
        assert done.results == DONE, done.out
        assert len(github.router.asked) == ASKS

    def test_where_it_cannot_be_looked_for_nothing_is_asked(self, github: NightGitHub):
        """An API that is down ends the run before a request is paid for."""
        (github.state / "gh_is_down").touch()
        run = github.nightly()
        assert run.results == {
            "due": "failure",
            "probe": "skipped",
            "grade": "skipped",
            "publish": "skipped",
            "report": "failure",  # Its own call goes the same way.
        }
        assert github.router.asked == []


class TestTheReport:
    @pytest.mark.ci
    def test_one_issue_is_opened_added_to_and_closed(self, github: NightGitHub):
        """Three runs fail, each in another job; the fourth publishes the night."""
        for command, job in (("probe", "probe"), ("grade", "grade"), ("take", "due")):
            github.fail(**{command: 6})
            run = github.nightly()
            assert run.results[job] == "failure", run.out
            assert run.results["report"] == "success", run.out
            assert f"| {job} | failure |" in github.open_issues()[0]["body"][-1]
        assert len(github.issues()) == 1
        assert len(github.issues()[0]["body"]) == 3
        github.fail()
        run = github.nightly()
        assert run.results == DONE, run.out
        assert (len(github.issues()), github.open_issues()) == (1, [])

    def test_ends_green_and_says_so_where_issues_are_off(self, github: NightGitHub):
        """As they are in a fork at first: the run is red by the job that failed, and no call for an issue is made."""
        (github.state / "issues_are_off").touch()
        github.fail(due=1)
        run = github.nightly()
        assert (run.results["due"], run.results["report"]) == ("failure", "success"), run.out
        assert "Issues are switched off in this repository" in run.out
        assert github.issues() == []

    def test_a_strangers_issue_of_the_same_name_is_left_alone(self, github: NightGitHub):
        """It was not opened by the workflow."""
        (github.state / "issues.json").write_text(
            '[{"number": 1, "title": "The nightly run failed", "state": "open", "user": {"login": "eve"}, "body": []}]'
        )
        github.fail(due=1)
        assert github.nightly().results["report"] == "success"
        assert [len(each["body"]) for each in github.issues()] == [0, 1]


class TestTheCommit:
    @pytest.mark.ci
    def test_only_ever_adds(self, github: NightGitHub):
        """Whatever on the machine took a kept file away, nothing is pushed."""
        damage = github.desk / "damage"
        github.watching = lambda step: step == "Sign" and not damage.exists() and damage.touch() is not None
        run = github.nightly()
        assert run.results == {**DONE, "publish": "failure"}
        assert "D\tarchive/FORMAT.md" in run.jobs["publish"].step("Commit and push").out
        assert github.log() == ["First"]

    @pytest.mark.ci
    def test_is_made_once_by_two_attempts(self, github: NightGitHub):
        """An attempt that comes after the push finds everything there, and attests it again."""
        first = github.nightly()
        first.jobs["publish"].result = "failure"
        second = github.rerun_failed(NIGHTLY, first, attempt=2)
        assert second.results == DONE, second.out
        assert "nothing is new" in second.jobs["publish"].step("Commit and push").out
        assert github.log() == ["Night 2026-03-27", "First"]
        assert github.attested[0] == github.attested[1]


class TestADispatch:
    @pytest.mark.parametrize("night", ["2020-01-01", "2026-03-27; $(touch run-by-input)"])
    def test_for_a_night_that_cannot_be_probed_fails_before_anything(self, github: NightGitHub, night: str):
        """A night that is over, and what is no date; no shell reads it."""
        run = github.nightly(event="workflow_dispatch", night=night)
        assert (run.results["due"], run.results["probe"]) == ("failure", "skipped")
        assert run.jobs["due"].step("Ask whether the night is complete").code == 2
        assert not list(github.folder.rglob("run-by-input"))
        assert len(github.open_issues()) == 1

    def test_before_the_hour_asks_nothing_without_a_date(self, github: NightGitHub):
        """An empty input is as a cron."""
        run = github.nightly(FIRST - timedelta(hours=1), "workflow_dispatch", night="")
        assert run.results["probe"] == "skipped"
        assert run.jobs["due"].outputs["due"] == "false"

    @pytest.mark.ci
    def test_for_a_night_whose_journal_is_not_sealed_carries_it_on(self, github: NightGitHub):
        """After midnight it is named, and completed instead of sealed as it is."""
        with github.lost_runner(4):
            github.nightly()
        done = github.nightly(FIRST + DAY - LATER, "workflow_dispatch", night="2026-03-27")
        assert done.results == DONE, done.out
        root = github.root()
        assert [root.store.nights.get(each).record.state for each in root.store.nights.kept()] == ["recorded"]
        assert (len(github.router.asked), github.asked_twice()) == (ASKS, 0)
