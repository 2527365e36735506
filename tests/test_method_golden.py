"""The golden archive: every field of ten grades, written down by hand before any code graded it."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from generator.archive.schema import GRADES
from generator.method.interface import Issue
from generator.method.window import window_nights
from generator.records.grade import Grade, Letter, Superseded, UnratedReason
from tests.golden_archive import HARBOR, NIGHTS, RECORDED, golden_nights
from tests.golden_harbor import AMBER, BIRCH, CEDAR, DUNE, EMBER, FJORD
from tests.golden_reef import GALE, HEATH, INLET, JETTY
from tests.method_archive import ISSUE, Fleet, graded
from tests.method_oracle import oracle
from tests.method_variants import METHOD

GOLDEN: tuple[Grade, ...] = tuple(
    msgspec.convert(fields, Grade) for fields in (AMBER, BIRCH, CEDAR, DUNE, EMBER, FJORD, GALE, HEATH, INLET, JETTY)
)
BY_ENDPOINT = {grade.endpoint: grade for grade in GOLDEN}


@pytest.fixture(scope="module")
def grades() -> dict[str, Grade]:
    """Return what the method under test makes of the golden archive."""
    return {grade.endpoint: grade for grade in graded(golden_nights(), METHOD, RECORDED)}


class TestEveryFigureOfAGradeFollowsFromItsObservations:
    @pytest.mark.parametrize("endpoint", BY_ENDPOINT)
    @pytest.mark.parametrize("field", GRADES.names)
    def test_a_field_is_what_the_hand_worked_out(self, grades: dict[str, Grade], endpoint: str, field: str) -> None:
        """Each field of each grade equals the figure written down for it."""
        assert getattr(grades[endpoint], field) == getattr(BY_ENDPOINT[endpoint], field)

    def test_no_field_is_left_out(self) -> None:
        """The fields tried above are those of the record and of the grades file, in one order."""
        assert tuple(GRADES.names) == Grade.__struct_fields__

    def test_the_oracle_agrees_with_the_hand(self) -> None:
        """The slow re-implementation, which checks random archives elsewhere, gives the golden grades."""
        assert oracle(golden_nights(), METHOD, RECORDED, ISSUE) == GOLDEN


class TestThereIsOneGradeForEachEndpointListedOnAtLeastOneOfItsNights:
    def test_the_grades_come_sorted_by_model_and_endpoint(self) -> None:
        """Ten endpoints are listed, ember on four nights alone, and each has one grade, in order."""
        found = [(grade.model, grade.endpoint) for grade in graded(golden_nights(), METHOD, RECORDED)]
        assert found == [(grade.model, grade.endpoint) for grade in GOLDEN]

    def test_every_letter_occurs(self, grades: dict[str, Grade]) -> None:
        """The golden archive has a grade of each letter, so that none of them goes untested."""
        assert {grade.letter for grade in grades.values()} == set(Letter)


class TestTheWindowIsTheLastSevenRecordedNightsWithinTenCalendarDays:
    def test_the_void_and_the_missed_date_are_in_no_window(self) -> None:
        """The window of 9 May skips the 4th, which was void, the 7th, which was missed, and April."""
        assert window_nights(RECORDED, NIGHTS[-1], METHOD.definition) == NIGHTS

    def test_a_later_night_is_not_in_an_earlier_window(self) -> None:
        """A window ends with the night that names it, whatever was recorded after."""
        later = (*RECORDED, date(2031, 5, 10), date(2031, 5, 11))
        assert window_nights(later, NIGHTS[-1], METHOD.definition) == NIGHTS

    def test_a_window_may_end_with_any_recorded_night(self) -> None:
        """The window of 3 May holds the five nights that were recorded by then."""
        assert window_nights(RECORDED, NIGHTS[2], METHOD.definition) == RECORDED[:5]


class TestAGradeCarriesWhatDoesNotFollowFromObservations:
    def test_an_earlier_letter_stands_with_the_endpoint_it_was_given_to(self) -> None:
        """`supersedes` reaches its own endpoint and no other."""
        earlier = (Superseded(method_version="0.0", letter=Letter.B),)
        issue = Issue(issued=date(2031, 7, 2), supersedes={(HARBOR, "cedar"): earlier})
        found = {g.endpoint: g for g in graded(golden_nights(), METHOD, RECORDED, issue)}
        assert found["cedar"].supersedes == earlier
        assert found["dune"].supersedes == ()
        assert {grade.issued for grade in found.values()} == {date(2031, 7, 2)}


class TestUnratedWithEveryReasonThatHolds:
    def test_endpoints_that_never_agree_with_themselves_or_each_other(self) -> None:
        """Without a reference and without a stable family nothing can be measured: three reasons, one letter."""
        fleet = Fleet(fixed={"weaving": 1}, endpoints=("kelp", "loam"))
        for n in fleet.nights:
            fleet.put(n, "kelp", "weaving-1", f"over {n}")
            fleet.put(n, "loam", "weaving-1", f"under {n}")
        kelp = fleet.grades(METHOD)["kelp"]
        assert kelp.letter is Letter.U
        assert kelp.unrated_reasons == (
            UnratedReason.NO_REFERENCE,
            UnratedReason.NO_STABLE_FAMILY,
            UnratedReason.NOT_MEASURED,
        )
        assert (kelp.pairs, kelp.pairs_without_reference) == (7, 7)
        assert (kelp.m_letter, kelp.t_letter, kelp.d_letter, kelp.r_letter) == (None, None, Letter.A, Letter.A)

    def test_every_reason_at_once_in_one_order(self) -> None:
        """All five reasons can hold together, and are recorded in the order of the method page."""
        fleet = Fleet(fixed={"weaving": 1}, endpoints=("kelp", "loam"), days=5)
        for n in fleet.nights:
            fleet.put(n, "kelp", "weaving-1", f"over {n}")
            fleet.put(n, "loam", "weaving-1", f"under {n}")
        fleet.put(range(3, 6), "kelp", "weaving-1", ".")
        assert fleet.grades(METHOD)["kelp"].unrated_reasons == tuple(UnratedReason)

    def test_a_column_that_reads_d_keeps_an_unmeasured_endpoint_rated(self) -> None:
        """An endpoint that only fails has no M and no T, and its errors give it D, not U."""
        fleet = Fleet(fixed={"tides": 2}, keyed=["tides"])
        fleet.put_first(14, "dune", "!")
        dune = fleet.grades(METHOD)["dune"]
        assert (dune.letter, dune.unrated_reasons) == (Letter.D, ())
        assert (dune.m_letter, dune.t_letter, dune.r_letter) == (None, None, Letter.D)
        assert (dune.nights_absent, dune.r_errors, dune.r_sent) == (0, 14, 14)

    def test_an_endpoint_of_the_last_night_alone_is_graded(self) -> None:
        """One listed night is enough for a grade, with its reasons and the columns that exist."""
        fleet = Fleet(fixed={"tides": 2}, keyed=["tides"])
        fleet.leave(range(1, 7), "dune")
        fleet.list_as([7], "dune", first_listed=fleet.days[6])
        dune = fleet.grades(METHOD)["dune"]
        assert (dune.letter, dune.unrated_reasons) == (Letter.U, (UnratedReason.TOO_FEW_NIGHTS,))
        assert (dune.nights_since_listed, dune.nights_absent, dune.m_nights_observed) == (1, 0, 1)
        assert (dune.m_letter, dune.t_letter, dune.r_letter) == (Letter.A, Letter.A, Letter.A)

    def test_a_listed_endpoint_to_which_nothing_was_ever_sent_reads_no_r(self) -> None:
        """Where nothing was sent R is not measured, nor is anything else but D."""
        fleet = Fleet(fixed={"tides": 2}, keyed=["tides"])
        fleet.put_first(14, "dune", ".")
        dune = fleet.grades(METHOD)["dune"]
        assert (dune.m_letter, dune.t_letter, dune.d_letter, dune.r_letter) == (None, None, Letter.A, None)
        assert dune.unrated_reasons == (UnratedReason.ABSENT, UnratedReason.NOT_MEASURED)
        assert (dune.r_sent, dune.t_planned, dune.nights_absent) == (0, 14, 7)


class TestLatencyAndContextAreShownAndNotGraded:
    def test_a_replayed_latency_has_no_class(self) -> None:
        """One replayed night in the window is enough for 'replayed'."""
        nights = golden_nights()
        nights[2] = msgspec.structs.replace(nights[2], latency_replayed=True)
        found = {grade.endpoint: grade for grade in graded(nights, METHOD, RECORDED)}
        assert {found[endpoint].latency_class for endpoint in ("amber", "birch", "heath")} == {"replayed"}
        assert {endpoint: grade.letter for endpoint, grade in found.items()} == {
            endpoint: grade.letter for endpoint, grade in BY_ENDPOINT.items()
        }
