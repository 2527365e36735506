"""What holds of every archive: the oracle's figures, and what must not matter to a grade."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.method.interface import Issue, NightTables
from generator.records.definition import Method
from generator.records.grade import Grade, Letter, UnratedReason
from tests.method_archive import FIRST, ISSUE, Row, ask, graded, listed, seen
from tests.method_oracle import oracle
from tests.method_random import Archive, random_archive
from tests.method_variants import METHOD, METHOD_0_2, varied, with_rules
from tests.method_window import Window

SEEDS = st.integers(0, 2**32)

on_archives = settings(max_examples=25)
"""Enough archives to meet every turn of a rule, in under five seconds."""

VARIANTS = {
    "0.1": METHOD,
    "lenient": varied({"stability.threshold_percent": "40", "unrated.max_without_reference_percent": "90"}),
    "one voice is enough": varied({"reference.min_agreeing": "1", "floor.percentile": "33.3"}),
    "loud floors": varied({"floor.percentile": "100", "stability.threshold_percent": "0"}),
    "rules off": varied(
        {
            "match.own_variation_best": None,
            "task.floor": None,
            "task.best.min_counted_percent": None,
            "task.best.excluded_reasons": None,
            "unrated.min_nights_since_listed": None,
            "unrated.min_nights_in_window": None,
            "unrated.nights_absent": None,
            "unrated.max_without_reference_percent": None,
            "unrated.no_stable_family": None,
            "unrated.not_measured": None,
        }
    ),
    "0.2": METHOD_0_2,
    "share": with_rules(share="60"),
    "share, fleet and a wide margin": with_rules(
        share="34.5", fleet="median mismatch", margin="level = 20\nown_variation = true"
    ),
    "margin": with_rules(margin="level = 5\nown_variation = true"),
    "other limits": varied(
        {
            "letters.M.A.max_nights_outside": "1",
            "letters.M.B.max_nights_outside": "2",
            "letters.T.A.max_points": "0.5",
            "letters.T.C.max_points": "33.3",
            "letters.R.A.max_misrouted": "2",
            "letters.R.B.errors_below_percent": "7.5",
            "letters.R.C.errors_below_percent": None,
            "letters.D.A.states": '["present", "absent", "changed"]',
            "letters.D.B.states": '["present", "absent", "changed"]',
            "unrated.nights_absent": "1",
        }
    ),
}


def grades_of(archive: Archive, method: Method = METHOD) -> tuple[Grade, ...]:
    """Return the grades of an archive by the method under test."""
    return graded(archive.tables(), method, archive.recorded)


def answered(row: Row) -> bool:
    """True for an observation that is a complete answer."""
    return bool(row.get("outcome") == "answered" and "fixed" in row)


class TestAnIndependentReadingOfTheMethodGivesTheSameFigures:
    @pytest.mark.parametrize("name", VARIANTS)
    @on_archives
    @given(seed=SEEDS)
    def test_every_field_of_every_grade(self, name: str, seed: int) -> None:
        """The slow re-implementation and the method under test agree on every field, under any definition."""
        archive = random_archive(seed)
        found = grades_of(archive, VARIANTS[name])
        expected = oracle(archive.tables(), VARIANTS[name], archive.recorded, ISSUE)
        assert [msgspec.to_builtins(grade) for grade in found] == [msgspec.to_builtins(grade) for grade in expected]

    def test_the_random_archives_reach_what_a_grade_can_say(self) -> None:
        """Over the seeds of a run every letter, reason, kind of change and turn of a rule occurs."""
        seen_words: set[str] = set()
        for seed in range(150):
            archive = random_archive(seed)
            for grade in oracle(archive.tables(), METHOD, archive.recorded, ISSUE):
                letters = {"M": grade.m_letter, "T": grade.t_letter, "D": grade.d_letter, "R": grade.r_letter}
                seen_words |= {f"{column} {letter}" for column, letter in letters.items()} | {grade.letter}
                seen_words |= set(grade.unrated_reasons) | {change.kind for change in grade.d_changes}
                seen_words |= {f"zeroed {grade.t_within_floor}", f"own {grade.m_own_variation_above_floor}"}
                seen_words |= {f"class {grade.latency_class}", f"{grade.d_state}"}
                seen_words |= {f"partial {f.stable}" for f in grade.m_family if f.floor_numerator is None}
        assert seen_words >= {
            *(f"M {letter}" for letter in (*"ACD", None)),
            *(f"T {letter}" for letter in (*"ABCD", None)),
            *(f"D {letter}" for letter in "ABC"),
            *(f"R {letter}" for letter in (*"ABCD", None)),
            *Letter,
            *UnratedReason,
            *("newly declared", "withdrawn", "refined", "changed", "present", "absent"),
            *("zeroed True", "zeroed False", "own True", "own False", "partial False"),
            *("class I", "class II", "class III", "class replayed", "class None"),
        }


class TestTheOrderOfRowsIsNothing:
    @on_archives
    @given(seed=SEEDS)
    def test_shuffled_tables(self, seed: int) -> None:
        """Tables with their rows in any order give the same grades."""
        archive = random_archive(seed)
        dice = random.Random(seed)  # noqa: S311 - repeatable, not secret

        def shuffled(table: pa.Table) -> pa.Table:
            return table.take(pa.array(dice.sample(range(table.num_rows), table.num_rows), pa.int64()))

        mixed = [
            NightTables(
                night=tables.night,
                observations=shuffled(tables.observations),
                prompts=shuffled(tables.prompts),
                listings=shuffled(tables.listings),
                context=shuffled(tables.context),
                latency_replayed=tables.latency_replayed,
            )
            for tables in archive.tables()
        ]
        assert graded(mixed, METHOD, archive.recorded) == grades_of(archive)


class TestNamesAreNothing:
    @on_archives
    @given(seed=SEEDS)
    def test_endpoints_under_other_names(self, seed: int) -> None:
        """Endpoints renamed so that their order turns round keep every figure."""
        archive = random_archive(seed)
        names = sorted({row["endpoint"] for night in archive.nights for row in night.listings})
        other = dict(zip(names, (f"e{len(names) - i}" for i in range(len(names))), strict=True))

        def rename(row: Row) -> Row:
            return row | {"endpoint": other[row["endpoint"]]} if "endpoint" in row else row

        renamed = replace(archive, nights=[night.map_rows(rename) for night in archive.nights])
        before = {(g.model, other[g.endpoint]): msgspec.structs.replace(g, endpoint="") for g in grades_of(archive)}
        after = {(g.model, g.endpoint): msgspec.structs.replace(g, endpoint="") for g in grades_of(renamed)}
        assert before == after

    @on_archives
    @given(seed=SEEDS)
    def test_prompts_under_other_names(self, seed: int) -> None:
        """Prompts renamed so that their order turns round keep every figure."""
        archive = random_archive(seed)
        names = sorted({row["prompt_id"] for night in archive.nights for row in night.prompts})
        other = dict(zip(names, (f"p{len(names) - i}" for i in range(len(names))), strict=True))

        def rename(row: Row) -> Row:
            return row | {"prompt_id": other[row["prompt_id"]]} if "prompt_id" in row else row

        renamed = replace(archive, nights=[night.map_rows(rename) for night in archive.nights])
        assert grades_of(renamed) == grades_of(archive)

    @on_archives
    @given(seed=SEEDS)
    def test_answers_under_other_names(self, seed: int) -> None:
        """Only whether two answers are alike matters: under any one-to-one relabelling the grades stay."""
        archive = random_archive(seed)

        def relabel(row: Row) -> Row:
            # One-to-one, and the order of the texts turns round.
            answer = row.get("answer")
            return row if answer is None else row | {"answer": "".join(chr(0x2603 - ord(c)) for c in answer)}

        relabelled = replace(archive, nights=[night.map_rows(relabel) for night in archive.nights])
        assert grades_of(relabelled) == grades_of(archive)

    @on_archives
    @given(seed=SEEDS)
    def test_another_model_beside_it(self, seed: int) -> None:
        """A model is graded by its own endpoints: without the other models its grades are the same."""
        archive = random_archive(seed)
        model = min(row["model"] for night in archive.nights for row in night.listings)
        alone = [
            replace(
                night,
                listings=[row for row in night.listings if row["model"] == model],
                observations=[row for row in night.observations if row["model"] == model],
                context=[row for row in night.context if row["model"] == model],
            )
            for night in archive.nights
        ]
        expected = tuple(grade for grade in grades_of(archive) if grade.model == model)
        assert grades_of(replace(archive, nights=alone)) == expected


class TestWhatAnEndpointDoesMovesItsLettersOneWay:
    @on_archives
    @given(seed=SEEDS)
    def test_a_copy_of_every_reference_is_outside_on_no_night(self, seed: int) -> None:
        """An endpoint that answers each prompt with its reference is within on every night that measures it."""
        archive = random_archive(seed)
        window = Window(archive.tables(), METHOD.definition)
        model = min(key[0] for key in window.listing)
        for night in archive.nights:
            night.listings.append(listed(model, "copy", FIRST))
            for prompt in night.prompts:
                reference = window.reference(model, night.night, prompt["prompt_id"])
                night.observations.append(seen(model, "copy", prompt, "." if reference is None else reference))
        copy = next(g for g in grades_of(archive) if g.endpoint == "copy")
        assert (copy.m_nights_outside, sum(f.mismatches for f in copy.m_family)) == (0, 0)
        assert copy.m_letter in ({None} if not copy.m_night else {"A"} | ({"C"} & _capped(copy)))

    @on_archives
    @given(seed=SEEDS, cell=st.sampled_from("!_"))
    def test_an_error_more_never_improves_r(self, seed: int, cell: str) -> None:
        """Where one answer, or one prompt that was never sent, becomes an error, R is no better than before."""
        archive = random_archive(seed)
        dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
        places = [
            (night, i)
            for night in archive.nights
            for i, row in enumerate(night.observations)
            if row["outcome"] in {"answered", "unsent", "empty", "error"}
        ]
        before = {(g.model, g.endpoint): g for g in grades_of(archive)}
        if not places:
            return
        night, i = dice.choice(places)
        row = night.observations[i]
        prompt = next(prompt for prompt in night.prompts if prompt["prompt_id"] == row["prompt_id"])
        night.observations[i] = seen(row["model"], row["endpoint"], prompt, cell)
        after = {(g.model, g.endpoint): g for g in grades_of(archive)}
        was, now = before[row["model"], row["endpoint"]], after[row["model"], row["endpoint"]]
        assert now.r_letter is not None
        assert now.r_letter >= (was.r_letter or Letter.A)
        others = {key: g.r_letter for key, g in before.items() if key != (row["model"], row["endpoint"])}
        assert others == {key: after[key].r_letter for key in others}

    @on_archives
    @given(seed=SEEDS)
    def test_texts_and_what_routers_report_are_not_read(self, seed: int) -> None:
        """What came with an answer (its raw text, ids, tokens, finish reasons) moves no field of any grade."""
        archive = random_archive(seed)

        def garnish(row: Row) -> Row:
            more = {"text": "\x00<script>", "finish_reason": "length", "http_status": 599, "served_provider": "other"}
            return row | more | {"error_kind": "odd", "completion_tokens": 7} if "outcome" in row else row

        garnished = replace(archive, nights=[night.map_rows(garnish) for night in archive.nights])
        assert grades_of(garnished) == grades_of(archive)


def _capped(grade: Grade) -> set[str]:
    return {"C"} if grade.m_own_variation_above_floor else set()


class TestAGradeIsOfOneEndpointAndOneWindow:
    def test_issue_and_prompts_that_nobody_was_asked_are_nothing(self) -> None:
        """A prompt in the night's list that no endpoint was sent is no pair; the day of issue moves one field."""
        archive = random_archive(7)
        before = grades_of(archive)
        for night in archive.nights:
            night.prompts.append(ask("never-sent", archive.nights[0].prompts[0]["family"]))
        assert grades_of(archive) == before
        later = Issue(issued=FIRST, supersedes={})
        found = graded(archive.tables(), METHOD, archive.recorded, later)
        assert found == tuple(msgspec.structs.replace(grade, issued=FIRST) for grade in before)
