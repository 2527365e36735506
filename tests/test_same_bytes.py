"""The nights alone give the same grades, pages and site on every Python, in any time zone, hash seed and locale."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from pathlib import Path

import kept_site
import other_pythons
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from durable_world import MEMORY
from other_pythons import Python

from generator.archive import codec
from generator.workflows.verifying import verify

ZONES = ("UTC", "Pacific/Kiritimati", "America/St_Johns")
SEEDS = ("0", "1", "4242")
LOCALES = ("C", "C.UTF-8")
"""Under the first, text files are ASCII for whoever names no encoding."""
FEW = 2
"""So many nights of the demo are rebuilt in the small tier."""
Environment = tuple[Python, str, str, str]


@pytest.fixture(scope="module")
def pythons() -> tuple[Python, ...]:
    """Return every Python of this machine that can take part."""
    return tuple(each for each in other_pythons.pythons() if each.program is not None)


@pytest.fixture
def root() -> Iterator[Path]:
    """Yield a folder to rebuild in; in memory where that is possible."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder) / "root"


def rebuilt(demo: Path, root: Path, nights: int | None, of: Environment) -> dict[str, bytes]:
    """Return the archive and site that an environment makes of the demo's first nights, or of all of them."""
    python, zone, seed, locale = of
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(demo / "content", root / "content")
    given = root.with_name("nights")
    shutil.rmtree(given, ignore_errors=True)
    for night in sorted((demo / "archive/nights").iterdir())[:nights]:
        shutil.copytree(night, given / night.name)
    (root / "archive").mkdir()
    shutil.copy(demo / "archive/FORMAT.md", root / "archive")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    done = subprocess.run(
        [str(python.program), "-P", str(Path(__file__).with_name("rebuild.py")), str(root), str(given)],
        env=plain
        | {"TZ": zone, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, f"{named(of)}: {done.stderr}"
    return shown(root)


def shown(root: Path) -> dict[str, bytes]:
    """Return every file of archive and site, by its path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder in ("archive", "site")
        for path in (root / folder).rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def named(of: Environment) -> str:
    """Return an environment's name."""
    return f"Python {of[0].version}, {', '.join(of[1:])}"


def pairwise(factors: tuple[tuple[object, ...], ...]) -> Iterator[tuple[object, ...]]:
    """Yield rows in which every two values of different factors stand together at least once."""

    def pairs(row: Iterable[object]) -> set[tuple[tuple[int, object], ...]]:
        return set(combinations(enumerate(row), 2))

    rows = list(product(*factors))
    missing = set().union(*map(pairs, rows))
    while missing:
        best = max(rows, key=lambda row: len(pairs(row) & missing))
        missing -= pairs(best)
        yield best


def check_same(found: dict[str, bytes], expected: dict[str, bytes], of: Environment) -> None:
    """Hold what an environment made against what was expected, file by file."""
    assert found.keys() == expected.keys(), named(of)
    assert [path for path in found if found[path] != expected[path]] == [], named(of)


class TestSameBytesEverywhere:
    def test_every_two_of_zone_seed_and_locale(self, demo: Path, root: Path):
        """The demo's first nights, graded and rendered anew: every pair of values is tried, every byte is the same."""
        expected: dict[str, bytes] = {}
        for of in pairwise(((other_pythons.own(),), ZONES, SEEDS, LOCALES)):
            found = rebuilt(demo, root, FEW, of)
            expected = expected or found
            check_same(found, expected, of)
        # A night's grades and pages do not depend on what came after it.
        graded = [path for path in expected if path.startswith(("archive/grades/", "archive/pages/"))]
        assert len(graded) == 2 * 2 * 2 * FEW + 2 * 2  # Of two versions: files and manifests, and the version's page.
        assert [path for path in graded if expected[path] != (demo / path).read_bytes()] == []

    @pytest.mark.parametrize(
        "combined",
        [
            pytest.param(pairwise, id="every two", marks=[pytest.mark.ci, pytest.mark.timeout(600)]),
            pytest.param(
                lambda factors: product(*factors), id="all", marks=[pytest.mark.long, pytest.mark.timeout(1800)]
            ),
        ],
    )
    def test_the_whole_demo(
        self, demo: Path, pythons: tuple[Python, ...], root: Path, combined: Callable[..., Iterator[Environment]]
    ):
        """All of its nights, in every pair of values or in every combination: the bytes of the demo as it was made."""
        expected = shown(demo)
        for of in combined((pythons, ZONES, SEEDS, LOCALES)):
            check_same(rebuilt(demo, root, None, of), expected, of)

    @pytest.mark.ci
    def test_every_python_of_this_machine_takes_part(self):
        """Where the packages of one cannot be installed, this says so."""
        left_out = [f"Python {each.version}: {each.why}" for each in other_pythons.pythons() if each.program is None]
        if left_out:
            pytest.skip("; ".join(left_out))

    def test_pairs_are_all_there(self):
        """Three values twice and two once need nine rows, and every pair of values stands in one of them."""
        factors = ("abc", "def", "gh")
        rows = list(pairwise(tuple(map(tuple, factors))))
        assert len(rows) == 9
        for first, second in combinations(range(3), 2):
            assert {(row[first], row[second]) for row in rows} == set(product(factors[first], factors[second]))


class TestParquetIsHashedAsItLies:
    """'Parquet files are hashed as they lie, never re-encoded'."""

    def test_reading_and_verifying_write_nothing_and_encode_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """No file is opened for writing, made, touched or encoded again in memory."""
        root = kept_site.make_root(tmp_path / "root", nights=3)
        before = _marks(root.path)
        monkeypatch.setattr(codec, "parquet_bytes", pytest.fail)
        monkeypatch.setattr(pq, "write_table", pytest.fail)
        for night in root.store.nights.kept():
            record = root.store.nights.get(night).record
            for table in ("observations", "listings", "prompts", "context"):
                root.store.nights.table(record, table)
        assert verify(root, progress=kept_site.Silent()).findings == ()
        assert _marks(root.path) == before

    def test_the_same_rows_encoded_otherwise_are_another_file(self, tmp_path: Path):
        """A file that another writer encoded anew is found, though every row of it is the same."""
        root = kept_site.make_root(tmp_path / "root", nights=3)
        path = min(tmp_path.rglob("observations.parquet"))
        rows = pq.read_table(path)
        path.write_bytes(_otherwise(rows))
        assert pq.read_table(path).equals(rows)
        (finding, *_) = verify(root, progress=kept_site.Silent()).findings
        assert "observations.parquet" in finding.where

    def test_an_archive_that_another_writer_encoded_is_sound(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """What was sealed as it lies is verified and laid out as it lies, whatever today's writer would make of it."""
        with monkeypatch.context() as patch:
            patch.setattr(codec, "parquet_bytes", _otherwise)
            root = kept_site.make_root(tmp_path / "root", nights=3)
        assert verify(root, progress=kept_site.Silent()).findings == ()
        kept = sorted((root.path / "archive/nights").rglob("*.parquet"))
        assert len(kept) == 12
        for path in kept:
            night = path.parent.name
            assert (root.path / f"site/data/nights/{night}/{path.name}").read_bytes() == path.read_bytes()


def _otherwise(table: pa.Table) -> bytes:
    """Return a table as Parquet that ours never writes: compressed otherwise, its pages checked as ours are."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="gzip", write_page_checksum=True)
    return sink.getvalue().to_pybytes()


def _marks(root: Path) -> dict[Path, tuple[int, int, int, int]]:
    """Return what a write would change of each file and folder but for the cache, which follows from the archive."""
    return {
        path: (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        for path in root.rglob("*")
        if ".cache" not in path.parts
        for found in (path.stat(),)
    }
