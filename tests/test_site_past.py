"""What is known of settled months: nothing that a page says depends on how many of them there are."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import msgspec
import pytest
import site_material as made

from generator.records.grade import ChangeKind, DeclaredChange, DeclaredState, Grade, Letter, Superseded
from generator.records.night import VoidRecord
from generator.site import views
from generator.site.endpoint_months import settled, with_grades
from generator.site.history import changes
from generator.site.interface import GradedWindow, Material, NightMaterial
from generator.site.library import Library, arrange, counts_as_recorded
from generator.site.past import MonthTotals, Past, and_month, days_of, mask_of, month_of, settled_months
from generator.site.stories import EndpointStory

FIRST, DAYS = date(2025, 1, 20), 70
NIGHTS = tuple(FIRST + timedelta(days=day) for day in range(DAYS))
VOID = frozenset({NIGHTS[3], NIGHTS[15]})
MONTHS = ("2025-01", "2025-02", "2025-03")
ALDER, BIRCH, CEDAR = "alder", "birch", "cedar"
AWAY = {BIRCH: range(8, 30), CEDAR: range(20, DAYS)}
"""Nights on which an endpoint has no grade and is not listed, counted from 0."""
CHANGE = DeclaredChange(night=NIGHTS[30], before="fp8", after="int4", kind=ChangeKind.CHANGED)


def there(endpoint: str, number: int) -> bool:
    """True on a night on which an endpoint is there."""
    return number not in AWAY.get(endpoint, ())


def grades() -> tuple[Grade, ...]:
    """Return the grades under 0.1, those of the first week under 0.0 too, which 0.1 made anew."""
    found = []
    for number, end in enumerate(NIGHTS):
        for endpoint in (ALDER, BIRCH, CEDAR):
            if end in VOID or not there(endpoint, number):
                continue
            letter = "AB"[number // 9 % 2] if endpoint == ALDER else "A"
            one = made.grade(
                endpoint,
                endpoint.capitalize(),
                nights=(end,),
                issued=end,
                letter=Letter(letter),
                r_letter=Letter(letter),
                d_state=DeclaredState.PRESENT,
                d_changes=(CHANGE,) if endpoint == ALDER and CHANGE.night <= end <= NIGHTS[36] else (),
                supersedes=(Superseded(method_version="0.0", letter=Letter.B),) if number < 7 else (),
            )
            found.append(one)
            if number < 7:
                found.append(msgspec.structs.replace(one, method_version="0.0", supersedes=()))
    return tuple(sorted(found, key=lambda each: (each.model, each.endpoint, each.window_end, each.method_version)))


GRADES = grades()


def nights() -> tuple[NightMaterial, ...]:
    """Return the nights, two of them declared void, on one of which birch comes back under another tag."""
    found = []
    for number, when in enumerate(NIGHTS):
        listing = [
            made.listed(made.grade(each, each.capitalize()), when)
            for each in (ALDER, BIRCH, CEDAR)
            if there(each, number)
        ]
        for place, each in enumerate(listing):
            if each.endpoint == BIRCH and number == 30:
                listing[place] = msgspec.structs.replace(each, tag="birch/new", succeeded_from="birch/old")
        night = made.night(when)
        if when in VOID:
            night = msgspec.structs.replace(
                night,
                void=VoidRecord(
                    format=1,
                    night=when,
                    reason="the power was out",
                    declared_at=datetime(2025, 4, 1, tzinfo=UTC),
                    seal="",
                ),
            )
        found.append(msgspec.structs.replace(night, endpoints=tuple(listing)))
    return tuple(found)


LISTED = nights()
LED = dict.fromkeys(NIGHTS, "0.1")


def arranged(count: int) -> Library:
    """Return the material with so many months settled."""
    names = MONTHS[:count]
    past = Past()
    for name in names:
        of_month = [
            (each.record.night, counts_as_recorded(each), each.endpoints)
            for each in LISTED
            if month_of(each.record.night) == name
        ]
        graded = [each for each in GRADES if month_of(each.window_end) == name]
        past = and_month(past, name, of_month, graded, current="0.1", led=LED)
    return arrange(material(past))


def material(past: Past) -> Material:
    """Return it as views are handed it, with these months settled."""
    keys = sorted({(each.method_version, each.window_end) for each in GRADES})
    windows = tuple(
        GradedWindow(method_version=version, window_end=end, was_current=version == "0.1", regrade=False)
        for version, end in keys
    )
    held = Split(each for each in GRADES if not past.is_settled(each.window_end))
    return made.material(grades=held, nights=LISTED, windows=windows, past=past)


class Split(made.InMemory):
    """Grades of months that are not settled, and by month those of all."""

    __slots__ = ()

    def of_month(self, name: str, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return one endpoint's of a month."""
        return made.InMemory(GRADES).of_month(name, model, endpoint)


def stories(library: Library) -> dict[str, EndpointStory]:
    """Return the endpoints."""
    (model,) = library.models
    return {story.endpoint: story for story in model.endpoints}


@pytest.mark.parametrize("count", [1, 2, 3])
class TestHowManyAreSettled:
    def test_an_endpoint_is_the_same(self, count: int):
        """Its names, its first and last night, its tags, its counts, its latest grade, and which windows it has."""
        known = ("provider", "tag", "listings", "first_listed", "last_listed", "listed_now", "successions", "latest")
        expected, found = (stories(arranged(each)) for each in (0, count))
        assert expected.keys() == found.keys() == {ALDER, BIRCH, CEDAR}
        for endpoint, story in expected.items():
            for name in (*known, "counts", "gone_words"):
                assert getattr(found[endpoint], name) == getattr(story, name), (endpoint, name)
            assert [found[endpoint].was_graded(day) for day in NIGHTS] == [story.was_graded(day) for day in NIGHTS]

    def test_so_is_what_is_known_of_all(self, count: int):
        """Versions that were superseded, models as the router calls them, and how many each night lists."""
        expected, found = arranged(0), arranged(count)
        assert found.superseded == expected.superseded == {"0.0"}
        assert found.model_ids == expected.model_ids == {made.TREES}
        assert [found.listed(each) for each in LISTED] == [len(each.endpoints) for each in LISTED]
        assert found.graded_newest == (expected.graded_newest if count < 3 else {})

    def test_every_change_stands_once(self, count: int):
        """In the month whose windows showed it first, settled or not."""

        def told(story: EndpointStory, library: Library) -> list[tuple[object, ...]]:
            months = [with_grades(story, month, library.current) for month in settled(story, library)]
            every = [
                *changes(story, library.current),
                *(change for month in reversed(months) for change in month.changes),
            ]
            return [(change.night, change.shown, change.letter, change.precision, change.tag) for change in every]

        library, whole = arranged(count), arranged(0)
        for endpoint, story in stories(whole).items():
            expected = told(story, whole)
            assert sorted(map(str, told(stories(library)[endpoint], library))) == sorted(map(str, expected))
        assert sum(month.changes for month in library.material.past.months) == sum(
            len([change for change in told(story, whole) if change[1] in SETTLED[count] and change[4] is None])
            for story in stories(whole).values()
        )

    def test_a_month_has_a_row_for_each_grade_and_each_window_between_two(self, count: int):
        """Birch comes back: its months until then have rows without a grade; cedar does not, and has none."""
        library = arranged(count)
        for endpoint, story in stories(library).items():
            for month in settled(story, library):
                rows = with_grades(story, month, "0.1").rows
                assert month.count == len(rows)
                graded = {end for end, grade in rows if grade is not None and grade.method_version == "0.1"}
                assert month.drawn.graded == len(graded)
                assert month.drawn.windows == len({end for end, _ in rows})
                missing = [end for end, grade in rows if grade is None]
                expected = [
                    end
                    for number, end in enumerate(NIGHTS)
                    if endpoint == BIRCH and end not in VOID and number in AWAY[BIRCH] and month_of(end) == month.name
                ]
                assert sorted(missing) == expected


SETTLED = {count: {night for night in NIGHTS if month_of(night) in MONTHS[:count]} for count in (1, 2, 3)}


def test_a_month_is_settled_a_month_after_its_end():
    """The newest windows of an endpoint, as many as its page lists, all lie later."""
    days = [*NIGHTS]
    assert settled_months(days, None) == ()
    assert settled_months(days, date(2025, 3, 2)) == ()
    assert settled_months(days, date(2025, 3, 3)) == MONTHS[:1]
    assert settled_months(days, date(2025, 3, 30)) == MONTHS[:1]
    assert settled_months(days, date(2025, 3, 31)) == MONTHS[:2]
    assert settled_months(days, date(2025, 5, 1)) == MONTHS
    assert settled_months([NIGHTS[0], date(2025, 5, 1)], date(2025, 5, 1)) == MONTHS, "also those without a night"
    assert settled_months([date(2024, 12, 9)], date(2025, 3, 3)) == ("2024-12", "2025-01")


def test_days_of_a_month_as_bits():
    """They read back."""
    days = (date(2025, 1, 1), date(2025, 1, 9), date(2025, 1, 31))
    assert days_of("2025-01", mask_of(days)) == days
    assert mask_of(()) == 0


def test_a_version_that_became_current_in_a_month_without_a_night():
    """Its line stands on the page of that month."""
    end, issued = date(2025, 1, 5), date(2025, 2, 10)
    windows = tuple(
        GradedWindow(method_version=version, window_end=end, was_current=True, regrade=version == "0.2")
        for version in ("0.1", "0.2")
    )
    past = Past(
        months=tuple(MonthTotals(name=name, pages=0, changes=0) for name in MONTHS),
        issued={"0.1": {end: end}, "0.2": {end: issued}},
    )
    own = made.settings(method="0.2")
    of = made.material(grades=(), nights=(), models=(), windows=windows, past=past, settings=own)
    newest, groups = views.parted(of, made.TEMPLATES)
    pages = dict(newest) | {path: page for group in groups for path, page in group.pages()}
    assert "2025-02, 1" in made.page_text(pages["changes/index.html"])
    assert "Method version 0.2 is current; it was 0.1 before" in made.page_text(pages["changes/2025-02/index.html"])
    assert "No change became known in 2025-01." in made.page_text(pages["changes/2025-01/index.html"])
    assert "of those after 2025-03, and each method version that became current" in pages["feed.xml"].decode()
