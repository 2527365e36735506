"""The gate: `render` writes nothing where anything that the log holds is missing or different."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import sound_worlds
from logged_site import SILENT, log

from generator.errors import ExitCode, IntegrityError
from generator.workflows.gate import refuse_lost
from generator.workflows.rendering import render
from generator.workflows.world import Root

sound, root = sound_worlds.logged, sound_worlds.root


def without(*names: str) -> Callable[[Path], None]:
    """Return what takes files out of an archive."""

    def take(path: Path) -> None:
        for name in names:
            for file in (path / "archive").glob(name):
                file.unlink()

    return take


def other_pages(path: Path) -> None:
    """Put pages of another wording, with a manifest that fits, in the place of a window's."""
    store = Root(path).store
    manifest = store.pages.manifest("0.1", date(2026, 3, 8))
    pages = [
        (name, body.replace(b"never changes", b"may change")) for name, body in store.pages.get("0.1", date(2026, 3, 8))
    ]
    without("pages/0.1/2026-03-08.*")(path)
    store.pages.add(pages, version="0.1", digest=manifest.method_digest, window_end=date(2026, 3, 8))


class TestTheGate:
    def test_a_sound_root_passes(self, sound: Path):
        """So does one without a log."""
        refuse_lost(Root(sound))

    @pytest.mark.parametrize(
        "damage",
        [
            without("pages/0.1/2026-03-08.*"),
            without("pages/0.1/2026-03-08.parquet"),
            without("grades/0.1/2026-03-08.*"),
            without("pages/methods/0.1.*"),
            without("nights/2026-03-04/night.json"),
            without("log/index/grades/0.1/2026-03-08.json"),
            without("log/head"),
            without("log/tile/0/000.p/39"),
            other_pages,
        ],
    )
    @pytest.mark.parametrize("laid", [True, False])
    def test_what_the_log_holds_and_the_archive_lacks_stops_rendering(
        self,
        root: Path,
        damage: Callable[[Path], None],
        laid: bool,  # noqa: FBT001 - a parameter of the test
    ):
        """Exit 6, and nothing is written: the site, or what is not there of one, is as it was."""
        damage(root)
        if not laid:
            shutil.rmtree(root / "site")
            for path in root.glob(".site.*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
        with pytest.raises(IntegrityError) as refused:
            render(Root(root), progress=SILENT)
        assert refused.value.exit_code == ExitCode.INTEGRITY
        assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before

    @pytest.mark.parametrize("lost", [None, ".site.permanent", ".site.permanent.json"])
    def test_it_reads_no_page_that_was_laid_out(self, root: Path, monkeypatch: pytest.MonkeyPatch, lost: str | None):
        """Its cost follows the windows: a page is read only where it is to be laid out now, as one index says."""
        if lost is not None:
            place = root / lost
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        read: list[str] = []
        store = Root(root).store
        ours = Root(root)
        monkeypatch.setattr(ours.store.folder, "read", lambda name: (read.append(name), store.folder.read(name))[1])
        refuse_lost(ours)
        assert any(name.endswith(".parquet") for name in read) == (lost == ".site.permanent.json")
        assert len(read) < 4 * len(list((log(root) / "index").rglob("*.json")))
