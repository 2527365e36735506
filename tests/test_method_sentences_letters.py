"""Sentences of the method page on columns, letters and U, each quoted by the class that tests it, on small archives."""

from __future__ import annotations

from fractions import Fraction

import pytest

from generator.method.letters import worst
from generator.records.grade import Grade, Letter, UnratedReason
from generator.records.reading import LETTER_WORDS, match_words, task_points, task_words
from tests.method_archive import MODEL, Fleet, graded, night_tables
from tests.method_variants import METHOD

A, B, C, D, U = Letter
DEFINITION = METHOD.definition


def of(fleet: Fleet, endpoint: str = "dune") -> Grade:
    """Return one endpoint's grade under method 0.1."""
    return fleet.grades(METHOD)[endpoint]


def keyed(drawn: int = 0) -> Fleet:
    """Ten fixed prompts with keys, and so many drawn ones, over seven nights."""
    return Fleet(fixed={"tides": 10}, drawn={"tides": drawn}, keyed=["tides"])


class TestColumns:
    says = """
        Each column reads the first letter, from A, whose condition in the table of letters it meets; the grade is the
        worst of the four. The grade is the worst of the four columns.
        A column with nothing to measure prints 'not measured' and takes no part in the worst.
    """

    def test_the_worst(self) -> None:
        """M outside once reads C, T of 1/70 reads A, D absent reads B, R with 1 error of 70 reads B: together C."""
        fleet = keyed()
        fleet.put(3, "dune", "tides-1", "no")
        fleet.put(4, "dune", "tides-9", "!")
        fleet.list_as(fleet.nights, "dune", declared_precision=None)
        grade = of(fleet)
        assert (grade.m_letter, grade.t_letter, grade.d_letter, grade.r_letter) == (C, A, B, B)
        assert grade.letter is C

    def test_what_was_not_measured_takes_no_part(self) -> None:
        """An endpoint that only fails: M and T are not measured, D reads A, R reads D."""
        fleet = keyed()
        fleet.put_first(70, "dune", "!")
        grade = of(fleet)
        assert (match_words(grade, DEFINITION), task_words(grade, DEFINITION)) == ("not measured", "not measured")
        assert (grade.letter, worst([None, None, A, D])) == (D, D)


class TestTaskAccuracy:
    says = """
        Task accuracy is the percentage correct over the prompts of the families with keys, stable or not, that the
        endpoint answered or began to answer, over the window. A truncated answer is not correct.
        T is the best endpoint's percentage minus this one's, in points, and never below 0.
    """

    def test_counted(self) -> None:
        """Of 70: 5 errors and 1 misrouted are not counted, 2 truncated and 3 wrong are not correct: 59 of 64."""
        fleet = keyed()
        for cell, prompt, nights in (("!", 1, 5), ("yes~", 2, 2), ("no", 3, 3), ("?yes", 4, 1)):
            fleet.put(range(1, nights + 1), "dune", f"tides-{prompt}", cell)
        grade = of(fleet)
        assert (grade.t_correct, grade.t_counted, grade.t_planned) == (59, 64, 70)
        assert task_points(grade) == 100 - Fraction(5900, 64)

    def test_without_keys(self) -> None:
        """A family without keys is in no T."""
        fleet = Fleet(fixed={"tides": 10, "chess": 10}, keyed=["chess"])
        fleet.put_first(70, "dune", "no", [f"tides-{i}" for i in range(1, 11)])
        assert (of(fleet).t_correct, of(fleet).t_counted) == (70, 70)
        assert [family.family for family in of(fleet).t_family] == ["chess"]

    @pytest.mark.parametrize("nights", [[1], [7], [3, 4]], ids=str)
    def test_with_keys_on_some_nights(self, nights: list[int]) -> None:
        """A family whose prompts had keys on some nights of the window alone is keyed, and counted on those."""
        fleet = keyed()
        for n in fleet.nights:
            if n not in nights:
                fleet.asked[n] = {name: row | {"expected": None} for name, row in fleet.asked[n].items()}
        fleet.put(nights[0], "dune", "tides-1", "no")
        grade = of(fleet)
        assert (grade.t_correct, grade.t_counted, grade.t_planned) == (10 * len(nights) - 1, *[10 * len(nights)] * 2)
        assert [(f.family, f.counted) for f in grade.t_family] == [("tides", 10 * len(nights))]

    def test_the_best_stands_at_0(self) -> None:
        """The one that others are held against is 0 points from itself."""
        fleet = keyed()
        fleet.put_first(7, "amber", "no")
        assert [task_points(of(fleet, endpoint)) for endpoint in ("dune", "amber")] == [0, 10]


class TestBest:
    says = """
        'Best' is taken among the endpoints that are not unrated for too few nights or absence and that answered or
        began to answer at least 90 % of the keyed prompts planned for them in the window.
        Where no endpoint qualifies, T is not measured.
        Without such a rule an endpoint that breaks off every long answer would be 'best' on the short ones alone.
    """

    def test_each_reason(self) -> None:
        """Four that are all right would be best but for 7 errors more, a late first listing and three absences."""
        fleet = Fleet(
            fixed={"tides": 10}, keyed=["tides"], endpoints=("amber", "birch", "cedar", "dune", "ember", "fjord")
        )
        fleet.put_first(8, "amber", "!")
        fleet.leave([1], "birch")
        fleet.list_as(range(2, 8), "birch", first_listed=fleet.days[1])
        fleet.leave([2, 4, 6], "cedar")
        for endpoint, wrong in (("dune", 7), ("ember", 14), ("fjord", 21)):
            fleet.put_first(wrong, endpoint, "no")
        assert {(g.t_best_correct, g.t_best_counted) for g in fleet.grades(METHOD).values()} == {(63, 70)}
        assert [task_points(of(fleet, e)) for e in ("amber", "dune", "ember", "fjord")] == [0, 0, 10, 20]

    def test_nobody(self) -> None:
        """Where everybody failed on 8 of 70, 62 are under 90 % for all: no best, no T."""
        fleet = keyed()
        for endpoint in fleet.endpoints:
            fleet.put_first(8, endpoint, "!")
        assert {g.t_letter for g in fleet.grades(METHOD).values()} == {None}


class TestFloorOfT:
    says = """
        A T smaller than the floor of the keyed families is no difference.
        That floor is the mean of F(f), weighted by the endpoint's counted prompts in each family; families without a
        floor are left out of both, and where none has one nothing is set to 0.
        Such a T reads 'within the floor', counts as 0 points, and its measured figure is in the data alone.
    """

    @pytest.mark.parametrize(("wrong", "within"), [(8, True), (9, False)])
    def test_weighted(self, wrong: int, *, within: bool) -> None:
        """Floors of 1/10 and 0 over 70 prompts each, and 35 drawn ones without: 5 points, or 8.75 of 175.

        The mean is (70 x 1/10 + 70 x 0) / 140 = 1/20. 8 of 175 are 4.6 points, 9 are 5.1.
        """
        fleet = Fleet(fixed={"chess": 10, "tides": 10}, drawn={"moons": 5}, keyed=["chess", "tides", "moons"])
        fleet.turn(6, "chess")
        fleet.put_first(wrong, "dune", "no", ["moons-1-of-*", "moons-2-of-*"])
        grade = of(fleet)
        assert [f.floor_denominator for f in grade.m_family] == [10, None, 1]
        assert (grade.t_counted, grade.t_best_counted) == (175, 175)
        assert (grade.t_within_floor, task_points(grade)) == (within, 0 if within else Fraction(900, 175))
        assert (task_words(grade, DEFINITION) == "within the floor") is within
        assert grade.t_correct == (grade.t_best_correct or 0) - wrong


class TestDeclared:
    says = """
        Over the window's nights on which the endpoint was listed it is present and the same; or absent throughout; or
        changed, each change with the date of the first night that shows it. From present to absent and back are
        changes. What happened before the window is not in it. All four are 'changed' for column D.
    """

    def test_three_changes(self) -> None:
        """int4, mxfp4, none, fp8 and bf16: refined, withdrawn, newly declared and changed, each dated; C."""
        fleet = keyed()
        for nights, word in (([1], "int4"), ([2, 3], "mxfp4"), ([4], None), ([5, 6], "fp8"), ([7], "bf16")):
            fleet.list_as(nights, "dune", declared_precision=word)
        assert [(c.night, c.kind) for c in of(fleet).d_changes] == [
            (fleet.days[1], "refined"),
            (fleet.days[3], "withdrawn"),
            (fleet.days[4], "newly declared"),
            (fleet.days[6], "changed"),
        ]
        assert (of(fleet).d_letter, of(fleet).d_precision) == (C, "bf16")

    def test_the_night_before_the_window_is_not_in_it(self) -> None:
        """Another word on the first of eight nights is no change of the window of the last seven."""
        fleet = Fleet(fixed={"tides": 2}, days=8)
        fleet.list_as([1], "dune", declared_precision="int4")
        found = {g.endpoint: g for g in graded(fleet.tables()[1:], METHOD, fleet.days)}
        assert (found["dune"].d_changes, found["dune"].d_letter) == ((), A)


class TestReliability:
    says = """
        Sent are all observations but the unsent ones. Errors are error and empty outcomes, as a percentage of sent.
        Truncation is truncated answers, as a percentage of answered and truncated ones together.
        Misrouted is a count. All are over the window.
    """

    def test_counted(self) -> None:
        """Of 70: 6 unsent, 3 errors, 2 empty, 4 truncated, 5 misrouted and 50 answered."""
        fleet = keyed()
        for i, (cell, count) in enumerate(((".", 6), ("!", 3), ("_", 2), ("y~", 4), ("?yes", 5)), start=1):
            fleet.put(range(1, count + 1), "dune", f"tides-{i}", cell)
        grade = of(fleet)
        assert (grade.r_sent, grade.r_errors, grade.r_truncated, grade.r_answered) == (64, 5, 4, 50)
        assert (grade.r_misrouted, grade.r_letter) == (5, C)  # 5 of 64 are 7.8 %


class TestWords:
    says = """
        Beside each letter stands a word: A, within noise; B, within narrow limits; C, within wide limits; D, beyond
        the limits; U, unrated.
    """

    def test_each(self) -> None:
        """The five words, in this order."""
        told = "; ".join(f"{letter}, {word}" for letter, word in LETTER_WORDS.items())
        assert (
            told == "A, within noise; B, within narrow limits; C, within wide limits; D, beyond the limits; U, unrated"
        )


class TestUnrated:
    says = """
        A grade is U, whatever the columns say, with every reason that holds printed; the column values that exist still
        print.
        Too few nights (too_few_nights): fewer than 7 recorded nights since the endpoint was first listed, or fewer than
        7 recorded nights within the window's 10 calendar days.
        Absent (absent): not listed on 3 nights of the window or more. Nights before the first listing are no absences.
        A night on which nothing was sent to a listed endpoint counts as not listed, for this rule alone.
        An endpoint that is listed and fails is not absent: reliability says it.
    """

    def test_nights(self) -> None:
        """First listed on night 2, off on 4, nothing sent on 5 and 6: too few and three absences; failing is none."""
        fleet = keyed()
        fleet.leave([1, 4], "dune")
        fleet.list_as([2, 3, 5, 6, 7], "dune", first_listed=fleet.days[1])
        for i in range(1, 11):
            fleet.put([5, 6], "dune", f"tides-{i}", ".")
            fleet.put(7, "dune", f"tides-{i}", "!")
        grade = of(fleet)
        assert (grade.nights_since_listed, grade.nights_absent) == (6, 3)
        assert grade.unrated_reasons == (UnratedReason.TOO_FEW_NIGHTS, UnratedReason.ABSENT)
        # Listed with nothing sent is not listed for U alone: D read all five nights, R has 10 errors of 30.
        assert (grade.letter, grade.m_letter, grade.t_letter, grade.d_letter, grade.r_letter) == (U, A, A, A, D)


class TestNoReference:
    says = """
        No reference (no_reference): the model had no reference on more than 20 % of its pairs of night and prompt in
        the window, all families counted. A pair counts if the prompt was sent to at least one endpoint of the model.
    """

    def test_an_unstable_family_and_an_unsent_prompt(self) -> None:
        """Five prompts a night less one sent to nobody: 34 pairs, of which 7 without are over 20 %, 6 are not."""
        for nights, letter in ((7, U), (6, A)):
            fleet = Fleet(fixed={"tides": 4}, drawn={"riddles": 1})
            fleet.put(3, fleet.endpoints, "tides-4", ".")
            for e in fleet.endpoints:
                fleet.put(range(1, nights + 1), e, "riddles-1-of-*", f"{e}'s own")
            assert (of(fleet).pairs, of(fleet).pairs_without_reference, of(fleet).letter) == (34, nights, letter)


class TestNotMeasured:
    says = """
        No stable family (no_stable_family): no family of the model is stable in the window. Not measured
        (not_measured): M is not measured and no column reads D.
        An endpoint that was only ever misrouted, say, must not read B.
    """

    def test_only_misrouted(self) -> None:
        """Every answer came from elsewhere: R would read B; U, for M has nothing."""
        fleet = keyed()
        fleet.put_first(70, "dune", "?yes")
        grade = of(fleet)
        assert (grade.m_letter, grade.r_letter, grade.letter) == (None, B, U)
        assert grade.unrated_reasons == (UnratedReason.NOT_MEASURED,)

    def test_nothing_stable(self) -> None:
        """An only family of drawn prompts has no self-disagreement: not stable, so no M."""
        grade = of(Fleet(fixed={}, drawn={"tides": 5}))
        assert grade.unrated_reasons == (UnratedReason.NO_STABLE_FAMILY, UnratedReason.NOT_MEASURED)


class TestShown:
    says = """
        The latency class comes from the median time to a complete answer in the window; the median of an even count is
        the mean of the middle two, rounded down to a whole millisecond.
        Price is what the listing says. Context is given twice: as the listing declares it, and as the longest context
        probe that the endpoint answered in the window. Neither moves a letter.
        Where the precision changed in the window, the unit carries the last one and the change.
    """

    def test_latency(self) -> None:
        """One prompt a night on six nights, answered in 500 ms three times and 1500 or 1499 thrice: 1000 or 999."""
        for slow, middle, name in ((1500, 1000, "II"), (1499, 999, "I"), (1498, 999, "I")):
            fleet = Fleet(fixed={"tides": 1}, days=6)
            tables = fleet.tables()
            for n, night in enumerate(tables):
                rows = [row | {"latency_ms": 500 if n % 2 else slow} for row in night.observations.to_pylist()]
                tables[n] = night_tables(
                    night.night,
                    prompts=night.prompts.to_pylist(),
                    listings=night.listings.to_pylist(),
                    observations=rows,
                    context=[
                        {"model": MODEL, "endpoint": "dune", "rung_tokens": 1000 * (n + 1), "outcome": outcome}
                        for outcome in (["answered"] if n < 4 else ["error"])
                    ],
                )
            dune = next(g for g in graded(tables, METHOD, fleet.days) if g.endpoint == "dune")
            assert (dune.median_latency_ms, dune.latency_class) == (middle, name)
            assert (dune.context_declared, dune.context_observed, dune.price_prompt) == (None, 4000, None)
            assert dune.m_letter is A
