"""The prompt report over nights on which a prompt was missing or was asked in other words."""

from __future__ import annotations

import msgspec
import pyarrow.compute as pc

from generator.method.prompts import prompt_report
from generator.records.prompt_report import PromptLine
from tests.method_archive import Fleet, ask
from tests.method_variants import METHOD


def lines(fleet: Fleet) -> dict[str, PromptLine]:
    """Return each prompt's line, by its id."""
    return {line.prompt_id: line for line in prompt_report(fleet.tables(), METHOD.definition).prompts}


class TestHowOftenEndpointsChangeTheirOwnAnswer:
    def test_only_between_nights_that_asked_the_same_words(self):
        """Four endpoints over three nights are eight pairs; in other words on the second night they are none."""
        fleet = Fleet(fixed={"copy": 2}, days=3)
        whole = lines(fleet)["copy-1"].own_pairs
        fleet.asked[2]["copy-1"] = ask("copy-1", "copy", text="asked otherwise")
        found = lines(fleet)
        assert found["copy-2"].own_pairs == whole > 0
        assert found["copy-1"].own_pairs == 0

    def test_a_night_that_did_not_ask_it_is_no_pair(self):
        """Asked on the first and third night alone, a prompt is never compared with itself."""
        tables = Fleet(fixed={"copy": 2}, days=3).tables()
        other = pc.field("prompt_id") != "copy-1"
        tables[1] = msgspec.structs.replace(
            tables[1], prompts=tables[1].prompts.filter(other), observations=tables[1].observations.filter(other)
        )
        found = {line.prompt_id: line for line in prompt_report(tables, METHOD.definition).prompts}["copy-1"]
        assert (found.nights_asked, found.own_pairs) == (2, 0)

    def test_what_was_sent_and_not_answered_is_no_pair(self):
        """An error on the second of three nights takes an endpoint's two pairs with that night away."""
        fleet = Fleet(fixed={"copy": 2}, days=3)
        whole = lines(fleet)["copy-1"].own_pairs
        fleet.put(2, "dune", "copy-1", "!")
        assert lines(fleet)["copy-1"].own_pairs == whole - 2
