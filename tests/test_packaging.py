"""Wheel and source distribution: all that the program needs away from its checkout, and nothing else."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from pathlib import Path

import built_wheel
import kept_site
import pytest
from repository_files import FORBIDDEN, REPOSITORY, committed

from generator import __version__

DEFAULTS = "generator/_defaults"
WORKFLOWS = (".github/workflows/monitor.yml", ".github/workflows/nightly.yml")
ABOUT = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return wheel and source distribution."""
    return built_wheel.build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def programs(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the installed wheel's programs."""
    return built_wheel.install(built[0], tmp_path_factory.mktemp("installed") / "environment")


def content(wheel: Path) -> dict[str, bytes]:
    """Return a wheel's files by name."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def expected_files() -> dict[str, bytes]:
    """Return every file of the repository that belongs in the wheel, by its name there."""
    found = {}
    for path in committed():
        name = path.relative_to(REPOSITORY).as_posix()
        if name.startswith("generator/"):
            found[name] = path.read_bytes()
        elif name.startswith(("content/", "templates/")) or name in {
            "archive/FORMAT.md",
            "netlify.toml",
            "requirements.lock",
            *WORKFLOWS,
        }:
            found[f"{DEFAULTS}/{name}"] = path.read_bytes()
    return found


class TestTheWheel:
    def test_it_holds_the_program_and_what_a_root_may_leave_out_and_nothing_else(self, built: tuple[Path, Path]):
        """Every file is one of the repository's, byte for byte; no test, cache, site or demo folder is among them."""
        about = f"bitdepth-{__version__}.dist-info/"
        found = content(built[0])
        assert {name.removeprefix(about) for name in found if name.startswith(about)} == ABOUT
        assert {name: body for name, body in found.items() if not name.startswith(about)} == expected_files()

    @pytest.mark.parametrize(
        "name",
        [
            f"{DEFAULTS}/archive/FORMAT.md",
            f"{DEFAULTS}/content/calibration/candidate-0.2.json",
            f"{DEFAULTS}/content/methods/0.1.md",
            f"{DEFAULTS}/content/methods/0.1.toml",
            f"{DEFAULTS}/content/pages/about.md",
            f"{DEFAULTS}/content/prompts/p1/set.toml",
            f"{DEFAULTS}/requirements.lock",
            f"{DEFAULTS}/templates/grade.html",
            f"{DEFAULTS}/templates/og/A.png",
            *(f"{DEFAULTS}/{name}" for name in WORKFLOWS),
            "generator/probing/demo/faults.toml",
            "generator/probing/demo/recording/answers.parquet",
            "generator/starter/root/gitignore",
            "generator/starter/root/Makefile",
        ],
    )
    def test_it_holds(self, built: tuple[Path, Path], name: str):
        """Templates, content, method, evidence, the demo's recording, the workflows: one of each by name."""
        assert content(built[0])[name] == expected_files()[name]

    @pytest.mark.parametrize(("what", "pattern"), FORBIDDEN)
    def test_it_names_no(self, built: tuple[Path, Path], what: str, pattern: bytes):
        """Neither registry nor machine nor key stands in any file of either distribution."""
        own = (REPOSITORY / "tests/repository_files.py").read_bytes()
        with tarfile.open(built[1]) as archive:
            source = {
                name: file.read() for name in archive.getnames() if (file := archive.extractfile(name)) is not None
            }
        bodies = {name: body for name, body in source.items() if "/router-bodies/" not in name and body != own}
        found = [
            f"{name}: {match.group().decode(errors='replace')}"
            for name, body in {**content(built[0]), **bodies}.items()
            for match in re.finditer(pattern, body)
        ]
        assert found == [], what


class TestTheSourceDistribution:
    def test_it_builds_the_same_wheel(self, built: tuple[Path, Path], tmp_path: Path):
        """The wheel built from the source distribution holds the same files, byte for byte."""
        with tarfile.open(built[1]) as archive:
            archive.extractall(tmp_path, filter="data")
        built_wheel.build_in(tmp_path / f"bitdepth-{__version__}", tmp_path / "dist", "wheel")
        (again,) = (tmp_path / "dist").glob("*.whl")
        assert content(again) == content(built[0])

    def test_it_holds_nothing_that_the_repository_does_not(self, built: tuple[Path, Path]):
        """Each file is one of the repository's; its description alone is made."""
        with tarfile.open(built[1]) as archive:
            names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
        assert names - {path.relative_to(REPOSITORY).as_posix() for path in committed()} == {"PKG-INFO"}
        assert {"Makefile", "README.md", "requirements.lock", "tests/conftest.py", *WORKFLOWS} <= names


class TestTheInstalledProgram:
    def test_it_is_the_wheels(self, programs: Path, tmp_path: Path):
        """What is imported in an empty folder lies in the environment, and not in the checkout."""
        where = [str(programs / "python"), "-c", "import generator; print(generator.__file__)"]
        assert Path(built_wheel.run(where, tmp_path).stdout.strip()).is_relative_to(programs.parent)

    def test_it_is_started_by_the_packages_name(self, programs: Path, tmp_path: Path):
        """Package and program are both called bitdepth, as `pipx run` and `uvx` want it."""
        done = built_wheel.run(["bitdepth", "--version"], tmp_path, path=programs)
        assert (done.returncode, done.stdout.split()[:2]) == (0, ["bitdepth", __version__])
        assert list(tmp_path.iterdir()) == []

    def test_it_serves_a_site_root_from_anywhere(self, programs: Path, tmp_path: Path):
        """The wheel alone renders and verifies another folder's archive."""
        kept_site.make_root(tmp_path / "root", nights=2, rendered=False)
        for command in ("render", "verify"):
            done = built_wheel.run(["bitdepth", command, "--root", "root"], tmp_path, path=programs)
            assert done.returncode == 0, done.stderr

    @pytest.mark.ci
    def test_it_makes_a_root_that_renders_and_verifies(self, programs: Path, tmp_path: Path):
        """From an empty folder: init, render, verify."""
        for command in (["init", "root"], ["render", "--root", "root"], ["verify", "--root", "root"]):
            done = built_wheel.run(["bitdepth", *command], tmp_path, path=programs)
            assert done.returncode == 0, done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["root"]

    @pytest.mark.ci
    @pytest.mark.timeout(900)
    def test_it_runs_the_demo(self, programs: Path, tmp_path: Path):
        """From an empty folder, the demo's nights are probed, graded, rendered and verified."""
        done = built_wheel.run(["bitdepth", "demo", "--out", "shown"], tmp_path, path=programs, patience_s=600)
        assert done.returncode == 0, done.stderr
        assert "no findings" in done.stdout
        assert [path.name for path in tmp_path.iterdir()] == ["shown"]
        verified = built_wheel.run(["bitdepth", "verify", "--root", "shown", "--json"], tmp_path, path=programs)
        assert json.loads(verified.stdout)["findings"] == []
        assert (tmp_path / "shown/site/demo/index.html").is_file()
