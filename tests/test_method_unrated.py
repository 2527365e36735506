"""The limits of a window and of what can be rated, from both sides, at the least step that counts can make."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from generator.method.window import window_nights
from generator.records.grade import Grade, Letter, UnratedReason
from tests.method_archive import FIRST, Fleet
from tests.method_variants import METHOD

A, B, C, D, U = Letter
DEFINITION = METHOD.definition


def of(fleet: Fleet, endpoint: str = "dune") -> Grade:
    """Return one endpoint's grade under method 0.1."""
    return fleet.grades(METHOD)[endpoint]


def percents(*values: int) -> list[Fraction]:
    """Return percentages as ratios."""
    return [Fraction(value, 100) for value in values]


class TestUnrated:
    @pytest.mark.parametrize(("extra", "without", "letter"), [(0, 7, A), (1, 8, U)])
    def test_more_than_20_percent_without_a_reference(self, extra: int, without: int, letter: Letter) -> None:
        """7 of 35 pairs are 20 % and allowed; 8 are not."""
        fleet = Fleet(fixed={"tides": 4}, drawn={"moons": 1})
        for n in fleet.nights:
            for e in fleet.endpoints:
                fleet.put(n, e, "moons-1-of-*", f"{e}'s own")
        for e in fleet.endpoints[: 5 * extra]:
            fleet.put(7, e, "tides-4", f"{e}'s own")
        grade = of(fleet)
        assert (grade.pairs, grade.pairs_without_reference, grade.letter) == (35, without, letter)

    def test_a_pair_that_was_sent_to_nobody_is_none(self) -> None:
        """An unsent prompt is in no count; one that was sent and failed everywhere is a pair without a reference."""
        fleet = Fleet(fixed={"tides": 4})
        fleet.put(3, fleet.endpoints, "tides-1", ".")
        fleet.put(4, fleet.endpoints, "tides-1", ".")
        fleet.put(4, "amber", "tides-1", "!")
        grade = of(fleet)
        assert (grade.pairs, grade.pairs_without_reference) == (27, 1)

    @pytest.mark.parametrize(("gone", "letter"), [([3, 5], A), ([3, 5, 6], U)], ids=["2 nights", "3 nights"])
    def test_not_listed_on_3_or_more_nights(self, gone: list[int], letter: Letter) -> None:
        """Two nights off the listing are allowed, three are not."""
        fleet = Fleet(fixed={"tides": 4})
        fleet.leave(gone, "dune")
        grade = of(fleet)
        assert (grade.nights_absent, grade.letter) == (len(gone), letter)
        assert grade.m_nights_observed == 7 - len(gone)

    def test_absent_at_the_window_s_end(self) -> None:
        """An endpoint that left before the window's end still has its grade, and the nights since count as absent."""
        fleet = Fleet(fixed={"tides": 4})
        fleet.leave([5, 6, 7], "dune")
        assert (of(fleet).nights_absent, of(fleet).unrated_reasons) == (3, (UnratedReason.ABSENT,))
        assert of(fleet).nights_since_listed == 7

    def test_a_listed_night_with_nothing_sent_is_an_absence(self) -> None:
        """Two nights off the listing and one with nothing sent are three."""
        fleet = Fleet(fixed={"tides": 4})
        fleet.leave([3, 5], "dune")
        fleet.put(6, "dune", "tides-1", ".")
        assert of(fleet).nights_absent == 2
        for i in (2, 3, 4):
            fleet.put(6, "dune", f"tides-{i}", ".")
        assert (of(fleet).nights_absent, of(fleet).unrated_reasons) == (3, (UnratedReason.ABSENT,))

    def test_an_endpoint_that_fails_is_not_absent(self) -> None:
        """Errors on three nights are no absence: R says it."""
        fleet = Fleet(fixed={"tides": 4})
        for i in range(1, 5):
            fleet.put([3, 5, 6], "dune", f"tides-{i}", "!")
        assert (of(fleet).nights_absent, of(fleet).r_letter, of(fleet).unrated_reasons) == (0, D, ())

    @pytest.mark.parametrize(("first", "nights", "letter"), [(0, 7, A), (1, 6, U)])
    def test_7_recorded_nights_since_the_first_listing(self, first: int, nights: int, letter: Letter) -> None:
        """First listed on the window's first night is 7 nights ago; on its second, 6, and no absence on the first."""
        fleet = Fleet(fixed={"tides": 4})
        if first:
            fleet.leave([1], "dune")
        fleet.list_as(range(1 + first, 8), "dune", first_listed=fleet.days[first])
        grade = of(fleet)
        assert (grade.nights_since_listed, grade.nights_absent, grade.letter) == (nights, 0, letter)

    def test_nights_before_the_window_count_since_the_first_listing(self) -> None:
        """An endpoint first listed before the window has the recorded nights between, and no others."""
        fleet = Fleet(fixed={"tides": 4})
        fleet.list_as(fleet.nights, "dune", first_listed=FIRST - timedelta(days=12))
        history = [FIRST - timedelta(days=days) for days in (13, 12, 5)]
        grade = fleet.grades(METHOD, [*history, *fleet.days])["dune"]
        assert grade.nights_since_listed == 9

    @pytest.mark.parametrize(("count", "letter"), [(7, A), (6, U)])
    def test_7_recorded_nights_in_the_window(self, count: int, letter: Letter) -> None:
        """Six nights within the ten days are too few even for an endpoint that has been listed for long."""
        fleet = Fleet(fixed={"tides": 4}, days=count)
        fleet.list_as(fleet.nights, "dune", first_listed=FIRST - timedelta(days=30))
        history = [FIRST - timedelta(days=days) for days in range(30, 10, -1)]
        grade = fleet.grades(METHOD, [*history, *fleet.days])["dune"]
        assert (grade.nights_since_listed, grade.letter) == (20 + count, letter)
        assert grade.unrated_reasons == (() if count == 7 else (UnratedReason.TOO_FEW_NIGHTS,))

    @pytest.mark.parametrize(("back", "nights"), [(9, 7), (10, 6)], ids=["10 days", "11 days"])
    def test_a_window_is_10_calendar_days_with_its_last(self, back: int, nights: int) -> None:
        """A night nine days before the last is the tenth day and counts; the eleventh does not."""
        end = FIRST + timedelta(days=40)
        recorded = [end - timedelta(days=days) for days in (30, back, 7, 5, 4, 2, 1, 0)]
        assert window_nights(recorded, end, DEFINITION) == tuple(recorded[-nights:])

    def test_a_window_is_at_most_7_nights(self) -> None:
        """Of ten nights in ten days the last seven are the window."""
        recorded = [FIRST + timedelta(days=days) for days in range(10)]
        assert window_nights(recorded, recorded[-1], DEFINITION) == tuple(recorded[3:])

    @pytest.mark.parametrize(("turned", "letter"), [(6, A), (7, U)])
    def test_a_family_is_stable_at_90_percent(self, turned: int, letter: Letter) -> None:
        """6 of 60 pairs that differ leave 90 %: stable. 7 do not, and it is the only family."""
        fleet = Fleet(fixed={"tides": 10})
        fleet.turn(turned, "tides")
        grade = of(fleet)
        assert [(f.stable, f.pairs_differing, f.pairs) for f in grade.m_family] == [(turned == 6, turned, 60)]
        assert grade.letter is letter
        assert (UnratedReason.NO_STABLE_FAMILY in grade.unrated_reasons) == (turned == 7)

    def test_a_family_of_drawn_prompts_alone_is_not_stable(self) -> None:
        """Where no endpoint has a pair there is no floor and no stability."""
        fleet = Fleet(fixed={}, drawn={"moons": 5})
        grade = of(fleet)
        assert [(f.stable, f.floor_numerator, f.floor_denominator) for f in grade.m_family] == [(False, None, None)]
        assert grade.unrated_reasons == (UnratedReason.NO_STABLE_FAMILY, UnratedReason.NOT_MEASURED)
        assert (grade.m_family[0].prompts, grade.m_nights_observed) == (35, 0)

    def test_without_a_first_listing_the_first_night_of_the_window_that_lists_it_serves(self) -> None:
        """Listed from the third night on, with no date of a first listing: five nights ago, and never absent since."""
        fleet = Fleet(fixed={"tides": 4})
        fleet.leave([1, 2], "dune")
        fleet.list_as(range(3, 8), "dune", first_listed=None)
        grade = of(fleet)
        assert (grade.nights_since_listed, grade.nights_absent) == (5, 0)
        assert grade.unrated_reasons == (UnratedReason.TOO_FEW_NIGHTS,)
