"""Bodies that routers really gave, as observations: answers, failures, and event streams that nobody asked for."""

from __future__ import annotations

import csv
import json
from decimal import Decimal

import pytest
from msgspec import structs

from generator.probing.wire import ErrorKind, observe, stop
from generator.records.observation import Observation, Outcome
from tests.probing_makers import BODIES, LINE, ask, error, prompt, reply, seen

ANSWERS = {
    "answer_200_map_messages_reasoning": ("Google", "anthropic/claude-3.7-sonnet:thinking"),
    "answer_200_thinking_false_supports_thinking_model": ("Amazon Bedrock", "anthropic/claude-sonnet-4.5"),
    "answer_200_usage": ("OpenAI", "openai/gpt-5-mini"),
    "answer_200_usage_1": ("OpenAI", "openai/gpt-5-mini"),
    "answer_200_with_native_options": ("xAI", "x-ai/grok-4"),
    "answer_200_with_reasoning": ("BaseTen", "z-ai/glm-4.6"),
}
STREAMS = ("stream_200_stream_error", "stream_200_stream_with_native_options", "responses_200_tool_calls")
LICENCES = {"MIT", "Apache-2.0"}


def events(name: str) -> list[bytes]:
    """Return the data of each event of a recorded stream."""
    lines = (BODIES / f"{name}.txt").read_bytes().splitlines()
    return [line.removeprefix(b"data: ") for line in lines if line.startswith(b"data: {")]


@pytest.mark.parametrize("name", ANSWERS)
class TestAnswers:
    """What a provider really answered."""

    def test_answered_by_who_was_asked_alone(self, name: str):
        """A real answer is answered where its provider was asked, and misrouted where another was."""
        provider, model = ANSWERS[name]
        body = (BODIES / f"{name}.json").read_bytes()
        assert seen(body, of=ask(provider=provider, model=model, model_id=model)).outcome is Outcome.ANSWERED
        assert seen(body, of=ask(provider="Elm", model=model, model_id=model)).outcome is Outcome.MISROUTED
        assert seen(body, of=ask(provider=provider)).error_kind == ErrorKind.OTHER_MODEL

    def test_kept_as_received(self, name: str):
        """Text, counts, cost and id are those of the body."""
        provider, model = ANSWERS[name]
        data = (BODIES / f"{name}.json").read_bytes()
        body = json.loads(data, parse_float=Decimal)
        observation = seen(data, of=ask(provider=provider, model=model, model_id=model))
        assert observation.text == body["choices"][0]["message"]["content"]
        assert observation.generation_id == body["id"]
        assert observation.completion_tokens == body["usage"]["completion_tokens"]
        details = body["usage"].get("completion_tokens_details", {})
        assert observation.reasoning_tokens == details.get("reasoning_tokens")
        assert observation.cost_usd == body["usage"].get("cost")

    def test_spoilt_by_an_error(self, name: str):
        """The same body with an error on top is the endpoint's error, and keeps no text."""
        provider, model = ANSWERS[name]
        body = json.loads((BODIES / f"{name}.json").read_bytes()) | error(502)
        observation = seen(body, of=ask(provider=provider, model=model, model_id=model))
        assert (observation.outcome, observation.text) == (Outcome.ERROR, None)


def heard(name: str, status: int, speaker: str) -> Observation:
    """Return what is observed of a body that came through Hugging Face's router from a provider."""
    came = reply((BODIES / f"{name}.json").read_bytes(), status)
    asked = ask(provider="nebius", kind="line", prompt=prompt(expected=None))
    return observe(asked, structs.replace(came, speaker=speaker, model_is_providers=True), LINE)


def test_thinking_in_the_content_is_no_part_of_the_answer():
    """A provider that left DeepSeek's thinking in the content answered with what comes after it."""
    observation = heard("huggingface_answer_200_nebius", 200, "nebius")
    assert (observation.outcome, observation.served_provider) == (Outcome.ANSWERED, "nebius")
    assert (observation.text or "").startswith("<think>\nOkay, the user")
    assert (observation.answer or "").startswith("hello!")
    assert heard("huggingface_answer_200_nebius", 200, "together").outcome is Outcome.MISROUTED


def test_a_500_is_its_speakers():
    """A 500 that names nobody is the provider's whose name the router's header gives."""
    assert heard("huggingface_error_500_together", 500, "together").error_kind == ErrorKind.SERVER_ERROR
    assert seen((BODIES / "huggingface_error_500_together.json").read_bytes(), 500).error_kind == ErrorKind.ROUTER_ERROR


def test_a_rate_limit_that_names_the_provider_is_the_endpoints():
    """The 429 that was recorded names Google, as a status and inside HTTP 200."""
    body = (BODIES / "answer_429_errors_raised.json").read_bytes()
    for status in (429, 200):
        observation = seen(body, status)
        assert (observation.error_kind, observation.served_provider) == (ErrorKind.PROVIDER_RATE_LIMIT, "Google")
        assert stop(reply(body, status)) is None


@pytest.mark.parametrize("name", STREAMS)
class TestStreams:
    """Events were not asked for and are no answer."""

    def test_a_stream_is_no_json(self, name: str):
        """A stream of events is undecodable, comment lines in front of it or not."""
        assert seen((BODIES / f"{name}.txt").read_bytes()).error_kind == ErrorKind.UNDECODABLE

    def test_no_event_is_an_answer(self, name: str):
        """Nor is an event an answer by itself: a piece of one has no message, and another API's event no choice."""
        for event in events(name):
            named = json.loads(event)
            model = named.get("model", "author/model")
            asked = ask(provider=named.get("provider", "Elm"), model=model, model_id=model)
            observation = seen(event, of=asked)
            assert observation.outcome is Outcome.ERROR
            assert observation.error_kind in {ErrorKind.MALFORMED, ErrorKind.NO_CHOICES, ErrorKind.ERROR_OBJECT}


def test_the_error_after_the_limit():
    """The stream that was cut at its limit ends with an error, which is what comes of it."""
    last = events("stream_200_stream_error")[-1]
    assert json.loads(last)["error"]["code"] == 400
    assert seen(last).error_kind == ErrorKind.ERROR_OBJECT


def test_every_body_has_its_origin():
    """Origin, licence and size stand beside every recorded body, and beside no other."""
    with (BODIES / "MANIFEST.tsv").open(newline="") as file:
        rows = {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}
    found = {path.name: path.stat().st_size for path in BODIES.iterdir() if path.name != "MANIFEST.tsv"}
    assert {name: int(row["bytes"]) for name, row in rows.items()} == found
    assert {row["licence_of_source"] for row in rows.values()} == LICENCES
    assert all(row["source_repo"] and row["path"] and row["commit"] for row in rows.values())
