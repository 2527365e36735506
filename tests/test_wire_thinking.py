"""Thinking is never part of the answer, whatever form it has; an answer that mentions a mark is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from generator.probing.wire_thinking import without_thinking
from generator.records.observation import Outcome
from tests.probing_makers import completion, seen

FORMS = [
    ("<think>", "</think>"),
    ("<THINK>", "</Think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reason>", "</reason>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final <|message|>"),
]
LENGTH = {"finish_reason": "length"}
SIGNS = "<>[]|◁▷/`"
PLAIN = st.text(st.characters(blacklist_characters=SIGNS, blacklist_categories=["Cs"]), max_size=40)
SAYING = PLAIN.filter(lambda text: not text.lstrip().startswith("analysis"))
FORM = st.sampled_from(FORMS)


@pytest.mark.parametrize(("opening", "closing"), FORMS)
class TestEachForm:
    """What each form of the known models' does."""

    def test_a_block(self, opening: str, closing: str):
        """A block in front of the answer is left out of it, and kept in the text as received."""
        content = f"{opening}Is it London?{closing}\n\nParis"
        observation = seen(completion(content))
        assert (observation.answer, observation.correct, observation.text) == ("paris", True, content)

    def test_several_blocks(self, opening: str, closing: str):
        """Blocks one after another are all thinking, of this form or of another."""
        block = f" \n{opening}London{closing}\n"
        assert without_thinking(f"{block}{block}<think>Rome</think>Paris") == "Paris"

    def test_nested(self, opening: str, closing: str):
        """A block inside a block ends nothing."""
        assert without_thinking(f"{opening}a{opening}London{closing}Rome{closing}Paris") == "Paris"

    def test_an_opening_mark_that_the_thinking_mentions(self, opening: str, closing: str):
        """Where the marks never balance the last closing mark ends the thinking."""
        assert without_thinking(f"{opening}I began with {opening} just now.{closing}Paris") == "Paris"

    def test_never_closed(self, opening: str, closing: str):
        """A block that the limit cut is a truncated answer without any word."""
        assert closing not in opening
        observation = seen(completion(f"{opening}Paris", choice=LENGTH))
        assert (observation.outcome, observation.answer) == (Outcome.TRUNCATED, "")

    def test_nothing_but_a_block(self, opening: str, closing: str):
        """Nothing but thinking is an empty answer."""
        assert seen(completion(f"{opening}Paris{closing}\n")).outcome is Outcome.EMPTY

    @pytest.mark.parametrize("end", ["\n\n", "", " "])
    def test_opened_by_the_template(self, opening: str, closing: str, end: str):
        """A closing mark alone ends thinking that a chat template opened, and so does its repetition."""
        assert opening
        for marks in (closing, f"{closing}\n{closing}"):
            assert without_thinking(f"Is it London?{marks}{end}Paris").strip() == "Paris"

    def test_mentioned_in_the_middle(self, opening: str, closing: str):
        """An answer that mentions the marks behind its first word is left alone, to the letter."""
        for answer in (
            f"It opens with {opening} and closes with {closing}, they say.",
            f"It opens with {opening}",
            f"Paris ends with `{closing}` as a rule.",
            f"Write {closing} to end it.",
            f'The mark "{closing}" ends it.',
            f"Paris {opening}London{closing} Rome",
        ):
            assert without_thinking(answer) == answer
            assert without_thinking(f"{opening}London{closing}{answer}") == answer


@given(st.lists(st.tuples(FORM, PLAIN), min_size=1, max_size=3), SAYING)
def test_any_thinking_in_front_of_any_answer(blocks: list[tuple[tuple[str, str], str]], answer: str):
    """Blocks of any forms and contents leave the answer behind them, word for word."""
    content = "".join(f"{opening}{thought}{closing}" for (opening, closing), thought in blocks)
    assert without_thinking(content + answer).strip() == answer.strip()


@given(st.lists(st.tuples(FORM, PLAIN), min_size=1, max_size=3), SAYING, st.sampled_from(["stop", "length"]))
def test_thinking_changes_nothing_but_the_text(blocks: list[tuple[tuple[str, str], str]], answer: str, finish: str):
    """What is observed of an answer behind thinking is what is observed of it alone, the text as received apart."""
    thinking = "".join(f"{opening}{thought}{closing}" for (opening, closing), thought in blocks)
    alone, behind = (seen(completion(text, choice={"finish_reason": finish})) for text in (answer, thinking + answer))
    assert structs.replace(behind, text=alone.text) == alone
    assert behind.text in {None, thinking + answer}


@given(SAYING)
def test_a_text_without_marks_is_the_answer(answer: str):
    """What has no mark of thinking is left as it is."""
    assert without_thinking(answer).strip() == answer.strip()


@given(st.lists(st.sampled_from([mark for form in FORMS for mark in form]) | PLAIN, max_size=8).map("".join))
def test_what_is_left_ends_the_text(content: str):
    """Whatever marks a text has, what is left is its end, and thinking never makes up words."""
    assert content.endswith(without_thinking(content))


class TestChannelsWithoutMarks:
    """gpt-oss behind a server that drops the marks of its channels and keeps their names."""

    def test_the_names_of_both_channels(self):
        """What stands between the names of both channels is thinking."""
        assert without_thinking("analysisThe user asks for a capital.assistantfinalParis") == "Paris"

    @pytest.mark.parametrize("answer", ["analysis", "analysis of the data", "Paris assistantfinal", "assistantfinal"])
    def test_words_of_an_answer(self, answer: str):
        """One of the names alone is a word like any other."""
        assert without_thinking(answer) == answer


@pytest.mark.parametrize(
    "content", ["<thinkers>a</thinkers>b", "<\u017feed:think>a</seed:think>b", "<TH\u0130NK>a</TH\u0130NK>b"]
)
def test_other_tags_are_no_thinking(content: str):
    """A tag of another name, or one whose letters only fold to a name, opens nothing."""
    assert not without_thinking(content).startswith("a")
    assert without_thinking(content) in {content, "b"}


def test_a_megabyte_of_marks_is_read_in_linear_time():
    """A hostile megabyte is judged like any other body; that this test ends shows that nothing is quadratic."""
    pieces = [mark for form in FORMS[::3] for mark in form] + [
        "<think></think>",
        " </think> ",
        " ",
        "\u200b",
        "a</think>",
    ]
    for piece in pieces:
        text = piece * (1_000_000 // len(piece))
        assert seen(completion(text)).outcome in {Outcome.EMPTY, Outcome.ANSWERED}
