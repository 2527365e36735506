"""Sentences of the method page on nights, references, floors and match, each quoted by the class that tests it."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

from generator.method.disagreement import floor
from generator.method.window import is_void, window_nights
from generator.records.grade import Grade, Letter
from tests.method_archive import FIRST, Fleet
from tests.method_variants import METHOD

A, B, C, D, U = Letter
DEFINITION = METHOD.definition


def of(fleet: Fleet, endpoint: str = "dune") -> Grade:
    """Return one endpoint's grade under method 0.1."""
    return fleet.grades(METHOD)[endpoint]


class TestWindow:
    says = """
        A window is the last 7 recorded nights within the 10 calendar days that end with its last night, which
        names it. Every recorded night ends one.
    """

    def test_of_twelve_nights(self) -> None:
        """Twelve nights in a row end twelve windows: the sixth holds six nights, the twelfth the last seven."""
        recorded = [FIRST + timedelta(days=day) for day in range(12)]
        sizes = [len(window_nights(recorded, end, DEFINITION)) for end in recorded]
        assert sizes == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7]
        assert window_nights(recorded, recorded[-1], DEFINITION) == tuple(recorded[5:])

    def test_of_every_third_day(self) -> None:
        """Days 0, 3, 6, 9 and 12: the ten days that end with the 12th begin with the 3rd and hold four nights."""
        recorded = [FIRST + timedelta(days=day) for day in (0, 3, 6, 9, 12)]
        assert window_nights(recorded, recorded[-1], DEFINITION) == tuple(recorded[1:])
        assert of(Fleet(fixed={"tides": 2}, days=recorded[1:])).window_end == recorded[-1]


class TestOneGrade:
    says = """
        There is one grade for each endpoint that was listed on at least one night of the window.
    """

    def test_of_an_endpoint_of_one_night(self) -> None:
        """Dune is listed on night 3 alone, and graded; fjord never was, and is not."""
        fleet = Fleet(fixed={"tides": 2}, endpoints=("amber", "birch", "dune"))
        fleet.leave([1, 2, 4, 5, 6, 7], "dune")
        assert sorted(fleet.grades(METHOD)) == ["amber", "birch", "dune"]


class TestVoid:
    says = """
        A night is void, for every endpoint, where the operator's side failed: where under 50 % of its planned
        observations were sent.
    """

    def test_of_nine_planned(self) -> None:
        """4 of 9 are under half, 5 are not."""
        assert (is_void(9, 4, DEFINITION), is_void(9, 5, DEFINITION)) == (True, False)


class TestNightsOfAbsence:
    says = """
        Nights on which an endpoint is absent are neither within the floor nor outside it. Counts are of the
        nights observed.
    """

    def test_two_nights_away(self) -> None:
        """Away on two nights and outside on three of the other five: 3 of 5, which reads C."""
        fleet = Fleet(fixed={"tides": 4}, drawn={"tides": 1})
        fleet.leave([1, 2], "dune")
        fleet.put([3, 4, 5], "dune", "tides-1-of-*", "no")
        grade = of(fleet)
        assert (grade.m_nights_outside, grade.m_nights_observed, grade.m_letter) == (3, 5, C)


class TestReference:
    says = """
        For one model, one night and one prompt, the reference is the one answer that more endpoints gave than
        gave any other, with at least 2 endpoints giving it. A tie for first place, or too few alike, gives no
        reference, and the prompt then plays no part in match on that night.
    """

    def test_three_prompts(self) -> None:
        """One with 'no' twice against three lone voices has a reference; two against two, or all alone, has none."""
        fleet = Fleet(fixed={"tides": 20})
        for i, cells in enumerate(("no no a b c", "no no yes yes c", "a b c d e"), start=1):
            for endpoint, cell in zip(fleet.endpoints, cells.split(), strict=True):
                fleet.put(2, endpoint, f"tides-{i}", cell)
        amber, dune = of(fleet, "amber"), of(fleet)
        assert (amber.pairs, amber.pairs_without_reference) == (140, 2)
        assert (amber.m_night[1].prompts, amber.m_night[1].mismatches) == (18, 0)
        assert (dune.m_night[1].prompts, dune.m_night[1].mismatches) == (18, 1)


class TestPairs:
    says = """
        A pair is two consecutive nights of the window's list, whatever the gap in the calendar, and one fixed
        prompt, with the same id and the same text, that the endpoint answered on both. No night is skipped
        over. The self-disagreement S of an endpoint in a family is 100 times the pairs whose answers differ,
        divided by all its pairs, over the window.
    """

    def test_counted(self) -> None:
        """Two fixed prompts, nights of days 0, 1, 5 and 8, an error on the third: 2 + 2 + 2 pairs less 2, one differs.

        The drawn prompt has none. Dune's S is 1 of 4.
        """
        days = [FIRST + timedelta(days=day) for day in (0, 1, 5, 8)]
        fleet = Fleet(fixed={"tides": 2}, drawn={"tides": 1}, days=days)
        fleet.put(3, "dune", "tides-1", "!")
        fleet.put(4, "dune", "tides-1", "no")
        fleet.put(2, "dune", "tides-2", "no")
        fleet.put([3, 4], "dune", "tides-2", "no")
        assert (of(fleet).m_family[0].pairs, of(fleet).m_family[0].pairs_differing) == (4, 1)


class TestFloor:
    says = """
        The floor F of a model in a family is the 75th percentile of S over the model's endpoints that have one.
        The estimator is the lower one: sort the n values and take the one at position floor(0.75 x (n - 1)),
        counted from 0, without interpolation. The numbers of the worked example are invented. 11 endpoints with
        a self-disagreement of 0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 11 %: the value at position 7, counted from 0, is
        4, so the floor is 4 % and a match of 96 or better is within noise. With two endpoints the estimator
        gives the smaller of the two values. With one, it gives that one.
    """

    def test_of_two_and_of_one(self) -> None:
        """Position floor(0.75 x 1) = 0 of 1/6 and 3/6; position 0 of one; at 11 values position 7."""
        values = [Fraction(1, 6), Fraction(3, 6)]
        assert (floor(values[::-1], DEFINITION), floor(values[1:], DEFINITION)) == (Fraction(1, 6), Fraction(1, 2))
        example = [Fraction(s, 100) for s in (11, 8, 6, 4, 3, 2, 2, 1, 1, 0, 0)]
        assert floor(example, DEFINITION) == Fraction(4, 100)

    def test_an_endpoint_without_pairs_is_left_out(self) -> None:
        """S of 0, 1/60 and 2/60, and two endpoints that never answered: position floor(0.75 x 2) = 1 of three."""
        fleet = Fleet(fixed={"tides": 10}, endpoints=("amber", "birch", "cedar", "dune", "ember"))
        fleet.put(7, "birch", "tides-1", "no")
        for i in (1, 2):
            fleet.put(7, "cedar", f"tides-{i + 1}", "no")
        for endpoint in ("dune", "ember"):
            fleet.put_first(70, endpoint, "!")
        family = of(fleet, "amber").m_family[0]
        assert (family.floor_numerator, family.floor_denominator) == (1, 60)


class TestStable:
    says = """
        A family is stable for a model where the median over its endpoints of 100 - S is 90 % or more; the
        median of an even count is the mean of the middle two. A family in which no endpoint has an S has no
        floor and is not stable. Only stable families take part in match.
    """

    def test_of_four_endpoints(self) -> None:
        """S of 0, 4, 8 and 9 of 60: the mean of 4 and 8 leaves 90 %. One more pair at the third leaves 89.2 %."""
        for third, stable in ((8, True), (9, False)):
            fleet = Fleet(fixed={"tides": 10}, drawn={"moons": 1}, endpoints=("amber", "birch", "cedar", "dune"))
            for endpoint, pairs in (("birch", 4), ("cedar", third), ("dune", 9)):
                for i in range(1, pairs + 1):
                    fleet.put(7, endpoint, f"tides-{i}", f"{endpoint}'s own")
            moons, tides = of(fleet).m_family
            assert (moons.stable, moons.floor_numerator) == (False, None)
            assert tides.stable is stable
            # On the last night amber alone, or three unlike, said anything to four prompts: no reference.
            assert [n.prompts for n in of(fleet, "amber").m_night] == ([10] * 6 + [6] if stable else [])


class TestMatch:
    says = """
        Match is read over the model's stable families taken together. For one endpoint and one night, let n(f)
        be the prompts of stable family f, fixed and generated, that have a reference and that the endpoint
        answered, and x the number of those, over all stable families, on which its answer is not the reference.
        The floors allow as many mismatches as the sum over f of n(f) x F(f) / 100. The night is outside where x
        is more than that, and within otherwise: on the floor is within. A night without such a prompt is not
        measured, and an endpoint with no measured night has no M. The match and the floor of each family are
        recorded and printed beside the pooled reading.
    """

    def test_two_families(self) -> None:
        """Floors of 1/10 and 1/20; of fifteen prompts each, an error and an unsent one leave 14 and 14.

        14/10 + 14/20 = 2.1 are allowed: two mismatches are within wherever they lie, three are outside.
        """
        for places, outside in (("cc", 0), ("ct", 0), ("tt", 0), ("cct", 1), ("ttt", 1)):
            fleet = Fleet(fixed={"chess": 10, "tides": 10}, drawn={"chess": 5, "tides": 5})
            fleet.turn(6, "chess")
            fleet.turn(3, "tides")
            fleet.put(4, "dune", "chess-5-of-*", "!")
            fleet.put(4, "dune", "tides-5-of-*", ".")
            for i, place in enumerate(places, start=1):
                fleet.put(4, "dune", f"{'chess' if place == 'c' else 'tides'}-{i}-of-*", "no")
            night, families = of(fleet).m_night[3], of(fleet).m_family
            assert [(f.floor_numerator, f.floor_denominator) for f in families] == [(1, 10), (1, 20)]
            assert (night.prompts, night.mismatches) == (28, len(places))
            assert (night.allowed_numerator, night.allowed_denominator) == (21, 10)
            assert of(fleet).m_nights_outside == outside
            assert [(f.prompts, f.mismatches) for f in families] == [
                (15 * 7 - 1, places.count("c")),
                (15 * 7 - 1, places.count("t")),
            ]

    def test_no_measured_night(self) -> None:
        """Where an endpoint answered nothing it has no M."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.put_first(14, "dune", "!")
        assert (of(fleet).m_letter, of(fleet).m_night) == (None, ())


class TestPlainRule:
    says = """
        With one stable family this is the plain rule: within, at a match of 100 - F or better.
    """

    def test_a_match_of_90(self) -> None:
        """At a floor of 10 % a match of 18 of 20 is within and one of 17 outside."""
        for right, outside in ((18, 0), (17, 1)):
            fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
            fleet.turn(6, "tides")
            for i in range(right + 1, 21):
                fleet.put(5, "dune", f"tides-{i - 10}-of-*", "no")
            night = of(fleet).m_night[4]
            assert Fraction(night.prompts - night.mismatches, night.prompts) == Fraction(right, 20)
            assert of(fleet).m_nights_outside == outside


class TestQuietFleet:
    says = """
        The rule is sharp where a fleet is quiet: where endpoints hardly ever differ from themselves the floor
        is often 0, and then a single mismatch puts a night outside.
    """

    def test_one_of_forty(self) -> None:
        """Forty prompts a night and nobody ever turns: one drawn prompt answered otherwise is a night outside."""
        fleet = Fleet(fixed={"tides": 20}, drawn={"tides": 20})
        fleet.put(6, "dune", "tides-20-of-*", "no")
        assert (of(fleet).m_family[0].floor_numerator, of(fleet).m_nights_outside, of(fleet).m_letter) == (0, 1, C)


class TestOwnVariation:
    says = """
        An endpoint whose own self-disagreement is above the floor, pooled the same way (more pairs that differ
        than the sum over f of its pairs x F(f) / 100), is outside noise by its own variation: its M reads C or
        a worse letter, and the grade says so.
    """

    def test_pooled_over_two_families(self) -> None:
        """Floors of 1/10 and 0 over 60 pairs each tolerate 6: six in tides alone are tolerated, seven are not."""
        for more, above in ((0, False), (1, True)):
            fleet = Fleet(fixed={"chess": 10, "tides": 10})
            fleet.turn(6, "chess")
            for i in range(1, more + 1):
                fleet.put(7, "dune", f"tides-{i}", "no")
            assert of(fleet).m_own_variation_above_floor is above
