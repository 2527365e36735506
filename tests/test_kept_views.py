"""An index page that cannot have changed is not rendered again; a site comes to the same bytes all the same."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from generator.records.night import VoidRecord
from generator.records.permalink import endpoint_path, grade_index_path
from generator.site import changes_view, endpoint_history, grade_index_view
from generator.workflows.grading import grade
from generator.workflows.rendering import render
from generator.workflows.voiding import void
from generator.workflows.world import Root
from tests.grown_site import anew, files, noting_filled
from tests.kept_site import ENDPOINTS, FIRST, MODEL, Silent, add_night, make_root

NIGHTS = 9


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root whose site is laid out; nobody writes into it."""
    return make_root(tmp_path_factory.mktemp("laid") / "root", NIGHTS)


@pytest.fixture
def root(laid: Root, tmp_path: Path) -> Root:
    """Return a copy, files as old as they were."""
    shutil.copytree(laid.path, tmp_path / "root")
    return Root(tmp_path / "root")


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the paths of the index pages that are rendered."""
    found: list[str] = []
    made = grade_index_view.render

    def noted(*arguments: object) -> tuple[str, bytes]:
        path, page = made(*arguments)
        found.append(path)
        return path, page

    monkeypatch.setattr(grade_index_view, "render", noted)
    return found


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often each template is filled."""
    return noting_filled(monkeypatch)


def another_night(root: Root) -> None:
    """Seal and grade one more night."""
    add_night(root, FIRST + timedelta(days=NIGHTS))
    grade(root, today=FIRST, progress=Silent())


def index(endpoint: str, nights: int) -> str:
    """Return the path of the index page of the window that ends with the n-th night, counted from 0."""
    return f"{grade_index_path(MODEL, endpoint, FIRST + timedelta(days=nights))}index.html"


def test_nothing_new_renders_no_index_page(root: Root, rendered: list[str]) -> None:
    """A second build of the same archive leaves all of them, and every other file, as they are."""
    before = files(root)
    laid_out = render(root, progress=Silent())
    assert not rendered
    assert laid_out.views_removed == 0
    assert files(root) == before


def test_a_new_night_renders_its_own_alone(root: Root, rendered: list[str]) -> None:
    """One window more: as many index pages as it has grades, and the whole site is as if it were laid out anew."""
    another_night(root)
    render(root, progress=Silent())
    assert sorted(rendered) == [index(endpoint, NIGHTS) for endpoint in ENDPOINTS]
    assert files(root) == anew(root)


def test_a_new_night_renders_its_own_page_and_the_one_before(root: Root, filled: Counter[str]) -> None:
    """The one before leads to it; nothing is said of either night on the others' pages."""
    another_night(root)
    render(root, progress=Silent())
    assert filled["night.html"] == 2
    assert files(root) == anew(root)


def test_a_night_declared_void_renders_its_page(root: Root, filled: Counter[str]) -> None:
    """And no other night's."""
    void(root, FIRST + timedelta(days=3), reason="the power was out", now=datetime(2026, 4, 1, tzinfo=UTC))
    render(root, progress=Silent())
    assert filled["night.html"] == 1
    assert files(root) == anew(root)


def test_a_month_that_is_over_is_not_rendered_again(
    root: Root, filled: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each endpoint the page of a month is rendered once a window ends in the next one, and not with others."""
    monkeypatch.setattr(endpoint_history, "MOST_TOGETHER", 3)
    render(root, progress=Silent())
    assert filled["endpoint_month.html"] == 0
    for days in (31, 32):
        add_night(root, FIRST + timedelta(days=days))
        grade(root, today=FIRST, progress=Silent())
        render(root, progress=Silent())
        assert filled["endpoint_month.html"] == len(ENDPOINTS)
    assert (root.site / endpoint_path(MODEL, "loom") / "2026-03/index.html").is_file()
    assert files(root) == anew(root)


def test_a_month_of_changes_that_is_over_is_not_rendered_again(
    root: Root, filled: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is rendered with the changes, and stays while there are no others."""
    monkeypatch.setattr(changes_view, "MOST_TOGETHER", 0)
    render(root, progress=Silent())
    months = filled["changes.html"] - 1
    assert months > 0
    filled.clear()
    render(root, progress=Silent())
    assert filled["changes.html"] == 1
    assert files(root) == anew(root)


def test_a_page_that_was_touched_is_rendered(root: Root, rendered: list[str]) -> None:
    """Its size or its time tells, and it has its bytes again."""
    path = index("loom", 3)
    before = files(root)
    (root.site / path).write_bytes(before[path] + b" ")
    render(root, progress=Silent())
    assert rendered == [path]
    assert files(root) == before


def test_other_times_cost_one_rendering(root: Root, rendered: list[str]) -> None:
    """Of a copy that kept no times, every page is rendered once, comes to the same bytes, and is known again."""
    before = files(root)
    for path in root.site.rglob("*.html"):
        os.utime(path)
    render(root, progress=Silent())
    assert len(rendered) == NIGHTS * len(ENDPOINTS)
    rendered.clear()
    render(root, progress=Silent())
    assert not rendered
    assert files(root) == before


def test_a_page_that_is_gone_is_rendered(root: Root, rendered: list[str]) -> None:
    """Nothing lies there that could be left."""
    path = index("loom", 3)
    before = files(root)
    (root.site / path).unlink()
    render(root, progress=Silent())
    assert rendered == [path]
    assert files(root) == before


def test_another_title_renders_all(root: Root, rendered: list[str]) -> None:
    """What every page is made from has changed."""
    settings = root.path / "content" / "site.toml"
    settings.write_text(settings.read_text().replace('title = "kept"', 'title = "other"'))
    render(root, progress=Silent())
    assert len(rendered) == NIGHTS * len(ENDPOINTS)
    assert files(root) == anew(root)


def test_a_night_declared_void_renders_the_windows_that_count_it(root: Root, rendered: list[str]) -> None:
    """The pages of those windows say so; others stay."""
    night = FIRST + timedelta(days=NIGHTS - 1)
    void(root, night, reason="the power was out", now=datetime(2026, 4, 1, tzinfo=UTC))
    assert isinstance(root.store.nights.get(night).void, VoidRecord)
    render(root, progress=Silent())
    assert sorted(rendered) == [index(endpoint, NIGHTS - 1) for endpoint in ENDPOINTS]
    assert files(root) == anew(root)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"a": ["b", 1]}'])
def test_a_record_that_is_none_costs_a_rendering(root: Root, rendered: list[str], damage: bytes) -> None:
    """It is derived data: an endpoint's pages are made again, and recorded again."""
    before = files(root)
    records = sorted((root.path / ".site.rendered").iterdir())
    assert [each.name.partition("%")[0] for each in records] == [*(["grades"] * len(ENDPOINTS)), "nights"]
    records[0].write_bytes(damage)
    render(root, progress=Silent())
    assert len(rendered) == NIGHTS
    rendered.clear()
    render(root, progress=Silent())
    assert not rendered
    assert files(root) == before


def test_what_a_killed_run_put_aside_is_not_believed(root: Root, rendered: list[str]) -> None:
    """Its fingerprints may be of pages that were never swapped in."""
    folder = root.path / ".site.rendered"
    (record,) = [each for each in folder.iterdir() if "mill" in each.name]
    (folder / f"{record.name}.new").write_bytes(b'{"grades/x/index.html": "another"}')
    before = record.read_bytes()
    render(root, progress=Silent())
    assert not rendered
    assert record.read_bytes() == before
    assert not list(folder.glob("*.new"))


def test_a_list_of_views_that_is_lost(root: Root, rendered: list[str]) -> None:
    """What lies in place stays as it is, and is listed again."""
    before, listed = files(root), (root.path / ".site.views").read_bytes()
    (root.path / ".site.views").unlink()
    render(root, progress=Silent())
    assert not rendered
    assert files(root) == before
    assert (root.path / ".site.views").read_bytes() == listed


def test_times_are_of_the_pages_in_place(root: Root) -> None:
    """What is recorded is what a look at the page finds."""
    path = index("kiln", 0)
    (record,) = [each for each in (root.path / ".site.rendered").iterdir() if "kiln" in each.name]
    found = os.stat(root.site / path)  # noqa: PTH116 - as the record is made
    assert f'"{path}":["' in record.read_text()
    assert f",{found.st_size},{found.st_mtime_ns}]" in record.read_text()
