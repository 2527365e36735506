"""Laying out: permanent files once and in place, views swapped in, nothing of anybody else's touched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
import site_material as made
from laid_site import METHOD, PAGE, PERMANENT, RECORD, Killed, files, killed_before, shelves

from generator.errors import ArchiveError, BitdepthError, ExitCode, IntegrityError
from generator.site import build, permanent_shelves, templates, views
from generator.site import files as site_files
from generator.site.beside import Records
from generator.site.interface import Shelf

BESIDE = [".site.permanent", ".site.permanent.json", ".site.views", "site"]
VIEWS = {"index.html": b"first", "models/a/b/index.html": b"model", "grades/a/b/c/2026-11-27/index.html": b"versions"}


def lay(site: Path, permanent: dict[str, bytes] = PERMANENT, pages: dict[str, bytes] = VIEWS) -> build.LaidOut:
    """Lay out a site."""
    return build.lay_out(site, shelves(permanent), pages.items())


def killed_after(pages: dict[str, bytes], count: int) -> Iterator[tuple[str, bytes]]:
    """Yield some views, and end."""
    yield from list(pages.items())[:count]
    raise Killed


class TestLayingOut:
    """'Permanent pages are laid out once and stay in place; the views are built in a fresh folder and swapped in'."""

    def test_holds_exactly_what_was_given(self, tmp_path: Path):
        """The folder holds every permanent file and every view, and nothing else."""
        laid = lay(tmp_path / "site")
        assert files(tmp_path / "site") == PERMANENT | VIEWS
        assert laid == build.LaidOut(permanent_new=2, permanent_kept=0, views=3, views_changed=3, views_removed=0)

    def test_again_changes_nothing(self, tmp_path: Path):
        """The same again writes no file at all."""
        site = tmp_path / "site"
        lay(site)
        before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in site.rglob("*") if path.is_file()}
        laid = lay(site)
        assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in before} == before
        assert laid == build.LaidOut(permanent_new=0, permanent_kept=2, views=3, views_changed=0, views_removed=0)

    def test_no_stale_view_remains(self, tmp_path: Path):
        """A view that is not among the new ones is gone, with its folder; permanent files stay, named or not."""
        site = tmp_path / "site"
        lay(site)
        laid = lay(site, PERMANENT, {"index.html": b"second"})
        assert files(site) == PERMANENT | {"index.html": b"second"}
        assert not (site / "models").exists()
        assert laid.views_removed == 2

    def test_leaves_nothing_half_written(self, tmp_path: Path):
        """Beside the site only the list of views lies; no temporary file is left anywhere."""
        lay(tmp_path / "site")
        assert sorted(path.name for path in tmp_path.iterdir()) == BESIDE

    def test_files_of_others_are_left_alone(self, tmp_path: Path):
        """A file that no build put there is neither replaced nor removed."""
        site = tmp_path / "site"
        (site / "models").mkdir(parents=True)
        (site / "models/weights.bin").write_bytes(b"mine")
        lay(site)
        lay(site, PERMANENT, {})
        assert (site / "models/weights.bin").read_bytes() == b"mine"

    def test_one_folder_under_any_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """'.' is the same site as its full path."""
        site = tmp_path / "site"
        lay(site)
        monkeypatch.chdir(site)
        lay(Path(), PERMANENT, {"index.html": b"second"})
        assert files(site) == PERMANENT | {"index.html": b"second"}


class TestPermanentIsNeverReplaced:
    """'if a file is there with other bytes: IntegrityError naming it; nothing of ours overwrites it'."""

    @pytest.mark.parametrize("path", PERMANENT)
    def test_other_bytes_are_refused(self, tmp_path: Path, path: str):
        """A permanent file with other bytes is named and left as it is, and no view is touched."""
        site = tmp_path / "site"
        lay(site)
        (site / path).write_bytes(b"tampered")
        with pytest.raises(IntegrityError, match=path) as caught:
            lay(site, PERMANENT, {"index.html": b"second"})
        assert caught.value.exit_code is ExitCode.INTEGRITY
        assert files(site) == PERMANENT | VIEWS | {path: b"tampered"}

    def test_no_view_stands_where_a_permanent_page_does(self, tmp_path: Path):
        """A view at a permanent page's path is refused, whether the page comes with it or lies there already."""
        site = tmp_path / "site"
        for body in (b"view", PERMANENT[PAGE]):
            with pytest.raises(IntegrityError, match=f"no view where a permanent page lies in .*{PAGE}"):
                lay(site, PERMANENT, {PAGE: body})
        assert (site / PAGE).read_bytes() == PERMANENT[PAGE]

    def test_a_method_page_is_a_view_until_kept(self, tmp_path: Path):
        """The page of a version is a view that may change, until it is kept: from then on it stays."""
        site = tmp_path / "site"
        lay(site, {}, {METHOD: b"draft"})
        lay(site, {}, {METHOD: b"second draft"})
        lay(site, {METHOD: b"kept"}, {})
        assert files(site) == {METHOD: b"kept"}
        lay(site, {METHOD: b"kept"}, {})
        assert files(site) == {METHOD: b"kept"}
        with pytest.raises(IntegrityError, match=METHOD):
            lay(site, {METHOD: b"other"}, {})

    def test_survives_a_changed_template(self, tmp_path: Path):
        """Under another style every page among the views changes, and every permanent file keeps its bytes."""
        material, site = made.material(), tmp_path / "site"
        permanent = made.permanent(material)
        lay(site, permanent, dict(views.render(material, made.TEMPLATES)))
        own = tmp_path / "templates"
        own.mkdir()
        style = (made.ROOT / "templates/style.css").read_text()
        (own / "style.css").write_text(style.replace("#fdfcf9", "#fffffe"))
        changed = templates.load([own, made.ROOT / "templates"])
        under_it = dict(views.render(material, changed))
        laid = lay(site, permanent, under_it)
        assert laid.views_changed == sum(path.endswith(".html") for path in under_it)
        assert {path: (site / path).read_bytes() for path in permanent} == permanent


class TestLaidOutOnce:
    """'Permanent pages are laid out once and stay in place': what is recorded is not read again, unless it changed."""

    def unread(self, permanent: Mapping[str, bytes] = PERMANENT) -> list[Shelf]:
        """Return shelves whose files must not be read."""

        def read() -> Iterator[tuple[str, bytes]]:
            pytest.fail("a shelf was read that lies in the site already")

        return [Shelf(name=each.name, digest=each.digest, files=read) for each in shelves(permanent)]

    def test_kept_files_are_not_read_again(self, tmp_path: Path):
        """A build after the first reads no shelf, and counts its files as kept."""
        site = tmp_path / "site"
        lay(site)
        laid = build.lay_out(site, self.unread(), VIEWS.items())
        assert (laid.permanent_new, laid.permanent_kept) == (0, 2)

    def test_only_a_new_shelf_is_read(self, tmp_path: Path):
        """What was kept since is laid out; the rest is left alone."""
        site, more = tmp_path / "site", {METHOD: b"kept"}
        lay(site)
        laid = build.lay_out(site, [*self.unread(), *shelves(more)], VIEWS.items())
        assert (laid.permanent_new, laid.permanent_kept) == (1, 2)
        assert files(site) == PERMANENT | more | VIEWS

    @pytest.mark.parametrize("gone", [PAGE, RECORD, "grades/a", ""])
    def test_what_was_taken_away_is_laid_out_again(self, tmp_path: Path, gone: str):
        """A file, a folder or the whole site that was deleted is there again after the next build."""
        site = tmp_path / "site"
        lay(site)
        place = site / gone
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        lay(site)
        assert files(site) == PERMANENT | VIEWS

    def test_a_copy_of_the_site_is_held_against_the_archive(self, tmp_path: Path):
        """Where times of change are others', every byte is compared once, and recorded again."""
        site = tmp_path / "site"
        lay(site)
        os.utime(site / PAGE, ns=(1, 1))
        assert lay(site).permanent_kept == 2
        build.lay_out(site, self.unread(), VIEWS.items())
        os.utime(site / PAGE, ns=(2, 2))
        (site / RECORD).write_bytes(b"[]")
        with pytest.raises(IntegrityError, match=RECORD):
            lay(site)

    def test_a_page_that_the_archive_lost_is_named(self, tmp_path: Path):
        """Where the archive no longer has a shelf, or a shelf no longer a page, the build fails; the page stays."""
        site = tmp_path / "site"
        lay(site)
        with pytest.raises(IntegrityError, match=r"found none in the archive in pages/grades/a/b/c/2026-11-27/v0\.1\."):
            lay(site, {}, VIEWS)
        with pytest.raises(IntegrityError, match=RECORD):
            lay(site, {PAGE: PERMANENT[PAGE]}, VIEWS)
        assert files(site) == PERMANENT | VIEWS

    @pytest.mark.parametrize("record", [b"", b"{}", b"\xff", b'{"digest":"x","files":[]}'])
    def test_a_torn_record_is_as_good_as_none(self, tmp_path: Path, record: bytes):
        """Whatever became of a record, its files are compared with their kept bytes."""
        site = tmp_path / "site"
        lay(site)
        (place,) = (tmp_path / ".site.permanent").iterdir()
        place.write_bytes(record)
        assert lay(site).permanent_kept == 2
        build.lay_out(site, self.unread(), VIEWS.items())

    def test_one_path_on_two_places_of_a_shelf(self, tmp_path: Path):
        """A shelf with two files of one path is refused: neither is laid over the other."""
        twice = Shelf(name="pages/x", digest="d", files=lambda: [(PAGE, b"one"), (PAGE, b"two")])
        with pytest.raises(IntegrityError, match=f"two in pages/x, {PAGE}"):
            build.lay_out(tmp_path / "site", [twice], [])
        assert files(tmp_path / "site") == {}


class TestPowerCut:
    """A page has its name once it is on the disk: whatever else lies there is somebody's."""

    WHOLE = bytes(range(1, 200)) * 100

    @pytest.mark.parametrize("other", [b"", b"x", WHOLE[:4096], bytes(len(WHOLE)), WHOLE + b"\0", WHOLE[:-1] + b"x"])
    def test_other_bytes_are_refused_whole_or_not(self, tmp_path: Path, other: bytes):
        """A page with one byte that is not the kept one, one more or one less is named and left as it is."""
        site = tmp_path / "site"
        (site / PAGE).parent.mkdir(parents=True)
        (site / PAGE).write_bytes(other)
        with pytest.raises(IntegrityError, match=PAGE):
            lay(site, {PAGE: self.WHOLE}, {})
        assert (site / PAGE).read_bytes() == other

    @pytest.mark.parametrize(("count", "can_sync"), [(3, True), (300, True), (300, False)])
    def test_each_page_is_on_the_disk_before_its_name_and_its_name_before_the_record(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, *, can_sync: bool
    ):
        """Few are written through one by one, many by one call where there is one; folders that were made, too."""
        site, events = tmp_path / "site", list[tuple[str, str]]()
        many = {PAGE.replace("/c/", f"/c{number}/"): b"page" for number in range(count)}
        fsync, replace, keep = os.fsync, os.replace, Records.keep

        def synced(handle: int) -> None:
            events.append(("synced", str(Path(f"/proc/self/fd/{handle}").readlink())))
            fsync(handle)

        def named(source: str, target: str) -> None:
            events.append(("named", str(target)))
            replace(source, target)

        def kept(self: Records, site: str, laid: Iterable[tuple[str, str, Iterable[str]]]) -> None:
            events.append(("record", ""))
            keep(self, site, laid)

        monkeypatch.setattr(site_files, "_CAN_SYNC", can_sync)
        monkeypatch.setattr(os, "fsync", synced)
        monkeypatch.setattr(os, "sync", lambda: events.append(("all", "")))
        monkeypatch.setattr(os, "replace", named)
        monkeypatch.setattr(Records, "keep", kept)
        build.lay_out(site, [Shelf(name="pages/x", digest="d", files=many.items)], [])
        recorded, names = events.index(("record", "")), [name for what, name in events if what == "named"]
        first, last = events.index(("named", names[0])), events.index(("named", names[count - 1]))
        before, between = events[:first], events[last:recorded]
        for page in map(site.joinpath, many):
            assert ("synced", str(page.with_name(".index.html.half"))) in before or ("all", "") in before
            made = (page.parent, *page.parent.parents)
            for folder in made[: made.index(site) + 1]:
                assert ("synced", str(folder)) in between or ("all", "") in between

    def test_many_pages_do_not_all_wait(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """Past a number of pages those so far are given their names, and one path on two shelves is still found."""
        monkeypatch.setattr(site_files, "_MOST", 2)
        monkeypatch.setattr(permanent_shelves, "_AT_ONCE", 1)
        many = {PAGE.replace("/c/", f"/c{number}/"): b"page" for number in range(5)}
        waiting = []

        def pages() -> Iterator[tuple[str, bytes]]:
            for path, data in many.items():
                yield path, data
                waiting.append(len(list((tmp_path / "site").rglob("*.half"))))

        build.lay_out(tmp_path / "site", [Shelf(name="pages/x", digest="d", files=pages)], [])
        assert max(waiting) == 1
        assert files(tmp_path / "site") == many

    def test_pages_are_made_a_few_ahead(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """A shelf is never held whole: no more than so many of its pages are made before one of them is laid."""
        monkeypatch.setattr(permanent_shelves, "_AT_ONCE", 2)
        many = {PAGE.replace("/c/", f"/c{number}/"): b"page" for number in range(5)}
        ahead = []

        def pages() -> Iterator[tuple[str, bytes]]:
            for number, page in enumerate(many.items(), 1):
                ahead.append(number - len(list((tmp_path / "site").rglob("*.half"))))
                yield page

        build.lay_out(tmp_path / "site", [Shelf(name="pages/x", digest="d", files=pages)], [])
        assert ahead == [1, 2, 1, 2, 1]

    def test_one_path_on_two_shelves(self, tmp_path: Path):
        """The second is refused although the first still waits for its name."""
        both = [Shelf(name=name, digest="d", files={PAGE: name.encode()}.items) for name in ("pages/x", "pages/y")]
        with pytest.raises(IntegrityError, match=PAGE):
            build.lay_out(tmp_path / "site", both, [])
        assert (tmp_path / "site" / PAGE).read_bytes() == b"pages/x"

    def test_a_disk_that_refuses_leaves_nothing_half_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """What was written and has no name yet is taken away again: on a full disk it would be in the way."""
        many, left = {PAGE.replace("/c/", f"/c{number}/"): b"page" for number in range(5)}, [4]
        write = os.write

        def full(handle: int, data: bytes) -> int:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            return write(handle, data)

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(ArchiveError, match="No space"):
            build.lay_out(tmp_path / "site", [Shelf(name="pages/x", digest="d", files=many.items)], [])
        assert files(tmp_path / "site") == {}


class TestKilled:
    """'a crash between leaves either old or new readable views, and the next run completes'."""

    @pytest.mark.parametrize("count", range(3))
    def test_while_views_are_built(self, tmp_path: Path, count: int):
        """Killed while views are rendered, every old view is as it was; the next run completes."""
        site = tmp_path / "site"
        lay(site)
        later = {path: body + b" later" for path, body in VIEWS.items()}
        with pytest.raises(Killed):
            build.lay_out(site, shelves(PERMANENT), killed_after(later, count))
        assert files(site) == PERMANENT | VIEWS
        lay(site, PERMANENT, later)
        assert files(site) == PERMANENT | later
        assert sorted(path.name for path in tmp_path.iterdir()) == BESIDE

    @pytest.mark.parametrize("at", range(12))
    def test_at_any_rename_or_removal(self, tmp_path: Path, at: int):
        """Killed before any one rename or removal, each address has its old or its new bytes; the next completes."""
        site = tmp_path / "site"
        lay(site)
        later = {"index.html": b"second", "models/x/y/index.html": b"new"}
        more = PERMANENT | {METHOD: b"kept"}
        with killed_before(at, "replace", "unlink"):
            lay(site, more, later)
        for path, body in files(site).items():
            if not path.endswith(".half"):  # Whoever is killed takes nothing away.
                assert body in {(more | VIEWS).get(path), later.get(path)}
        for path in {*PERMANENT, "index.html"}:
            assert (site / path).is_file()
        lay(site, more, later)
        assert files(site) == more | later

    def test_a_torn_list_is_survived(self, tmp_path: Path):
        """A list of views with rubbish in it leads to nothing outside the site."""
        site, outside = tmp_path / "site", tmp_path / "outside"
        lay(site)
        outside.write_bytes(b"mine")
        (tmp_path / ".site.views").write_bytes(b"../outside\n\xff\xfe\n/etc/none\n\nindex.html\n")
        lay(site, PERMANENT, {})
        assert outside.read_bytes() == b"mine"
        assert "index.html" not in files(site)


class TestWhatCannotBe:
    @pytest.mark.parametrize(
        "path", ["/etc/x", "../x", "a/../x", "a//b", "a/./b", "", "a/", "a\\b", "c:x", "a\nb", "nul\x00"]
    )
    def test_paths_that_lead_elsewhere_are_refused(self, tmp_path: Path, path: str):
        """A path that is no plain path below the site is refused, as a view and as a permanent file."""
        with pytest.raises(IntegrityError, match="relative"):
            lay(tmp_path / "site", {path: b""}, {})
        with pytest.raises(IntegrityError, match="relative"):
            lay(tmp_path / "site", {}, {path: b""})

    def test_two_views_for_one_path(self, tmp_path: Path):
        """Two views for one path are a defect that is named."""
        with pytest.raises(IntegrityError, match=r"two in index\.html"):
            build.lay_out(tmp_path / "site", [], [("index.html", b"a"), ("index.html", b"b")])

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path):
        """Where the folder cannot be made, the message names it and says what to do."""
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(ArchiveError, match=r"file.* Check the folder") as caught:
            lay(tmp_path / "file" / "site")
        assert isinstance(caught.value, BitdepthError)

    def test_a_site_that_is_a_file(self, tmp_path: Path):
        """A file under the site's name is left as it is and named."""
        (tmp_path / "site").write_bytes(b"mine")
        with pytest.raises(ArchiveError, match="site"):
            lay(tmp_path / "site")
        assert (tmp_path / "site").read_bytes() == b"mine"

    def test_a_folder_under_a_files_name(self, tmp_path: Path):
        """A folder where a page should lie is named."""
        (tmp_path / "site/index.html").mkdir(parents=True)
        with pytest.raises(ArchiveError, match=r"index\.html"):
            lay(tmp_path / "site")
