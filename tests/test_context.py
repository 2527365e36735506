"""Context probes as a rule: how they are drawn, which size an endpoint is asked, and what they may never touch."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import probing_makers as makers
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lookup_router import looked_up

from generator.errors import ContentError, IntegrityError
from generator.probing.context import context_prompt, rung_of, tonights_rung
from generator.probing.demo.content import demo_root_files
from generator.probing.demo.recording import load_recording
from generator.probing.families import FAMILIES
from generator.probing.night_prompts import check_prompt_set
from generator.records.prompt import PromptFamily, PromptSet
from tests.method_archive import MODEL, Fleet, graded
from tests.method_variants import METHOD

SEED = "5eed" * 8
NIGHT = date(2026, 11, 30)
RUNGS = (1024, 4096, 16_384)
ANSWER = 24
TEMPLATE = 1024
FORMAT = Path("archive/FORMAT.md").read_text()
seeds = st.binary(min_size=16, max_size=16).map(bytes.hex)


class TestAProbeIsALookUpBuriedInFiller:
    @given(seed=seeds, rung=st.integers(256, 3000))
    def test_its_one_code_is_the_key_and_is_where_the_question_says(self, seed: str, rung: int):
        """Whoever reads the whole prompt finds exactly one code, which answers are normalised to."""
        made = context_prompt(seed, rung)
        assert looked_up(made.prompt) == made.expected
        assert re.findall(r"[A-Z]{2}[0-9]{3}", made.prompt) == [made.expected]
        assert FAMILIES["lookup"].normalise(f"It is {made.expected}.") == made.expected
        assert (made.prompt_id, made.family, made.fixed, made.max_tokens) == (f"context-{rung}", "context", False, 24)
        assert rung_of(made.prompt_id) == rung

    def test_its_depth_is_drawn(self):
        """Over sixty nights the code lies in each quarter of the filler."""
        quarters: Counter[int] = Counter()
        for night in range(60):
            lines = context_prompt(f"{night:032x}", 1024).prompt.splitlines()
            (place,) = (place for place, line in enumerate(lines) if line.startswith("The code of the"))
            quarters[4 * place // len(lines)] += 1
        assert set(quarters) == {0, 1, 2, 3}

    def test_every_night_and_every_size_has_its_own_text(self):
        """No two nights, and no two sizes of a night, share so much as their first ten lines."""
        openings = {
            "\n".join(context_prompt(seed, rung).prompt.splitlines()[:10])
            for seed in ("00" * 16, "01" * 16)
            for rung in (256, 257, 4096)
        }
        assert len(openings) == 6


class TestTheSizeIsNotMoreThanTokenizersCount:
    @pytest.mark.parametrize("rung", [256, 1000, 1023, 1024, 4096, 16_384])
    def test_a_probe_has_as_many_words_as_its_rung_and_the_question(self, rung: int):
        """Filler of `rung` words, but for part of a sentence, and 21 words of look-up and question."""
        assert rung < len(context_prompt(SEED, rung).prompt.split()) <= rung + 21

    def test_no_recorded_prompt_without_digits_counts_fewer_tokens_than_words_nor_more_than_1_62_a_word(self):
        """What the estimate was checked against: 60 prompts of the demo's recording, as two models counted them."""
        recording = load_recording()
        prompts = [prompt.prompt for prompt in recording.prompts if not re.search("[0-9]", prompt.prompt)]
        ratios: dict[str, list[float]] = {}
        for model in recording.models():
            for prompt in prompts:
                counts = [
                    sample.prompt_tokens
                    for endpoint in recording.endpoints
                    if endpoint.model == model
                    for sample in recording.samples(model, endpoint.tag, prompt)
                ]
                # One endpoint of the recording puts a prompt of its own in front: the most common count is without.
                ((common, _),) = Counter(counts).most_common(1)
                ratios.setdefault(model, []).append(common / len(prompt.split()))
        assert {model: len(found) for model, found in ratios.items()} == dict.fromkeys(recording.models(), 60)
        assert len(ratios) == 2
        assert min(map(min, ratios.values())) >= 1
        assert max(map(max, ratios.values())) < 1.625


class TestAStrangerCanRedrawIt:
    @pytest.mark.parametrize(("seed", "rung"), [(SEED, 256), ("00" * 16, 1000), ("f" * 32, 4096)])
    def test_the_recipe_of_format_md_gives_the_same_text(self, seed: str, rung: int):
        """With SHA-256, the lists of FORMAT.md and its recipe alone, the prompt comes out to the byte."""
        draw = _stream(seed, rung)
        lists = {name: _listed(name) for name in ("adjectives", "nouns", "verbs", "places", "letters")}

        def word(of: str) -> str:
            return lists[of][draw(len(lists[of]))]

        lines = []
        for _ in range(rung // 8):
            adjective, noun, verb, place = word("adjectives"), word("nouns"), word("verbs"), word("places")
            lines.append(f"The {adjective} {noun} {verb} {place} the {word('adjectives')} {word('nouns')}.")
        thing = f"{word('adjectives')} {word('nouns')}"
        code = f"{word('letters')}{word('letters')}{100 + draw(900)}"
        lines.insert(draw(len(lines) + 1), f"The code of the {thing} is {code}.")
        text = "\n".join(lines) + f"\n\nWhat is the code of the {thing}? Answer with the code only."
        made = context_prompt(seed, rung)
        assert (text, code) == (made.prompt, made.expected)

    def test_its_lists_are_words_that_stand_once(self):
        """72 words and four letters, none twice: no thing has two names."""
        for name, count in (("adjectives", 16), ("nouns", 32), ("verbs", 8), ("places", 8), ("letters", 4)):
            found = _listed(name)
            assert len(found) == len(set(found)) == count


class TestOneRungANightInRotation:
    def test_each_size_has_its_turn(self):
        """Over any three nights in a row each of three sizes is asked once; the calendar says which."""
        for start in range(30):
            asked = [rung(NIGHT + timedelta(days=start + day), None) for day in range(3)]
            assert sorted(asked) == list(RUNGS)
        assert rung(NIGHT, None) == RUNGS[NIGHT.toordinal() % 3]

    @pytest.mark.parametrize("size", RUNGS)
    def test_a_size_is_asked_only_within_the_listed_context(self, size: int):
        """Half as much again for the tokenizer, 1024 tokens of template, and the answer: one token less is short."""
        needed = size * 3 // 2 + TEMPLATE + ANSWER
        nights = [NIGHT + timedelta(days=day) for day in range(3)]
        assert size in {rung(night, needed) for night in nights}
        assert size not in {rung(night, needed - 1) for night in nights}

    def test_thinking_takes_its_room(self):
        """What the request allows the answer, thinking included, must fit too."""
        needed = 1024 * 3 // 2 + TEMPLATE + ANSWER
        assert rung(NIGHT, needed, answer_tokens=ANSWER + 1) is None

    def test_a_limit_on_the_prompt_counts_where_the_listing_names_one(self):
        """`max_prompt_tokens` bounds the prompt alone, without the answer; of inseparable listings the least counts."""
        needed = 1024 * 3 // 2 + TEMPLATE
        assert rung(NIGHT, None, raw=f'{{"max_prompt_tokens": {needed}}}') == 1024
        assert rung(NIGHT, None, raw=f'{{"max_prompt_tokens": {needed - 1}}}') is None
        two = f'[{{"max_prompt_tokens": {needed}}}, {{"max_prompt_tokens": null}}, {{"max_prompt_tokens": 99}}]'
        assert rung(NIGHT, None, raw=two) is None

    @pytest.mark.parametrize(
        "raw", ["{}", "[]", "", "nonsense", '"text"', "[1, null]", '{"max_prompt_tokens": "many"}', "[" * 100_000]
    )
    def test_a_listing_that_names_no_limit_sets_none(self, raw: str):
        """Whatever a router writes there: without a number there is no limit."""
        assert rung(NIGHT, None, raw=raw) in RUNGS

    def test_without_sizes_nothing_is_asked(self):
        """An empty ladder is no probe at all."""
        assert tonights_rung(NIGHT, (), context_length=None, raw="{}", answer_tokens=ANSWER) is None


class TestNothingIsPublishedThatWasNotMeasured:
    def test_the_demo_asks_no_probe(self):
        """The recording holds no answer to one: the demo's ladder is empty, and its context is not measured."""
        assert tomllib.loads(demo_root_files()["site.toml"].decode())["context"] == {"rungs": []}


class TestNoPromptSetCanBeTakenForAProbe:
    def test_its_family_cannot_be_called_so(self):
        """A family 'context' is refused before a night is planned."""
        family = PromptFamily(name="context", kind="lookup", nightly=1, pool=None, fixed=())
        with pytest.raises(ContentError, match="context probes"):
            check_prompt_set(PromptSet(name="own", sha256="0" * 64, families=(family,)))

    def test_nor_one_of_its_prompts(self):
        """The id of a probe names its size: no prompt of a set has one like it."""
        prompt = makers.prompt(prompt_id="context-1024", family="tales", expected=None)
        family = PromptFamily(name="tales", kind="line", nightly=0, pool=(), fixed=(prompt,))
        with pytest.raises(ContentError, match="context-"):
            check_prompt_set(PromptSet(name="own", sha256="0" * 64, families=(family,)))


@pytest.fixture
def fleet() -> Fleet:
    """Return a week of a small fleet."""
    return Fleet(fixed={"tides": 2}, days=7)


class TestShownAndNotGraded:
    def test_a_probe_moves_nothing_but_the_observed_context(self, fleet: Fleet):
        """With the slowest of probes on every night, each grade is the same but for one figure."""
        plain = fleet.tables()
        probed = [
            msgspec.structs.replace(night, context=_probes(night.context.schema, size=1000 + n, latency_ms=119_000))
            for n, night in enumerate(plain)
        ]
        without = {grade.endpoint: grade for grade in graded(plain, METHOD, fleet.days)}
        found = {grade.endpoint: grade for grade in graded(probed, METHOD, fleet.days)}
        assert found["dune"].context_observed == 1006
        assert without["dune"].median_latency_ms == found["dune"].median_latency_ms is not None
        assert {name: msgspec.structs.replace(grade, context_observed=None) for name, grade in found.items()} == without

    @pytest.mark.parametrize("change", [{"endpoint": "nobody"}, {"rung_tokens": None}])
    def test_a_probe_of_nobody_or_of_no_size_is_refused(self, fleet: Fleet, change: dict[str, object]):
        """An archive whose probes name no endpoint of the night, or no size, is one message and no grade."""
        (first, *rest) = fleet.tables()
        rows = _probes(first.context.schema, size=256, latency_ms=1).to_pylist()
        broken = pa.Table.from_pylist([rows[0] | change], schema=first.context.schema)
        with pytest.raises(IntegrityError, match="with a size"):
            graded([msgspec.structs.replace(first, context=broken), *rest], METHOD, fleet.days)

    def test_the_class_is_that_of_the_median_time_to_a_complete_answer(self, fleet: Fleet):
        """Only what was answered counts, over all nights of the window: failures as slow as can be move no class."""
        tables = fleet.tables()
        for n, night in enumerate(tables):
            rows = night.observations.to_pylist()
            failed = {"latency_ms": 119_000, "outcome": "error", "answer": None}
            slow = [
                row
                | (failed if (row["endpoint"], row["prompt_id"]) == ("dune", "tides-2") else {"latency_ms": 900 + n})
                for row in rows
            ]
            observations = pa.Table.from_pylist(slow, schema=night.observations.schema)
            tables[n] = msgspec.structs.replace(night, observations=observations)
        (dune,) = (grade for grade in graded(tables, METHOD, fleet.days) if grade.endpoint == "dune")
        assert (dune.median_latency_ms, dune.latency_class) == (903, METHOD.definition.latency.classes[0].name)


def rung(night: date, context_length: int | None, *, raw: str = "{}", answer_tokens: int = ANSWER) -> int | None:
    """Return tonight's size of an endpoint with so much context."""
    return tonights_rung(night, RUNGS, context_length=context_length, raw=raw, answer_tokens=answer_tokens)


def _probes(schema: pa.Schema, *, size: int, latency_ms: int) -> pa.Table:
    row = {
        "model": MODEL,
        "endpoint": "dune",
        "rung_tokens": size,
        "prompt_tokens": size,
        "outcome": "answered",
        "correct": False,
        "latency_ms": latency_ms,
        "cost_usd": Decimal("0.01"),
    }
    return pa.Table.from_pylist([row], schema=schema)


def _listed(name: str) -> list[str]:
    (found,) = re.findall(rf"^- {name}: (.*(?:\n  .*)*)$", FORMAT, re.MULTILINE)
    return " ".join(found.split()).split(", ")


def _stream(seed: str, rung: int) -> Callable[[int], int]:
    texts = (seed.encode(), b"context probe", str(rung).encode())
    key = hashlib.sha256(b"".join(len(text).to_bytes(8, "big") + text for text in texts)).digest()

    def numbers() -> Iterator[int]:
        drawn = 0
        while True:
            yield int.from_bytes(hashlib.sha256(key + drawn.to_bytes(8, "big")).digest(), "big")
            drawn += 1

    stream = numbers()

    def draw(count: int) -> int:
        return next(number for number in stream if number < 2**256 // count * count) % count

    return draw
