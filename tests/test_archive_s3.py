"""The archive in a bucket of a real S3 server on loopback: the same bytes as in a folder, and the same guarantees."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import archive_world
import logged_site
import pytest
import sound_worlds
from archive_world import at, between, bucket_of, different, is_held, kept, name_archive, objects, run
from kept_site import ENDPOINTS, FIRST, MODEL, SITE_TOML, Silent, add_night
from obstore.exceptions import AlreadyExistsError
from publish_world import Bucket

from generator.archive import layout
from generator.archive.bucket_folder import LEASE
from generator.errors import IntegrityError, LockedError, UsageError
from generator.terminal.session import quiet
from generator.workflows.grading import grade
from generator.workflows.nightly import begin_archive
from generator.workflows.publishing import refuse_own_folder
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.voiding import void
from generator.workflows.withholding import ObservationKey, withhold
from generator.workflows.world import Root

SILENT = Silent()
NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
TABLE = "nights/2026-03-02/observations.parquet"

bucket, prefix, root = archive_world.bucket, archive_world.prefix, archive_world.root
made = sound_worlds.logged_small


class TestTheSameArchive:
    def test_made_in_a_bucket_it_is_byte_for_byte_the_one_in_a_folder(
        self, bucket: Bucket, made: Path, prefix: str, tmp_path: Path
    ):
        """Nights, grades, pages, log, signatures and proofs; and the site that follows from them."""
        (tmp_path / "content").mkdir()
        (tmp_path / "content/site.toml").write_text(SITE_TOML)
        name_archive(tmp_path, at(prefix))
        root = Root(tmp_path)
        with root.store.lock():
            begin_archive(root)
            for day in (0, 1):
                add_night(root, FIRST + timedelta(days=day))
            grade(root, today=FIRST + timedelta(days=2), progress=SILENT)
            logged_site.keep(root)
            logged_site.add_last(root, 3)
            logged_site.keep(root)
            render(root, progress=SILENT)
            report = verify(root, progress=SILENT)
        assert (report.findings, report.complete) == ((), True)
        assert different(objects(bucket, prefix), kept(made)) == []
        assert different(files(tmp_path / "site"), files(made / "site")) == []
        assert not is_held(bucket, prefix)
        assert [path.name for path in (tmp_path / "archive").iterdir()] == [".lock"]

    def test_it_is_listed_as_a_folder_is(self, made: Path, root: Root):
        """Names and their order, patterns, sizes, versions and dates."""
        folder, bucket = Root(made).store.folder, bucket_of(root)
        assert list(bucket.names()) == list(folder.names())
        patterns = (
            "nights/*/night.json",
            "grades/*/*.json",
            "log/tile/**/*",
            "log/index/*/*",
            "pages/0.1/2026-03-02.*",
        )
        for pattern in patterns:
            assert folder.matching(pattern)
            assert bucket.matching(pattern) == folder.matching(pattern)
        assert bucket.matching("grades/0.1") == ()
        assert root.store.grades.versions() == Root(made).store.grades.versions() == ("0.1",)
        assert root.store.nights.kept() == Root(made).store.nights.kept()
        assert {name: bucket.size(name) for name in bucket.names()} == {
            name: folder.size(name) for name in folder.names()
        }

    def test_a_night_is_never_there_without_its_tables(
        self, bucket: Bucket, root: Root, prefix: str, monkeypatch: pytest.MonkeyPatch
    ):
        """Objects come in the order of files: what makes others count comes after them."""
        with between(bucket.endpoint, lambda *_: None) as (endpoint, passed):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            again = Root(root.path)
            with again.store.lock():
                add_night(again, FIRST + timedelta(days=4))
                grade(again, today=FIRST + timedelta(days=5), progress=SILENT)
        start = f"/{archive_world.BUCKET}/{prefix}/"
        puts = [path.removeprefix(start) for method, path in passed if method == "PUT" and LEASE not in path]
        night = [name for name in puts if name.startswith("nights/")]
        assert len(night) == len(layout.NIGHT_TABLES) + 1
        assert night[-1].endswith(layout.NIGHT_JSON)
        assert puts[len(night) :] == [
            f"{kind}/0.1/2026-03-05.{end}" for kind in ("grades", "pages") for end in ("parquet", "json")
        ]

    def test_a_second_machine_carries_on_with_it_and_the_first_one_after_that(
        self, bucket: Bucket, made: Path, root: Root, prefix: str, tmp_path: Path
    ):
        """Root, cache and journal of the other one are empty; what either wrote, the other meets."""
        other = tmp_path / "other"
        shutil.copytree(root.path / "content", other / "content")
        folder = tmp_path / "folder"
        shutil.copytree(made, folder)
        for day, path in ((4, other), (5, root.path), (6, other)):
            for each in (Root(path), Root(folder)):
                with each.store.lock():
                    logged_site.add_last(each, day)
                    logged_site.keep(each)
        assert different(objects(bucket, prefix), kept(folder)) == []
        with quiet(other) as site:
            render(site, progress=SILENT)
            assert verify(site, progress=SILENT).findings == ()

    def test_the_command_appends_signs_and_proves(
        self, bucket: Bucket, made: Path, root: Root, prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """With the same leaves, checkpoint and proofs as in a folder."""
        monkeypatch.setenv("BITDEPTH_SIGNING_KEY", logged_site.KEY.text)
        shutil.copytree(made, tmp_path / "folder")
        for path in (root.path, tmp_path / "folder"):
            each = Root(path)
            with each.store.lock():
                logged_site.add_last(each, 4)
            for command in ("append", "sign", "prove"):
                done = run(path, "log", command)
                assert done.exit_code == 0, done.output
        found = objects(bucket, prefix)
        assert "log/proofs/0.1/2026-03-05.parquet" in found
        assert different(found, kept(tmp_path / "folder")) == []

    def test_void_and_withhold_work_on_it(self, bucket: Bucket, made: Path, root: Root, prefix: str, tmp_path: Path):
        """The same declarations; a withheld text is in no object and in no copy, on either machine, any more."""
        shutil.copytree(root.path, tmp_path / "other")
        other = Root(tmp_path / "other")
        shutil.copytree(made, tmp_path / "folder")
        key = ObservationKey(model=MODEL, endpoint=ENDPOINTS[0], prompt_id="tales-1")
        for each in (Root(root.path), Root(tmp_path / "folder")):
            other.store.folder.read(TABLE)
            with each.store.lock():
                void(each, FIRST, reason="our network", now=NOW)
                withhold(each, FIRST + timedelta(days=1), key, answer=True, reason="a private person", now=NOW)
                logged_site.keep(each)
        assert different(objects(bucket, prefix), kept(tmp_path / "folder")) == []
        assert TABLE not in objects(bucket, prefix)
        copies = [path / ".cache/archive" / TABLE for path in (root.path, other.path)]
        assert [path.exists() for path in copies] == [False, True]
        assert Root(other.path).store.nights.kept()
        assert not copies[1].exists()
        report = verify(Root(other.path), progress=SILENT)
        assert [each.where for each in report.findings if not each.where.startswith("site/")] == []

    def test_a_folder_elsewhere_is_named_by_its_address(self, made: Path, tmp_path: Path):
        """Lock and journals lie in it; of the root's own folder nothing is made."""
        shutil.copytree(made / "archive", tmp_path / "kept else where")
        shutil.copytree(made / "content", tmp_path / "root/content")
        name_archive(tmp_path / "root", (tmp_path / "kept else where").as_uri())
        root = Root(tmp_path / "root")
        with root.store.lock():
            assert (tmp_path / "kept else where/.lock").exists()
            assert verify(root, progress=SILENT).findings == ()
        assert not (tmp_path / "root/archive").exists()
        with pytest.raises(UsageError, match="a folder of its own"):
            refuse_own_folder(root, (tmp_path / "kept else where/site").as_uri())

    def test_another_process_reads_it_by_the_path_of_the_root_alone(self, root: Root):
        """While the one that holds it is at work; nothing is asked of the lease."""
        code = (
            "import sys; from pathlib import Path; from generator.workflows.world import Root\n"
            "store = Root(Path(sys.argv[1])).store\n"
            "nights = store.nights\n"
            "print([nights.table(nights.get(night).record, 'observations').num_rows for night in nights.kept()])"
        )
        with root.store.lock():
            done = subprocess.run(
                [sys.executable, "-c", code, str(root.path)], capture_output=True, text=True, timeout=60, check=False
            )
        assert done.stdout == "[24, 24, 24]\n", done.stderr


class TestWriteOnce:
    def test_the_store_itself_refuses_an_overwrite(self, bucket: Bucket, root: Root, prefix: str):
        """Where another has put other bytes since the listing, nothing is replaced; the same bytes are as good."""
        name = layout.night_file(FIRST + timedelta(days=9))
        folder = root.store.folder
        with root.store.lock():
            assert not folder.exists(name)
            bucket.store(prefix).put(name, b"theirs")
            with pytest.raises(AlreadyExistsError):
                bucket.store(prefix).put(name, b"ours", mode="create")
            with pytest.raises(IntegrityError, match="never replaced") as refused:
                folder.create(name, b"ours")
            assert refused.value.where == name
            folder.create(name, b"theirs")
            assert (folder.exists(name), folder.size(name), folder.read(name)) == (True, 6, b"theirs")
        assert objects(bucket, prefix)[name] == b"theirs"

    def test_what_was_never_sealed_makes_way(self, bucket: Bucket, root: Root, prefix: str):
        """A leftover of an interrupted run, and nothing that counts."""
        sealing, name = "grades/0.1/2026-04-01.json", "grades/0.1/2026-04-01.parquet"
        bucket.store(prefix).put(name, b"half")
        with root.store.lock():
            root.store.folder.create_before(sealing, name, b"whole")
            root.store.folder.create(sealing, b"{}")
            with pytest.raises(IntegrityError, match="never replaced"):
                root.store.folder.create_before(sealing, name, b"other")
        assert objects(bucket, prefix)[name] == b"whole"

    def test_nothing_is_written_without_the_lock(self, bucket: Bucket, root: Root, prefix: str):
        """Neither created, replaced nor removed."""
        before = bucket.objects(prefix)
        for write in (
            lambda: root.store.folder.create("x", b"x"),
            lambda: root.store.folder.replace(layout.LOG_HEAD, b"x"),
            lambda: root.store.folder.remove(TABLE),
        ):
            with pytest.raises(LockedError, match="not held"):
                write()
        assert bucket.objects(prefix) == before


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
