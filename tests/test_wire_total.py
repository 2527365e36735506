"""Observing is total: whatever comes back has one outcome that the archive can store, and no failure is an answer."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from generator.archive.schema import OBSERVATIONS
from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, End, Reply
from generator.probing.wire import observe, retryable, stop
from generator.records.observation import Observation, Outcome
from tests.probing_makers import BODIES, LINE, ask, completion, error, prompt, reply, seen

SPEAKING = {Outcome.ANSWERED, Outcome.TRUNCATED, Outcome.MISROUTED}
STATUSES = st.sampled_from([200, 200, 200, 204, 302, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 529, 999])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "code", "content", "cost", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
)
REAL = [path.read_bytes() for path in sorted(BODIES.glob("answer_*.json"))]
HEADERS = st.dictionaries(
    st.sampled_from(["x-openrouter-cache-status", "retry-after", "content-type"]), st.text(max_size=9), max_size=2
)


def check(asked: Ask, came: Reply) -> Observation:
    """Return the observation of a reply after holding it to everything that is true of every observation."""
    observation = observe(asked, came, FAMILIES[asked.kind])
    assert (observation.text is None) or observation.outcome in SPEAKING
    assert (observation.text is None) == (observation.answer is None)
    assert (observation.correct is None) or observation.outcome in {Outcome.ANSWERED, Outcome.TRUNCATED}
    assert (observation.error_kind is None) == (observation.outcome in {Outcome.ANSWERED, Outcome.EMPTY})
    assert not retryable(observation) or observation.outcome is Outcome.UNSENT
    if came.status != 200 or came.end is not End.COMPLETE:
        assert observation.outcome is not Outcome.ANSWERED
    stop(came)
    fields = {name: getattr(observation, name) for name in OBSERVATIONS.names}
    pa.Table.from_pylist([fields], schema=OBSERVATIONS)
    return observation


@given(st.binary(max_size=300), STATUSES | st.none(), st.sampled_from(End), HEADERS)
def test_any_bytes(body: bytes, status: int | None, end: End, headers: dict[str, str]):
    """Bytes that nobody meant as a reply have an outcome, and are no answer."""
    came = Reply(end=end, status=status, headers=headers, body=body, latency_ms=2**40)
    assert check(ask(), came).outcome in {Outcome.ERROR, Outcome.UNSENT}


@given(VALUES, STATUSES)
def test_any_json(value: object, status: int):
    """Any JSON whatever has an outcome, and without choices is no answer."""
    assert check(ask(), reply(json.dumps(value).encode(), status)).outcome in {Outcome.ERROR, Outcome.UNSENT}


@given(
    st.sampled_from(["id", "provider", "model", "choices", "usage", "error"]),
    st.sampled_from(["finish_reason", "message", "error", "native_finish_reason"]),
    VALUES,
    VALUES,
)
def test_any_value_in_any_member(name: str, inner: str, value: object, inner_value: object):
    """A good answer with members of any value has an outcome; with an error in it, it is no answer."""
    observation = check(ask(), reply(json.dumps(completion(choice={inner: inner_value}, **{name: value})).encode()))
    failed = (name == "error" and value is not None) or (inner == "error" and inner_value is not None)
    assert observation.outcome is not Outcome.ANSWERED or not failed


@given(st.sampled_from(REAL), st.data())
def test_real_bodies_with_bytes_changed(body: bytes, data: st.DataObject):
    """A real body with some bytes overwritten, inserted or cut has an outcome."""
    place = data.draw(st.integers(0, len(body)))
    length = data.draw(st.integers(0, 40))
    mutated = body[:place] + data.draw(st.binary(max_size=8)) + body[place + length :]
    check(ask(provider="OpenAI", model="openai/gpt-5-mini"), reply(mutated, data.draw(STATUSES)))


@given(st.sampled_from(REAL), st.integers(min_value=0))
def test_a_real_body_cut_anywhere_is_no_answer(body: bytes, place: int):
    """An incomplete JSON body is an error, wherever it was cut."""
    whole = body.rstrip()
    came = reply(whole[: place % len(whole)])
    assert check(ask(), came).outcome is Outcome.ERROR


@given(st.text(max_size=200), st.sampled_from(sorted(FAMILIES)), st.sampled_from(["stop", "length", None, "weird"]))
def test_any_text_in_any_family(text: str, kind: str, finish: str | None):
    """Whatever a model says can be judged and stored, and a cut is an answer in an open-ended family alone."""
    asked = ask(kind=kind, prompt=prompt(expected="42"))
    body = json.dumps(completion(text, choice={"finish_reason": finish})).encode()
    observation = check(asked, reply(body))
    assert observation.outcome is not Outcome.ANSWERED or finish == "stop" or FAMILIES[kind].open_ended
    if text.strip() and FAMILIES[kind].clean(text.strip()) and finish == "stop" and "think" not in text.lower():
        assert observation.outcome is Outcome.ANSWERED


@given(st.text(st.characters(categories=["Cs", "Lu"]), min_size=1, max_size=20))
def test_surrogates_can_be_stored(text: str):
    """Halves of surrogate pairs, escaped as JSON can, come out as text that UTF-8 holds."""
    observation = check(ask(), reply(json.dumps(completion(text, provider=text, id=text)).encode()))
    assert observation.outcome is Outcome.MISROUTED
    assert (observation.text or "").encode("utf-8")


def test_a_megabyte_of_opened_thoughts_is_read_in_linear_time():
    """A hostile megabyte is judged like any other body; that this test ends shows that nothing is quadratic."""
    for piece in ("<think></think>", "<think>", "</think>", "<thinking></think>", " ", "\u200b"):
        text = piece * (1_000_000 // len(piece))
        assert seen(completion(text)).outcome in {Outcome.EMPTY, Outcome.ANSWERED}


def test_a_family_sees_no_thinking():
    """A normaliser is handed the answer alone."""
    handed: list[Any] = []

    class Listening:
        open_ended = False

        def normalise(self, text: str) -> str:
            handed.append(text)
            return text

        clean = normalise

    observe(ask(), reply(completion("<think>London</think>\n Paris \n")), Listening())
    assert set(handed) == {"Paris"}


def test_an_error_is_never_an_answer_whatever_else_the_body_holds():
    """Each known error beside a whole answer is still an error."""
    for code in (400, 404, 500, 502, "502", None, {}):
        assert seen(completion() | error(code)).outcome is Outcome.ERROR
    assert LINE.normalise("Paris") == "paris"
