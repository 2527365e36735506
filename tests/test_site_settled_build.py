"""Laying out settled pages: made once, looked at only where somebody asks, and never lost track of."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from types import FrameType

import msgspec
import pytest
from laid_site import METHOD, PAGE, PERMANENT, Killed, files, killed_before, shelves

from generator.errors import IntegrityError
from generator.records.canonical import sha256
from generator.site import build
from generator.site.beside import Beside
from generator.site.interface import UNCHANGED, SettledPages

Groups = Mapping[str, Mapping[str, bytes]]
VIEWS = {"index.html": b"first", "grades/a/2026-05/1.html": b"May"}
MARCH = {"grades/a/2026-03/1.html": b"one", "grades/a/2026-03/2.html": b"two"}
APRIL = {"grades/a/2026-04/1.html": b"April"}
SETTLED: Groups = {"grades/a/2026-03": MARCH, "grades/a/2026-04": APRIL}
ALL = PERMANENT | VIEWS | MARCH | APRIL
NEVER: Groups = {}
CALLS = ("replace", "unlink", "write", "mkdir", "rmdir")
LATER = {"index.html": b"second", "grades/a/2026-04/1.html": b"April, open again", "new/index.html": b"new"}
MORE: Groups = {
    "grades/a/2026-03": {"grades/a/2026-03/1.html": b"one, again", "grades/a/2026-03/3.html": b"three"},
    "grades/a/2026-05": {"grades/a/2026-05/1.html": b"May"},
    "grades/a/2026-06": {"grades/a/2026-06/1.html": b"June"},
}
"""March changes, April becomes a view, May was one, June is new."""
KEPT: Groups = {"kept": {"kept/index.html": b"kept"}}


def groups(given: Groups) -> list[SettledPages]:
    """Return groups of settled pages, each with a fingerprint of its pages."""
    return [
        SettledPages(name=name, fingerprint=sha256(repr(sorted(pages.items())).encode()), pages=pages.items)
        for name, pages in given.items()
    ]


def unmade(given: Groups = SETTLED) -> list[SettledPages]:
    """Return groups whose pages must not be made."""

    def make() -> Iterator[tuple[str, bytes]]:
        pytest.fail("pages were made that are settled")

    return [msgspec.structs.replace(each, pages=make) for each in groups(given)]


def lay(
    site: Path,
    views: Mapping[str, bytes] = VIEWS,
    settled: Groups | Iterable[SettledPages] = SETTLED,
    *,
    permanent: Mapping[str, bytes] = PERMANENT,
    look: bool = False,
) -> build.LaidOut:
    """Lay out a site, without looking."""
    given = groups(settled) if isinstance(settled, Mapping) else settled
    return build.lay_out(site, shelves(permanent), views.items(), given, look=look)


def beside(site: Path) -> dict[str, object]:
    """Return all that lies beside a site, but for the times of change."""
    found = Beside(site)
    kept = {
        (kind, name): (record.digest, [(path, size) for path, size, _ in record.files])
        for kind, records in (("permanent", found.permanent), ("settled", found.settled))
        for name in records.index
        if (record := records.record(name)) is not None
    }
    names = {path.relative_to(site.parent).as_posix() for path in site.parent.rglob("*") if site not in path.parents}
    whole = {path.name: path.read_bytes() for path in site.parent.glob(".*.*") if path.suffix in {".views", ".json"}}
    return {"records": kept, "names": {name for name in names if not name.endswith(".half")}, "whole": whole}


class TestLayingOut:
    """Settled pages lie in the site as views do, and stand in no list of views."""

    @pytest.mark.parametrize("look", [True, False])
    def test_holds_exactly_what_was_given(self, tmp_path: Path, *, look: bool):
        """The folder holds every settled page; they count as views, and are listed apart from them."""
        site = tmp_path / "site"
        laid = lay(site, look=look)
        assert files(site) == ALL
        assert laid == build.LaidOut(permanent_new=2, permanent_kept=0, views=5, views_changed=5, views_removed=0)
        assert (tmp_path / ".site.views").read_text().splitlines() == sorted(VIEWS)
        assert Beside(site).listed_views() == VIEWS.keys()
        assert Beside(site).views() == VIEWS.keys() | MARCH.keys() | APRIL.keys()
        assert [each for each in tmp_path.iterdir() if "fresh" in each.name or "half" in each.name] == []

    @pytest.mark.parametrize("look", [True, False])
    def test_again_makes_and_writes_nothing(self, tmp_path: Path, *, look: bool):
        """The same again asks no group for its pages and writes no file, in the site or beside it."""
        site = tmp_path / "site"
        lay(site)
        before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in tmp_path.rglob("*") if path.is_file()}
        laid = lay(site, settled=unmade(), look=look)
        assert laid == build.LaidOut(permanent_new=0, permanent_kept=2, views=5, views_changed=0, views_removed=0)
        after = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in tmp_path.rglob("*") if path.is_file()}
        assert after == before

    def test_views_are_read_to_their_end_first(self, tmp_path: Path):
        """The groups are asked for once the last view was made, and each for its pages once they are to be laid."""
        order = []

        def views() -> Iterator[tuple[str, bytes]]:
            yield from VIEWS.items()
            order.append("views")

        def pages() -> Iterator[tuple[str, bytes]]:
            for path, data in MARCH.items():
                order.append(path)
                yield path, data

        def settled() -> Iterator[SettledPages]:
            order.append("groups")
            yield SettledPages(name="grades/a/2026-03", fingerprint="f", pages=pages)
            order.append("end")

        build.lay_out(tmp_path / "site", [], views(), settled())
        assert order == ["views", "groups", *MARCH, "end"]

    def test_pages_are_made_one_by_one(self, tmp_path: Path):
        """A page lies in the fresh folder before the next one of its group is made."""
        found = []

        def pages() -> Iterator[tuple[str, bytes]]:
            for path, data in MARCH.items():
                yield path, data
                found.append((tmp_path / ".site.fresh" / path).read_bytes())

        build.lay_out(tmp_path / "site", [], [], [SettledPages(name="m", fingerprint="f", pages=pages)])
        assert found == list(MARCH.values())

    @pytest.mark.parametrize("look", [True, False])
    def test_only_what_changed_is_written(self, tmp_path: Path, *, look: bool):
        """Of a group with another fingerprint the pages with other bytes are written, and those it lost are gone."""
        site = tmp_path / "site"
        lay(site)
        later = {"grades/a/2026-03/1.html": b"one", "grades/a/2026-03/3.html": b"three"}
        same = (site / "grades/a/2026-03/1.html").stat().st_ino
        april, changed = unmade({"grades/a/2026-04": APRIL}), groups({"grades/a/2026-03": later})
        laid = lay(site, settled=[*changed, *april], look=look)
        assert files(site) == PERMANENT | VIEWS | later | APRIL
        assert (laid.views, laid.views_changed, laid.views_removed) == (5, 1, 1)
        assert (site / "grades/a/2026-03/1.html").stat().st_ino == same
        lay(site, settled=unmade({"grades/a/2026-03": later, "grades/a/2026-04": APRIL}), look=True)

    def test_unchanged_pages_are_taken_as_they_lie(self, tmp_path: Path):
        """Of a group that is made anew, a page that lies in place as it would be made is neither read nor written."""
        site = tmp_path / "site"
        lay(site, VIEWS | MARCH, NEVER)
        pages = [(path, UNCHANGED) for path in MARCH]
        laid = lay(site, settled=[SettledPages(name="m", fingerprint="f", pages=lambda: pages)])
        assert files(site) == PERMANENT | VIEWS | MARCH
        assert (laid.views, laid.views_changed, laid.views_removed) == (4, 0, 0)
        lay(site, settled=[SettledPages(name="m", fingerprint="f", pages=lambda: pytest.fail("made"))], look=True)

    def test_a_group_without_pages(self, tmp_path: Path):
        """It is laid out as soon as it was asked."""
        site = tmp_path / "site"
        lay(site, settled={"none": {}})
        lay(site, settled=unmade({"none": {}}), look=True)
        assert files(site) == PERMANENT | VIEWS

    @pytest.mark.parametrize("look", [True, False])
    def test_a_fingerprint_of_nothing(self, tmp_path: Path, *, look: bool):
        """A group with an empty fingerprint is made each time: none can be told from it."""
        site = tmp_path / "site"
        for body in (b"one", b"two"):
            pages = {"index.html": body}
            lay(site, {}, [SettledPages(name="group", fingerprint="", pages=pages.items)], look=look)
            assert files(site) == PERMANENT | pages

    def test_a_name_too_long_for_a_file(self, tmp_path: Path):
        """Two groups whose long names begin alike have a record each."""
        site, name = tmp_path / "site", "grades/" + "a" * 300
        settled = {f"{name}/2026-03": MARCH, f"{name}/2026-04": APRIL}
        lay(site, settled=settled)
        lay(site, settled=unmade(settled), look=True)
        lay(site, settled={f"{name}/2026-04": APRIL})
        assert files(site) == PERMANENT | VIEWS | APRIL


class TestComingAndGoing:
    @pytest.mark.parametrize("look", [True, False])
    def test_a_group_that_goes_away(self, tmp_path: Path, *, look: bool):
        """Its pages are stale views: they are removed with their folders, and nothing of them is recorded."""
        site = tmp_path / "site"
        lay(site)
        laid = lay(site, settled={"grades/a/2026-04": APRIL}, look=look)
        assert files(site) == PERMANENT | VIEWS | APRIL
        assert not (site / "grades/a/2026-03").exists()
        assert (laid.views, laid.views_changed, laid.views_removed) == (3, 0, 2)
        assert len(list((tmp_path / ".site.settled").iterdir())) == 1
        lay(site, settled=NEVER)
        assert files(site) == PERMANENT | VIEWS
        assert Beside(site).settled.index == {}

    @pytest.mark.parametrize("look", [True, False])
    def test_a_view_that_becomes_settled(self, tmp_path: Path, *, look: bool):
        """It stays where it lies, is no stale view, and stands in the list of views no more."""
        site = tmp_path / "site"
        lay(site, VIEWS | MARCH, {"grades/a/2026-04": APRIL})
        inode = (site / "grades/a/2026-03/1.html").stat().st_ino
        laid = lay(site, look=look)
        assert (laid.views, laid.views_changed, laid.views_removed) == (5, 0, 0)
        assert (site / "grades/a/2026-03/1.html").stat().st_ino == inode
        assert Beside(site).listed_views() == VIEWS.keys()
        assert lay(site, settled=unmade()).views_removed == 0
        assert files(site) == ALL

    @pytest.mark.parametrize("look", [True, False])
    def test_a_settled_page_that_becomes_a_view_again(self, tmp_path: Path, *, look: bool):
        """It stays where it lies and is a view as any other, whether its group is gone or has fewer pages."""
        site = tmp_path / "site"
        lay(site)
        first, *rest = MARCH
        fewer = {"grades/a/2026-03": {path: MARCH[path] for path in rest}, "grades/a/2026-04": APRIL}
        laid = lay(site, VIEWS | {first: MARCH[first]}, fewer, look=look)
        assert (laid.views, laid.views_changed, laid.views_removed) == (5, 0, 0)
        laid = lay(site, VIEWS | MARCH | APRIL, NEVER, look=look)
        assert (laid.views, laid.views_changed, laid.views_removed) == (5, 0, 0)
        assert files(site) == ALL
        lay(site, settled=NEVER)
        assert files(site) == PERMANENT | VIEWS

    def test_a_page_that_moves_from_group_to_group(self, tmp_path: Path):
        """It stays where it lies, and goes with the group that has it now."""
        site = tmp_path / "site"
        lay(site)
        lay(site, settled={"spring": MARCH | APRIL})
        assert files(site) == ALL
        lay(site, settled=NEVER)
        assert files(site) == PERMANENT | VIEWS


class TestLookingLess:
    """'Who does not look, as each night's run, looks at none of them: a night costs the same whatever lies there'."""

    def test_nothing_is_looked_at(self, tmp_path: Path):
        """Without any of the pages and lists of files a run goes as before, and counts what it did not look at."""
        site = tmp_path / "site"
        lay(site)
        for gone in (site / "grades", tmp_path / ".site.settled", tmp_path / ".site.permanent"):
            shutil.rmtree(gone)
        laid = lay(site, {"index.html": b"first"}, unmade())
        assert laid == build.LaidOut(permanent_new=0, permanent_kept=2, views=4, views_changed=0, views_removed=1)
        assert files(site) == {"index.html": b"first"}

    def test_calls_do_not_grow_with_what_is_settled(self, tmp_path: Path):
        """A run with a hundred groups and shelves more asks the system for nothing more than one without."""
        asked: dict[str, list[str]] = {}
        for name, size in (("small", 1), ("large", 101)):
            site = tmp_path / name / "site"
            permanent = {PAGE.replace("2026-11-27", f"2026-11-{day:02}"): b"page" for day in range(size)}
            settled = {f"group {number}": {f"settled/{number}/index.html": b"page"} for number in range(size)}
            lay(site, settled=settled, permanent=permanent)
            calls = asked[name] = []

            def note(_: FrameType, event: str, called: object, calls: list[str] = calls) -> None:
                if event == "c_call" and getattr(called, "__module__", None) in {
                    os.stat.__module__,
                    io.open.__module__,
                }:
                    calls.append(getattr(called, "__name__", ""))

            sys.setprofile(note)
            try:
                laid = lay(site, settled=unmade(settled), permanent=permanent)
            finally:
                sys.setprofile(None)
            assert (laid.permanent_kept, laid.views) == (size, size + 2)
        assert "open" in asked["small"]
        assert asked["large"] == asked["small"]

    def test_only_what_is_new_is_made(self, tmp_path: Path):
        """A shelf and a group that came since are laid; the list of files of no other is read."""
        site = tmp_path / "site"
        lay(site)
        for record in (*(tmp_path / ".site.settled").iterdir(), *(tmp_path / ".site.permanent").iterdir()):
            record.unlink()
        june = {"grades/a/2026-06/1.html": b"June"}
        settled = [*unmade(), *groups({"grades/a/2026-06": june})]
        laid = lay(site, settled=settled, permanent=PERMANENT | {METHOD: b"kept"})
        assert laid == build.LaidOut(permanent_new=1, permanent_kept=2, views=6, views_changed=1, views_removed=0)
        assert files(site) == ALL | june | {METHOD: b"kept"}
        assert len(list((tmp_path / ".site.settled").iterdir())) == 1

    @pytest.mark.parametrize("empty", [True, False])
    def test_a_site_that_was_taken_away_is_laid_out_again(self, tmp_path: Path, *, empty: bool):
        """In a folder that is gone or empty nothing counts as laid out, whoever asks to look or not."""
        site = tmp_path / "site"
        lay(site)
        shutil.rmtree(site)
        if empty:
            site.mkdir()
        lay(site)
        assert files(site) == ALL

    def test_a_lost_shelf_is_refused_all_the_same(self, tmp_path: Path):
        """What the archive no longer has is found by name."""
        site = tmp_path / "site"
        lay(site)
        with pytest.raises(IntegrityError, match=r"found none in the archive in pages/grades/a/b/c/2026-11-27/v0\.1\."):
            lay(site, permanent={})
        assert files(site) == ALL


class TestLooking:
    """'Where one differs all of them are held against the bytes that they should have'."""

    @pytest.mark.parametrize("gone", [*MARCH, "grades/a/2026-03"])
    def test_what_was_taken_away_is_laid_out_again(self, tmp_path: Path, gone: str):
        """A page or folder of a group that was deleted is there again; other groups are left alone."""
        site = tmp_path / "site"
        lay(site)
        place = site / gone
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        settled = [*groups({"grades/a/2026-03": MARCH}), *unmade({"grades/a/2026-04": APRIL})]
        lay(site, settled=settled, look=True)
        assert files(site) == ALL
        lay(site, settled=unmade(), look=True)

    def test_what_was_changed_is_mended(self, tmp_path: Path):
        """A page of the same size with another byte has its own bytes again."""
        site = tmp_path / "site"
        lay(site)
        (site / "grades/a/2026-03/2.html").write_bytes(b"twx")
        assert lay(site, look=True).views_changed == 1
        assert files(site) == ALL

    @pytest.mark.parametrize("torn", [b"", b"{}", b"\xff", b'{"digest":"x","files":[]}', b'{"digest":5}'])
    def test_a_torn_record_is_as_good_as_none(self, tmp_path: Path, torn: bytes):
        """Whatever became of a group's list of files, its pages are made and recorded again."""
        site = tmp_path / "site"
        lay(site)
        before = beside(site)
        for record in (tmp_path / ".site.settled").iterdir():
            record.write_bytes(torn)
        laid = lay(site, look=True)
        assert (laid.views, laid.views_changed, laid.views_removed) == (5, 0, 0)
        assert (files(site), beside(site)) == (ALL, before)

    def test_a_torn_record_leads_to_nothing_else(self, tmp_path: Path):
        """A list of files that names permanent pages or files outside the site takes none of them away."""
        site, outside = tmp_path / "site", tmp_path / "outside"
        outside.write_bytes(b"mine")
        lay(site)
        for record in (tmp_path / ".site.settled").iterdir():
            record.write_bytes(msgspec.json.encode({"digest": "x", "files": [("../outside", 4, 0), (PAGE, 4, 0)]}))
        lay(site, settled=NEVER)
        assert outside.read_bytes() == b"mine"
        assert PERMANENT.items() <= files(site).items()

    @pytest.mark.parametrize("look", [True, False])
    @pytest.mark.parametrize("torn", [None, b"", b"[]", b"\xff", b'{"grades/a/2026-03":["x"]}'])
    def test_a_lost_index_is_made_again(self, tmp_path: Path, torn: bytes | None, *, look: bool):
        """Nothing counts as laid out then; what is given no longer is known by name and goes away all the same."""
        site, march = tmp_path / "lost" / "site", {"grades/a/2026-03": MARCH}
        lay(site)
        for name in (".site.settled.json", ".site.permanent.json"):
            place = site.with_name(name)
            place.unlink() if torn is None else place.write_bytes(torn)
        with pytest.raises(IntegrityError, match="found none in the archive"):
            lay(site, permanent={}, look=look)
        laid = lay(site, settled=march, look=look)
        assert laid == build.LaidOut(permanent_new=0, permanent_kept=2, views=4, views_changed=0, views_removed=1)
        lay(tmp_path / "never lost" / "site", settled=march)
        assert beside(site) == beside(tmp_path / "never lost" / "site")


class TestWhatCannotBe:
    @pytest.mark.parametrize("look", [True, False])
    def test_one_path_in_two_groups(self, tmp_path: Path, *, look: bool):
        """Two groups with one path are refused, and so is a group with a view's path; nothing in place is touched."""
        site = tmp_path / "site"
        lay(site)
        for settled in ({"one": MARCH, "two": {"grades/a/2026-03/2.html": b"two"}}, {"one": {"index.html": b"x"}}):
            path = "index.html" if len(settled) == 1 else "grades/a/2026-03/2.html"
            with pytest.raises(IntegrityError, match=f"one file for each path, found two in {path}"):
                lay(site, settled=settled, look=look)
            assert files(site) == ALL
        lay(site, settled=unmade())

    def test_two_groups_of_one_name(self, tmp_path: Path):
        """They are refused, whether they are made or lie there already."""
        site = tmp_path / "site"
        for _ in range(2):
            with pytest.raises(IntegrityError, match="two in grades/a/2026-03"):
                lay(site, settled=groups(SETTLED) * 2)
            lay(site)

    @pytest.mark.parametrize("path", [PAGE, METHOD])
    def test_no_settled_page_where_a_permanent_one_may_lie(self, tmp_path: Path, path: str):
        """Whether one lies there or not: who takes a settled page away must never take a permanent one."""
        site = tmp_path / "site"
        with pytest.raises(IntegrityError, match=f"no settled page where a permanent one may lie in {path}"):
            lay(site, settled={"group": {path: b"view"}})
        assert files(site) == PERMANENT

    @pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../x", "", "a\nb"])
    def test_paths_that_lead_elsewhere(self, tmp_path: Path, path: str):
        """A path that is no plain one below the site is refused."""
        with pytest.raises(IntegrityError, match="relative"):
            lay(tmp_path / "site", settled={"group": {path: b"view"}})


class TestKilled:
    """'Killed at any point, each address shows its old or its new page, and the next run completes'."""

    def before(self, path: Path) -> Path:
        """Return a site as it lay before."""
        lay(path / "site", settled={**KEPT, **SETTLED})
        return path / "site"

    @pytest.fixture(autouse=True)
    def _no_waiting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wait for no disk: a process is killed here, not the machine."""
        monkeypatch.setattr(os, "fsync", lambda _: None)
        monkeypatch.setattr(os, "sync", lambda: None)

    @pytest.mark.parametrize("look", [True, False])
    @pytest.mark.parametrize("is_first", [True, False])
    def test_at_any_write(self, tmp_path: Path, *, look: bool, is_first: bool):
        """Killed before any one write, rename or removal; the next run leaves the bytes of one that was not killed."""
        more = {**KEPT, **MORE}
        start = self.before(tmp_path / "start") if not is_first else tmp_path / "start" / "site"
        old = {} if is_first else files(start)
        (tmp_path / "start").mkdir(exist_ok=True)
        shutil.copytree(start.parent, tmp_path / "whole")
        lay(whole := tmp_path / "whole/site", LATER, more, look=look)
        new, expected = files(whole), beside(whole)
        for at in count():
            shutil.copytree(start.parent, tmp_path / f"{at}")
            site = tmp_path / f"{at}" / "site"
            with killed_before(at, *CALLS) as was_killed:
                lay(site, LATER, more, look=look)
            for path, body in files(site).items():
                assert path.endswith(".half") or body in {old.get(path), new.get(path)}
            assert all((site / path).is_file() for path in old.keys() & new.keys())
            laid = lay(site, LATER, more, look=look)
            assert (files(site), beside(site)) == (new, expected)
            assert (laid.views, laid.permanent_kept + laid.permanent_new) == (len(new) - 2, 2)
            assert lay(site, LATER, unmade(more), look=True).views_changed == 0
            if not was_killed():
                break
            shutil.rmtree(site.parent)
        assert at > 40

    @pytest.mark.parametrize("look", [True, False])
    def test_at_any_write_and_everything_is_other_afterwards(self, tmp_path: Path, *, look: bool):
        """Where the next run is not given what was being laid, nothing of it stays, and all that it is given lies."""
        self.before(tmp_path / "start")
        last: Groups = {**KEPT, "grades/a/2026-04": APRIL}
        for at in count():
            shutil.copytree(tmp_path / "start", tmp_path / f"{at}")
            site = tmp_path / f"{at}" / "site"
            with killed_before(at, *CALLS) as was_killed:
                lay(site, LATER, {**KEPT, **MORE}, look=look)
            lay(site, VIEWS, last, look=look)
            assert files(site) == {**PERMANENT, **VIEWS, **APRIL, **KEPT["kept"]}
            assert Beside(site).views() == VIEWS.keys() | APRIL.keys() | KEPT["kept"].keys()
            if not was_killed():
                break
            shutil.rmtree(site.parent)
        assert at > 40

    @pytest.mark.parametrize("made", range(3))
    def test_while_settled_pages_are_made(self, tmp_path: Path, made: int):
        """Killed while they are made, everything is as it was, and still counts as laid out."""
        site = self.before(tmp_path)
        old, noted = files(site), beside(site)

        def pages() -> Iterator[tuple[str, bytes]]:
            yield from list(MORE["grades/a/2026-03"].items())[:made]
            raise Killed

        with pytest.raises(Killed):
            lay(site, LATER, [SettledPages(name="grades/a/2026-03", fingerprint="f", pages=pages)])
        shutil.rmtree(tmp_path / ".site.fresh")
        assert (files(site), beside(site)) == (old, noted)
        assert lay(site, settled=unmade({**KEPT, **SETTLED}), look=True).views_changed == 0
