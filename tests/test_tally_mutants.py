"""Tallies that only one wrong line tells from right ones: each case here was once missed by every other test."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
import pytest

from generator.errors import IntegrityError
from generator.method.interface import NightTables
from generator.method.night_tally import FamilyCounts
from generator.method.pairs import NightPairs, night_pairs
from generator.method.tally import tally_night
from generator.method.totals import EndpointWindow, model_windows
from generator.method.window_counts import add_up
from generator.records.canonical import COMPARE_ELSEWHERE
from generator.records.grade import UnratedReason
from tests.method_archive import FIRST, MODEL, Fleet, Row, ask, listed, night_tables, seen
from tests.method_variants import METHOD
from tests.test_tally import PROMPTS, endpoint, night

DEFINITION = METHOD.definition


def changed(tables: NightTables, **columns: pa.Table) -> NightTables:
    """Return a night with some of its tables replaced."""
    kept = {name: getattr(tables, name) for name in tables.__struct_fields__}
    return NightTables(**kept | columns)


class TestANightsFamiliesStandWhereTheWindowHasThem:
    """The window's columns are all its nights' families, sorted; a night has some, in an order of its own."""

    MOONS = ask("moon-1", "moons")
    TALES = ask("a-tale", "tales")
    SUMS = ask("b-sum", "sums")

    def window(self) -> dict[str, EndpointWindow]:
        """Return two nights: tales and sums, then moons, sums and tales; birch errs on a sum and turns a tale."""
        one = night("amber birch\na-tale once once\nb-sum four !", [self.TALES, self.SUMS])
        two = night(
            "amber birch\na-tale once twice\nb-sum four four\nmoon-1 new new",
            [self.TALES, self.SUMS, self.MOONS],
            after=1,
        )
        (model,) = model_windows([tally_night(tables, DEFINITION) for tables in (one, two)], DEFINITION)
        return {each.endpoint: each for each in model.endpoints}

    def test_counts_are_added_to_their_own_family(self) -> None:
        """Birch is compared once in each: the second night's moon and sum, and the first night's tale."""
        birch = self.window()["birch"]
        assert {family: birch.family(family).compared for family in ("moons", "sums", "tales")} == {
            "moons": 1,
            "sums": 1,
            "tales": 1,
        }

    def test_pairs_are_added_to_their_own_family(self) -> None:
        """Amber pairs a sum and a tale, and no moon; birch's one pair is the tale that it told otherwise."""
        found = {
            name: {family: (pairs.pairs, pairs.differing) for family, pairs in of.pairs.items() if pairs.pairs}
            for name, of in self.window().items()
        }
        assert found == {"amber": {"sums": (1, 0), "tales": (1, 0)}, "birch": {"tales": (1, 1)}}


class TestANightThatListsNothingAddsNothing:
    def test_it_stands_in_a_window(self) -> None:
        """A night without a listing, a prompt or an observation leaves the window's counts those of the other."""
        nothing = night_tables(FIRST, prompts=[], listings=[], observations=[])
        one, two = tally_night(nothing, DEFINITION), tally_night(night(after=1), DEFINITION)
        window, alone = add_up([one, two]), add_up([two])
        assert (window.keys, window.families) == (alone.keys, alone.families)
        assert window.counts.tolist() == alone.counts.tolist()
        assert window.outcomes.tolist() == alone.outcomes.tolist()
        assert window.questions.tolist() == [[4, 1]]
        assert window.pairs.sum() == 0


class TestAFamilyHasKeysWhereAnyOfItsPromptsHasOne:
    def test_a_prompt_without_a_key_after_one_with_a_key(self) -> None:
        """Whichever prompt of the family comes last, one key is enough; a family without any has none."""
        prompts = [ask("sum-1", "sums", key="four"), ask("sum-2", "sums"), ask("tale-1", "tales")]
        tally = tally_night(night("amber birch\nsum-1 four four\nsum-2 x x\ntale-1 y y", prompts), DEFINITION)
        assert tally.keyed == {"sums": True, "tales": False}
        assert endpoint(tally, "amber").family("sums") == FamilyCounts(
            compared=2, planned_keyed=1, counted=1, correct=1
        )

    def test_column_t_counts_it(self) -> None:
        """Seven nights of one prompt with a key and one without: seven planned, seven counted, seven correct."""
        fleet = Fleet(fixed={"tides": 2}, keyed=["tides"])
        for n in fleet.nights:
            fleet.asked[n]["tides-2"] = fleet.asked[n]["tides-2"] | {"expected": None}
        amber = fleet.grades(METHOD)["amber"]
        assert (amber.t_planned, amber.t_counted, amber.t_correct) == (7, 7, 7)


class TestAPairIsOfAPromptThatBothNightsCallFixed:
    @pytest.mark.parametrize("drawn_on", [0, 1])
    def test_a_prompt_that_one_night_calls_drawn_is_no_pair(self, drawn_on: int) -> None:
        """Observations may call it fixed: where the night's prompts do not, there is no pair, whichever night it is."""
        prompts: list[list[Row]] = [PROMPTS, PROMPTS]
        prompts[drawn_on] = [PROMPTS[0] | {"fixed": False}, *PROMPTS[1:]]
        observed = night().observations
        one, two = (
            tally_night(changed(night(prompts=asked, after=i), observations=observed), DEFINITION)
            for i, asked in enumerate(prompts)
        )
        found = night_pairs(one, two)
        amber = found.counts[found.keys.index((MODEL, "amber"))]
        assert dict(zip(found.families, amber.tolist(), strict=True)) == {"sums": [1, 0], "tales": [1, 0]}

    def test_what_was_counted_once_is_kept(self) -> None:
        """The later night keeps the pairs themselves, and they are those returned."""
        one, two = tally_night(night(), DEFINITION), tally_night(night(after=1), DEFINITION)
        found = night_pairs(one, two)
        assert isinstance(two.neighbours[one], NightPairs)
        assert night_pairs(one, two) is found


class TestAPromptOfOneEndpointAloneIsAQuestionOfItsOwn:
    """Drawn for one endpoint, or left by all others: one observation in the whole night is enough."""

    PROMPTS = (ask("sum-1", "sums"), ask("sum-2", "sums"), ask("tale-1", "tales"))

    def test_it_is_counted_and_has_no_reference(self) -> None:
        """Three questions; amber alone was asked the second, and one voice makes no reference."""
        tally = tally_night(
            night("amber birch\nsum-1 four four\nsum-2 five -\ntale-1 a a", [*self.PROMPTS]), DEFINITION
        )
        assert tally.questions.tolist() == [[3, 1]]
        assert endpoint(tally, "amber").family("sums") == FamilyCounts(compared=1)
        assert endpoint(tally, "birch").family("sums") == FamilyCounts(compared=1)

    def test_its_answer_is_kept_under_its_own_id(self) -> None:
        """An answer that one endpoint gave is kept for the prompt that it answers, and for no other."""
        tally = tally_night(
            night("amber birch\nsum-1 four four\nsum-2 five !\ntale-1 a a", [*self.PROMPTS]), DEFINITION
        )
        assert endpoint(tally, "amber").fixed_answers == {"sum-1": "four", "sum-2": "five", "tale-1": "a"}
        assert endpoint(tally, "birch").fixed_answers == {"sum-1": "four", "tale-1": "a"}


class TestRowsMayStandInAnyOrder:
    def test_latencies_go_to_the_endpoint_that_they_are_of(self) -> None:
        """Amber's row, then cedar's, then birch's: none stands before the first, and two are out of order."""
        (prompt,) = prompts = [ask("tale-1", "tales")]
        tables = night("amber birch cedar\ntale-1 a a a", prompts)
        rows = [seen(MODEL, name, prompt, "a", ms) for name, ms in (("amber", 10), ("cedar", 30), ("birch", 20))]
        tally = tally_night(
            changed(tables, observations=pa.Table.from_pylist(rows, schema=tables.observations.schema)), DEFINITION
        )
        assert {each.listed.endpoint: each.latencies_ms for each in tally.endpoints} == {
            "amber": [10],
            "birch": [20],
            "cedar": [30],
        }

    def test_the_longest_context_is_the_longest_and_not_the_last(self) -> None:
        """Probes of 32000, 8000 and 16000 tokens, the first of them failed: 16000 was answered, then 8000."""
        tables = night()
        lengths = ((32000, "error"), (16000, "answered"), (8000, "answered"))
        rows = [
            dict.fromkeys(tables.context.schema.names)
            | {"model": MODEL, "endpoint": "birch", "rung_tokens": tokens, "outcome": outcome}
            for tokens, outcome in lengths
        ]
        probed = pa.Table.from_pylist(rows, schema=tables.context.schema)
        tally = tally_night(changed(tables, context=probed), DEFINITION)
        assert [each.context_observed for each in tally.endpoints] == [None, 16000, None, None]


class TestAnEndpointNameOfTwoModelsIsTwoEndpoints:
    @pytest.mark.parametrize("order", ["12", "1121", "2112", "1221"])
    def test_rows_that_stand_together_under_one_name(self, order: str) -> None:
        """Rows of two models, all of an endpoint 'amber': each answer is counted to its own model's."""
        (prompt,) = prompts = [ask("tale-1", "tales")]
        models = {"1": MODEL, "2": "harbor/second"}
        tables = night_tables(
            FIRST, prompts=prompts, listings=[listed(of, "amber", FIRST) for of in models.values()], observations=[]
        )
        rows = [seen(models[of], "amber", prompt, "a") for of in order]
        tally = tally_night(
            changed(tables, observations=pa.Table.from_pylist(rows, schema=tables.observations.schema)), DEFINITION
        )
        found = {key: each.outcomes.answered for key, each in zip(tally.keys, tally.endpoints, strict=True)}
        assert found == {(models[of], "amber"): order.count(of) for of in models}


class TestWordsMayHaveAnyCodes:
    def coded(self, column: pa.ChunkedArray) -> pa.DictionaryArray:
        """Return a column under a dictionary that starts with a word of no row, runs backwards, and then again."""
        words = column.to_pylist()
        distinct = sorted(set(words), reverse=True)
        dictionary = ["unused", *distinct, *distinct]
        codes = [1 + distinct.index(word) + len(distinct) * (row % 2) for row, word in enumerate(words)]
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(dictionary))

    @pytest.mark.parametrize("name", ["model", "endpoint", "prompt_id", "family"])
    def test_a_tally_does_not_rest_on_the_codes(self, name: str) -> None:
        """Backwards, doubled and with a word too many: each endpoint's counts are those of the plain night."""
        tables = night()
        place = tables.observations.schema.get_field_index(name)
        recoded = tables.observations.set_column(place, name, self.coded(tables.observations.column(name)))
        plain, found = (tally_night(each, DEFINITION) for each in (tables, changed(tables, observations=recoded)))
        for one, other in zip(plain.endpoints, found.endpoints, strict=True):
            assert [other.family(f) for f in ("sums", "tales")] == [one.family(f) for f in ("sums", "tales")]
            assert (other.outcomes, other.fixed_answers) == (one.outcomes, one.fixed_answers)
        assert found.questions.tolist() == [[4, 1]]

    def test_a_part_of_a_longer_table_is_counted_alone(self) -> None:
        """Rows cut out of a table keep its buffers: their truth values, latencies and words are still their own."""
        tables = night()
        doubled = pa.concat_tables([tables.observations, tables.observations]).combine_chunks()
        whole = tally_night(tables, DEFINITION)
        for start in (1, 3, 8, 16):
            # The night's sixteen rows, begun with another one and taken round.
            part = tally_night(changed(tables, observations=doubled.slice(start, 16)), DEFINITION)
            for one, other in zip(whole.endpoints, part.endpoints, strict=True):
                assert [other.family(f) for f in ("sums", "tales")] == [one.family(f) for f in ("sums", "tales")]
                assert (other.outcomes, other.latencies_ms) == (one.outcomes, one.latencies_ms)


class TestWhatIsNullIsNotCorrect:
    def test_whatever_bits_lie_under_it(self) -> None:
        """Arrow leaves open what a null's bits are: sixteen nulls over ones are sixteen times not correct."""
        tables = night()
        nulls = pa.Array.from_buffers(pa.bool_(), 16, [pa.py_buffer(bytes(2)), pa.py_buffer(b"\xff\xff")])
        place = tables.observations.schema.get_field_index("correct")
        tally = tally_night(
            changed(tables, observations=tables.observations.set_column(place, "correct", nulls)), DEFINITION
        )
        assert [each.family("sums").counted for each in tally.endpoints] == [2, 2, 1, 1]
        assert [each.family("sums").correct for each in tally.endpoints] == [0, 0, 0, 0]


class TestNightsSinceAFirstListingAreNeverNegative:
    def test_a_first_listing_after_the_window(self) -> None:
        """Listed for the first time two days after the last night: no night since then, and none that was missed."""
        fleet = Fleet(fixed={"tides": 2})
        fleet.list_as(fleet.nights, "dune", first_listed=FIRST + timedelta(days=8))
        dune = fleet.grades(METHOD)["dune"]
        assert (dune.nights_since_listed, dune.nights_absent) == (0, 0)
        assert dune.unrated_reasons == (UnratedReason.TOO_FEW_NIGHTS,)


class TestARefusalSaysWhere:
    @pytest.mark.parametrize("name", ["model", "endpoint", "prompt_id", "family", "outcome"])
    def test_a_row_that_lacks_a_word(self, name: str) -> None:
        """The message names the column, that nothing was found, and the night."""
        tables = night()
        words = [None, *tables.observations.column(name).to_pylist()[1:]]
        place = tables.observations.schema.get_field_index(name)
        lacking = tables.observations.set_column(place, name, pa.array(words, pa.string()).dictionary_encode())
        with pytest.raises(IntegrityError) as caught:
            tally_night(changed(tables, observations=lacking), DEFINITION)
        assert caught.value.problem == f"expected a {name} in each row, found none"
        assert caught.value.where == "observations of 2031-05-01"

    @pytest.mark.parametrize(
        ("stray", "problem"),
        [
            ({"answer": None}, "expected an answer in each row that was answered, found none"),
            ({"endpoint": "stranger"}, "expected endpoints that the night lists, found 'stranger' of 'harbor/pilot'"),
        ],
    )
    def test_a_row_that_is_broken(self, stray: Row, problem: str) -> None:
        """No answer where one was given, or an endpoint that is not listed: the night is named with it."""
        with pytest.raises(IntegrityError) as caught:
            tally_night(night(observations=[seen(MODEL, "amber", PROMPTS[0], "four") | stray]), DEFINITION)
        assert caught.value.problem == problem
        assert (caught.value.where, caught.value.do) == ("observations of 2031-05-01", COMPARE_ELSEWHERE)
