"""The repository and its wheel: what a stranger gets, and what must never stand in a committed file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import kept_site
import pytest

from generator.records.definition_file import parse_definition
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.world import Root

REPOSITORY = Path(__file__).parent.parent
SKIPPED = {".git", ".venv", "demo", "site", "dist", "__pycache__", ".cache"}


def committed() -> list[Path]:
    """Return the files of the repository as git lists them, or as they lie where there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return [path for name in listed.stdout.decode().split("\0") if name and (path := REPOSITORY / name).is_file()]
    return [
        path
        for path in REPOSITORY.rglob("*")
        if path.is_file() and not SKIPPED & set(path.relative_to(REPOSITORY).parts)
    ]


class TestTheRepositorysOwnArchive:
    def test_begins_with_format_md_alone(self):
        """No night has been recorded here yet: a stranger finds the description and nothing else."""
        kept = [path for path in committed() if path.is_relative_to(REPOSITORY / "archive")]
        assert [path.name for path in kept] == ["FORMAT.md"]

    def test_renders_a_valid_site_that_says_so_with_the_method_page_complete(self, tmp_path: Path):
        """Rendering the repository as it is gives index and method, and verifies."""
        for folder in ("content", "templates", "archive"):
            shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=shutil.ignore_patterns(".lock", "journal"))
        root = Root(tmp_path)
        render(root, progress=kept_site.Silent())
        assert "No night has been recorded yet" in (tmp_path / "site/index.html").read_text()
        method = (tmp_path / "site/method/0.1/index.html").read_text()
        assert "provisional" in method
        assert "96" in method
        assert verify(root, progress=kept_site.Silent()).findings == ()

    def test_the_shipped_settings_are_whole(self):
        """content/site.toml names a method and a prompt set that are there, and holds no key."""
        content = Root(REPOSITORY).content
        settings = content.settings()
        assert content.method(settings.method).version == settings.method
        assert content.prompt_set(settings.prompt_set).name == "p1"
        assert settings.budget.max_usd is not None


class TestNoCommittedFileHolds:
    @pytest.mark.parametrize(
        ("what", "pattern"),
        [
            ("a registry's address", rb"pypi\.org|pythonhosted\.org|registry\.npmjs|deb\.debian\.org|/simple/"),
            ("a path of a machine", rb"/(?:home|root|Users|opt|work)/[A-Za-z0-9._-]+/"),
            ("a key", rb"sk-or-v1-[0-9a-f]{8}|ghp_[A-Za-z0-9]{20}|-----BEGIN [A-Z ]*PRIVATE KEY"),
        ],
    )
    def test_it(self, what: str, pattern: bytes):
        """Neither registry nor machine nor key is named anywhere but in this test."""
        own = Path(__file__).resolve()
        # Recorded bodies are other projects' files, kept as they were.
        found = [
            f"{path.relative_to(REPOSITORY)}: {match.group().decode(errors='replace')}"
            for path in committed()
            if path.resolve() != own and "router-bodies" not in path.parts
            for match in re.finditer(pattern, path.read_bytes())
        ]
        assert found == [], what

    def test_locks_are_by_hash(self):
        """Every pinned package has hashes, so that a registry cannot swap what is installed."""
        for name in ("requirements.lock", "requirements-dev.lock"):
            text = (REPOSITORY / name).read_text()
            pins = re.findall(r"^([A-Za-z0-9._-]+)==", text, flags=re.MULTILINE)
            assert len(pins) > 10
            for block in re.split(r"^(?=[A-Za-z0-9._-]+==)", text, flags=re.MULTILINE)[1:]:
                assert "--hash=sha256:" in block


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel's content, built from this repository."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for path in committed():
        target = source / path.relative_to(REPOSITORY)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")],
        cwd=source,
        check=True,
        capture_output=True,
    )
    wheel = next((folder / "dist").glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


class TestTheWheel:
    def test_it_carries_templates_content_methods_and_the_demos_data(self, installed: Path):
        """What a site root may leave out lies in the wheel, byte for byte."""
        defaults = installed / "generator/_defaults"
        for name in ("content/methods/0.1.toml", "content/methods/0.1.md", "content/site.toml", "archive/FORMAT.md"):
            assert (defaults / name).read_bytes() == (REPOSITORY / name).read_bytes()
        assert sorted(path.name for path in (defaults / "templates").rglob("*") if path.is_file()) == sorted(
            path.name for path in (REPOSITORY / "templates").rglob("*") if path.is_file()
        )
        assert (installed / "generator/probing/demo/recording/answers.parquet").is_file()
        assert (installed / "generator/probing/demo/faults.toml").is_file()

    def test_it_serves_a_site_root_from_anywhere(self, installed: Path, tmp_path: Path):
        """The wheel alone renders and verifies another folder's archive."""
        kept_site.make_root(tmp_path / "root", nights=2, rendered=False)
        environment = {**os.environ, "PYTHONPATH": str(installed)}
        where = [sys.executable, "-c", "import generator; print(generator.__file__)"]
        found = subprocess.run(where, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
        assert found.startswith(str(installed))
        for command in ("render", "verify"):
            done = subprocess.run(
                [sys.executable, "-m", "generator", command, "--root", str(tmp_path / "root")],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr


class TestTheDocumentsAreTrue:
    def test_the_readme_names_every_command(self):
        """Each command of the program stands in the README."""
        readme = (REPOSITORY / "README.md").read_text()
        help_text = subprocess.run(
            [sys.executable, "-m", "generator", "--help"], capture_output=True, text=True, check=True
        ).stdout
        for command in ("nightly", "probe", "grade", "render", "verify", "show", "demo"):
            assert f"bitdepth {command}" in readme
            assert command in help_text

    def test_the_changelog_names_the_version(self):
        """The version that `--version` prints has an entry."""
        said = subprocess.run(
            [sys.executable, "-m", "generator", "--version"], capture_output=True, text=True, check=True
        ).stdout
        assert said.split()[1] in (REPOSITORY / "CHANGELOG.md").read_text()

    def test_the_definition_on_disk_is_the_one_that_grades(self):
        """The shipped definition is whole and provisional."""
        text = (REPOSITORY / "content/methods/0.1.toml").read_bytes()
        assert parse_definition(text, where="0.1.toml").provisional
