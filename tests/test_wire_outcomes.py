"""Each sentence of the method's 'Outcomes of an observation', and each failure that routers are known to give."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from generator.probing.interface import End, Stop
from generator.probing.wire import ErrorKind, observe, retryable, stop, unsent
from generator.records.observation import Outcome
from tests.probing_makers import CONTINUATION, LINE, ask, completion, error, prompt, reply, seen

OPEN = ask(kind="continuation", prompt=prompt(expected=None))
FAILED_AFTER_LENGTH = completion("Par", choice={"finish_reason": "length", "error": {"code": 400}})
THOUGHT_ONLY = {"finish_reason": "length", "message": {"content": "", "reasoning": "Let me see"}}
NULL_THOUGHT = {"finish_reason": "length", "message": {"content": None, "reasoning": "Let me see"}}
NULL_AND_BILLED = completion(None, usage={"prompt_tokens": 9, "completion_tokens": 0, "cost": 0.5})
LENGTH = {"finish_reason": "length"}

SENTENCES = [
    ("answered: a complete answer from the endpoint asked", completion(), 200, "answered", None),
    ("answered: keep-alive white space before the body", b" \n\r\t" * 99 + json.dumps(completion()).encode(), 200,
     "answered", None),
    ("truncated: stopped at the token limit", completion("Par", choice=LENGTH), 200, "truncated", "token_limit"),
    ("truncated: thinking ate the budget", completion(choice=THOUGHT_ONLY), 200, "truncated", "token_limit"),
    ("truncated: ... with content null", completion(choice=NULL_THOUGHT), 200, "truncated", "token_limit"),
    ("truncated: ... of which only the token count tells",
     completion(None, choice=LENGTH, usage={"completion_tokens_details": {"reasoning_tokens": 40}}), 200, "truncated",
     "token_limit"),
    ("truncated: text without any word that it is finished", completion("Par", choice={"finish_reason": None}), 200,
     "truncated", "broke_off"),
    ("empty: a normal finish and nothing but white space", completion(" \n\t\u00a0"), 200, "empty", None),
    ("empty: no text at all", completion(""), 200, "empty", None),
    ("empty: nothing but thinking", completion("<think>Paris</think>\n"), 200, "empty", None),
    ("empty: nothing that can be seen", completion("\u200b\u200b"), 200, "empty", None),
    ("error: 5xx that names the provider", error(502, provider="Elm"), 502, "error", "server_error"),
    ("error: 5xx that names it beside the error", {"provider": "Elm", "error": {"code": 500}}, 500, "error",
     "server_error"),
    ("error: a 429 of the provider's own", error(429, provider="Elm"), 429, "error", "provider_rate_limit"),
    ("error: a 429 without limit_source", error(429), 429, "error", "provider_rate_limit"),
    ("error: a 429 whose limit_source is the provider", error(429, limit_source="provider"), 429, "error",
     "provider_rate_limit"),
    ("error: a 429 whose limit_source is the provider's name",
     error(429, provider="Shared Pool", limit_source="shared pool"), 429, "error", "provider_rate_limit"),
    ("error: a 529 of the provider's own", error(529, provider="Elm"), 529, "error", "provider_rate_limit"),
    ("error: time-out of the provider", error(524, provider="Elm"), 524, "error", "timeout"),
    ("error: time-out, 504", error(504, provider="Elm"), 504, "error", "timeout"),
    ("error: time-out, 408", error(408), 408, "error", "timeout"),
    ("error: error object", error(502), 200, "error", "error_object"),
    ("error: error object with a code in words", error("server_error", provider="Elm"), 200, "error", "error_object"),
    ("error: error object beside a whole answer", completion(error={"code": 500}), 200, "error", "error_object"),
    ("error: error that is a text", completion(error="It failed"), 200, "error", "error_object"),
    ("error: error that is empty", completion(error={}), 200, "error", "error_object"),
    ("error: error in the choice", completion("Paris", choice={"error": {"code": 502}}), 200, "error", "error_object"),
    ("error: finish_reason error", completion("Paris", choice={"finish_reason": "error"}), 200, "error",
     "error_object"),
    ("error: an error object after finish_reason length", FAILED_AFTER_LENGTH, 200, "error", "error_object"),
    ("error: no choices", completion(choices=...), 200, "error", "no_choices"),
    ("error: an empty list of choices", completion(choices=[]), 200, "error", "no_choices"),
    ("error: choices that are no list", completion(choices={"0": 1}), 200, "error", "no_choices"),
    ("error: content null", completion(None), 200, "error", "null_content"),
    ("error: content null and billed", NULL_AND_BILLED, 200, "error", "null_content"),
    ("error: content null at the limit without thinking", completion(None, choice=LENGTH), 200, "error",
     "null_content"),
    ("error: content that is no text", completion(["Paris"]), 200, "error", "malformed"),
    ("error: no message", completion(choice={"message": None}), 200, "error", "malformed"),
    ("error: a choice that is no object", completion(choices=["Paris"]), 200, "error", "malformed"),
    ("error: a provider that is no name", completion(provider=["Elm"]), 200, "error", "malformed"),
    ("error: undecodable body", b"<html>Paris</html>", 200, "error", "undecodable"),
    ("error: no body", b"", 200, "error", "undecodable"),
    ("error: a body that is no object", [completion()], 200, "error", "undecodable"),
    ("error: an incomplete JSON body", json.dumps(completion()).encode()[:-1], 200, "error", "undecodable"),
    ("error: bytes that are no UTF-8", json.dumps(completion()).encode().replace(b"Paris", b"\xff"), 200, "error",
     "undecodable"),
    ("error: NaN is no JSON", json.dumps(completion(usage={"cost": float("nan")})).encode(), 200, "error",
     "undecodable"),
    ("error: two errors under one name", b'{"error":{"code":500},"error":null,' + json.dumps(completion()).encode()[1:],
     200, "error", "undecodable"),
    ("error: a body nested without end", b'{"a":' * 100_000, 200, "error", "undecodable"),
    ("error: an answer nested without end", json.dumps(completion(usage=0)).encode().replace(
        b'"usage": 0', b'"usage": ' + b"[" * 100_000 + b"]" * 100_000), 200, "error", "undecodable"),
    ("error: content_filter on a harmless probe", completion("Par", choice={"finish_reason": "content_filter"}), 200,
     "error", "content_filter"),
    ("error: a finish that is neither an end nor a cut", completion("Par", choice={"finish_reason": "tool_calls"}), 200,
     "error", "unexpected_finish"),
    ("error: no finish and no text", completion("", choice={"finish_reason": None}), 200, "error",
     "unexpected_finish"),
    ("error: 404 'no endpoint' while listed", error(404), 404, "error", "no_endpoint"),
    ("error: 400 where the body names the provider", error(400, provider="Elm"), 400, "error", "rejected"),
    ("error: 413 where the body names the provider", error(413, provider="Elm"), 413, "error", "rejected"),
    ("error: 422 where the body names the provider", error(422, provider="Elm"), 422, "error", "rejected"),
    ("error: an answer under a status that is none", completion(), 202, "error", "unexpected_status"),
    ("error: no content", b"", 204, "error", "unexpected_status"),
    ("misrouted: served by another provider", completion(provider="Oak"), 200, "misrouted", "other_provider"),
    ("misrouted: ... and cut", completion("P", choice=LENGTH, provider="Oak"), 200, "misrouted", "other_provider"),
    ("misrouted: ... and empty", completion("", provider="Oak"), 200, "misrouted", "other_provider"),
    ("misrouted: served by another model", completion(model="author/other"), 200, "misrouted", "other_model"),
    ("misrouted: served by another variant", completion(model="author/model:free"), 200, "misrouted", "other_model"),
    ("unsent: bad key", error(401), 401, "unsent", "key_refused"),
    ("unsent: no credit", error(402), 402, "unsent", "no_credit"),
    ("unsent: no credit, inside HTTP 200", error(402), 200, "unsent", "no_credit"),
    ("unsent: 403", error(403), 403, "unsent", "forbidden"),
    ("unsent: a 429 for a shared pool", error(429, limit_source="shared_pool"), 429, "unsent", "router_rate_limit"),
    ("unsent: a 429 for the account", error(429, provider="Elm", limit_source="account"), 429, "unsent",
     "router_rate_limit"),
    ("unsent: a 429 for the account, inside HTTP 200", error("429", limit_source="account"), 200, "unsent",
     "router_rate_limit"),
    ("unsent: a 429 of what stands in front of the router", b"Too many requests", 429, "unsent", "router_rate_limit"),
    ("unsent: a 5xx that names no provider is the router's own", error(500), 500, "unsent", "router_error"),
    ("unsent: 502 as a page", b"<html>Bad gateway</html>", 502, "unsent", "router_error"),
    ("unsent: 503 without a body", b"", 503, "unsent", "router_error"),
    ("unsent: 524 that names no provider", error(524), 524, "unsent", "router_error"),
    ("unsent: 529 that names no provider", error(529), 529, "unsent", "router_error"),
    ("unsent: 400 otherwise our own", error(400), 400, "unsent", "refused_request"),
    ("unsent: 413 otherwise our own", error(413), 413, "unsent", "refused_request"),
    ("unsent: 422 otherwise our own", error(422), 422, "unsent", "refused_request"),
    ("unsent: a redirect is not followed", b"", 302, "unsent", "wrong_address"),
    ("unsent: a 404 that is no API's", b"<html>Not found</html>", 404, "unsent", "wrong_address"),
    ("unsent: a 404 for the account's privacy settings",
     {"error": {"code": 404, "message": "No endpoints found matching your data policy"}}, 404, "unsent",
     "account_settings"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "body", "status", "outcome", "kind"), SENTENCES, ids=[row[0] for row in SENTENCES]
)
def test_what_comes_of_a_reply(sentence: str, body: object, status: int, outcome: str, kind: str | None):
    """A reply has the outcome that the method's table gives it, and the kind that says why."""
    observation = seen(body, status)
    assert (observation.outcome, observation.error_kind) == (outcome, kind)
    assert (observation.text is None) or outcome in ("answered", "truncated", "misrouted")


ENDS = [
    (End.NOT_CONNECTED, None, b"", "unsent", "network"),
    (End.TIMED_OUT, None, b"", "error", "timeout"),
    (End.TIMED_OUT, 200, json.dumps(completion()).encode(), "error", "timeout"),
    (End.BROKEN, None, b"", "error", "broken"),
    (End.BROKEN, 200, json.dumps(completion()).encode()[:-1], "error", "broken"),
    (End.BROKEN, 200, json.dumps(completion()).encode(), "truncated", "broke_off"),
    (End.BROKEN, 200, json.dumps(completion("")).encode(), "error", "broken"),
    (End.BROKEN, 502, b"", "unsent", "router_error"),
    (End.TOO_LARGE, 200, b" " * 100, "error", "too_large"),
    (End.TOO_LARGE, 503, b" " * 100, "unsent", "router_error"),
]


@pytest.mark.parametrize(("end", "status", "body", "outcome", "kind"), ENDS)
def test_what_comes_of_an_exchange(end: End, status: int | None, body: bytes, outcome: str, kind: str):
    """Only what failed before the connection was open is the network's; a reply that broke off is the endpoint's."""
    observation = seen(body, status, end=end)
    assert (observation.outcome, observation.error_kind) == (outcome, kind)
    assert observation.latency_ms is None


@pytest.mark.parametrize(
    "source", ["shared_pool", "Account", "user", "organization", "workspace", "api_key", "platform", "openrouter"]
)
def test_limits_of_the_routers_own(source: str):
    """A limit_source that names a shared pool or the account makes a 429 the router's, whoever is named beside it."""
    assert seen(error(429, provider="Elm", limit_source=source), 429).outcome is Outcome.UNSENT


@pytest.mark.parametrize("source", ["provider", "upstream", "Elm", "elm", "", "something new"])
def test_limits_of_the_endpoints_own(source: str):
    """Any other limit_source, or none, leaves a 429 the endpoint's."""
    assert seen(error(429, provider="Elm", limit_source=source), 429).outcome is Outcome.ERROR


class TestOpenEnded:
    """Not in an open-ended family, where the cut is by design and the answer is its first three words."""

    def test_a_cut_after_the_third_word_is_answered(self):
        """A continuation of three words and more is answered, whatever the finish."""
        observation = seen(completion("was a dark and", choice=LENGTH), of=OPEN)
        assert (observation.outcome, observation.answer) == (Outcome.ANSWERED, "was a dark")
        assert observation.error_kind is None

    def test_a_cut_before_its_third_word_is_truncated(self):
        """A continuation of two words is truncated."""
        assert seen(completion("was a", choice=LENGTH), of=OPEN).outcome is Outcome.TRUNCATED

    def test_a_body_that_broke_off_after_the_third_word_is_answered(self):
        """What broke off after the third word holds the whole answer."""
        assert seen(completion("was a dark and"), of=OPEN, end=End.BROKEN).outcome is Outcome.ANSWERED

    def test_a_normal_end_before_the_third_word_is_answered_with_its_cleaned_text(self):
        """A continuation that ends by itself is a complete answer."""
        observation = seen(completion("The end"), of=OPEN)
        assert observation.outcome is Outcome.ANSWERED
        assert observation.answer == CONTINUATION.clean("The end")


class TestCorrect:
    """Correct: false for a truncated answer; null without a key, or where there is no answer to judge."""

    def test_the_key_is_correct(self):
        """An answer that normalises to the key is correct."""
        assert seen(completion(" Paris.")).correct is True

    def test_another_answer_is_not(self):
        """An answer that normalises to something else is not correct."""
        assert seen(completion("London")).correct is False

    def test_truncated_is_not_correct(self):
        """A truncated answer is not correct, even where it reads like the key, or like nothing."""
        assert seen(completion("Paris", choice=LENGTH)).correct is False
        assert seen(completion(choice=NULL_THOUGHT)).correct is False

    def test_nothing_found_is_answered_with_its_cleaned_text_and_not_correct(self):
        """An answer in which the normaliser finds nothing is answered, and not correct even where the texts agree."""
        odd = ask(kind="arithmetic", prompt=prompt(expected="no number"))
        observation = seen(completion(" No  number"), of=odd)
        assert (observation.outcome, observation.correct) == (Outcome.ANSWERED, False)
        assert observation.answer == "No number"
        nothing = ask(kind="arithmetic", prompt=prompt(expected=""))
        assert seen(completion("No number"), of=nothing).correct is False

    @pytest.mark.parametrize("body", [completion(provider="Oak"), completion(""), error(500)])
    def test_null_elsewhere(self, body: dict[str, object]):
        """What is neither answered nor truncated is neither correct nor not."""
        assert seen(body).correct is None

    def test_null_without_a_key(self):
        """A family without a key has no correct answers."""
        assert seen(completion(), of=ask(prompt=prompt(expected=None))).correct is None


class TestThinking:
    """Thinking is never part of the answer."""

    def test_in_front_of_the_text(self):
        """Thinking before the answer is left out of it, and kept in the text as received."""
        content = " \n<think>Is it London?</think>\n\nParis"
        observation = seen(completion(content))
        assert (observation.answer, observation.correct, observation.text) == ("paris", True, content)

    def test_in_fields_of_its_own(self):
        """Fields that hold thinking are not read as an answer."""
        body = completion(choice={"message": {"content": "Paris", "reasoning": "London", "reasoning_content": "Rome"}})
        assert seen(body).answer == "paris"


class TestCache:
    """`X-OpenRouter-Cache-Status: HIT` is not measured."""

    @pytest.mark.parametrize("value", ["HIT", "hit", " Hit "])
    def test_a_hit_is_unsent_and_sent_again(self, value: str):
        """An answer out of the router's cache is no answer of the endpoint's."""
        hit = reply(completion(), x_openrouter_cache_status=value)
        observation = observe(ask(), hit, LINE)
        assert (observation.outcome, observation.error_kind) == (Outcome.UNSENT, ErrorKind.CACHE_HIT)
        assert retryable(observation)

    def test_a_miss_is_measured(self):
        """Any other word of that header changes nothing."""
        assert observe(ask(), reply(completion(), x_openrouter_cache_status="MISS"), LINE).outcome is Outcome.ANSWERED


class TestWhatIsKept:
    """As the archive's columns hold it."""

    def test_of_an_answer(self):
        """Counts, cost and names are those of the body."""
        details = {"completion_tokens_details": {"reasoning_tokens": 5}}
        usage = {"prompt_tokens": 9, "completion_tokens": 2, "cost": 6.0e-05} | details
        observation = seen(completion(usage=usage))
        assert (observation.prompt_tokens, observation.completion_tokens, observation.reasoning_tokens) == (9, 2, 5)
        assert observation.cost_usd == Decimal("0.00006")
        assert (observation.served_provider, observation.served_model) == ("Elm", "author/model")
        assert (observation.generation_id, observation.latency_ms, observation.http_status) == ("gen-1", 120, 200)

    @pytest.mark.parametrize("count", ["-1", "2147483648", "1.5", "true", '"9"', "null", "[9]", "9" * 5000])
    def test_a_count_that_does_not_fit_is_null(self, count: str):
        """A number of tokens that int32 cannot hold, or that is none, costs that field alone."""
        text = json.dumps(completion(usage={"prompt_tokens": 0})).replace('_tokens": 0', f'_tokens": {count}')
        observation = seen(text.encode())
        assert (observation.outcome, observation.prompt_tokens) == (Outcome.ANSWERED, None)

    @pytest.mark.parametrize("cost", ["-0.1", "1e6", "1e999", "1e99999999999999999999", "true", '"NaN"', "null", "[]"])
    def test_a_cost_that_does_not_fit_is_null(self, cost: str):
        """A cost that decimal128(18, 12) cannot hold costs that field alone."""
        observation = seen(json.dumps(completion(usage={"cost": 7})).replace('"cost": 7', f'"cost": {cost}').encode())
        assert (observation.outcome, observation.cost_usd) == (Outcome.ANSWERED, None)

    def test_lone_surrogates_are_replaced(self):
        """A text can be stored as UTF-8, whatever escapes it came with."""
        observation = seen(rb'{"choices":[{"finish_reason":"stop","message":{"content":"Par\ud800is"}}]}')
        assert (observation.outcome, observation.text) == (Outcome.ANSWERED, "Par\ufffdis")

    def test_long_names_are_cut(self):
        """No name that a router gives is kept beyond 200 characters."""
        assert len(seen(completion(id="x" * 9_000)).generation_id or "") == 200

    def test_a_status_that_does_not_fit_is_null(self):
        """A status that int16 cannot hold is none."""
        assert seen(b"", 40_000).http_status is None


class TestStop:
    """402: stop sending at once; so where the key is refused."""

    @pytest.mark.parametrize(
        ("body", "status", "why"),
        [
            (error(402), 402, Stop.NO_CREDIT),
            (b"no credit", 402, Stop.NO_CREDIT),
            (error(402), 200, Stop.NO_CREDIT),
            (error("402"), 200, Stop.NO_CREDIT),
            (error(401), 401, Stop.KEY_REFUSED),
            (error(402, provider="Elm"), 402, None),
            (error(401, provider="Elm"), 401, None),
            (error(403), 403, None),
            (error(429, limit_source="account"), 429, None),
            (error(500), 500, None),
            (completion('There is no "error"'), 200, None),
            (completion(choice={"error": {"code": 402}}), 200, None),
            (b'"error"', 200, None),
        ],
    )  # fmt: skip
    def test_what_ends_the_night(self, body: object, status: int, why: Stop | None):
        """The router's own 401 and 402 do, a provider's and every other failure do not."""
        assert stop(reply(body, status)) is why


class TestRetryable:
    """Only what never reached the endpoint is retried: the operator's faults, the router's account-level 429."""

    def test_what_is_sent_again(self):
        """Unsent for a cause that can pass is sent again; errors of the endpoint, or of our own making, are not."""
        again = {kind for kind in ErrorKind if retryable(unsent(ask(), kind))}
        assert again == {"network", "router_rate_limit", "router_error", "cache_hit"}

    @pytest.mark.parametrize("body", [error(502, provider="Elm"), error(429, provider="Elm")])
    def test_the_endpoints_own_errors_are_not(self, body: dict[str, object]):
        """An endpoint's own error is not retried into a success."""
        assert not retryable(seen(body, body["error"]["code"]))
