"""An archive in a bucket that is read, held and refused: what verify finds, what is copied, and two runs at once."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import archive_world
import logged_site
import pytest
import sound_worlds
from archive_world import at, between, is_held, objects, run, timed
from kept_site import Silent
from publish_world import SECRET, Bucket

from generator.archive import layout
from generator.archive.bucket_folder import LEASE
from generator.errors import ArchiveError, ExitCode, LockedError, MissingFileError, UsageError
from generator.records.check import CheckState
from generator.stores.lease import Times
from generator.workflows.doctor_archive import archive_checks, reach_check
from generator.workflows.publishing import refuse_own_folder
from generator.workflows.verifying import verify
from generator.workflows.world import Root

SILENT = Silent()
NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
TABLE = "nights/2026-03-02/observations.parquet"
BRIEF = Times(renew_s=0.1, certain_s=1, put_s=1, look_s=0.05, dead_s=2.5)
"""The lease of runs that must not wait a minute for a dead one."""

bucket, prefix, root = archive_world.bucket, archive_world.prefix, archive_world.root
made = sound_worlds.logged_small


class TestVerify:
    def test_finds_a_flipped_byte(self, bucket: Bucket, root: Root, prefix: str):
        """Exit 6, naming the file, though earlier runs have kept copies of what it was."""
        copy_all(root)
        data = bytearray(objects(bucket, prefix)[TABLE])
        data[len(data) // 2] ^= 1
        bucket.store(prefix).put(TABLE, bytes(data))
        done = run(root.path, "verify")
        assert done.exit_code == ExitCode.INTEGRITY
        assert TABLE in done.output
        changed = [each.where for each in verify(Root(root.path), progress=SILENT).findings]
        assert f"archive/{TABLE}" in changed

    def test_finds_a_removed_object(self, bucket: Bucket, root: Root, prefix: str):
        """Likewise."""
        copy_all(root)
        bucket.store(prefix).delete(TABLE)
        done = run(root.path, "verify")
        assert done.exit_code == ExitCode.INTEGRITY
        assert TABLE in done.output
        with pytest.raises(MissingFileError):
            Root(root.path).store.folder.read(TABLE)

    def test_reads_the_store_itself_and_no_copy(self, bucket: Bucket, root: Root, monkeypatch: pytest.MonkeyPatch):
        """The command asks for each object once, also where a copy of the same mark lies here; other runs do not."""
        copy_all(root)
        shutil.rmtree(root.site)
        with between(bucket.endpoint, lambda *_: None) as (endpoint, passed):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            assert Root(root.path).store.folder.read(TABLE)
            assert fetched(passed, TABLE) == 0
            assert "none is laid out" in run(root.path, "verify").output
            assert fetched(passed, TABLE) == 1

    def test_with_the_right_to_read_alone(self, bucket: Bucket, root: Root, monkeypatch: pytest.MonkeyPatch):
        """An archive that cannot be held is read as it is; a run that would write ends with exit 8."""
        with between(bucket.endpoint, lambda method, _: 403 if method in {"PUT", "DELETE"} else None) as (endpoint, _):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            assert run(root.path, "verify").exit_code == 0
            done = run(root.path, "log", "append")
        assert done.exit_code == ExitCode.CREDENTIAL
        assert "HTTP 403" in done.output


class TestTheCopies:
    def test_an_object_is_fetched_once(self, bucket: Bucket, root: Root, monkeypatch: pytest.MonkeyPatch):
        """A damaged copy is fetched again; the log's head is read from the store each time."""
        with between(bucket.endpoint, lambda *_: None) as (endpoint, passed):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            first = Root(root.path).store.folder.read(TABLE)
            assert Root(root.path).store.folder.read(TABLE) == first
            assert fetched(passed, TABLE) == 1
            (copy,) = (root.path / ".cache/archive" / TABLE).iterdir()
            copy.write_bytes(copy.read_bytes()[:-1] + b"!")
            assert Root(root.path).store.folder.read(TABLE) == first
            assert fetched(passed, TABLE) == 2
            folder = Root(root.path).store.folder
            for _ in range(3):
                folder.read(layout.LOG_HEAD)
            assert fetched(passed, layout.LOG_HEAD) == 3

    def test_the_store_lists_a_folder_once_in_a_process(
        self, bucket: Bucket, root: Root, monkeypatch: pytest.MonkeyPatch
    ):
        """However often it is asked what is there; and everything in one go where all of it is wanted."""
        with between(bucket.endpoint, lambda *_: None) as (endpoint, passed):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            folder = Root(root.path).store.folder
            for _ in range(2):
                assert folder.exists(TABLE)
                assert not folder.exists("nights/none")
                assert folder.matching("grades/*/*.json")
                assert folder.exists("FORMAT.md")
            assert len(passed) == 3
            assert all(folder.exists(name) for name in folder.names())
            assert not folder.exists("elsewhere/x")
            assert len(passed) == 4

    def test_what_the_bucket_has_no_more_is_copied_no_more(self, bucket: Bucket, root: Root, prefix: str):
        """At the next listing, whoever removed it; what another put since the last listing is found all the same."""
        copy_all(root)
        bucket.store(prefix).delete(TABLE)
        folder = Root(root.path).store.folder
        assert not folder.exists(TABLE)
        assert not (root.path / ".cache/archive" / TABLE).exists()
        bucket.store(prefix).put(TABLE, b"late")
        assert folder.read(TABLE) == b"late"
        assert folder.exists(TABLE)
        bucket.store(prefix).delete(TABLE)
        (root.path / ".cache/archive" / TABLE).rename(root.path / "aside")
        with pytest.raises(MissingFileError):
            folder.read(TABLE)
        assert not folder.exists(TABLE)
        with pytest.raises(MissingFileError):
            folder.size(TABLE)

    def test_where_none_can_be_kept(self, root: Root):
        """Each object is fetched when it is asked for."""
        shutil.rmtree(root.path / ".cache", ignore_errors=True)
        (root.path / ".cache").write_text("a file where a folder belongs")
        assert root.store.folder.read(TABLE) == root.store.folder.read(TABLE)

    def test_one_that_cannot_be_deleted_is_said(self, root: Root, monkeypatch: pytest.MonkeyPatch):
        """It may hold what is withheld: the object stays until it is gone."""
        root.store.folder.read(TABLE)

        def refused(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        with root.store.lock():
            monkeypatch.setattr(shutil, "rmtree", refused)
            with pytest.raises(ArchiveError, match="Permission denied") as said_:
                root.store.folder.remove(TABLE)
            assert root.store.folder.exists(TABLE)
        assert said_.value.where == f".cache/archive/{TABLE}"


class TestTwoRuns:
    def test_the_second_ends_cleanly(self, bucket: Bucket, root: Root, prefix: str, tmp_path: Path):
        """While another machine renews its hold, a run ends with exit 5 and writes nothing."""
        shutil.copytree(root.path, tmp_path / "other")
        first = timed(root.path, Times(renew_s=0.2))
        with first.store.lock():
            before = objects(bucket, prefix)
            done = run(tmp_path / "other", "log", "append")
            assert done.exit_code == ExitCode.LOCKED
            assert "another run at work" in done.output
            assert run(tmp_path / "other", "verify").exit_code == ExitCode.LOCKED
            assert objects(bucket, prefix) == before
            first.store.folder.create("grades/0.1/x", b"still held")
        assert not is_held(bucket, prefix)

    def test_one_that_died_elsewhere_is_followed_once_it_is_silent(self, bucket: Bucket, root: Root, prefix: str):
        """Its hold ends when nobody has renewed it for so long; that of this root's last run, at once."""
        bucket.store(prefix).put(LEASE, b'{"owner":"dead","renewals":3}')
        began = time.monotonic()
        with timed(root.path, BRIEF).store.lock():
            assert time.monotonic() - began > BRIEF.dead_s
            left = bucket.objects(prefix)[LEASE][0]
        bucket.store(prefix).put(LEASE, left)
        with Root(root.path).store.lock():
            assert is_held(bucket, prefix)
        assert not is_held(bucket, prefix)

    def test_one_that_was_cut_off_writes_nothing_any_more(self, bucket: Bucket, root: Root, prefix: str):
        """Once its hold is not certain it ends, and leaves the other's object alone."""
        cut = timed(root.path, BRIEF)
        with cut.store.lock():
            cut.store.folder.create("grades/0.1/x", b"held")
            bucket.store(prefix).put(LEASE, b'{"owner":"second","renewals":1}')
            time.sleep(BRIEF.certain_s + BRIEF.renew_s)
            with pytest.raises(LockedError):
                cut.store.folder.create("grades/0.1/y", b"lost")
        assert bucket.objects(prefix)[LEASE][0] == b'{"owner":"second","renewals":1}'
        assert "grades/0.1/y" not in objects(bucket, prefix)

    def test_who_is_interrupted_while_it_waits_waits_no_longer(self, bucket: Bucket, root: Root, prefix: str):
        """Its thread ends too, and what it waited for stays as it is."""
        bucket.store(prefix).put(LEASE, b'{"owner":"dead","renewals":3}')
        threading.Timer(1, os.kill, [os.getpid(), signal.SIGINT]).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt), root.store.lock():
            pass
        assert time.monotonic() - began < Times().dead_s / 2
        assert "lease" not in {thread.name for thread in threading.enumerate()}
        assert bucket.objects(prefix)[LEASE][0] == b'{"owner":"dead","renewals":3}'


class TestRefused:
    """Each is one message, with an exit code of its own."""

    @pytest.mark.parametrize("command", [["verify"], ["log", "append"], ["void", "2026-03-01", "--reason", "x"]])
    def test_a_missing_bucket(self, root: Root, command: list[str]):
        """Exit 7."""
        site = root.path / "content/site.toml"
        site.write_text(site.read_text().replace(f"s3://{archive_world.BUCKET}", "s3://nobody-made-it"))
        done = run(root.path, *command)
        assert done.exit_code == ExitCode.TARGET, done.output
        assert "NoSuchBucket" in done.output
        assert done.output.count("\n") == 1

    @pytest.mark.parametrize("command", [["verify"], ["nightly"], ["log", "append"]])
    def test_a_missing_credential(self, root: Root, command: list[str], monkeypatch: pytest.MonkeyPatch):
        """Exit 8, naming the variables, before anything is asked."""
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        done = run(root.path, *command)
        assert done.exit_code == ExitCode.CREDENTIAL, done.output
        assert "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in done.output
        assert "'archive'" in done.output
        assert done.output.count("\n") == 1

    @pytest.mark.parametrize(
        "address", [f"s3://key:{SECRET}@bucket/x", f"s3://bucket/x?token={SECRET}", f"ftp://{SECRET}/x", "archive"]
    )
    def test_an_address_that_is_none_or_holds_a_credential(self, root: Root, address: str):
        """It is not quoted; the settings name the field."""
        site = root.path / "content/site.toml"
        (line,) = [line for line in site.read_text().splitlines() if line.startswith("archive")]
        site.write_text(site.read_text().replace(line, f'archive = "{address}"'))
        done = run(root.path, "verify")
        assert done.exit_code == ExitCode.FAILED
        assert "expected the address of a folder or bucket" in done.output
        assert "field 'archive'" in done.output
        assert SECRET not in done.output

    @pytest.mark.ci
    def test_a_store_that_fails_midway(self, bucket: Bucket, root: Root, prefix: str, monkeypatch: pytest.MonkeyPatch):
        """Exit 3: what was sent stays and does not count yet, and the same command carries on with it."""
        with root.store.lock():
            logged_site.add_last(root, 4)
        before = objects(bucket, prefix)
        fails = lambda method, path: 503 if method == "PUT" and path.endswith(layout.LOG_HEAD) else None  # noqa: E731
        with between(bucket.endpoint, fails) as (endpoint, _):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            done = run(root.path, "log", "append")
        assert done.exit_code == ExitCode.PARTIAL
        assert "found HTTP 503" in done.output
        assert "run the same command again to carry on" in done.output
        midway = objects(bucket, prefix)
        assert layout.LOG_APPENDING in midway
        assert midway[layout.LOG_HEAD] == before[layout.LOG_HEAD]
        monkeypatch.setenv("AWS_ENDPOINT_URL", bucket.endpoint)
        assert run(root.path, "log", "append").exit_code == 0
        after = objects(bucket, prefix)
        assert layout.LOG_APPENDING not in after
        assert after[layout.LOG_HEAD] != before[layout.LOG_HEAD]
        assert [name for name in before if name != layout.LOG_HEAD and after.get(name) != before[name]] == []

    def test_a_site_in_the_archives_place(self, root: Root, prefix: str):
        """The site is not published into its own archive, nor around it."""
        for place in (at(prefix), at(f"{prefix}/site/"), f"s3://{archive_world.BUCKET}"):
            with pytest.raises(UsageError, match="found the archive's"):
                refuse_own_folder(root, place)
        refuse_own_folder(root, at(f"{prefix}-site"))
        refuse_own_folder(root, "s3://another")


class TestDoctor:
    def test_looks_at_the_bucket(self, bucket: Bucket, root: Root, prefix: str):
        """It says where the archive lies and whether anybody is at work, and leaves nothing behind."""
        before = bucket.objects(prefix)
        reached = reach_check(root)
        assert reached is not None
        assert reached.state is CheckState.OK
        assert reached.found == f"{at(prefix)}, {len(before)} files"
        assert locks(root) == "nobody at work"
        bucket.store(prefix).put(LEASE, b"{}")
        assert locks(root) == "one"
        bucket.store(prefix).delete(LEASE)
        assert bucket.objects(prefix) == before

    def test_one_that_cannot_be_read_keeps_no_other_check_from_being_made(
        self, root: Root, monkeypatch: pytest.MonkeyPatch
    ):
        """What cannot be known without it is not checked."""
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        told = said(root)
        assert "failed archive: expected a credential for s3://" in told
        assert "not checked last night" in told
        assert "ok templates" in told


def said(root: Root) -> str:
    """Return what doctor prints, on one line."""
    return " ".join(run(root.path, "doctor").output.split())


def locks(root: Root) -> str:
    """Return what doctor finds of others at work."""
    (found,) = [each.found for each in archive_checks(root, NOW.date()) if each.name == "lock"]
    return found


def copy_all(root: Root) -> None:
    """Keep a copy of every object, as an earlier run does."""
    folder = Root(root.path).store.folder
    assert all(folder.read(name) for name in folder.names())


def fetched(passed: list[tuple[str, str]], name: str) -> int:
    """Return how often an object was read."""
    return sum(method == "GET" and path.endswith(name) for method, path in passed)
