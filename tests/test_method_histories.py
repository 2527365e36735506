"""What can befall a model over many nights: identities settled night by night, then graded; each value by hand."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
import pytest

from generator.method.window import window_nights
from generator.probing.identity import base_of, settle
from generator.records.definition import Method
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.records.grade import Grade, Letter, UnratedReason
from generator.records.listing import ListedEndpoint
from tests.method_archive import FIRST, MODEL, Fleet, ask, graded, night_tables, seen
from tests.method_variants import METHOD, METHOD_0_2
from tests.probing_makers import listed, listing

A, B, C, D, U = Letter
FIVE = ("amber", "birch", "cedar", "dune", "ember")
PROMPTS = [ask(f"tides-{i}", "tides") for i in range(1, 5)]


class History:
    """Nights whose listings are settled one after another, as the planning of a night does, and then asked."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.nights: list[tuple[date, tuple[Endpoint, ...]]] = []
        self._known: dict[str, KnownEndpoint] = {}

    def night(self, *entries: ListedEndpoint, day: int | None = None) -> dict[str, Endpoint]:
        """Settle one more recorded night's listing; return its endpoints by slug."""
        when = FIRST + timedelta(days=len(self.nights) if day is None else day)
        model = msgspec.structs.replace(listing(*entries), model=MODEL, model_id=MODEL)
        found = settle(when, (model,), {MODEL: tuple(self._known.values())})
        tonight = {endpoint.endpoint for endpoint in found}
        self._known = {
            slug: msgspec.structs.replace(past, on_last_recorded_night=slug in tonight)
            for slug, past in self._known.items()
        }
        for endpoint in found:
            self._known[endpoint.endpoint] = KnownEndpoint(
                model=MODEL,
                endpoint=endpoint.endpoint,
                tag=endpoint.tag,
                base=base_of(endpoint.tag, endpoint.declared_precision),
                first_listed=endpoint.first_listed,
                on_last_recorded_night=True,
            )
        self.nights.append((when, found))
        return {endpoint.endpoint: endpoint for endpoint in found}

    def grades(self) -> dict[str, Grade]:
        """Return the grades of the last window; every endpoint answered 'yes' to everything."""
        recorded = [night for night, _ in self.nights]
        window = window_nights(recorded, recorded[-1], METHOD.definition)
        tables = [
            night_tables(
                night,
                prompts=PROMPTS,
                listings=[msgspec.structs.asdict(each) for each in found],
                observations=[seen(MODEL, each.endpoint, prompt, "yes") for each in found for prompt in PROMPTS],
            )
            for night, found in self.nights
            if night in window
        ]
        return {grade.endpoint: grade for grade in graded(tables, METHOD, recorded)}


ASH, ELM, OAK = (listed(f"{name}/fp8", "fp8") for name in ("ash", "elm", "oak"))


class TestASuccessionOfTags:
    def test_one_endpoint_with_a_change_of_precision(self) -> None:
        """elm/fp8 gives way to elm/int4 on night 4 of 7: one endpoint, seven nights, changed on the fourth day, C."""
        history = History()
        for _ in range(3):
            history.night(ELM, OAK)
        fourth = history.night(listed("elm/int4", "int4"), OAK)
        assert fourth["elm"].succeeded_from == "elm/fp8"
        for _ in range(3):
            history.night(listed("elm/int4", "int4"), OAK)
        grades = history.grades()
        assert sorted(grades) == ["elm", "oak"]
        elm = grades["elm"]
        assert (elm.tag, elm.nights_since_listed, elm.nights_absent, elm.m_nights_observed) == ("elm/int4", 7, 0, 7)
        assert [(c.night, c.before, c.after, c.kind) for c in elm.d_changes] == [
            (FIRST + timedelta(days=3), "fp8", "int4", "changed")
        ]
        assert (elm.letter, grades["oak"].letter) == (C, A)
        # Pairs run across the succession: 4 prompts, 6 steps.
        assert elm.m_family[0].pairs == 24

    def test_and_back(self) -> None:
        """fp8, int4 and fp8 again are two successions of one endpoint, and two changes."""
        history = History()
        for entry in (ELM, ELM, listed("elm/int4", "int4"), listed("elm/int4", "int4"), ELM, ELM, ELM):
            history.night(entry, OAK)
        elm = history.grades()["elm"]
        assert [(c.night.day, c.before, c.after) for c in elm.d_changes] == [(3, "fp8", "int4"), (5, "int4", "fp8")]
        assert (elm.d_precision, elm.letter, elm.nights_since_listed) == ("fp8", C, 7)

    def test_two_newcomers_of_one_base_are_no_succession(self) -> None:
        """elm/int4 and elm/bf16 follow elm/fp8 on night 5: the old one is absent on 3 of 7, the new ones are young."""
        history = History()
        for _ in range(4):
            history.night(ELM, OAK)
        for _ in range(3):
            history.night(listed("elm/int4", "int4"), listed("elm/bf16", "bf16"), OAK)
        grades = history.grades()
        assert sorted(grades) == ["elm", "elm-bf16", "elm-int4", "oak"]
        assert grades["elm"].unrated_reasons == (UnratedReason.ABSENT,)
        assert (grades["elm"].nights_absent, grades["elm"].m_nights_observed) == (3, 4)
        for slug in ("elm-bf16", "elm-int4"):
            assert grades[slug].unrated_reasons == (UnratedReason.TOO_FEW_NIGHTS,)
            assert (grades[slug].nights_since_listed, grades[slug].nights_absent) == (3, 0)
        assert {grade.d_state for grade in grades.values()} == {"present"}

    def test_a_change_outside_the_window_is_not_in_it(self) -> None:
        """A succession on night 2 of 9 lies before the window of nights 3 to 9: unchanged there, and A."""
        history = History()
        history.night(ELM, OAK)
        for _ in range(8):
            history.night(listed("elm/int4", "int4"), OAK)
        elm = history.grades()["elm"]
        assert (elm.nights_since_listed, elm.d_changes, elm.d_precision, elm.letter) == (9, (), "int4", A)


class TestEndpointsThatLeaveAndReturn:
    def test_away_for_two_nights(self) -> None:
        """Off nights 3 and 4 of 7: the same endpoint, two absences, rated on five nights; pairs of 1-2, 5-6, 6-7."""
        history = History()
        for n in range(1, 8):
            history.night(*([] if n in {3, 4} else [ELM]), OAK, ASH)
        elm = history.grades()["elm"]
        assert (elm.nights_since_listed, elm.nights_absent, elm.m_nights_observed) == (7, 2, 5)
        assert (elm.m_family[0].pairs, elm.letter) == (12, A)

    def test_back_with_another_precision(self) -> None:
        """elm/fp8 leaves on night 3 and elm/int4 comes on night 5: not gone since last night, so another endpoint."""
        history = History()
        for n in range(1, 8):
            history.night(*([ELM] if n < 3 else []), *([listed("elm/int4", "int4")] if n >= 5 else []), OAK)
        grades = history.grades()
        assert sorted(grades) == ["elm", "elm-int4", "oak"]
        assert (grades["elm"].nights_absent, grades["elm-int4"].nights_since_listed) == (5, 3)

    def test_a_missed_date_is_no_absence(self) -> None:
        """Nights of days 0, 1, 2, 5, 6, 7 and 8: nobody was asked between, the window holds seven, and nobody is U."""
        history = History()
        for day in (0, 1, 2, 5, 6, 7, 8):
            history.night(ELM, OAK, day=day)
        grades = history.grades()
        assert {(g.letter, g.nights_absent, g.nights_since_listed) for g in grades.values()} == {(A, 0, 7)}
        assert len(grades["elm"].nights) == 7

    def test_two_missed_dates_more_leave_too_few_in_ten_days(self) -> None:
        """Days 0, 1, 2, 7, 8, 9 and 10: the ten days that end with the 10th begin with the 1st and hold six: U."""
        history = History()
        for day in (0, 1, 2, 7, 8, 9, 10):
            history.night(ELM, OAK, day=day)
        grades = history.grades()
        assert {(g.letter, len(g.nights), g.nights_since_listed) for g in grades.values()} == {(U, 6, 7)}
        assert {g.unrated_reasons for g in grades.values()} == {(UnratedReason.TOO_FEW_NIGHTS,)}


class TestInseparableListings:
    def test_two_of_one_tag_are_graded_once(self) -> None:
        """Two listings of elm/fp8 are one endpoint, asked once: marked 2, with 4 prompts on each of 7 nights."""
        history = History()
        for _ in range(7):
            history.night(ELM, ELM, OAK)
        elm = history.grades()["elm"]
        assert (elm.listings, elm.r_sent, elm.letter, elm.d_precision) == (2, 28, A, "fp8")

    def test_a_second_listing_of_another_precision_is_a_change(self) -> None:
        """From night 5 on a second listing of the tag declares bf16: 'bf16+fp8', changed on the fifth day."""
        history = History()
        for n in range(1, 8):
            history.night(ELM, *([listed("elm/fp8", "bf16")] if n >= 5 else []), OAK)
        elm = history.grades()["elm"]
        assert [(c.night.day, c.before, c.after, c.kind) for c in elm.d_changes] == [(5, "fp8", "bf16+fp8", "changed")]
        assert (elm.listings, elm.d_precision, elm.letter) == (2, "bf16+fp8", C)


class TestModelsOfAnySize:
    def test_one_endpoint(self) -> None:
        """Nobody to agree with: no reference on any of 28 pairs, so no M; T against itself is 0; U for two reasons."""
        fleet = Fleet(fixed={"tides": 4}, keyed=["tides"], endpoints=("amber",))
        fleet.put(3, "amber", "tides-1", "no")
        amber = fleet.grades(METHOD)["amber"]
        assert (amber.pairs, amber.pairs_without_reference, amber.m_letter) == (28, 28, None)
        assert (amber.t_letter, amber.t_best_correct, amber.t_correct) == (A, 27, 27)
        assert amber.unrated_reasons == (UnratedReason.NO_REFERENCE, UnratedReason.NOT_MEASURED)
        # Two of its 24 pairs differ: its own S is the floor, and 91.7 % is stable.
        family = amber.m_family[0]
        assert (family.floor_numerator, family.floor_denominator, family.stable) == (1, 12, True)

    def test_two_endpoints(self) -> None:
        """Two make a reference only where both agree: neither ever mismatches, and each unlike prompt has none.

        Birch answers one of ten otherwise on night 4: 1 of 70 without a reference. Its S is 2 of 60, amber's 0, and the
        floor is the smaller: birch is above it by its own variation, C at best, with every night within.
        """
        fleet = Fleet(fixed={"tides": 10}, endpoints=("amber", "birch"))
        fleet.put(4, "birch", "tides-1", "no")
        grades = fleet.grades(METHOD)
        assert {(g.pairs, g.pairs_without_reference, g.m_nights_outside) for g in grades.values()} == {(70, 1, 0)}
        assert {g.m_family[0].floor_numerator for g in grades.values()} == {0}
        assert (grades["amber"].letter, grades["birch"].letter) == (A, C)
        assert grades["birch"].m_own_variation_above_floor

    @pytest.mark.parametrize(("differing", "outside"), [(3, 0), (4, 1)])
    def test_thirty_endpoints(self, differing: int, outside: int) -> None:
        """S of 0/60 to 9/60, three of each: position floor(0.75 x 29) = 21 of 30, counted from 0, is 7/60."""
        names = tuple(f"e{number:02}" for number in range(30))
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 20}, endpoints=names)
        for number, name in enumerate(names):
            for i in range(1, number // 3 + 1):
                fleet.put(7, name, f"tides-{i}", f"{name}'s own")
        for i in range(1, differing + 1):
            fleet.put(3, "e00", f"tides-{i}-of-*", "no")
        grade = fleet.grades(METHOD)["e00"]
        assert (grade.m_family[0].floor_numerator, grade.m_family[0].floor_denominator) == (7, 60)
        night = grade.m_night[2]
        # 30 prompts at 7/60 are 3.5.
        assert (night.prompts, night.allowed_numerator, night.allowed_denominator) == (30, 7, 2)
        assert (night.mismatches, grade.m_nights_outside) == (differing, outside)


class TestNothingAnswered:
    def test_a_family_with_no_answers_at_all(self) -> None:
        """Chess fails everywhere on every night: no S, no floor, not stable; 14 of 63 pairs without a reference: U."""
        fleet = Fleet(fixed={"tides": 7, "chess": 2}, keyed=["chess"])
        for i in (1, 2):
            fleet.put(fleet.nights, fleet.endpoints, f"chess-{i}", "!")
        dune = fleet.grades(METHOD)["dune"]
        chess, tides = dune.m_family
        assert (chess.floor_numerator, chess.stable, chess.prompts, chess.pairs) == (None, False, 0, 0)
        assert (tides.floor_numerator, tides.stable, tides.prompts, tides.pairs) == (0, True, 49, 42)
        assert (dune.pairs, dune.pairs_without_reference) == (63, 14)
        assert dune.unrated_reasons == (UnratedReason.NO_REFERENCE,)
        # The only keyed family: nothing counted, so no best and no T. 14 errors of 63 are 22 %: D.
        assert (dune.m_letter, dune.t_letter, dune.t_best_counted, dune.r_letter) == (A, None, None, D)

    def test_a_night_on_which_everybody_fails(self) -> None:
        """Night 4 is errors alone: six nights measured, pairs 3-4 and 4-5 gone, 4 of 28 without a reference."""
        fleet = Fleet(fixed={"tides": 4}, keyed=["tides"])
        for i in range(1, 5):
            fleet.put(4, fleet.endpoints, f"tides-{i}", "!")
        for grade in fleet.grades(METHOD).values():
            assert (grade.m_nights_observed, grade.m_letter, grade.m_family[0].pairs) == (6, A, 16)
            assert (grade.pairs, grade.pairs_without_reference, grade.nights_absent) == (28, 4, 0)
            # 24 of 28 counted are under 90 %: nobody may be best. 4 errors of 28 are 14 %.
            assert (grade.t_best_counted, grade.t_letter, grade.r_letter, grade.letter) == (None, None, D, D)

    def test_two_such_nights(self) -> None:
        """Nights 4 and 5: 8 of 28 pairs are over 20 % without a reference, so everyone is U."""
        fleet = Fleet(fixed={"tides": 4})
        for i in range(1, 5):
            fleet.put([4, 5], fleet.endpoints, f"tides-{i}", "_")
        found = {(g.letter, g.unrated_reasons) for g in fleet.grades(METHOD).values()}
        assert found == {(U, (UnratedReason.NO_REFERENCE,))}


class TestTiesEverywhere:
    @pytest.mark.parametrize("method", [METHOD, METHOD_0_2], ids=["0.1", "0.2"])
    def test_two_against_two(self, method: Method) -> None:
        """Two answer 'yes' and two 'no' to everything, always: each prompt is tied, floors are 0, M has nothing."""
        fleet = Fleet(fixed={"tides": 4}, endpoints=FIVE[:4])
        for i in range(1, 5):
            fleet.put(fleet.nights, ("cedar", "dune"), f"tides-{i}", "no")
        for grade in fleet.grades(method).values():
            assert (grade.pairs, grade.pairs_without_reference, grade.m_letter) == (28, 28, None)
            assert (grade.m_family[0].floor_numerator, grade.m_family[0].stable) == (0, True)
            assert grade.unrated_reasons == (UnratedReason.NO_REFERENCE, UnratedReason.NOT_MEASURED)

    def test_a_fifth_decides_every_one(self) -> None:
        """Ember sides with 'yes' on the first two prompts and with 'no' on the others: each pair is outside on half."""
        fleet = Fleet(fixed={"tides": 4})
        for i in range(1, 5):
            fleet.put(fleet.nights, ("cedar", "dune"), f"tides-{i}", "no")
        for i in (3, 4):
            fleet.put(fleet.nights, "ember", f"tides-{i}", "no")
        grades = fleet.grades(METHOD)
        assert {e: g.m_family[0].mismatches for e, g in grades.items()} == dict.fromkeys(FIVE[:4], 14) | {"ember": 0}
        # Under 0.2 the median of 0, 1/2, 1/2, 1/2, 1/2 is the floor, and half of four prompts is on it.
        assert {g.m_letter for g in grades.values()} == {A, D}
        assert {g.m_letter for g in fleet.grades(METHOD_0_2).values()} == {A}

    def test_of_the_best(self) -> None:
        """Everyone is equally right: each is the best, and 0 points from it."""
        fleet = Fleet(fixed={"tides": 4}, keyed=["tides"])
        fleet.put(fleet.nights, fleet.endpoints, "tides-1", "no")
        found = {(g.t_best_correct, g.t_correct, g.t_counted, g.t_letter) for g in fleet.grades(METHOD).values()}
        assert found == {(21, 21, 28, A)}
