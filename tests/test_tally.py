"""A night's tally, worked out by hand, and held against the plain rule over whatever nights may come."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.errors import IntegrityError
from generator.method.columns import word_codes
from generator.method.disagreement import Pairs
from generator.method.interface import NightTables
from generator.method.night_tally import FamilyCounts, NightTally, OutcomeCounts
from generator.method.pairs import night_pairs
from generator.method.plurality import references
from generator.method.reference import least_agreeing, reference
from generator.method.tally import tally_night
from generator.method.totals import model_windows
from generator.method.window_counts import add_up
from generator.records.definition import Definition
from tests.method_archive import FIRST, MODEL, Row, ask, grid, listed, night_tables, seen
from tests.method_random import random_archive
from tests.method_variants import METHOD, varied

DEFINITION = METHOD.definition
METHOD_FOLDER = Path(__file__).parents[1] / "generator" / "method"

PROMPTS = [
    ask("sum-1", "sums", key="four"),
    ask("sum-2", "sums", key="four"),
    ask("tale-1", "tales"),
    ask("tale-drawn", "tales", fixed=False),
]
CELLS = """
            amber   birch   cedar   dune
sum-1       four    four    five    four~
sum-2       four    five    _       !
tale-1      once    once    once    ?once
tale-drawn  .       sea     sea     lake
"""


def night(
    cells: str = CELLS, prompts: list[Row] = PROMPTS, after: int = 0, observations: list[Row] | None = None
) -> NightTables:
    """Return a night of one model from its cells; every endpoint of the grid is listed."""
    asked = {prompt["prompt_id"]: prompt for prompt in prompts}
    given = grid(cells)
    rows = [seen(MODEL, endpoint, asked[prompt_id], cell) for (endpoint, prompt_id), cell in given.items()]
    return night_tables(
        FIRST + timedelta(days=after),
        prompts=prompts,
        listings=[listed(MODEL, endpoint, FIRST) for endpoint in sorted({endpoint for endpoint, _ in given})],
        observations=rows if observations is None else observations,
    )


def count_pairs(tallies: Sequence[NightTally], model: str) -> dict[str, dict[str, Pairs]]:
    """Return each endpoint's pairs by family.

    A pair is two consecutive nights of the window and one fixed prompt, same id and same text, answered on both.

    Args:
        tallies: the window's nights, ascending; no night is skipped over.
        model: whose endpoints are counted.
    """
    counted: dict[str, dict[str, Pairs]] = {}
    for earlier, later in pairwise(tallies):
        found = night_pairs(earlier, later)
        rows = [(row, endpoint) for row, (of_model, endpoint) in enumerate(found.keys) if of_model == model]
        for row, endpoint in rows:
            of_endpoint = counted.setdefault(endpoint, {})
            for family, (pairs, differing) in zip(found.families, found.counts[row].tolist(), strict=True):
                if pairs:
                    before = of_endpoint.get(family, Pairs())
                    of_endpoint[family] = Pairs(pairs=before.pairs + pairs, differing=before.differing + differing)
    return counted


def endpoint(tally: NightTally, name: str):
    """Return one endpoint of a tally."""
    return tally.endpoints[tally.row_of[MODEL, name]]


class TestANightIsCountedPerModelEndpointAndFamily:
    TALLY = tally_night(night(), DEFINITION)

    def test_matches_are_counted_against_the_reference(self) -> None:
        """sum-1 has 'four' for a reference (2 of 3 answered), sum-2 none (no two alike)."""
        found = {name: endpoint(self.TALLY, name).family("sums") for name in ("amber", "birch", "cedar", "dune")}
        assert {name: (counts.compared, counts.mismatches) for name, counts in found.items()} == {
            "amber": (1, 0),
            "birch": (1, 0),
            "cedar": (1, 1),
            "dune": (0, 0),
        }

    def test_keyed_prompts_count_what_was_answered_or_begun(self) -> None:
        """A truncated answer is counted and not correct; an empty one and an error are planned alone."""
        found = {name: endpoint(self.TALLY, name).family("sums") for name in ("amber", "birch", "cedar", "dune")}
        assert {name: (c.planned_keyed, c.counted, c.correct) for name, c in found.items()} == {
            "amber": (2, 2, 2),
            "birch": (2, 2, 1),
            "cedar": (2, 1, 0),
            "dune": (2, 1, 0),
        }

    def test_outcomes_are_counted(self) -> None:
        """Four requests of dune's: one truncated, one failed, one misrouted, one answered."""
        assert endpoint(self.TALLY, "dune").outcomes == OutcomeCounts(
            sent=4, errors=1, answered=1, truncated=1, misrouted=1
        )
        assert endpoint(self.TALLY, "amber").outcomes == OutcomeCounts(sent=3, answered=3)

    def test_questions_are_counted_with_and_without_a_reference(self) -> None:
        """Four prompts were sent to somebody; sum-2 alone has no reference."""
        assert self.TALLY.questions.tolist() == [[4, 1]]

    def test_the_answers_to_fixed_prompts_are_kept_whole(self) -> None:
        """No digest stands for an answer: what was answered is there, word for word, and nothing else is."""
        assert endpoint(self.TALLY, "cedar").fixed_answers == {"sum-1": "five", "tale-1": "once"}
        assert endpoint(self.TALLY, "dune").fixed_answers == {}
        assert sorted(self.TALLY.answers.to_pylist()) == ["five", "four", "once"]

    def test_a_family_that_was_not_asked_counts_nothing(self) -> None:
        """A family of another night has no counts here."""
        assert endpoint(self.TALLY, "amber").family("moons") == FamilyCounts()

    def test_rows_in_any_order_count_the_same(self) -> None:
        """The tally does not rest on the archive's order of rows."""
        tables = night()
        backwards = pa.concat_tables([tables.observations.slice(i, 1) for i in range(15, -1, -1)])
        changed = NightTables(
            night=tables.night,
            observations=backwards,
            prompts=tables.prompts,
            listings=tables.listings,
            context=tables.context,
            latency_replayed=False,
        )
        found = tally_night(changed, DEFINITION)
        places = [found.families.index(family) for family in self.TALLY.families]
        assert found.counts[:, places].tolist() == self.TALLY.counts.tolist()
        assert found.outcomes.tolist() == self.TALLY.outcomes.tolist()
        assert [each.fixed_answers for each in found.endpoints] == [each.fixed_answers for each in self.TALLY.endpoints]
        assert [each.latencies_ms for each in found.endpoints] == [each.latencies_ms for each in self.TALLY.endpoints]

    def test_a_night_without_observations_counts_nothing(self) -> None:
        """Every endpoint listed is there, with zeros."""
        tally = tally_night(night(observations=[]), DEFINITION)
        assert [each.outcomes for each in tally.endpoints] == [OutcomeCounts()] * 4
        assert tally.questions.tolist() == [[0, 0]]
        assert add_up([tally, tally_night(night(observations=[], after=1), DEFINITION)]).pairs.sum() == 0

    def test_an_endpoint_that_is_not_listed_is_refused(self) -> None:
        """The message names the endpoint."""
        stray = [seen(MODEL, "stranger", PROMPTS[0], "four")]
        with pytest.raises(IntegrityError, match="'stranger' of 'harbor/pilot'"):
            tally_night(night(observations=stray), DEFINITION)

    def test_an_answer_that_is_null_is_refused(self) -> None:
        """What was answered has an answer; without one the row is broken, and no answer is made up for it."""
        broken = [seen(MODEL, "amber", PROMPTS[0], "four") | {"answer": None}]
        with pytest.raises(IntegrityError, match="expected an answer"):
            tally_night(night(observations=broken), DEFINITION)


class TestPairsCompareAnswersExactly:
    def test_pairs_of_two_nights(self) -> None:
        """Same id and same text, answered on both: sum-1 of three endpoints, one of which changed its answer."""
        later = night(CELLS.replace("sum-1       four    four", "sum-1       four    five"), after=1)
        tallies = [tally_night(night(), DEFINITION), tally_night(later, DEFINITION)]
        found = count_pairs(tallies, MODEL)
        assert {name: of["sums"] for name, of in found.items() if "sums" in of} == {
            "amber": Pairs(pairs=2, differing=0),
            "birch": Pairs(pairs=2, differing=1),
            "cedar": Pairs(pairs=1, differing=0),
        }

    def test_another_text_under_the_same_id_is_no_pair(self) -> None:
        """A prompt is the same where its words are."""
        changed = [PROMPTS[0] | {"prompt": "another?"}, *PROMPTS[1:]]
        tallies = [tally_night(night(), DEFINITION), tally_night(night(prompts=changed, after=1), DEFINITION)]
        assert count_pairs(tallies, MODEL)["amber"]["sums"] == Pairs(pairs=1, differing=0)

    def test_answers_that_agree_in_all_but_their_last_letter_differ(self) -> None:
        """Long answers with one start are compared to their end, and a night's own codes decide nothing."""
        long = "x" * 100_000
        prompts = [ask("tale-1", "tales")]
        nights = [
            tally_night(night(f"amber birch\ntale-1 {first} {second}", prompts, after=i), DEFINITION)
            for i, (first, second) in enumerate([(long + "a", long + "b"), (long + "b", long + "b")])
        ]
        assert count_pairs(nights, MODEL) == {
            "amber": {"tales": Pairs(pairs=1, differing=1)},
            "birch": {"tales": Pairs(pairs=1, differing=0)},
        }

    def test_pairs_of_two_nights_are_counted_once(self) -> None:
        """A second window that holds both nights takes the same counts."""
        one, two = tally_night(night(), DEFINITION), tally_night(night(after=1), DEFINITION)
        add_up([one, two])
        kept = two.neighbours[one]
        add_up([one, two])
        assert two.neighbours[one] is kept


class TestTheReferenceRuleHoldsInColumns:
    RULES = (
        DEFINITION,
        varied({"reference.min_agreeing": "3"}).definition,
        varied({"reference.min_agreeing": "1"}).definition,
    )

    @given(
        answers=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=60),
        rule=st.sampled_from(RULES),
    )
    @settings(max_examples=300, deadline=None)
    def test_columns_find_what_the_plain_rule_finds(self, answers: list[tuple[int, int]], rule: Definition) -> None:
        """For each question, the reference among the answers to it alone."""
        questions, codes = (np.array([pair[side] for pair in answers], dtype=np.int64) for side in (0, 1))
        found = references(questions, codes, 6, rule)
        for question in range(6):
            expected = reference((str(code) for asked, code in answers if asked == question), rule)
            assert found[question] == (-1 if expected is None else int(expected))

    @pytest.mark.parametrize(
        ("share", "answered", "least"),
        [
            ("60", 5, 3),
            ("60.00000000000000000000000001", 5, 4),
            ("59.99999999999999999999999999", 5, 3),
            ("33.3", 1000, 333),
            ("33.3", 1001, 334),
            ("100", 7, 7),
            ("0", 7, 2),
        ],
    )
    def test_a_share_is_reached_exactly(self, share: str, answered: int, least: int) -> None:
        """No share is rounded, however many decimals it has."""
        rule = DEFINITION.reference.__class__(min_agreeing=2, tie="none", min_share=Decimal(share))
        definition = DEFINITION.__class__(
            **{name: getattr(DEFINITION, name) for name in DEFINITION.__struct_fields__} | {"reference": rule}
        )
        assert least_agreeing(answered, definition) == least
        for agreeing, found in ((least, 0), (least - 1, -1)):
            # The others each say something of their own.
            codes = np.concatenate((np.zeros(agreeing, dtype=np.int64), np.arange(1, answered - agreeing + 1)))
            assert references(np.zeros(answered, dtype=np.int64), codes, 1, definition).tolist() == [found]


class TestAWindowOnlyAddsTalliesUp:
    @pytest.mark.parametrize("seed", range(40))
    def test_a_window_is_the_sum_of_its_nights(self, seed: int) -> None:
        """Every endpoint's totals are its nights' counts added up one by one, whoever came and went."""
        tallies = [tally_night(tables, DEFINITION) for tables in random_archive(seed).tables()]
        for model in model_windows(tallies, DEFINITION):
            for of in model.endpoints:
                nights = [one for _, one in of.nights]
                assert of.outcomes == OutcomeCounts(**_added([one.outcomes for one in nights]))
                for family in model.families:
                    assert of.family(family) == FamilyCounts(**_added([one.family(family) for one in nights]))

    @pytest.mark.parametrize("seed", range(20))
    def test_every_array_holds_whole_numbers(self, seed: int) -> None:
        """No column of a tally or of a window is of floats."""
        tallies = [tally_night(tables, DEFINITION) for tables in random_archive(seed).tables()]
        for struct in (*tallies, add_up(tallies)):
            values = [getattr(struct, name) for name in struct.__struct_fields__]
            arrays = [value for value in values if isinstance(value, np.ndarray)]
            assert arrays
            assert {array.dtype for array in arrays} <= {np.dtype(np.int32), np.dtype(np.int64)}


class TestNumpyCountsAndNothingElse:
    """Whole numbers alone: whatever of numpy could make a fraction is not used in the method."""

    ALLOWED = frozenset(
        """add argsort array bincount bool_ concatenate cumsum diff divmod empty flatnonzero frombuffer
        full int32 int64 int8 ix_ maximum NDArray ones prod repeat signedinteger sort stack uint8 unique
        unpackbits zeros""".split()  # noqa: SIM905 - one list
    )

    @pytest.mark.parametrize("source", sorted(METHOD_FOLDER.glob("*.py")), ids=lambda path: path.name)
    def test_a_module_uses_numpy_for_whole_numbers_alone(self, source: Path) -> None:
        """Each name taken from numpy is in the list above, and no module that uses it divides with '/'."""
        tree = ast.parse(source.read_bytes())
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"np", "npt"}
        }
        divisions = [node for node in ast.walk(tree) if isinstance(node, ast.Div)]
        assert used <= self.ALLOWED
        assert not (used and divisions)


def _added(counts: list) -> dict[str, int]:
    """Return records of counts added up, field by field."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update({name: getattr(each, name) for name in each.__struct_fields__})
    return dict(total)


class TestWordsAsCodes:
    """A column of words is read as it is written, whatever its dictionary looks like."""

    def test_a_dictionary_that_holds_a_word_twice(self) -> None:
        """The file format does not forbid it: both codes stand for the one word."""
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["elm", "oak", "elm"]))
        codes, words = word_codes(pa.table({"endpoint": column}), "endpoint", "x")
        assert [words[code] for code in codes.tolist()] == ["elm", "oak", "elm"]
        assert words == ("elm", "oak")

    def test_a_row_without_a_word_is_refused(self) -> None:
        """A row that names no endpoint is no observation of one."""
        with pytest.raises(IntegrityError, match="endpoint in each row"):
            word_codes(pa.table({"endpoint": pa.array(["elm", None])}), "endpoint", "x")

    def test_a_prompt_that_one_of_two_nights_does_not_ask_has_no_pair(self) -> None:
        """Missing on the earlier or on the later night, it is compared with nothing."""
        whole = tally_night(night(), DEFINITION)
        head, _, *rest = CELLS.strip("\n").splitlines()
        fewer = tally_night(night("\n".join([head, *rest]), PROMPTS[1:], after=1), DEFINITION)
        assert "sum-1" not in fewer.fixed_prompts
        for earlier, later in ((whole, fewer), (fewer, whole)):
            found = night_pairs(earlier, later)
            both = dict(zip(found.keys, found.counts.tolist(), strict=True))
            amber = dict(zip(found.families, both[MODEL, "amber"], strict=True))
            assert amber["sums"] == [1, 0]

    def test_a_prompt_that_only_the_observations_call_fixed_has_no_pair(self) -> None:
        """What a night's prompts say is what a prompt is: one that they do not call fixed is compared with nothing."""
        whole = tally_night(night(), DEFINITION)
        tables = night(after=1)
        fixed = pa.array([row["prompt_id"] == "sum-2" for row in tables.prompts.to_pylist()])
        place = tables.prompts.schema.get_field_index("fixed")
        odd = msgspec.structs.replace(tables, prompts=tables.prompts.set_column(place, "fixed", fixed))
        later = tally_night(odd, DEFINITION)
        for earlier, after in ((whole, later), (later, whole)):
            found = night_pairs(earlier, after)
            assert found.families == ("sums",)
            assert found.counts.sum(axis=0).tolist() == [[2, 0]]
