"""What is shown and not graded, each count worked out by hand: tokens, changes by night, endpoints behind answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pytest

from generator.method.interface import NightTables
from generator.method.shown import EndpointShown, ModelShown, NightChange, shown
from tests.method_archive import MODEL, Fleet, ask
from tests.method_variants import METHOD, with_rules

DEFINITION = METHOD.definition
FIVE = ("amber", "birch", "cedar", "dune", "ember")


def of(fleet: Fleet) -> ModelShown:
    """Return what is shown of a fleet's one model."""
    (model,) = shown(fleet.tables(), DEFINITION)
    return model


def with_tokens(tables: Sequence[NightTables], tokens: Mapping[tuple[str, str], int | None]) -> list[NightTables]:
    """Return nights on which (endpoint, prompt id) reported so many prompt tokens, and everything else none."""
    found = []
    for night in tables:
        rows = night.observations.to_pylist()
        counts = [tokens.get((row["endpoint"], row["prompt_id"])) for row in rows]
        place = night.observations.schema.get_field_index("prompt_tokens")
        column = pa.array(counts, night.observations.schema.field(place).type)
        observations = night.observations.set_column(place, night.observations.schema.field(place), column)
        found.append(
            NightTables(
                night=night.night,
                observations=observations,
                prompts=night.prompts,
                listings=night.listings,
                context=night.context,
                latency_replayed=night.latency_replayed,
            )
        )
    return found


class TestPromptTokens:
    """'prompt-token counts against the model's most common count for the same prompt'."""

    @staticmethod
    def read(tokens: Mapping[tuple[str, str], int | None], days: int = 1) -> dict[str, tuple[tuple[int, int], ...]]:
        """Return the differences of each endpoint of a fleet with two fixed prompts."""
        fleet = Fleet(fixed={"copy": 2}, endpoints=FIVE[:4], days=days)
        (model,) = shown(with_tokens(fleet.tables(), tokens), DEFINITION)
        return {endpoint: each.tokens for endpoint, each in model.endpoints.items()}

    def test_an_injected_prompt_shows_as_the_same_surplus_on_every_prompt(self):
        """Three report 10 and 12, one reports 30 and 32: 20 more on both prompts, on each of two nights."""
        tokens = {(e, "copy-1"): 10 for e in FIVE[:3]} | {(e, "copy-2"): 12 for e in FIVE[:3]}
        tokens |= {("dune", "copy-1"): 30, ("dune", "copy-2"): 32}
        found = self.read(tokens, days=2)
        assert found == {"amber": ((0, 4),), "birch": ((0, 4),), "cedar": ((0, 4),), "dune": ((20, 4),)}

    def test_counts_are_held_against_their_own_prompt(self):
        """Fewer on one prompt and more on the other are two differences, ascending."""
        tokens = {(e, "copy-1"): 10 for e in FIVE[:3]} | {(e, "copy-2"): 12 for e in FIVE[:3]}
        tokens |= {("dune", "copy-1"): 9, ("dune", "copy-2"): 15}
        assert self.read(tokens)["dune"] == ((-1, 1), (3, 1))

    def test_a_tie_has_no_most_common_count(self):
        """Two report 10 and two 11: nothing is held against either; the other prompt still counts."""
        tokens = {("amber", "copy-1"): 10, ("birch", "copy-1"): 10, ("cedar", "copy-1"): 11, ("dune", "copy-1"): 11}
        tokens |= {(e, "copy-2"): 7 for e in FIVE[:4]}
        assert set(self.read(tokens).values()) == {((0, 1),)}

    def test_one_endpoint_alone_is_no_most_common_count(self):
        """One endpoint reports, the others report nothing: there is nothing to hold it against."""
        assert set(self.read({("amber", "copy-1"): 10}).values()) == {()}

    def test_only_replies_of_the_endpoint_count(self):
        """A cut answer's count is the endpoint's own; an error's and a misrouted one's are not."""
        fleet = Fleet(fixed={"copy": 1}, endpoints=FIVE, days=1)
        for endpoint, cell in (("cedar", "yes~"), ("dune", "!"), ("ember", "?yes")):
            fleet.put(1, endpoint, "copy-1", cell)
        (model,) = shown(with_tokens(fleet.tables(), {(e, "copy-1"): 10 for e in FIVE}), DEFINITION)
        counted = {endpoint for endpoint, each in model.endpoints.items() if each.tokens == ((0, 1),)}
        assert counted == {"amber", "birch", "cedar"}


class TestChangeByNight:
    """'an endpoint's own night-to-night change by night'."""

    def test_a_swap_shows_on_one_night_and_on_no_other(self):
        """Four of five answers turn on the third night and stay: 0 of 5, 4 of 5, 0 of 5; nobody else changes."""
        fleet = Fleet(fixed={"copy": 3, "sort": 2}, drawn={"copy": 4}, days=4)
        for prompt in ("copy-1", "copy-2", "sort-1", "sort-2"):
            fleet.put((3, 4), "dune", prompt, "other")
        found = of(fleet).endpoints
        assert [(change.pairs, change.differing) for change in found["dune"].changes] == [(5, 0), (5, 4), (5, 0)]
        assert all(change.differing == 0 for change in found["amber"].changes)
        assert found["dune"].changes[1] == NightChange(earlier=fleet.days[1], later=fleet.days[2], pairs=5, differing=4)

    def test_a_night_without_an_answer_makes_no_pair(self):
        """Not listed on the second of three nights: no two nights in a row, and no change."""
        fleet = Fleet(fixed={"copy": 2}, days=3)
        fleet.leave((2,), "dune")
        assert of(fleet).endpoints["dune"].changes == ()

    def test_what_was_not_answered_is_no_pair(self):
        """An error and a cut answer leave one pair of three prompts."""
        fleet = Fleet(fixed={"copy": 3}, days=2)
        fleet.put(1, "dune", "copy-1", "!")
        fleet.put(2, "dune", "copy-2", "yes~")
        (change,) = of(fleet).endpoints["dune"].changes
        assert (change.pairs, change.differing) == (1, 0)

    def test_two_nights_that_share_no_answered_prompt_are_no_change(self):
        """One prompt answered on the first night, the other on the second: nothing is set side by side."""
        fleet = Fleet(fixed={"copy": 2}, days=2)
        fleet.put(1, "dune", "copy-1", "!")
        fleet.put(2, "dune", "copy-2", "!")
        assert of(fleet).endpoints["dune"].changes == ()

    def test_a_prompt_with_another_text_is_another_prompt(self):
        """The same id with another text on the second night makes no pair."""
        fleet = Fleet(fixed={"copy": 2}, days=2)
        fleet.asked[2]["copy-1"] = ask("copy-1", "copy", text="asked otherwise")
        (change,) = of(fleet).endpoints["dune"].changes
        assert change.pairs == 1


class TestBehindEachReference:
    """'the number of endpoints behind each reference'."""

    def test_distribution_over_night_and_prompt_pairs(self):
        """Two nights and two prompts: 5 of 5 agree on two pairs, 4 on one, and a tie of 2 to 2 has no reference."""
        fleet = Fleet(fixed={"copy": 2}, days=2)
        fleet.put(1, "dune", "copy-1", "other")
        fleet.put(2, ("cedar", "dune"), "copy-2", "other")
        fleet.put(2, "ember", "copy-2", "!")
        model = of(fleet)
        assert model.references == ((4, 1), (5, 2))
        assert model.without_reference == 1

    def test_a_pair_that_nothing_was_sent_for_is_none(self):
        """A prompt that was unsent to every endpoint is neither with nor without a reference."""
        fleet = Fleet(fixed={"copy": 2}, days=1)
        fleet.put(1, FIVE, "copy-1", ".")
        model = of(fleet)
        assert (model.references, model.without_reference) == (((5, 1),), 0)

    def test_every_endpoint_failing_is_a_pair_without_a_reference(self):
        """A prompt that was sent and that nobody answered has no reference."""
        fleet = Fleet(fixed={"copy": 1}, days=1)
        fleet.put(1, FIVE, "copy-1", "!")
        assert (of(fleet).references, of(fleet).without_reference) == ((), 1)

    @pytest.mark.parametrize(("share", "expected"), [(60, (((3, 1),), 0)), (61, ((), 1))])
    def test_the_definition_says_what_a_reference_is(self, share: int, expected: object):
        """3 of 5 alike are a reference where 60 % must agree, and none where 61 % must."""
        fleet = Fleet(fixed={"copy": 1}, days=1)
        fleet.put(1, "dune", "copy-1", "other")
        fleet.put(1, "ember", "copy-1", "another")
        (model,) = shown(fleet.tables(), with_rules(share=str(share)).definition)
        assert (model.references, model.without_reference) == expected


class TestOrder:
    def test_everything_listed_is_there_sorted(self):
        """Every endpoint that a night lists is there, sorted, with nothing where nothing was counted."""
        fleet = Fleet(fixed={"copy": 1}, endpoints=("birch", "amber"), days=1)
        fleet.put(1, ("amber", "birch"), "copy-1", "!")
        model = of(fleet)
        assert model.model == MODEL
        assert list(model.endpoints.items()) == [
            (endpoint, EndpointShown(tokens=(), changes=())) for endpoint in ("amber", "birch")
        ]

    def test_no_nights_show_nothing(self):
        """An empty window shows no model."""
        assert shown([], DEFINITION) == ()
