"""The repository: what a stranger gets, and what must never stand in a committed file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import kept_site
import pytest
import repository_files
from repository_files import FORBIDDEN, REPOSITORY, committed

from generator.records.definition_file import parse_definition
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.world import Root


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
    @pytest.mark.parametrize(("what", "pattern"), FORBIDDEN)
    def test_it(self, what: str, pattern: bytes):
        """Neither registry nor machine nor key is named anywhere but in the list of what must not be."""
        own = Path(repository_files.__file__).resolve()
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
