"""Months that are settled: a site that grew night by night is, byte for byte, the one that is laid out anew."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from generator.records.finding import FindingKind, VerificationReport
from generator.records.permalink import endpoint_path, grade_index_path, night_path
from generator.workflows.grading import grade
from generator.workflows.kept_log import Trust
from generator.workflows.published import SavedSite
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.verifying_site import verify_site
from generator.workflows.voiding import void
from generator.workflows.world import Root
from tests.grown_site import anew, files, noting_filled
from tests.kept_site import ENDPOINTS, FIRST, MODEL, PROMPTS, Silent, listed, make_root, observations, seal_night
from tests.logged_site import KEY, keep, published

MARCH, APRIL, NEWEST = "2026-03", "2026-04", date(2026, 6, 4)
NIGHTS = (NEWEST - FIRST).days + 1
AWAY = {"loom": range(34, 75), "mill": range(50, NIGHTS + 1)}
"""Nights on which an endpoint is not listed, counted from 0: one comes back, one does not."""
SUCCEEDED, LATE = 20, 70
"""Nights on which kiln and loom are listed under another tag."""


def add(root: Root, number: int) -> None:
    """Seal the n-th night: endpoints come, go, change their tags and what they declare, and answer otherwise."""
    night = FIRST + timedelta(days=number)
    there = [each for each in ENDPOINTS if number not in AWAY.get(each, ())]
    rows = [row for each in there for row in observations(night, each)]
    if number % 25 > 17:  # A week of other answers in every twenty-five nights.
        rows = [
            msgspec.structs.replace(row, answer="else", text="else")
            if row.endpoint == "kiln" and row.family == "tales"
            else row
            for row in rows
        ]
    listing = [listed(each) for each in there]
    for place, each in enumerate(listing):
        if each.endpoint == "kiln" and number == SUCCEEDED:
            listing[place] = msgspec.structs.replace(each, succeeded_from="kiln/old")
        if each.endpoint == "loom" and number == LATE + 6:
            listing[place] = msgspec.structs.replace(each, succeeded_from="loom/old")
        if each.endpoint == "kiln" and number >= 27:
            listing[place] = msgspec.structs.replace(listing[place], declared_precision="bf16", tag="kiln/bf16")
    seal_night(root, night, rows, listing, PROMPTS)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root whose site grew as nights came, looking at nothing that was laid before."""
    root = make_root(tmp_path_factory.mktemp("grown") / "root", 0, graded=False, rendered=False)
    until = [9, 33, 50, 62, 64, 75, 78, 92, 94, *range(NIGHTS - 3, NIGHTS + 1)]
    for number in range(NIGHTS):
        add(root, number)
        if number + 1 in until:
            grade(root, today=FIRST + timedelta(days=number + 1), progress=Silent())
            render(root, progress=Silent(), look=False)
    return root


@pytest.fixture
def root(grown: Root, tmp_path: Path) -> Root:
    """Return a copy, files as old as they were."""
    shutil.copytree(grown.path, tmp_path / "root")
    return Root(tmp_path / "root")


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often each template is filled."""
    return noting_filled(monkeypatch)


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Return the paths at which two sites are not the same."""
    return sorted(path for path in {*one, *other} if one.get(path) != other.get(path))


def test_it_is_the_site_that_is_laid_out_anew(root: Root) -> None:
    """Every file, and no other."""
    assert differing(files(root), anew(root)) == []


@pytest.mark.ci
def test_verification_finds_nothing(root: Root) -> None:
    """It makes every page again, those of settled months too."""
    assert verify(root, progress=Silent()).findings == ()


def test_a_further_night_fills_nothing_of_settled_months(root: Root, filled: Counter[str]) -> None:
    """It renders what is new, the night before and what any night changes, and opens no page of settled months."""
    add(root, NIGHTS)
    grade(root, today=NEWEST, progress=Silent())
    for path in root.site.glob(f"grades/*/*/*/{MARCH}-*/index.html"):
        path.chmod(0)
    filled.clear()
    laid = render(root, progress=Silent(), look=False)
    assert filled["grade_index.html"] == 2  # Of kiln and loom: mill is gone.
    assert filled["endpoint_month.html"] == 0
    assert filled["night.html"] == 2
    for path in root.site.glob(f"grades/*/*/*/{MARCH}-*/index.html"):
        path.chmod(0o644)
    found = files(root)
    assert laid.views + laid.permanent_new + laid.permanent_kept == len(found)
    assert differing(found, anew(root)) == []


@pytest.mark.ci
def test_a_night_of_a_settled_month_declared_void(root: Root) -> None:
    """The pages of the windows that count it say so, and the night's own."""
    before = files(root)
    void(root, FIRST + timedelta(days=12), reason="the power was out", now=datetime(2026, 7, 1, tzinfo=UTC))
    render(root, progress=Silent(), look=False)
    found = files(root)
    assert differing(found, anew(root)) == []
    changed = differing(before, found)
    assert f"{night_path(FIRST + timedelta(days=12))}index.html" in changed
    assert f"{grade_index_path(MODEL, 'loom', FIRST + timedelta(days=12))}index.html" in changed


@pytest.mark.ci
def test_a_provider_that_is_called_otherwise(root: Root) -> None:
    """Its endpoint stands elsewhere in lists by name; nothing of settled months depends on that."""
    night = FIRST + timedelta(days=NIGHTS)
    listing = [listed(each) for each in ("kiln", "loom")]
    listing[0] = msgspec.structs.replace(listing[0], provider="Zed", declared_precision="bf16", tag="kiln/bf16")
    rows = [row for each in ("kiln", "loom") for row in observations(night, each)]
    seal_night(root, night, rows, listing, PROMPTS)
    grade(root, today=NEWEST, progress=Silent())
    render(root, progress=Silent(), look=False)
    assert differing(files(root), anew(root)) == []


def test_an_endpoint_that_comes_back(root: Root) -> None:
    """The nights between have no grade: the pages of their months list them from then on."""
    path = f"{endpoint_path(MODEL, 'mill')}{APRIL}/index.html"
    before = files(root)[path]
    for number in range(NIGHTS, NIGHTS + 8):
        night = FIRST + timedelta(days=number)
        rows = [row for each in ENDPOINTS for row in observations(night, each)]
        seal_night(root, night, rows, [listed(each) for each in ENDPOINTS], PROMPTS)
    grade(root, today=NEWEST, progress=Silent())
    render(root, progress=Silent(), look=False)
    found = files(root)
    assert differing(found, anew(root)) == []
    assert found[path].count(b"<tr>") > before.count(b"<tr>")


def test_every_window_is_listed_by_month(root: Root) -> None:
    """The months of an endpoint's page have all its grades, each with its permanent page; so has the sitemap."""
    found = files(root)
    for endpoint in ENDPOINTS:
        folder = endpoint_path(MODEL, endpoint)
        page = found[f"{folder}index.html"].decode()
        months = re.findall(r'<li><a href="(2026-\d\d)/index.html">', page)
        assert months == sorted(months, reverse=True)
        assert MARCH in months
        listed_there = {
            end
            for name in months
            for end in re.findall(rf"{endpoint}/(2026-\d\d-\d\d)/v0.1/", found[f"{folder}{name}/index.html"].decode())
        }
        listed_there |= set(re.findall(rf"{endpoint}/(2026-\d\d-\d\d)/v0.1/", page))
        assert listed_there == {
            path.split("/")[4] for path in found if re.match(rf"grades/[^/]+/[^/]+/{endpoint}/2026-.*grade.json", path)
        }
    mapped = {
        path
        for name, body in found.items()
        if name.startswith("sitemaps/")
        for path in re.findall(r"<loc>https://[^/]+/([^<]*)</loc>", body.decode())
    }
    assert mapped == {path.removesuffix("index.html") for path in found if path.endswith("index.html")}
    index = found["sitemap.xml"].decode()
    assert sorted(re.findall(r"<loc>https://[^/]+/([^<]*)</loc>", index)) == sorted(
        n for n in found if n.startswith("sitemaps/")
    )


@pytest.mark.ci
def test_every_change_is_listed_by_month(root: Root) -> None:
    """The page of changes counts what the pages of its months list."""
    found = files(root)
    page = found["changes/index.html"].decode()
    counted = dict(re.findall(r'<li><a href="(2026-\d\d)/index.html">[^<]*</a>, (\d+)</li>', page))
    assert set(counted) >= {MARCH, APRIL}
    for name, count in counted.items():
        rows = found[f"changes/{name}/index.html"].decode().count('<tr><th scope="row">')
        assert rows == int(count)
    assert int(counted[MARCH]) > 0
    assert f"of {sum(map(int, counted.values()))} changes" in page


@pytest.mark.ci
@pytest.mark.parametrize("damage", [b"", b"{", None], ids=["emptied", "cut", "gone"])
def test_what_was_remembered_of_settled_months_may_be_lost(root: Root, damage: bytes | None) -> None:
    """It is counted anew."""
    before = files(root)
    (kept,) = (root.path / ".cache" / "past").iterdir()
    if damage is None:
        kept.unlink()
    else:
        kept.write_bytes(damage)
    render(root, progress=Silent(), look=False)
    assert files(root) == before
    assert [each.name for each in (root.path / ".cache" / "past").iterdir()] == [APRIL]


@pytest.mark.ci
def test_a_folder_that_was_emptied_is_laid_out_whole(root: Root) -> None:
    """Although somebody else's file is in it, and nothing was to be looked at."""
    before = files(root)
    shutil.rmtree(root.site)
    root.site.mkdir()
    (root.site / "CNAME").write_bytes(b"grades.example")
    render(root, progress=Silent(), look=False)
    assert files(root) == {**before, "CNAME": b"grades.example"}


@pytest.fixture(scope="module")
def copy(grown: Root, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the site as a host has it, with a log; nobody writes into it."""
    place = tmp_path_factory.mktemp("outside")
    shutil.copytree(grown.path, place / "root")
    root = Root(place / "root")
    keep(root)
    render(root, progress=Silent(), look=False)
    return published(root, place / "copy")


def from_outside(site: Path) -> VerificationReport:
    """Return what is found where the site is held against its own log."""
    return verify_site(SavedSite(site), Trust(key=KEY.verifier), progress=Silent())


def test_the_published_copy_is_sound(copy: Path) -> None:
    """Every permanent page is linked, by the endpoint's page or by that of its month, and is in the sitemap."""
    assert from_outside(copy).findings == ()


@pytest.mark.ci
@pytest.mark.parametrize("day", ["2026-03-09", "2026-05-02", "2026-06-03"])
def test_a_page_that_no_list_has_is_missed(copy: Path, tmp_path: Path, day: str) -> None:
    """Wherever it would stand: on the page of a settled month, of one that is not, or of the endpoint."""
    shutil.copytree(copy, tmp_path / "copy")
    folder = tmp_path / "copy" / endpoint_path(MODEL, "kiln")
    for page in (folder / "index.html", folder / day[:7] / "index.html"):
        if page.exists():
            page.write_text(page.read_text().replace(f"kiln/{day}/v0.1/index.html", "kiln/index.html"))
    missed = [finding for finding in from_outside(tmp_path / "copy").findings if finding.kind == FindingKind.MISSING]
    assert {f"{day}/v0.1/" in finding.expected for finding in missed} == {True}
    month = "" if day.startswith("2026-06") else f"{day[:7]}/"
    assert any(finding.where.endswith(f"/{endpoint_path(MODEL, 'kiln')}{month}index.html") for finding in missed)
