"""A file of the archive is on the disk before it has its name, and its name is before anything follows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.archive import files
from generator.errors import ArchiveError, IntegrityError


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return what is asked of the disk from now on, in order: what is done, to which file or folder."""
    told: list[tuple[str, str]] = []

    def telling(name: str, of: Callable[..., str]) -> None:
        real = getattr(os, name)

        def told_of(*args: object, **named: object) -> object:
            told.append((name, of(*args)))
            return real(*args, **named)

        monkeypatch.setattr(os, name, told_of)

    def lies(handle: int, *_: object) -> str:
        return str(Path(f"/proc/self/fd/{handle}").readlink())

    telling("write", lies)
    telling("fsync", lies)
    telling("replace", lambda _source, target: str(target))
    telling("mkdir", lambda path, *_: str(path))
    return told


class TestTemporaryFileFsyncRenameFsyncOfTheFolder:
    def test_a_new_file_in_new_folders(self, tmp_path: Path, events: list[tuple[str, str]]):
        """Each folder that is made is fsynced into the one above; then file, name and folders, in this order."""
        root = tmp_path / "archive"
        files.create(root, "a/b/c.json", b"whole")
        place = str(root / "a/b/c.json")
        made = [(root, tmp_path), (root / "a", root), (root / "a/b", root / "a")]
        assert events == [
            *((name, str(path)) for pair in made for name, path in zip(("mkdir", "fsync"), pair, strict=True)),
            ("write", place + ".tmp"),
            ("fsync", place + ".tmp"),
            ("replace", place),
            *(("fsync", str(path)) for path in (root / "a/b", root / "a", root, tmp_path)),
        ]

    def test_a_file_that_is_there_has_its_name_on_the_disk(self, tmp_path: Path, events: list[tuple[str, str]]):
        """A run that was ended between rename and fsync leaves that to the next: nothing follows before it is done."""
        (tmp_path / "archive/a").mkdir(parents=True)
        (tmp_path / "archive/a/c.json").write_bytes(b"whole")
        events.clear()
        files.create(tmp_path / "archive", "a/c.json", b"whole")
        folders = (tmp_path / "archive/a", tmp_path / "archive", tmp_path)
        assert events == [("fsync", str(path)) for path in folders]

    def test_what_earlier_runs_left_above_is_looked_to_once(self, tmp_path: Path, events: list[tuple[str, str]]):
        """A second file beside the first waits for its own name alone."""
        files.create(tmp_path / "archive", "a/c.json", b"whole")
        events.clear()
        files.create(tmp_path / "archive", "a/d.json", b"whole")
        assert [what for what in events if what[0] == "fsync"] == [
            ("fsync", str(tmp_path / "archive/a/d.json.tmp")),
            ("fsync", str(tmp_path / "archive/a")),
        ]

    @pytest.mark.parametrize("refused", ["write", "fsync", "replace"])
    def test_what_the_disk_refuses_is_taken_away_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
    ):
        """Half a file on a full disk would be in the way; the next run creates it whole."""

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, refused, full)
            with pytest.raises(ArchiveError, match=r"No space left on device in c\.json"):
                files.create(tmp_path, "c.json", b"whole")
        assert list(tmp_path.iterdir()) == []
        files.create(tmp_path, "c.json", b"whole")
        assert (tmp_path / "c.json").read_bytes() == b"whole"

    def test_a_write_that_takes_only_part_is_gone_on_with(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """The system may take fewer bytes than it is given."""
        write = os.write
        monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:3]))
        files.create(tmp_path, "c.json", b"all of it")
        assert (tmp_path / "c.json").read_bytes() == b"all of it"

    def test_other_bytes_are_refused_and_nothing_is_left(self, tmp_path: Path):
        """What is kept stays, and no temporary file lies beside it."""
        files.create(tmp_path, "c.json", b"one")
        with pytest.raises(IntegrityError):
            files.create(tmp_path, "c.json", b"two")
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("c.json", b"one")]
