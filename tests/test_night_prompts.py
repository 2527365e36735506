"""The prompts of a night follow from prompt set and seed alone, and a set is checked before it is asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.errors import ContentError
from generator.probing.draws import Draws
from generator.probing.families import FAMILIES, Family, Generated
from generator.probing.night_prompts import check_prompt_set, generate_prompts, generated_ids, night_prompts
from generator.records.prompt import Prompt, PromptFamily, PromptSet


def prompt(prompt_id: str, **fields: object) -> Prompt:
    """Return a prompt whose family is what stands before the id's last dash."""
    made = {
        "prompt_id": prompt_id,
        "family": prompt_id.rsplit("-", 1)[0].removesuffix("-p"),
        "fixed": "-p-" not in prompt_id,
        "prompt": f"Say {prompt_id}.",
        "expected": "paris",
        "max_tokens": 16,
    }
    return msgspec.convert(made | fields, Prompt)


def family(name: str, kind: str, *, nightly: int = 3, pool: int | None = None, **fields: object) -> PromptFamily:
    """Return a family of two fixed prompts, and of so many in its pool."""
    return PromptFamily(
        name=name,
        kind=kind,
        nightly=nightly,
        pool=None if pool is None else tuple(prompt(f"{name}-p-{number:02d}", **fields) for number in range(pool)),
        fixed=tuple(prompt(f"{name}-{number}", **fields) for number in (1, 2)),
    )


def prompt_set(*families: PromptFamily) -> PromptSet:
    """Return a set of these families."""
    return PromptSet(name="t1", sha256="0" * 64, families=families)


SUMS = family("sums", "arithmetic", expected="7")
TOWNS = family("towns", "facts", pool=6)
OPEN = family("open", "continuation", nightly=1, pool=4, expected=None)
SMALL = prompt_set(OPEN, SUMS, TOWNS)


def one_question(_: Draws) -> Generated:
    """Return the only question of its kind."""
    return Generated(prompt="What is 3 + 4? Answer with the number only.", expected="7", max_tokens=16)


def two_questions(draws: Draws) -> Generated:
    """Return one of the only two questions of their kind."""
    return Generated(prompt=f"Question {draws.below(2)}?", expected="7", max_tokens=16)


def kinds(generate: Callable[[Draws], Generated]) -> dict[str, Family]:
    """Return the kinds with another generator for arithmetic."""
    return dict(FAMILIES) | {"arithmetic": msgspec.structs.replace(FAMILIES["arithmetic"], generate=generate)}


class TestFromTheSeedAlone:
    """24 generated prompts a night over all families, the same for every endpoint of every model."""

    def test_a_night_holds_the_fixed_prompts_and_the_nightly_ones(self):
        """Every fixed prompt is there as it stands, each family's nightly ones are not fixed, and ids are sorted."""
        night = night_prompts(SMALL, "seed")
        assert [one for one in night if one.fixed] == [*OPEN.fixed, *SUMS.fixed, *TOWNS.fixed]
        assert [one.family for one in night if not one.fixed] == ["open"] + ["sums"] * 3 + ["towns"] * 3
        assert all(first.prompt_id < second.prompt_id for first, second in pairwise(night))

    def test_generated_prompts_are_numbered_and_pool_prompts_keep_their_ids(self):
        """A generated prompt's id has the family's name, n and a number; a drawn one is the pool's own record."""
        night = night_prompts(SMALL, "seed")
        assert [one.prompt_id for one in night if one.family == "sums"] == [
            "sums-1",
            "sums-2",
            "sums-n-01",
            "sums-n-02",
            "sums-n-03",
        ]
        assert {one for one in night if one.family == "towns" and not one.fixed} <= set(TOWNS.pool or ())

    def test_the_order_of_files_does_not_matter(self):
        """Families and pools in another order give the same night."""
        turned = msgspec.structs.replace(TOWNS, pool=tuple(reversed(TOWNS.pool or ())))
        assert night_prompts(prompt_set(turned, OPEN, SUMS), "seed") == night_prompts(SMALL, "seed")

    def test_a_new_family_leaves_the_others_as_they_were(self):
        """Without one family, the rest of the night is the same."""
        rest = tuple(one for one in night_prompts(SMALL, "seed") if one.family != "sums")
        assert night_prompts(prompt_set(OPEN, TOWNS), "seed") == rest

    @settings(deadline=None, max_examples=40)
    @given(seed=st.text(max_size=40))
    def test_no_id_and_no_text_comes_twice(self, seed: str):
        """Whatever the seed, all ids and all texts of a night differ, and it can be drawn again."""
        night = night_prompts(SMALL, seed)
        assert len(night) == 13
        assert len({one.prompt_id for one in night}) == len({one.prompt for one in night}) == 13
        assert night == night_prompts(SMALL, seed)

    def test_every_prompt_of_a_pool_has_its_night(self):
        """Over a hundred seeds, each of six prompts is drawn, and the nights are not all alike."""
        nights = [night_prompts(prompt_set(TOWNS), f"{number}") for number in range(100)]
        assert {one for night in nights for one in night if not one.fixed} == set(TOWNS.pool or ())
        assert len(set(nights)) > 10

    def test_nothing_is_drawn_where_nothing_is_nightly(self):
        """A family of no nightly prompts has its fixed ones alone."""
        still = family("sums", "arithmetic", nightly=0, expected="7")
        assert night_prompts(prompt_set(still), "seed") == still.fixed


class TestRedrawn:
    """A generated prompt equals neither a fixed one nor another of the same night."""

    def test_a_fixed_text_is_not_generated_again(self):
        """With one of only two questions fixed, every seed's night asks the other one."""
        taken = prompt("sums-1", prompt="Question 0?", expected="7")
        sums = PromptFamily(name="sums", kind="arithmetic", nightly=1, pool=None, fixed=(taken,))
        for seed in "abcdefgh":
            night = night_prompts(prompt_set(sums), seed, families=kinds(two_questions))
            assert [one.prompt for one in night] == ["Question 0?", "Question 1?"]

    def test_another_familys_text_is_not_generated_again(self):
        """Two families of one kind with two questions share them out."""
        sums = [PromptFamily(name=name, kind="arithmetic", nightly=1, pool=None, fixed=()) for name in ("a", "b")]
        night = night_prompts(prompt_set(*sums), "seed", families=kinds(two_questions))
        assert {one.prompt for one in night} == {"Question 0?", "Question 1?"}

    def test_a_kind_without_enough_questions_says_so(self):
        """Where a second different prompt is wanted of a kind with one question, the error names family and kind."""
        with pytest.raises(ContentError, match="found no new one after 1 in family 'sums', kind 'arithmetic'"):
            night_prompts(prompt_set(SUMS), "seed", families=kinds(one_question))

    def test_a_pool_kind_generates_nothing(self):
        """Asked to generate, a kind without a generator is refused."""
        with pytest.raises(ContentError, match="kind 'facts' has no generator in family 'towns'"):
            generate_prompts(FAMILIES["facts"], "towns", ("towns-1",), Draws("s"), fixed=True, taken=set())

    def test_what_is_taken_is_left_as_it_is(self):
        """Generating adds nothing to the caller's set of taken texts."""
        taken = {"x"}
        made = generate_prompts(FAMILIES["copy"], "c", generated_ids("c", 2), Draws("s"), fixed=True, taken=taken)
        assert taken == {"x"}
        assert [(one.prompt_id, one.fixed) for one in made] == [("c-n-01", True), ("c-n-02", True)]


def changed(base: PromptFamily, **fields: object) -> PromptFamily:
    """Return the family with its second fixed prompt changed."""
    second = msgspec.structs.replace(base.fixed[1], **fields)
    return msgspec.structs.replace(base, fixed=(base.fixed[0], second))


FAULTS = {
    "unknown kind": (family("sums", "algebra"), "found 'algebra' in prompt set 't1', family 'sums'"),
    "id twice": (changed(TOWNS, prompt_id="towns-1"), "expected a new id, .* 'towns-1' again .* prompt 'towns-1'"),
    "id in the pool": (changed(TOWNS, prompt_id="towns-p-03"), "expected a new id, .*, prompt 'towns-p-03'"),
    "id of a nightly one": (changed(SUMS, prompt_id="sums-n-02"), "expected a new id, .*, prompt 'sums-n-02'"),
    "text twice": (
        changed(TOWNS, prompt="Say towns-1."),
        "expected a new text, .* 'towns-1' again .* prompt 'towns-2'",
    ),
    "text in the pool": (changed(TOWNS, prompt="Say towns-p-05."), "expected a new text, .* prompt 'towns-p-05'"),
    "other family": (changed(TOWNS, family="sums"), "expected family 'towns', found 'sums' .* prompt 'towns-2'"),
    "not fixed": (changed(TOWNS, fixed=False), "expected fixed to be true, found false .* prompt 'towns-2'"),
    "fixed in a pool": (
        msgspec.structs.replace(TOWNS, pool=family("towns", "facts", pool=3, fixed=True).pool),
        "expected fixed to be false, found true .* prompt 'towns-p-00'",
    ),
    "key as written": (changed(TOWNS, expected="Paris."), "normalised, 'paris', found 'Paris.' .* prompt 'towns-2'"),
    "no key in it": (changed(SUMS, expected="seven"), "normalised, '', found 'seven' .* prompt 'sums-2'"),
    "empty key": (changed(TOWNS, expected=""), "normalised, '', found '' .* prompt 'towns-2'"),
    "missing key": (changed(TOWNS, expected=None), "expected a key, .* family 'towns', prompt 'towns-2'"),
    "key without a question": (
        changed(OPEN, expected="one two three"),
        "no key in an open-ended family, found 'one two three' .* family 'open', prompt 'open-2'",
    ),
    "small pool": (family("towns", "facts", pool=2), "a pool of at least 3 prompts, found 2 in .* family 'towns'"),
    "no pool": (family("towns", "facts"), "expected a pool, found none: kind 'facts' .* family 'towns'"),
    "negative count": (family("towns", "facts", nightly=-1, pool=1), "0 or more, found -1 in .* family 'towns'"),
}


class TestChecked:
    """A prompt set that passes gives a night for every seed."""

    def test_a_sound_set_passes(self):
        """Sets of every source and of no keys pass, and so does none at all."""
        check_prompt_set(SMALL)
        check_prompt_set(prompt_set(family("sums", "arithmetic", pool=3, expected="7")))
        check_prompt_set(prompt_set())

    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_fault_is_named_with_family_and_prompt(self, fault: str):
        """Each fault is refused with what was expected, what was found, and where."""
        faulty, message = FAULTS[fault]
        rest = [one for one in (OPEN, SUMS, TOWNS) if one.name != faulty.name]
        with pytest.raises(ContentError, match=message):
            check_prompt_set(prompt_set(*rest, faulty))

    def test_two_families_do_not_share_an_id(self):
        """An id that another family's nightly prompts will have is refused too."""
        other = changed(TOWNS, prompt_id="sums-n-01")
        with pytest.raises(ContentError, match=re.escape("expected a new id, found the one of prompt 'sums-n-01'")):
            check_prompt_set(prompt_set(SUMS, other))
