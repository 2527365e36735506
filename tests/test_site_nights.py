"""The list of nights: newest first, with counts, cost and what was missed; by month where there are many."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
import pytest
import site_material as made

from generator.site import night_list_view
from generator.site.interface import NightMaterial
from generator.site.library import arrange

PATH = "nights/index.html"


def night(when: date, *missed: date, late: bool = False, cost: str = "0.5") -> NightMaterial:
    """Return a night with a cost of its own, and the dates before it on which none was begun."""
    found = made.night(when)
    return msgspec.structs.replace(
        found, record=msgspec.structs.replace(found.record, missed=missed, late=late, cost_usd=cost)
    )


def rendered(*nights: NightMaterial) -> bytes:
    """Return the list of some nights."""
    library = arrange(made.material(nights=nights, grades=(), models=()))
    return dict(night_list_view.render(library, made.TEMPLATES))[PATH]


def lines(page: bytes) -> list[str]:
    """Return what each row of the page says."""
    return [made.text_of(row) for row in made.parsed(page).iterfind(".//tbody/tr")]


class TestList:
    """'/nights/: all nights newest first: recorded/void/late/missed, counts, cost, link'."""

    def test_newest_first_with_counts_and_cost(self):
        """Each night has its standing, how many were listed and planned, every outcome, and its cost."""
        said = lines(made.sites()["live"][PATH])
        assert [line[:10] for line in said] == [when.isoformat() for when in reversed(made.NIGHTS)]
        assert said[0] == "2026-11-27 recorded 12 1,680 1,660 9 1 8 0 2 0.1834"

    def test_each_links_to_its_page(self):
        """Every night leads to its own page."""
        tree = made.parsed(made.sites()["live"][PATH])
        hrefs = [anchor.get("href") for anchor in tree.iterfind(".//tbody/tr/th/a")]
        assert hrefs == [f"{when.isoformat()}/index.html" for when in reversed(made.NIGHTS)]

    def test_void_and_late_are_said(self):
        """A night that was void, or declared void since, reads void; one that began late says that too."""
        said = lines(made.sites()["live"][PATH])
        assert said[4].startswith("2026-11-23 void, late 13")
        assert said[7].startswith("2026-11-20 void 13")
        assert lines(rendered(night(date(2026, 3, 1), late=True)))[0].startswith("2026-03-01 recorded, late")

    def test_missed_dates_stand_where_they_were(self):
        """A run of dates without a night stands between its neighbours, and ends with its month."""
        missed = [date(2026, 2, 27) + timedelta(days=day) for day in range(4)]
        page = rendered(night(date(2026, 2, 26)), night(date(2026, 3, 3), *missed))
        assert [line.split(" recorded")[0] for line in lines(page)] == [
            "2026-03-03",
            "2026-03-01 to 2026-03-02 missed: no night was begun",
            "2026-02-27 to 2026-02-28 missed: no night was begun",
            "2026-02-26",
        ]
        assert "In all 2 nights recorded, 0 void, 4 missed; USD 1." in made.page_text(page)

    def test_one_missed_date_is_no_range(self):
        """A single date is said once."""
        page = rendered(night(date(2026, 3, 1)), night(date(2026, 3, 3), date(2026, 3, 2)))
        assert lines(page)[1] == "2026-03-02 missed: no night was begun"

    def test_depends_on_no_method_version(self):
        """The list leads to the glossary and to no version of the method."""
        tree = made.parsed(made.sites()["live"][PATH])
        main = tree.find(".//main")
        assert main is not None
        hrefs = [anchor.get("href", "") for anchor in main.iter("a")]
        assert not [href for href in hrefs if "method/" in href]
        assert [href for href in hrefs if href.startswith("../glossary/index.html#")]

    def test_before_the_first_night(self):
        """An archive without a night says so."""
        assert "No night has been kept yet." in made.page_text(made.sites()["empty"][PATH])


class TestManyNights:
    """'Past 400 nights group by month'."""

    @pytest.fixture
    def nights(self) -> list[NightMaterial]:
        """Return 401 nights."""
        first = made.night(date(2025, 1, 1))
        days = [date(2025, 1, 1) + timedelta(days=day) for day in range(401)]
        return [
            msgspec.structs.replace(first, record=msgspec.structs.replace(first.record, night=day, cost_usd="0.1"))
            for day in days
        ]

    def test_four_hundred_stand_together(self, nights: list[NightMaterial]):
        """Up to 400 nights are one table."""
        tree = made.parsed(rendered(*nights[:400]))
        assert len(list(tree.iter("table"))) == 1
        assert not list(tree.iter("details"))

    def test_more_stand_by_month(self, nights: list[NightMaterial]):
        """More are a table a month, newest first and the newest open, with what the month came to."""
        tree = made.parsed(rendered(*nights))
        months = list(tree.iter("details"))
        assert len(months) == 14
        assert [each.get("open") is not None for each in months] == [True] + [False] * 13
        summaries = [made.text_of(each.find("summary")) for each in months]  # type: ignore[arg-type]
        assert summaries[0] == "2026-02 5 nights recorded, 0 void, 0 missed; USD 0.5"
        assert summaries[-1] == "2025-01 31 nights recorded, 0 void, 0 missed; USD 3.1"
        assert tree.find(".//h2[@id='m2025-07']") is not None
        assert len(lines(rendered(*nights))) == 401
