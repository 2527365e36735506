"""Each sentence of what is known of routers, as far as a reply shows it: quoted, with what is observed of it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from generator.probing.interface import End, Reply, Stop
from generator.probing.wire import observe, request_body, request_headers, stop
from generator.records.observation import Observation, Outcome
from tests.probing_makers import CONTINUATION, LINE, SETTINGS, ask, completion, error, prompt, reply, seen

WHOLE = json.dumps(completion()).encode()
THOUGHT = {"reasoning_tokens": 40}
CALL = {"id": "call_1", "type": "function", "function": {"name": "capital", "arguments": "{}"}}


def message(**fields: object) -> dict[str, Any]:
    """Return a completion whose message has these fields."""
    return completion(choice={"message": {"role": "assistant", **fields}})


def metadata(*selected: str, attempts: list[Any] | None = None, model: str = "author/model-20260101") -> dict[str, Any]:
    """Return a router's metadata in which some providers were selected, out of them and one more."""
    available = [{"provider": name, "model": model, "selected": True} for name in selected]
    other = {"provider": "Ash", "model": model, "selected": False}
    return {
        "requested": "author/model",
        "strategy": "direct",
        "attempt": 1,
        "endpoints": {"total": len(available) + 1, "available": [other, *available]},
        **({"attempts": attempts} if attempts is not None else {}),
    }


def attempt(provider: object, status: object, model: object = "author/model") -> dict[str, Any]:
    """Return one attempt of a router's metadata."""
    return {"provider": provider, "model": model, "status": status}


SENTENCES: list[tuple[str, object, int, str, str | None]] = [
    # Asking one endpoint.
    ("thinking is never part of the answer", message(content="Paris", reasoning="London"), 200, "answered", None),
    ("a budget eaten by thinking with empty content is truncated when finish_reason is length",
     completion("", choice={"finish_reason": "length"}, usage={"completion_tokens_details": THOUGHT}), 200,
     "truncated", "token_limit"),
    ("... and empty where the finish is normal",
     completion("", usage={"completion_tokens_details": THOUGHT}), 200, "empty", None),
    ("Tolerate reasoning_tokens > completion_tokens",
     completion(usage={"completion_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 11}}), 200,
     "answered", None),
    # Who answered.
    ("Body provider", completion(provider="Oak"), 200, "misrouted", "other_provider"),
    ("and model (may echo a dated", completion(model="author/model-20260101"), 200, "answered", None),
    ("or alias name of the same model)", completion(model="model"), 200, "answered", None),
    ("and model: another date is another snapshot", completion(model="author/model-20250101"), 200, "misrouted",
     "other_model"),
    ("id", completion(id=7), 200, "answered", None),
    ("metadata: the endpoint that was selected is the one asked", completion(openrouter_metadata=metadata("Elm")), 200,
     "answered", None),
    ("metadata: another provider was selected", completion(openrouter_metadata=metadata("Oak")), 200, "misrouted",
     "other_provider"),
    ("metadata: another provider was selected too", completion(openrouter_metadata=metadata("Elm", "Oak")), 200,
     "misrouted", "other_provider"),
    ("metadata: another model was selected", completion(openrouter_metadata=metadata("Elm", model="author/other")), 200,
     "misrouted", "other_model"),
    ("metadata: a provider's own name of the model says nothing",
     completion(openrouter_metadata=metadata("Elm", model="accounts/elm/models/m")), 200, "answered", None),
    ("metadata attempts: one failed before the endpoint asked answered",
     completion(openrouter_metadata=metadata(attempts=[attempt("Oak", 503), attempt("Elm", 200)])), 200, "answered",
     None),
    ("metadata attempts: another provider's succeeded",
     completion(openrouter_metadata=metadata(attempts=[attempt("Elm", 503), attempt("Oak", 200)])), 200, "misrouted",
     "other_provider"),
    ("metadata attempts: of other shapes say nothing",
     completion(openrouter_metadata=metadata(attempts=["Oak", attempt("Oak", "200"), attempt("Oak", 200.5), {}])), 200,
     "answered", None),
    ("metadata of another shape says nothing", completion(openrouter_metadata=[metadata("Oak")]), 200, "answered",
     None),
    ("metadata: endpoints of another shape say nothing", completion(openrouter_metadata={"endpoints": ["Oak"]}), 200,
     "answered", None),
    # Errors.
    ("Status 400", error(400), 400, "unsent", "refused_request"),
    ("401", error(401), 401, "unsent", "key_refused"),
    ("402", error(402), 402, "unsent", "no_credit"),
    ("403", error(403), 403, "unsent", "forbidden"),
    ("404", error(404), 404, "error", "no_endpoint"),
    ("404 because of the price that the request allows",
     {"error": {"code": 404, "message": "No endpoints found that satisfy the max price for this request"}}, 404,
     "unsent", "price_changed"),
    ("404 because of the price, as the failed step of routing says",
     {"error": {"code": 404, "message": "None left", "metadata": {"failed_routing_step": "Filter by Max Price"}}}, 404,
     "unsent", "price_changed"),
    ("404 because of the account's settings, as the failed step of routing says",
     {"error": {"code": 404, "message": "None left", "metadata": {"failed_routing_step": "Filter by Guardrails"}}}, 404,
     "unsent", "account_settings"),
    ("408", error(408), 408, "error", "timeout"),
    ("413", error(413), 413, "unsent", "refused_request"),
    ("422", error(422), 422, "unsent", "refused_request"),
    ("429", error(429), 429, "error", "provider_rate_limit"),
    ("500", error(500), 500, "unsent", "router_error"),
    ("502", error(502, provider="Elm"), 502, "error", "server_error"),
    ("502 of a failed attempt that the metadata lists",
     error(502) | {"openrouter_metadata": metadata(attempts=[attempt("Elm", 502)])}, 502, "error", "server_error"),
    ("502 of attempts that never failed", error(502) | {"openrouter_metadata": metadata("Elm", attempts=[])}, 502,
     "unsent", "router_error"),
    ("503", error(503), 503, "unsent", "router_error"),
    ("524", error(524, provider="Elm"), 524, "error", "timeout"),
    ("529", error(529, provider="Elm"), 529, "error", "provider_rate_limit"),
    ("inside HTTP 200: top-level error", completion(error={"code": 502}), 200, "error", "error_object"),
    ("inside HTTP 200: an error that is the body itself", {"object": "error", "message": "No", "code": 500}, 200,
     "error", "error_object"),
    ("404 of an error that is the body itself", {"object": "error", "message": "No such model", "code": 404}, 404,
     "error", "no_endpoint"),
    ("choices[0].error with finish_reason 'error'",
     completion("Par", choice={"finish_reason": "error", "error": {"code": 502, "message": "Gone"}}), 200, "error",
     "error_object"),
    ("an error in a choice beside the first", completion() | {"choices": [*completion()["choices"], {"error": 1}]}, 200,
     "error", "error_object"),
    ("no choices", {"id": "gen-1", "provider": "Elm"}, 200, "error", "no_choices"),
    ("content: null (billed", completion(None, usage={"completion_tokens": 9, "cost": 0.1}), 200, "error",
     "null_content"),
    ("or not)", completion(None, usage={"completion_tokens": 0, "cost": 0}), 200, "error", "null_content"),
    ("content: null where a tool is called", message(content=None, tool_calls=[CALL]), 200, "error", "null_content"),
    ("a call of a tool that says so",
     completion("Let me see", choice={"finish_reason": "tool_calls"}), 200, "error", "unexpected_finish"),
    ("an empty list of calls beside the content is none", message(content="Paris", tool_calls=[]), 200, "answered",
     None),
    ("content: null with a refusal", message(content=None, refusal="I cannot"), 200, "error", "content_filter"),
    ("content and a refusal", message(content="Paris", refusal="I cannot"), 200, "error", "content_filter"),
    ("a refusal that is null or blank is none", message(content="Paris", refusal=" "), 200, "answered", None),
    ("content as a list of parts", message(content=[{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}]),
     200, "answered", None),
    ("... with thinking", message(content=[{"type": "thinking", "thinking": []}, {"type": "text", "text": "Paris"}]),
     200, "answered", None),
    ("... with references", message(content=[{"type": "output_text", "text": "Paris"}, {"type": "reference"}]), 200,
     "answered", None),
    ("... with nothing but thinking", message(content=[{"type": "thinking", "thinking": "London"}]), 200, "empty",
     None),
    ("... with no part", message(content=[]), 200, "error", "null_content"),
    ("... with a refusal", message(content=[{"type": "refusal", "refusal": "No"}]), 200, "error", "content_filter"),
    ("... with a picture", message(content=[{"type": "text", "text": "Paris"}, {"type": "image_url"}]), 200, "error",
     "malformed"),
    ("... with a text that is none", message(content=[{"type": "text", "text": ["Paris"]}]), 200, "error", "malformed"),
    ("... with a type that is none", message(content=[{"type": ["text"], "text": "Paris"}]), 200, "error", "malformed"),
    ("an error after finish_reason: length", completion("Par", choice={"finish_reason": "length"}, error={"code": 400}),
     200, "error", "error_object"),
    ("keep-alive white space before the JSON body", b"\n" * 5000 + b"  \r\n\t" + WHOLE, 200, "answered", None),
    ("keep-alive white space before an error", b"\n \n" + json.dumps(error(429, provider="Elm")).encode(), 200,
     "error", "provider_rate_limit"),
    ("comment lines are of an event stream, which was not asked for", b": OPENROUTER PROCESSING\n\n" + WHOLE, 200,
     "error", "undecodable"),
    ("error.code is an int", error(429, limit_source="shared_pool"), 200, "unsent", "router_rate_limit"),
    ("or a string", error("429", limit_source="shared_pool"), 200, "unsent", "router_rate_limit"),
    ("... of words", error("rate_limit_exceeded"), 200, "error", "error_object"),
    ("429 with metadata.limit_source of a shared pool", error(429, provider="Elm", limit_source="shared_pool"), 429,
     "unsent", "router_rate_limit"),
    ("or the account is the router's", error(429, limit_source="openrouter_account"), 429, "unsent",
     "router_rate_limit"),
    ("without it", error(429, provider="Elm"), 429, "error", "provider_rate_limit"),
    ("or naming the provider it is the endpoint's", error(429, provider="Elm", limit_source="Elm"), 429, "error",
     "provider_rate_limit"),
    ("429 that names the provider without an error object", {"provider": "Elm"}, 429, "error", "provider_rate_limit"),
    ("redirects not followed", b"", 307, "unsent", "wrong_address"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "body", "status", "outcome", "kind"), SENTENCES, ids=[row[0] for row in SENTENCES]
)
def test_what_is_observed_of_a_fact(sentence: str, body: object, status: int, outcome: str, kind: str | None):
    """Each fact that is known of routers has its outcome and kind."""
    observation = seen(body, status)
    assert (observation.outcome, observation.error_kind) == (outcome, kind), sentence
    if outcome == "answered":
        assert observation.answer == "paris"


def test_cache_status_hit_is_not_measured():
    """'treat X-OpenRouter-Cache-Status: HIT as not measured', whatever came with it."""
    for body, status in ((completion(), 200), (error(502, provider="Elm"), 502), (b"", 200)):
        observation = observe(ask(), reply(body, status, x_openrouter_cache_status="HIT"), LINE)
        assert (observation.outcome, observation.text) == (Outcome.UNSENT, None)


def test_402_stop_sending_at_once():
    """'402: stop sending at once', as a status and inside HTTP 200."""
    assert stop(reply(error(402), 402)) is Stop.NO_CREDIT
    assert stop(reply(error("402"), 200)) is Stop.NO_CREDIT


def test_what_was_asked_for():
    """Pinned to one endpoint, no cache, no compression, metadata told, nothing encoded."""
    body, headers = request_body(ask(), SETTINGS), request_headers()
    assert (body["provider"]["only"], body["provider"]["allow_fallbacks"]) == (["elm/fp8"], False)
    assert body["plugins"] == [{"id": "context-compression", "enabled": False}]
    assert (headers["X-OpenRouter-Cache"], headers["X-OpenRouter-Metadata"]) == ("false", "enabled")
    assert headers["Accept-Encoding"] == "identity"


def test_thinking_is_no_answer_of_an_open_ended_family_either():
    """A continuation whose budget was eaten by thinking is truncated, not answered with words of the thinking."""
    open_ended = ask(kind="continuation", prompt=prompt(expected=None))
    thought = reply(completion("<think>was a dark and stormy night", choice={"finish_reason": "length"}))
    assert observe(open_ended, thought, CONTINUATION).outcome is Outcome.TRUNCATED


class TestSpeaker:
    """The connection itself tells which provider spoke: its failure is that provider's, as though the body named it."""

    def heard(
        self, body: object, status: int | None, *, speaker: str = "Elm", end: End = End.COMPLETE, **changes: Any
    ) -> Observation:
        """Return what is observed of a reply whose speaker is known."""
        came = msgspec.structs.replace(reply(body, status, end), speaker=speaker, **changes)
        return observe(ask(), came, LINE)

    @pytest.mark.parametrize(
        ("body", "status", "outcome", "kind"),
        [
            (completion(provider=...), 200, "answered", None),
            (error(500), 500, "error", "server_error"),
            (b"<html>Bad gateway</html>", 502, "error", "server_error"),
            (b"", 504, "error", "timeout"),
            (error(400), 400, "error", "rejected"),
            ({"detail": "too long"}, 422, "error", "rejected"),
            (b"Too many requests", 429, "error", "provider_rate_limit"),
            (error(429, limit_source="account"), 429, "error", "provider_rate_limit"),
            (error(401), 401, "unsent", "key_refused"),
            (error(404), 404, "error", "no_endpoint"),
            ({"detail": "Not Found"}, 404, "unsent", "wrong_address"),
            (b"", 302, "unsent", "wrong_address"),
        ],
    )
    def test_a_failure_is_the_speakers(self, body: object, status: int, outcome: str, kind: str | None):
        """What would be the router's own, were nobody named, is the speaker's."""
        observation = self.heard(body, status)
        assert (observation.outcome, observation.error_kind) == (outcome, kind)
        assert observation.served_provider == "Elm"

    def test_nobody_spoke_where_nothing_was_read(self):
        """Without a response line nobody is known to have spoken."""
        assert self.heard(b"", None, end=End.NOT_CONNECTED).served_provider is None
        assert self.heard(b"", None, end=End.TIMED_OUT).served_provider is None

    def test_another_speaker_is_another_provider(self):
        """Where the body names no provider, the speaker is compared."""
        observation = self.heard(completion(provider=...), 200, speaker="Oak")
        assert (observation.outcome, observation.error_kind) == (Outcome.MISROUTED, "other_provider")
        assert observation.served_provider == "Oak"

    def test_the_bodys_name_comes_first(self):
        """Where the body names a provider, the speaker is not asked."""
        assert self.heard(completion(provider="Oak"), 200).served_provider == "Oak"
        assert self.heard(completion(), 200, speaker="Oak").outcome is Outcome.ANSWERED

    def test_the_night_goes_on_without_it(self):
        """A server that refuses its own key says nothing about the others."""
        for status in (401, 402):
            refused = Reply(end=End.COMPLETE, status=status, body=b'{"error":{}}', speaker="Elm")
            assert stop(refused) is None
            assert stop(msgspec.structs.replace(refused, speaker=None)) is not None

    def test_a_providers_own_name_of_the_model_is_kept_and_not_compared(self):
        """Where the body names the model as its provider does, no listing tells whether it is the one asked."""
        observation = self.heard(completion(provider=..., model="elm-7"), 200, model_is_providers=True)
        assert (observation.outcome, observation.served_model) == (Outcome.ANSWERED, "elm-7")


class TestWhoIsNamed:
    """The served provider and model of an observation: where several are named, the one that was not asked."""

    @pytest.mark.parametrize(
        ("body", "provider", "model"),
        [
            (completion(openrouter_metadata=metadata("Elm")), "Elm", "author/model"),
            (completion(openrouter_metadata=metadata("Oak")), "Oak", "author/model"),
            (completion(provider="Oak", openrouter_metadata=metadata("Elm")), "Oak", "author/model"),
            (completion(provider=..., model=..., openrouter_metadata=metadata("Elm")), "Elm", "author/model-20260101"),
            (completion(openrouter_metadata=metadata("Elm", model="author/other")), "Elm", "author/other"),
            (completion(provider=..., model=...), None, None),
            (error(502, provider="Elm"), "Elm", None),
            ({"error": {}, "openrouter_metadata": metadata(attempts=[attempt("Elm", 502)])}, "Elm", None),
        ],
    )
    def test_names(self, body: object, provider: str | None, model: str | None):
        """The body's names, the metadata's where it has none, and whichever is another's."""
        observation = seen(body)
        assert (observation.served_provider, observation.served_model) == (provider, model)
