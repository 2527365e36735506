"""The page of changes: what the feeds know and nothing else, in their order; many stand by month."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
import site_material as made

from generator.records.grade import ChangeKind, DeclaredChange, Grade, Letter
from generator.records.permalink import permalink_path
from generator.site import changes_view
from generator.site.interface import GradedWindow, Material
from generator.site.library import arrange

ATOM = "{http://www.w3.org/2005/Atom}"
ADDRESS = "https://bitdepth.example/grades-of/"
INDEX = "changes/index.html"
DAY = timedelta(days=1)


def nights_of(letters: str, endpoint: str = "alder", version: str = "0.1", **changes: Any) -> tuple[Grade, ...]:
    """Return an endpoint's grades, night after night, with these letters over all and in column R."""
    ends = [made.FIRST_NIGHT + index * DAY for index in range(len(letters))]
    return tuple(
        made.grade(
            endpoint,
            endpoint.capitalize(),
            nights=(end,),
            issued=end,
            method_version=version,
            letter=Letter(letter),
            r_letter=None if letter == "U" else Letter(letter),
            **changes,
        )
        for end, letter in zip(ends, letters, strict=True)
    )


def led(grades: Iterable[Grade]) -> tuple[GradedWindow, ...]:
    """Return the windows of some grades, each graded by the version that was current."""
    keys = sorted({(each.method_version, each.window_end) for each in grades})
    return tuple(
        GradedWindow(method_version=version, window_end=end, was_current=True, regrade=False) for version, end in keys
    )


def rendered(grades: Iterable[Grade], **changes: Any) -> dict[str, bytes]:
    """Return the pages of changes of some grades."""
    kept = tuple(sorted(grades, key=lambda each: (each.model, each.endpoint, each.window_end, each.method_version)))
    return pages_of(made.material(**({"grades": kept, "windows": led(kept)} | changes)))


def pages_of(of: Material) -> dict[str, bytes]:
    """Return the pages of changes of a material."""
    return dict(changes_view.render(arrange(of), made.feeds_of(of)[1], made.TEMPLATES))


def rows(page: bytes) -> list[str]:
    """Return what each line of a page says."""
    return [made.text_of(row) for row in made.parsed(page).findall(".//tbody/tr")]


def letters(page: bytes, path: str = INDEX) -> list[list[str]]:
    """Return, line by line, the permanent pages that its letters lead to."""
    return [
        [
            posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(link.get("href") or "")))
            for link in row.findall(".//span[@class='short']/a")
        ]
        for row in made.parsed(page).findall(".//tbody/tr")
    ]


class TestWhatTheFeedsKnow:
    @pytest.mark.parametrize("name", ["live", "demo", "empty"])
    def test_has_every_entry_of_the_feed_in_its_order(self, name: str):
        """Line by line the page leads to the permanent page that the feed's entry announces."""
        files = made.sites()[name]
        feed = ET.fromstring(files["feed.xml"])  # noqa: S314 - our own feed
        announced = [
            (link.get("href") or "").removeprefix(ADDRESS) + "index.html"
            for link in feed.findall(f"{ATOM}entry/{ATOM}link[@rel='alternate']")
        ]
        assert [found[-1] for found in letters(files[INDEX])] == announced
        assert (name == "empty") == (announced == [])

    def test_a_letter_stands_with_version_columns_and_standing(self):
        """Both letters are whole, and both windows are named by their last night."""
        pages = rendered(nights_of("AAC"))
        first, second = made.FIRST_NIGHT + DAY, made.FIRST_NIGHT + 2 * DAY
        (row,) = rows(pages[INDEX])
        assert row == (
            f"{second} Alder google/gemma-3-270m A 0.1 · M A T A D A R A provisional , then C 0.1 · M A T A D A R C "
            f"provisional windows to {first} and to {second}"
        )
        assert letters(pages[INDEX]) == [
            [permalink_path(made.TREES, "alder", end, "0.1") + "index.html" for end in (first, second)]
        ]

    def test_a_declared_precision_stands_with_the_grade_that_shows_it(self):
        """It is said in the words of the feed, once, and leads to one permanent page."""
        change = DeclaredChange(night=made.FIRST_NIGHT + DAY, before="int4", after="int8", kind=ChangeKind.CHANGED)
        shown = nights_of("BB", d_changes=(change,))
        (row,) = rows(rendered(shown)[INDEX])
        assert f"Declared precision: int4, then int8, on {change.night} (changed)" in row
        assert row.count("0.1 ·") == 1

    def test_nothing_that_moved_within_a_letter_is_listed(self):
        """Figures that differ from night to night are no change while the letter stays, and the page says so."""
        grades = tuple(
            made.grade(
                nights=(end,),
                issued=end,
                t_correct=480 + index,
                m_night=(made.match_night(end, index),),
                r_errors=index,
            )
            for index, end in enumerate(made.NIGHTS[:4])
        )
        page = rendered(grades)[INDEX]
        assert rows(page) == []
        said = made.page_text(page)
        assert "No change has been reported yet." in said
        assert "Nothing within the floor is listed." in said

    def test_a_version_that_became_current_is_one_line(self):
        """It leads to both versions; the letters that it made anew are no line."""
        old, new = nights_of("AAAA"), nights_of("CCCC", version="0.2")
        ends = [each.window_end for each in old]
        windows = (
            *(GradedWindow(method_version="0.1", window_end=end, was_current=True, regrade=False) for end in ends),
            *(GradedWindow(method_version="0.2", window_end=end, was_current=True, regrade=True) for end in ends),
        )
        later = ends[-1] + DAY
        again = tuple(made.grade(**grade_fields(each, issued=later)) for each in new)
        page = rendered((*old, *again), windows=windows, settings=made.settings(method="0.2"))[INDEX]
        assert rows(page) == [f"{later} Method version 0.2 is current; it was 0.1 before"]
        hrefs = [link.get("href") for link in made.parsed(page).findall(".//tbody//a")]
        assert hrefs == ["../method/0.2/index.html", "../method/0.1/index.html"]

    def test_a_superseded_version_says_so(self):
        """A letter of a version that a later one replaced is not read as a letter of today."""
        old = nights_of("AC")
        new = nights_of("B", version="0.2", supersedes=())
        page = rendered((*old, *new), settings=made.settings(method="0.2"), windows=led(old))[INDEX]
        assert "provisional, version not current" in rows(page)[0]

    def test_the_site_feed_belongs_to_the_page_and_every_page_leads_there(self):
        """The feed's own page, the footer and the first page all name it."""
        for name, files in made.sites().items():
            feed = ET.fromstring(files["feed.xml"])  # noqa: S314 - our own feed
            (page,) = [link.get("href") for link in feed.findall(f"{ATOM}link[@rel='alternate']")]
            assert page == f"{ADDRESS}changes/", name
            for path, body in files.items():
                if path.endswith(".html") and path != "404.html":
                    up = "../" * path.count("/")
                    footer = made.parsed(body).find(".//footer")
                    assert footer is not None
                    assert f"{up}changes/index.html" in {link.get("href") for link in footer.iter("a")}, path

    def test_no_grade_is_held(self):
        """What the ledger keeps of a change is text and dates, so that memory grows by lines and not by grades."""
        _, ledger = made.feeds_of(made.material())
        found = [getattr(line, field) for line in ledger.newest_first() for field in line.__struct_fields__]
        assert {type(each).__name__ for each in found} == {"date", "str", "NoneType", "Letters"}


def grade_fields(grade: Grade, **changes: Any) -> dict[str, Any]:
    """Return a grade's fields with others in their place."""
    return {field: getattr(grade, field) for field in grade.__struct_fields__} | changes


class TestMany:
    """More changes than stand together are listed by month."""

    @pytest.fixture
    def pages(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
        """Return the pages of two endpoints that change every night over 47 nights, where 10 stand together."""
        monkeypatch.setattr(changes_view, "MOST_TOGETHER", 10)
        return rendered((*nights_of("AB" * 23 + "A"), *nights_of("BC" * 23 + "B", "birch")))

    def test_the_page_has_the_newest_and_says_how_many_there_are(self, pages: dict[str, bytes]):
        """Ten lines of 92, newest first, and each month with its own count."""
        assert len(rows(pages[INDEX])) == 10
        said = made.page_text(pages[INDEX])
        assert "The newest 10 of 92 changes" in said
        months = made.parsed(pages[INDEX]).findall(".//ul[@class='nights']/li")
        assert [made.text_of(month) for month in months] == ["2027-01, 8", "2026-12, 62", "2026-11, 22"]

    def test_each_change_stands_on_the_page_of_its_month(self, pages: dict[str, bytes]):
        """Together the months have every change once, each newest first, and the page's lines begin them."""
        months = ["2027-01", "2026-12", "2026-11"]
        assert set(pages) == {INDEX, *(f"changes/{month}/index.html" for month in months)}
        every = []
        for month in months:
            path = f"changes/{month}/index.html"
            listed = rows(pages[path])
            assert all(row.startswith(month) for row in listed)
            every += listed
        assert len(every) == len(set(every)) == 92
        assert [date.fromisoformat(row[:10]) for row in every] == sorted(
            (date.fromisoformat(row[:10]) for row in every), reverse=True
        )
        assert rows(pages[INDEX]) == every[:10]

    def test_a_month_leads_back_and_its_letters_to_their_pages(self, pages: dict[str, bytes]):
        """A month's page is a step below the page of changes."""
        path = "changes/2026-12/index.html"
        tree = made.parsed(pages[path])
        assert [link.get("href") for link in tree.findall(".//nav[@class='steps']//a")] == [
            "../../index.html",
            "../index.html",
        ]
        assert letters(pages[path], path)[0][-1] == (
            permalink_path(made.TREES, "alder", date(2026, 12, 31), "0.1") + "index.html"
        )

    def test_as_many_as_stand_together_are_one_page(self, monkeypatch: pytest.MonkeyPatch):
        """At the limit there is no month."""
        monkeypatch.setattr(changes_view, "MOST_TOGETHER", 4)
        assert set(rendered(nights_of("ABABA"))) == {INDEX}
        assert len(rendered(nights_of("ABABAB"))) == 2
