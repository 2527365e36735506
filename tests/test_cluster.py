"""Work spread over Dask's workers comes to the bytes of one process: real clusters, real deaths."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import archive_world
import msgspec
import pytest
from publish_world import Bucket, running_s3

from generator.archive.grades import GradesOrigin
from generator.cluster import connection, spreading, tasks
from generator.cluster.connection import Client, connected
from generator.cluster.likeness import Place, likeness_of, require_alike
from generator.cluster.spreading import DaskSpread
from generator.errors import ClusterError, IntegrityError
from generator.records.canonical import sha256
from generator.records.grade import Grade
from generator.records.manifest import GradesManifest
from generator.workflows.verifying import verify
from generator.workflows.world import Root
from tests import cluster_world as world
from tests.kept_site import Silent


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root graded under 0.1; nobody writes into it."""
    return world.make_root(tmp_path_factory.mktemp("cluster") / "made")


@pytest.fixture(scope="module")
def alone(made: Root, tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return the same root graded again by one process; nobody writes into it."""
    root = world.copy(made, tmp_path_factory.mktemp("alone") / "root")
    world.regrade(root)
    return root


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Return a client of two workers."""
    with world.local(2) as found:
        yield found


@pytest.fixture
def root(made: Root, tmp_path: Path) -> Root:
    """Return a copy to grade again."""
    return world.copy(made, tmp_path / "root")


class TestTheBytesAreThoseOfOneProcess:
    def test_two_workers(self, root: Root, alone: Root, client: Client) -> None:
        """Grades, pages, manifests: every file is the same, and so is what is said of it; then nothing is left."""
        graded = world.regrade(root, client)
        assert (graded.windows, graded.grades) == (world.NIGHTS, world.NIGHTS * world.SIZE.endpoints)
        assert world.kept(root) == world.kept(alone)
        assert world.regrade(root, client).windows == 0
        assert world.kept(root) == world.kept(alone)

    def test_a_window_whose_grades_an_interrupted_run_has_kept(self, root: Root, alone: Root, client: Client) -> None:
        """It gets its pages, and the windows after it are made by the workers."""
        kept = world.kept(alone)
        first = root.store.nights.kept()[0].isoformat()
        for name in (f"grades/0.2/{first}.parquet", f"grades/0.2/{first}.json"):
            (root.path / "archive" / name).parent.mkdir(exist_ok=True)
            (root.path / "archive" / name).write_bytes((alone.path / "archive" / name).read_bytes())
        world.regrade(root, client)
        assert world.kept(root) == kept

    @pytest.mark.ci
    @pytest.mark.parametrize("workers", [1, 3])
    def test_one_worker_and_three(self, root: Root, alone: Root, workers: int) -> None:
        """The number of workers is nowhere in the bytes."""
        with world.local(workers) as some:
            world.regrade(root, some)
        assert world.kept(root) == world.kept(alone)


@pytest.mark.ci
class TestABucket:
    def test_workers_read_the_archive_from_it(self, root: Root, alone: Root, monkeypatch: pytest.MonkeyPatch) -> None:
        """The root that names it is enough for them; what is written to it is what one process keeps in a folder."""
        with running_s3() as endpoint:
            bucket = Bucket(endpoint, archive_world.BUCKET)
            for name, value in bucket.environment().items():
                monkeypatch.setenv(name, value)
            away = Root(archive_world.moved(bucket, root.path, "cluster"))
            with world.local(2) as some, away.store.lock():
                world.regrade(away, some)
            found = {name: sha256(data) for name, data in archive_world.objects(bucket, "cluster").items()}
        assert found == world.kept(alone)


class TestVerification:
    def test_finds_nothing_where_one_process_does(self, alone: Root, client: Client) -> None:
        """Counts, findings and notes are the same."""
        expected = verify(alone, progress=Silent())
        assert not expected.findings
        assert expected.checked["grades"] == 2 * world.NIGHTS * world.SIZE.endpoints
        assert verify(alone, progress=Silent(), spread=DaskSpread(client, alone, Silent())) == expected

    def test_finds_what_one_process_finds(self, root: Root, client: Client) -> None:
        """A grade that does not follow from its nights, under a manifest that says it does."""
        store, end = root.store.grades, root.store.nights.kept()[3]
        manifest = store.manifest("0.1", end)
        forged = _forged(store.get("0.1", end))
        for name in (f"grades/0.1/{end}.parquet", f"grades/0.1/{end}.json"):
            (root.path / "archive" / name).unlink()
        store.add(forged, root.content.method("0.1"), end, _origin(manifest))
        expected = verify(root, progress=Silent())
        assert any("nights_since_listed" in finding.where for finding in expected.findings)
        assert verify(root, progress=Silent(), spread=DaskSpread(client, root, Silent())) == expected


class TestAWorkerMayDie:
    def test_killed_mid_way(self, root: Root, alone: Root) -> None:
        """One of two workers is killed when the first window is kept: the run completes, with the same bytes."""
        killed: list[int] = []

        def kill_once(workers: list[int]) -> None:
            first = root.path / "archive" / "grades" / "0.2"
            world.wait_until(lambda: any(first.glob("*.json")))
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

        with world.scheduler() as (address, _), world.worker(address) as one, world.worker(address):
            with connected(address, None, Silent()) as some:
                some.wait_for_workers(2, timeout=100)
                thread = threading.Thread(target=kill_once, args=([one.pid],))
                thread.start()
                world.regrade(root, some)
                thread.join()
            assert killed == [one.pid]
            assert one.wait(timeout=10) == -signal.SIGKILL
        assert world.kept(root) == world.kept(alone)


@pytest.mark.ci
class TestWhatCannotComeToAnEnd:
    def test_the_scheduler_dies(self, root: Root, alone: Root) -> None:
        """It is said, what was kept stays, and the same command completes it."""

        def kill_once(process: subprocess.Popen[bytes]) -> None:
            first = root.path / "archive" / "grades" / "0.2"
            world.wait_until(lambda: any(first.glob("*.json")))
            process.kill()

        with (
            world.scheduler() as (address, process),
            world.worker(address),
            connected(address, None, Silent()) as some,
        ):
            thread = threading.Thread(target=kill_once, args=(process,))
            thread.start()
            with pytest.raises(ClusterError, match="expected what a worker was asked for"):
                world.regrade(root, some)
            thread.join()
        world.regrade(root)
        assert world.kept(root) == world.kept(alone)

    @pytest.mark.ci
    def test_a_task_that_ends_every_worker(self, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
        """After so many deaths it is taken for what kills them."""
        monkeypatch.setattr(connection, "DEATHS", 0)
        monkeypatch.setattr(tasks, "tally", _die)
        with world.local(1) as some, pytest.raises(ClusterError, match="workers that ended, one after another"):
            world.regrade(root, some)


class TestAnotherArchive:
    def test_is_refused_before_anything_is_written(
        self, root: Root, tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Workers that find another newest night where they look: which one, and what ours is."""
        before = world.kept(root)
        other = Place(path=str(world.make_root(tmp_path / "other", 2).path), likeness=likeness_of(root))
        monkeypatch.setattr(spreading, "place_of", lambda _: other)
        with pytest.raises(
            ClusterError, match=r"newest night 2030-01-02, SHA-256 .*, ours has 2030-01-16, SHA-256"
        ) as no:
            world.regrade(root, client)
        assert str(no.value.where).startswith("tcp://")
        assert world.kept(root) == before

    def test_is_refused_where_there_is_none(self, root: Root, tmp_path: Path, client: Client) -> None:
        """Workers that find no site root at all."""
        with pytest.raises(ClusterError, match="found none that can be read"):
            require_alike(client, Place(path=str(tmp_path / "nowhere"), likeness=likeness_of(root)))

    @pytest.mark.ci
    def test_is_refused_by_a_worker_that_came_later(self, root: Root, tmp_path: Path) -> None:
        """Its first task looks, whoever looked before it came."""
        night = root.store.nights.get(root.store.nights.kept()[0])
        other = Place(path=str(world.make_root(tmp_path / "other", 2).path), likeness=likeness_of(root))
        definition = root.content.method("0.1").definition
        with pytest.raises(ClusterError, match="expected this site root at every worker"):
            tasks.tally(other, night, frozenset(), definition)

    def test_other_rows_under_the_same_newest_night(self, root: Root) -> None:
        """A table that is not the one that our night.json names is not counted."""
        nights = root.store.nights
        first, second = (nights.get(each) for each in nights.kept()[:2])
        folder = root.path / "archive" / "nights"
        place = Place(path=str(root.path), likeness=likeness_of(root))
        data = (folder / str(second.record.night) / "observations.parquet").read_bytes()
        (folder / str(first.record.night) / "observations.parquet").write_bytes(data)
        with pytest.raises(IntegrityError, match="SHA-256"):
            tasks.tally(place, first, frozenset(), root.content.method("0.1").definition)


def _die(*_: object) -> None:
    """End the process that this is called in, as the kernel does where memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def _forged(grades: Sequence[Grade]) -> list[Grade]:
    """Return grades of which the first says another number of nights."""
    first, *others = grades
    return [msgspec.structs.replace(first, nights_since_listed=first.nights_since_listed + 1), *others]


def _origin(manifest: GradesManifest) -> GradesOrigin:
    return GradesOrigin(
        nights={date.fromisoformat(night): digest for night, digest in manifest.nights.items()},
        voided={},
        role=manifest.role,
        regrade=manifest.regrade,
    )
