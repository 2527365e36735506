"""Observing is total: whatever comes back has one outcome that the archive can store, and no failure is an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generator.probing.families import FAMILIES
from generator.probing.interface import End, Reply
from generator.probing.wire import observe
from generator.records.observation import Outcome
from tests.probing_makers import LINE, ask, completion, error, prompt, reply, seen
from tests.wire_material import AT, HEADERS, NAMES, SCALARS, STATUSES, VALUES, check
from tests.wire_oracle import SPEAKING, why_failed


@given(st.binary(max_size=300), STATUSES | st.none(), st.sampled_from(End), HEADERS, st.none() | st.just("Elm"))
def test_any_bytes(body: bytes, status: int | None, end: End, headers: dict[str, str], speaker: str | None):
    """Bytes that nobody meant as a reply have an outcome, and are no answer."""
    came = Reply(end=end, status=status, headers=headers, body=body, latency_ms=2**40, requested_at=AT, speaker=speaker)
    assert check(ask(), came).outcome in {Outcome.ERROR, Outcome.UNSENT}


@given(VALUES, STATUSES)
def test_any_json(value: object, status: int):
    """Any JSON whatever has an outcome, and without choices is no answer."""
    assert check(ask(), reply(json.dumps(value).encode(), status)).outcome in {Outcome.ERROR, Outcome.UNSENT}


ROUTE = st.fixed_dictionaries(
    {},
    optional={
        "provider": st.sampled_from(["Elm", "elm ", "Oak", ""]) | VALUES,
        "model": st.sampled_from(["author/model", "author/other", "native"]) | VALUES,
        "selected": st.booleans() | VALUES,
        "status": st.sampled_from([200, 503]) | VALUES,
    },
)
ROUTES = st.lists(ROUTE | VALUES, max_size=3) | VALUES
PART = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "reference", "refusal", "image_url"])}, optional={"text": SCALARS}
)
CONTENT = st.sampled_from(["Paris", "", "<think>a</think>b"]) | st.lists(PART | VALUES, max_size=3) | VALUES
CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "finish_reason": st.sampled_from(["stop", "length", "error", "content_filter"]) | VALUES,
        "native_finish_reason": VALUES,
        "error": st.none() | VALUES,
        "message": st.fixed_dictionaries(
            {}, optional={"content": CONTENT, "refusal": st.none() | VALUES, "reasoning": VALUES, "tool_calls": VALUES}
        ),
    },
)
SHAPED = st.fixed_dictionaries(
    {"choices": st.lists(CHOICE | VALUES, max_size=2) | VALUES},
    optional={
        "id": VALUES,
        "provider": st.sampled_from(["Elm", "Elm", "Oak"]) | VALUES,
        "model": st.sampled_from(["author/model", "author/model", "author/other"]) | VALUES,
        "error": st.none() | VALUES,
        "object": st.sampled_from(["chat.completion", "error"]),
        "usage": st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens", "cost"]), VALUES) | VALUES,
        "openrouter_metadata": st.fixed_dictionaries(
            {}, optional={"endpoints": st.fixed_dictionaries({"available": ROUTES}), "attempts": ROUTES}
        ),
    },
)


@given(SHAPED, STATUSES, HEADERS, st.sampled_from([None, "Elm", "Oak"]))
def test_any_json_of_the_right_shape(value: dict[str, Any], status: int, headers: dict[str, str], speaker: str | None):
    """Any JSON that looks like a reply has an outcome, and is no answer where the oracle says that it failed."""
    body = json.dumps(value).encode()
    check(ask(), Reply(end=End.COMPLETE, status=status, headers=headers, body=body, requested_at=AT, speaker=speaker))


FAULTS: list[tuple[str, str, object]] = [
    *(("body", "error", value) for value in ({}, "no", {"code": 429}, {"code": "502"}, False)),
    ("body", "object", "error"),
    ("body", "provider", "Oak"),
    ("body", "provider", ""),
    ("body", "model", "author/other"),
    ("body", "openrouter_metadata", {"endpoints": {"available": [{"provider": "Oak", "selected": True}]}}),
    ("body", "openrouter_metadata", {"endpoints": {"available": [{"provider": "Oak", "selected": False}]}}),
    ("body", "openrouter_metadata", {"attempts": [{"provider": "Oak", "status": 503}]}),
    ("body", "openrouter_metadata", {"attempts": [{"provider": "Oak", "status": 200}]}),
    *(("choice", "error", value) for value in ({}, "no", {"code": 502}, False)),
    *(("choice", "finish_reason", value) for value in ("error", "Error ", "content_filter", "length", None, 7)),
    *(("message", "content", value) for value in (None, "", [], ["Paris"], 7, "<think>London", "Par\ud800is")),
    ("message", "content", [{"type": "thinking", "text": "London"}, {"type": "text", "text": "Paris"}]),
    ("message", "content", [{"type": "refusal", "text": "Paris"}]),
    *(("message", "refusal", value) for value in ("No", " ", 7)),
    ("message", "tool_calls", [{}]),
]
"""Members of a good answer that spoil it, or look as though they did."""


def good() -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return a good answer, and the objects in it by name."""
    body = completion()
    choice = body["choices"][0]
    return body, {"body": body, "choice": choice, "message": choice["message"]}


CIRCUMSTANCES = st.tuples(
    st.sampled_from([End.COMPLETE] * 4 + [End.BROKEN, End.TIMED_OUT, End.TOO_LARGE]),
    st.sampled_from([200] * 6 + [202, 429, 502]),
    st.sampled_from([{}] * 4 + [{"x-openrouter-cache-status": "HIT"}]),
    st.sampled_from([None, None, "Elm", "Oak"]),
)


@given(st.lists(st.sampled_from(FAULTS), max_size=2), st.booleans(), CIRCUMSTANCES)
@settings(max_examples=300)
def test_a_good_answer_with_any_known_faults(
    faults: list[tuple[str, str, object]],
    named: bool,  # noqa: FBT001 - drawn
    circumstances: tuple[End, int, dict[str, str], str | None],
):
    """A good answer with one or two faults is an answer only where the oracle sees nothing that failed."""
    body, objects = good()
    for where, name, value in faults:
        objects[where][name] = value
    if not named:
        del body["provider"]
    end, status, headers, speaker = circumstances
    data = json.dumps(body).encode()
    came = Reply(end=end, status=status, headers=headers, body=data, requested_at=AT, speaker=speaker)
    observation = check(ask(), came)
    if not faults and not why_failed(ask(), came):
        assert observation.outcome is Outcome.ANSWERED


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_each_known_fault_by_itself(fault: tuple[str, str, object]):
    """Each fault alone has an outcome that the oracle allows, whoever spoke."""
    body, objects = good()
    where, name, value = fault
    objects[where][name] = value
    for speaker in (None, "Elm", "Oak"):
        check(ask(), Reply(end=End.COMPLETE, status=200, body=json.dumps(body).encode(), speaker=speaker))


@given(st.sampled_from(["choice", "body", "message"]), NAMES | st.just("refusal"), VALUES)
def test_any_member_anywhere_in_a_good_answer(where: str, name: str, value: object):
    """A good answer with one member changed or added is still an answer, or has an outcome that is none."""
    body, objects = good()
    objects[where][name] = value
    observation = check(ask(), reply(json.dumps(body).encode()))
    assert name != "error" or value is None or where == "message" or observation.outcome is not Outcome.ANSWERED


@given(st.text(max_size=200), st.sampled_from(sorted(FAMILIES)), st.sampled_from(["stop", "length", None, "weird"]))
def test_any_text_in_any_family(text: str, kind: str, finish: str | None):
    """Whatever a model says can be judged and stored, and a cut is an answer in an open-ended family alone."""
    asked = ask(kind=kind, prompt=prompt(expected="42"))
    body = json.dumps(completion(text, choice={"finish_reason": finish})).encode()
    observation = observe(asked, reply(body), FAMILIES[kind])
    assert observation.outcome is not Outcome.ANSWERED or finish == "stop" or FAMILIES[kind].open_ended
    assert observation.outcome not in SPEAKING or observation.text == text
    if text.strip() and FAMILIES[kind].clean(text.strip()) and finish == "stop" and "think" not in text.lower():
        assert observation.outcome is Outcome.ANSWERED


@given(st.text(st.characters(categories=["Cs", "Lu"]), min_size=1, max_size=20))
@example("\ud800")
def test_surrogates_can_be_stored(text: str):
    """Halves of surrogate pairs, escaped as JSON can, come out as text that UTF-8 holds."""
    observation = check(ask(), reply(json.dumps(completion(text, provider=text, id=text)).encode()))
    assert observation.outcome is Outcome.MISROUTED
    assert (observation.text or "").encode("utf-8")


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
