"""What every family promises of any text whatever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.probing.draws import Draws
from generator.probing.families import FAMILIES, Family, text

KINDS = sorted(FAMILIES)
OPEN_ENDED = {"continuation", "line-open"}
POOL_ONLY = {"continuation", "facts", "line", "line-open"}

each_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)

PIECES = st.sampled_from(
    [
        *"\n\t -,.:;|*_`'\"$(){}[]\\=+<>\u2014\u2212\u00bd\u00b2\u200b\u202e\ud800\x00\u0301\u0130\ufdfa\uff11",
        *(
            "**",
            "```",
            "~~~",
            "\\boxed{",
            "\\text{",
            "\\(",
            "{,}",
            "\\,",
            "--",
            "1.",
            "2) ",
            "and",
            " is ",
            "the capital",
        ),
        *("Answer:", "the answer is ", "101", "233", "1,234", "18 606", ".5", "-7", "BD207", "aB3-xY9-Zz0", "Friday"),
        *("1978-08-02", "Bogot\u00e1", "wo\u0301rd", "Port-au-Prince", "\u0149", "\u1e9e", "\u03c2\u0345", "m2"),
    ]
)
TEXTS = st.text(max_size=80) | st.lists(PIECES, max_size=30).map("".join) | st.lists(PIECES, max_size=12).map(" ".join)
"""Any text at all, and texts put together from what the normalisers look for."""

CHANGED = [char for char in map(chr, range(0x110000)) if char.isalnum() and text.fold(text.plain(char)) != char]
"""Letters and digits with another normal form: where NFKC and case folding could undo one another."""


class TestAnyTextWhatever:
    """Both functions take any text whatever, never raise, and return at most `text.CAP` characters."""

    @each_family
    @settings(deadline=None, max_examples=300)
    @given(raw=TEXTS)
    def test_normalising_again_changes_nothing(self, family: Family, raw: str):
        """A normalised answer is its own normal form, is short, and can be written as UTF-8."""
        answer = family.normalise(raw)
        assert len(answer) <= text.CAP
        assert answer.encode("utf-8").decode("utf-8") == answer
        if answer:
            assert family.normalise(answer) == answer

    @each_family
    @settings(deadline=None, max_examples=200)
    @given(raw=TEXTS)
    def test_the_cleaned_text_is_one_short_line(self, family: Family, raw: str):
        """The cleaned text has no line end, no control character and at most the cap, and stays when cleaned again."""
        cleaned = family.clean(raw)
        assert len(cleaned) <= text.CAP
        assert cleaned == text.collapse(cleaned)
        assert cleaned.isascii() is False or cleaned.isprintable()
        assert cleaned.encode("utf-8").decode("utf-8") == cleaned
        assert family.clean(cleaned) == cleaned

    @each_family
    def test_every_character_settles_at_once(self, family: Family):
        """Every character that cleaning changes, in a word and alone, leaves an answer that stays."""
        for char in CHANGED:
            answer = family.normalise(f"7 {char} BD207 a{char}b {char}c")
            assert not answer or family.normalise(answer) == answer, hex(ord(char))

    @each_family
    @pytest.mark.parametrize(
        "unit",
        [
            "1 ",
            "1,",
            "1, ",
            "100 ",
            "1",
            "-",
            "a-",
            "(",
            "((1)",
            "\\boxed{",
            "{",
            "```\n",
            "``` ",
            "1. ",
            "* 1\n",
            " ",
            "\n",
            "\u0301\u0316",
            "\ufdfa",
            "the answer is ",
            "Answer: ",
            "capital is ",
            "a b ",
            "\U0001f600",
            "\ud800",
            "\u202e",
        ],
    )
    def test_a_million_characters_of_anything_are_read_to_a_bound(self, family: Family, unit: str):
        """A long text has the answer of its beginning: what stands past the bound is not read."""
        hostile = unit * (1_000_000 // len(unit))
        assert family.normalise(hostile) == family.normalise(hostile[: text.READ])
        assert family.clean(hostile) == family.clean(hostile[: text.READ])

    def test_hidden_characters_do_not_change_an_answer(self):
        """A bidirectional mark, a zero-width space or a soft hyphen inside an answer is as if it were not there."""
        for hidden in "\u200b\u200e\u202e\u2066\u00ad\ufeff\x00\x07\ud800\ue000\ufffe":
            assert FAMILIES["arithmetic"].normalise(f"18{hidden}606") == "18606"
            assert FAMILIES["facts"].normalise(f"Pa{hidden}ris") == "paris"
            assert FAMILIES["line"].normalise(f"Pa{hidden}ris") == "paris"


class TestRegistry:
    """`FAMILIES` holds every kind by its name, and cannot be changed."""

    def test_the_kinds_are_these(self):
        """Eight kinds serve p1 and two the recorded answers of the demo."""
        assert KINDS == [
            "arithmetic",
            "calendar",
            "continuation",
            "copy",
            "facts",
            "line",
            "line-open",
            "lookup",
            "sorting",
            "units",
        ]
        assert all(kind == family.kind for kind, family in FAMILIES.items())

    def test_open_ended_and_pool_kinds_are_these(self):
        """Continuations are open-ended; facts, continuations and lines have no generator."""
        assert {kind for kind, family in FAMILIES.items() if family.open_ended} == OPEN_ENDED
        assert {kind for kind, family in FAMILIES.items() if family.generate is None} == POOL_ONLY

    def test_a_kind_keeps_its_meaning(self):
        """The registry refuses a new entry and a family refuses a new field value."""
        with pytest.raises(TypeError):
            FAMILIES["arithmetic"] = FAMILIES["line"]  # type: ignore[index]
        with pytest.raises(AttributeError):
            FAMILIES["arithmetic"].kind = "line"  # type: ignore[misc]

    @pytest.mark.parametrize("kind", sorted(set(KINDS) - POOL_ONLY))
    def test_a_generated_key_is_an_answer(self, kind: str):
        """Five hundred generated prompts: their keys are normalised, their cuts at least 16, their texts different."""
        family = FAMILIES[kind]
        assert family.generate is not None
        draws = Draws("keys", kind)
        made = [family.generate(draws) for _ in range(500)]
        assert all(one.expected and family.normalise(one.expected) == one.expected for one in made)
        assert all(one.max_tokens >= 16 for one in made)
        assert len({one.prompt for one in made}) >= 450
        assert made[0] == family.generate(Draws("keys", kind))
