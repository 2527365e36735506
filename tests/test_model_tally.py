"""A model's share of a night's tally gives it the grades that the whole tally gives it."""

from __future__ import annotations

import pytest

from generator.method.grading import grade_window
from generator.method.model_tally import of_model
from generator.method.tally import tally_night
from tests.method_archive import ISSUE
from tests.method_random import random_archive
from tests.method_variants import METHOD


@pytest.mark.parametrize("seed", range(60))
def test_models_apart_are_graded_as_models_together(seed: int) -> None:
    """Every grade, field by field, for archives of one and of two models, some of them absent on some nights."""
    archive = random_archive(seed)
    tallies = [tally_night(tables, METHOD.definition) for tables in archive.tables()]
    whole = grade_window(tallies, method=METHOD, recorded=archive.recorded, issue=ISSUE)
    apart = []
    for model in sorted({grade.model for grade in whole}):
        own = [of_model(tally, model) for tally in tallies]
        apart += grade_window(own, method=METHOD, recorded=archive.recorded, issue=ISSUE)
    assert tuple(apart) == whole


def test_nothing_of_another_model_is_in_it() -> None:
    """Neither its endpoints nor what they said: the share of a small model is small."""
    for seed in range(60):
        archive = random_archive(seed)
        for tally in (tally_night(tables, METHOD.definition) for tables in archive.tables()):
            for model in tally.models:
                own = of_model(tally, model)
                assert own.models == (model,)
                assert {each for each, _ in own.keys} == {model}
                assert own.listings.num_rows == len(own.keys) == len(own.counts) == len(own.latency_starts) - 1
                codes = {code for row in own.fixed.tolist() for code in row if code >= 0}
                assert codes == set(range(len(own.answers)))
                for key, row in own.row_of.items():
                    mine, its = own.endpoints[row], tally.endpoints[tally.row_of[key]]
                    assert mine.fixed_answers == its.fixed_answers
                    assert mine.latencies_ms == its.latencies_ms
                    assert mine.context_observed == its.context_observed
                    assert mine.listed == its.listed


def test_a_night_that_does_not_list_it_is_one_without_rows() -> None:
    """The night stays, with its prompts, so that it is an absence and no gap."""
    tally = tally_night(random_archive(1).tables()[0], METHOD.definition)
    own = of_model(tally, "nobody/nothing")
    assert (own.night, own.keyed, own.fixed_prompts) == (tally.night, tally.keyed, tally.fixed_prompts)
    assert (own.keys, own.models, own.contexts) == ((), (), {})
    assert own.latency_starts.tolist() == [0]
