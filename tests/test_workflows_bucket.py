"""The nightly workflow of a root whose archive lies in a bucket: what is committed is a witness of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import kept_site
import pytest
from actions_night import ASKS, FIRST, HaltingRouter, NightGitHub, missing_tools
from publish_world import Bucket, running_s3
from typer.testing import CliRunner

from generator.cli import app
from generator.workflows.witnessing import witness

WHY_NOT = missing_tools()
linux = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
KEYS = {"ARCHIVE_ACCESS_KEY_ID": "key", "ARCHIVE_SECRET_ACCESS_KEY": "canary-3c1e"}


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    """Yield a bucket of a real S3 server."""
    with running_s3() as endpoint:
        yield Bucket(endpoint, "nights")


class TestAWitness:
    def test_holds_head_checkpoint_and_every_file_of_digests(self, tmp_path: Path):
        """What is there already is left as it is; nothing is read of what is large."""
        root = kept_site.make_root(tmp_path / "root", nights=2, rendered=False)
        CliRunner().invoke(app, ["log", "append", "--root", str(root.path)])
        (tmp_path / "elsewhere").mkdir()
        root.store.local.rename(tmp_path / "elsewhere/archive")
        settings = root.path / "content/site.toml"
        settings.write_text(f'archive = "{(tmp_path / "elsewhere/archive").as_uri()}"\n{settings.read_text()}')
        command = ["witness", str(tmp_path / "witness"), "--root", str(root.path)]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        held = sorted(
            path.relative_to(tmp_path / "witness").as_posix()
            for path in (tmp_path / "witness").rglob("*")
            if path.is_file()
        )
        assert held == [
            "grades/0.1/2026-03-01.json",
            "grades/0.1/2026-03-02.json",
            "log/head",
            "nights/2026-03-01/night.json",
            "nights/2026-03-02/night.json",
            "pages/0.1/2026-03-01.json",
            "pages/0.1/2026-03-02.json",
            "pages/methods/0.1.json",
        ]
        assert "7 files added to the 0 before" in done.stdout
        assert "0 files added to the 7 before" in CliRunner().invoke(app, command).stdout

    def test_of_an_archive_in_its_root_is_not_needed(self, tmp_path: Path):
        """Nothing is written."""
        root = kept_site.make_root(tmp_path / "root", nights=1, graded=False, rendered=False)
        assert witness(root, tmp_path / "witness") is None
        assert not (tmp_path / "witness").exists()


@linux
@pytest.mark.ci
@pytest.mark.timeout(1200)
def test_a_night_is_published_from_the_bucket_and_witnessed_in_the_repository(bucket: Bucket, tmp_path: Path):
    """A killed probe is carried on from its artifact; then the bucket has the night, signed, and git its digests."""
    with HaltingRouter().running() as router:
        github = NightGitHub(tmp_path, router)
        github.change_settings("format = 1\n", 'format = 1\narchive = "s3://nights/one"\n')
        github.variables |= {"ARCHIVE_ENVIRONMENT": "archive", "AWS_ENDPOINT_URL": bucket.endpoint}
        github.machine["AWS_ALLOW_HTTP"] = "true"
        for environment in ("archive", "probe", "publish"):
            github.secrets[environment] = {**github.secrets.get(environment, {}), **KEYS}
        with github.lost_runner(4):
            killed = github.nightly()
        assert (killed.results["probe"], killed.results["grade"]) == ("failure", "skipped"), killed.out
        done = github.nightly()
        assert set(done.results.values()) == {"success"}, done.out
        assert (len(router.asked), github.asked_twice()) == (ASKS, 0)
        there = bucket.objects("one")
        assert f"nights/{FIRST.date()}/observations.parquet" in there
        assert "log/checkpoint" in there
        assert github.log() == ["Night 2026-03-27", "Settings", "First"]
        names = github.git(github.remote, "show", "--name-only", "--format=", "main").split()
        assert all(name.startswith("witness/") for name in names)
        kept = github.clone("looked-at") / "witness"
        for path in (path for path in kept.rglob("*") if path.is_file()):
            assert path.read_bytes() == there[path.relative_to(kept).as_posix()][0]
        assert {"head", "checkpoint"} == github.attested[0].keys()
        assert KEYS["ARCHIVE_SECRET_ACCESS_KEY"] not in done.out

        again = github.nightly()
        assert again.results["probe"] == "skipped"
