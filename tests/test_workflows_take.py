"""What one job hands the next: additions are taken over, and nothing that is kept is changed by them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import kept_site
import logged_site
import pytest
from kept_site import FIRST
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import IntegrityError, UsageError
from generator.workflows.logged import log_head
from generator.workflows.taking import Part, Taken, take
from generator.workflows.world import Root

DERIVED = ("grades", "pages", "log/tile", "log/index", "log/head")


class Copies:
    """A repository, and the two folders that jobs hand on after one more night."""

    def __init__(self, folder: Path) -> None:
        """Make them."""
        before = logged_site.make_logged(folder / "here", nights=2)
        shutil.rmtree(before.site)
        there = Root(folder / "there")
        shutil.copytree(before.path, there.path)
        logged_site.add_last(there, 3 + 1)
        logged_site.keep(there, signed=False)
        self.here, self.there, self.night = before, there, FIRST + timedelta(days=4)
        self.probed, self.graded = folder / "probed", folder / "graded"
        name = f"archive/nights/{self.night}"
        shutil.copytree(there.path / name, self.probed / name)
        for each in DERIVED:
            source, target = there.path / "archive" / each, self.graded / "archive" / each
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)

    def archive(self) -> dict[str, bytes]:
        """Return every file of the repository's archive."""
        folder = self.here.store.folder
        return {name: folder.read(name) for name in folder.names()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where copies lie that nobody may write into."""
    folder = tmp_path_factory.mktemp("made")
    Copies(folder)
    return folder


@pytest.fixture
def copies(made: Path, tmp_path: Path) -> Copies:
    """Return copies of their own for a test."""
    copied = Copies.__new__(Copies)
    shutil.copytree(made, tmp_path / "all")
    copied.here, copied.there = Root(tmp_path / "all/here"), Root(tmp_path / "all/there")
    copied.night = FIRST + timedelta(days=4)
    copied.probed, copied.graded = tmp_path / "all/probed", tmp_path / "all/graded"
    return copied


class TestWhatIsNew:
    def test_is_added_and_verifies_as_in_the_other_copy(self, copies: Copies):
        """The night from one folder, what was made of it from the other; a second take adds nothing."""
        assert take(copies.here, copies.probed, Part.PROBED) == Taken(added=5, same=0, left_out=())
        taken = take(copies.here, copies.graded, Part.GRADED)
        assert taken.added > 5
        there = copies.there.store.folder
        assert copies.archive() == {name: there.read(name) for name in there.names()}
        again = take(copies.here, copies.graded, Part.GRADED)
        assert again == Taken(added=0, same=taken.added + taken.same, left_out=())

    def test_of_a_log_that_has_grown_since_is_there_already(self, copies: Copies):
        """An attempt after the push: the head here counts more, and stays."""
        take(copies.here, copies.probed, Part.PROBED)
        take(copies.here, copies.graded, Part.GRADED)
        logged_site.add_last(copies.here, 5)
        logged_site.keep(copies.here)
        head = log_head(copies.here)
        assert take(copies.here, copies.graded, Part.GRADED).added == 0
        assert log_head(copies.here) == head

    def test_takes_a_journal_only_of_a_night_that_is_not_kept(self, copies: Copies):
        """And not of one that came before the last one kept."""
        folder = copies.probed / "archive/journal"
        folder.mkdir()
        for day in (2, 3, 4, 5):
            (folder / f"{FIRST + timedelta(days=day)}.jsonl").write_bytes(b"{}\n")
        take(copies.here, copies.probed, Part.PROBED)
        assert copies.here.store.nights.unsealed() == (FIRST + timedelta(days=4), FIRST + timedelta(days=5))

    def test_leaves_a_night_out_that_a_kept_one_follows(self, copies: Copies):
        """It can no longer be added: each night names the one before it."""
        logged_site.add_last(copies.here, 6)
        before = copies.archive()
        assert take(copies.here, copies.probed, Part.PROBED) == Taken(added=0, same=0, left_out=(copies.night,))
        assert copies.archive() == before

    def test_begins_an_archive_that_has_nothing(self, copies: Copies, tmp_path: Path):
        """The first night brings the description of the format."""
        (tmp_path / "new/content").mkdir(parents=True)
        (tmp_path / "new/content/site.toml").write_text(kept_site.SITE_TOML)
        (copies.probed / "archive/FORMAT.md").write_bytes(b"how to read this\n")
        root = Root(tmp_path / "new")
        assert take(root, copies.probed, Part.PROBED).added == 6
        take(root, copies.graded, Part.GRADED)
        assert log_head(root) == log_head(copies.there)


def _changed_night(copies: Copies) -> None:
    shutil.copytree(copies.here.path / f"archive/nights/{FIRST}", copies.probed / f"archive/nights/{FIRST}")
    (copies.probed / f"archive/nights/{FIRST}/night.json").write_bytes(b"{}")


def _void(copies: Copies) -> None:
    (copies.probed / f"archive/nights/{copies.night}/void.json").write_bytes(b"{}")


def _link(copies: Copies) -> None:
    target = copies.probed / f"archive/nights/{copies.night}/context.parquet"
    target.unlink()
    target.symlink_to("/etc/hostname")


def _linked_folder(copies: Copies) -> None:
    (copies.probed / "archive/journal").symlink_to(copies.probed / "archive/nights")


def _no_date(copies: Copies) -> None:
    (copies.probed / "archive/nights" / str(copies.night)).rename(copies.probed / "archive/nights/2026-13-77")


def _grades(copies: Copies) -> None:
    shutil.copytree(copies.there.path / "archive/grades", copies.probed / "archive/grades")


def _newline(copies: Copies) -> None:
    folder = copies.probed / "archive/journal"
    folder.mkdir()
    (folder / "2026-03-05.jsonl\n::error::x").write_bytes(b"{}")


class TestProbedRefuses:
    @pytest.mark.parametrize(
        "harm",
        [_changed_night, _void, _link, _linked_folder, _no_date, _grades, _newline],
        ids=lambda harm: harm.__name__,
    )
    def test_whatever_is_no_new_night(self, copies: Copies, harm: Callable[[Copies], None]):
        """Nothing at all is written then."""
        harm(copies)
        before = copies.archive()
        with pytest.raises(IntegrityError) as error:
            take(copies.here, copies.probed, Part.PROBED)
        assert "\n" not in str(error.value)
        assert copies.archive() == before


def _write(copies: Copies, name: str, data: bytes) -> None:
    path = copies.graded / "archive" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


class TestGradedRefuses:
    @pytest.mark.parametrize(
        "name",
        [
            "log/checkpoint", "log/signed/9", "log/keys/0a0b0c0d.vkey", "log/proofs/0.1/2026-03-05.parquet",
            "log/appending", "nights/2026-03-05/night.json", "FORMAT.md", ".lock", "grades/.hidden", "pages/a/..b",
            "x/y",
        ],
    )  # fmt: skip
    def test_what_only_another_job_may_make(self, copies: Copies, name: str):
        """Keys, signatures, proofs and nights are not for the job that parses strangers' text."""
        _write(copies, name, b"x")
        before = copies.archive()
        with pytest.raises(IntegrityError):
            take(copies.here, copies.graded, Part.GRADED)
        assert copies.archive() == before

    @pytest.mark.parametrize(
        "harm",
        [
            lambda copies: _write(copies, f"grades/0.1/{FIRST}.parquet", b"x"),
            lambda copies: _write(copies, "log/head", b"other.example/log\n99\nAAAA\n"),
            lambda copies: _write(copies, "log/head", "é".encode()),
            lambda copies: _write(
                copies, "log/head", copies.here.store.folder.read("log/head").replace(b"kept", b"lost")
            ),
            lambda copies: shutil.copyfile(copies.here.path / "archive/log/head", copies.graded / "archive/log/head"),
        ],
        ids=["a kept grade", "another log", "no text", "another origin", "grades without their leaves"],
    )
    def test_what_would_change_what_is_kept(self, copies: Copies, harm: Callable[[Copies], None]):
        """Grades as they were issued, and a log that only grows."""
        harm(copies)
        before = copies.archive()
        with pytest.raises(IntegrityError):
            take(copies.here, copies.graded, Part.GRADED)
        assert copies.archive() == before


class TestTheCommand:
    def test_says_what_it_did(self, copies: Copies):
        """In one line, and how many were left out."""
        command = ["take", "probed", str(copies.probed), "--root", str(copies.here.path)]
        assert CliRunner().invoke(app, command).stdout == "5 files added, 0 here already\n"
        assert CliRunner().invoke(app, command).stdout == "0 files added, 5 here already\n"
        assert '"same":5' in CliRunner().invoke(app, [*command, "--json"]).stdout

    def test_names_a_night_that_it_left_out(self, copies: Copies):
        """It may be looked for."""
        logged_site.add_last(copies.here, 6)
        done = CliRunner().invoke(app, ["take", "probed", str(copies.probed), "--root", str(copies.here.path)])
        assert f"night {copies.night} is left out: a later one is kept" in done.stdout

    def test_refuses_another_part_and_a_folder_without_an_archive(self, copies: Copies, tmp_path: Path):
        """With the exit code of usage."""
        root = ["--root", str(copies.here.path)]
        assert CliRunner().invoke(app, ["take", "all", str(copies.probed), *root]).exit_code == 2
        assert CliRunner().invoke(app, ["take", "probed", str(tmp_path), *root]).exit_code == 2
        with pytest.raises(UsageError, match="with archive/ in it"):
            take(copies.here, tmp_path, Part.PROBED)
