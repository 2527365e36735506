"""The contract of a router, held by OpenRouter's, Hugging Face's, direct servers' and the demo router's clients alike.

Each is met over HTTP on loopback by a server that speaks its dialect; the demo router is its own real process. What a
dialect cannot express is skipped by name, with the reason.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from generator.probing.demo.process import running_router
from generator.probing.demo_client import Demo
from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, Checkup, End, Reply
from generator.probing.wire import observe, stop
from generator.records.listing import ModelListing
from generator.records.observation import Observation, Outcome
from tests.fault_server import Request, Script, answer, endless, raw, run, silence
from tests.router_dialects import (
    DELAY_S,
    KEY,
    NOW,
    SETTINGS,
    DemoDialect,
    Dialect,
    DirectDialect,
    HuggingFaceDialect,
    Loopback,
    OpenRouterDialect,
    Situation,
)

LOOPBACK = {each.name: each for each in (OpenRouterDialect, HuggingFaceDialect, DirectDialect)}


@pytest.fixture(scope="module")
def demo_address() -> Iterator[str]:
    """The address of a demo router that runs in a process of its own."""
    with running_router() as address:
        yield address


@pytest.fixture(params=[*LOOPBACK, "demo"])
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """Each router in turn."""
    if request.param == "demo":
        return DemoDialect(request.getfixturevalue("demo_address"))
    return LOOPBACK[request.param]()


@pytest.fixture(params=list(LOOPBACK))
def loopback(request: pytest.FixtureRequest) -> Loopback:
    """Each router whose server can be made to send anything; the demo's process sends what it was built to."""
    return LOOPBACK[request.param]()


class Met:
    """What came of one ask."""

    def __init__(self, ask: Ask, reply: Reply, reached: dict[str, int]) -> None:
        """Observe it."""
        self.ask = ask
        self.reply = reply
        self.reached = reached
        self.seen: Observation = observe(ask, reply, FAMILIES[ask.kind])


def meet(dialect: Dialect, situation: Situation) -> Met:
    """Return what one ask of a router meets."""

    async def met() -> Met:
        async with dialect.open() as router:
            ask = await dialect.ask_for(router, situation)
            return Met(ask, await router.ask(ask), await dialect.reached())

    return run(met())


def send(dialect: Loopback, script: Script) -> Met:
    """Return what an ask comes to that is answered by a script."""

    async def met() -> Met:
        async with dialect.open() as router:
            ask = await dialect.ask_for(router, Situation.ANSWER)
            dialect.server.paths["/chat/completions"] = script
            return Met(ask, await router.ask(ask), await dialect.reached())

    return run(met())


class TestListing:
    def test_it_has_the_facts(self, dialect: Dialect):
        """Provider, tag, precision, context and price of an endpoint are what its router says."""

        async def listed() -> tuple[ModelListing, ...]:
            async with dialect.open() as router:
                return await router.listing(dialect.watch())

        (listing,) = run(listed())
        wanted = dialect.listed
        assert listing.model == wanted.model
        found = next(each for each in listing.endpoints if each.provider == wanted.provider)
        assert (found.tag, found.declared_precision) == (wanted.tag, wanted.declared_precision)
        assert (found.context_length, found.price_prompt) == (wanted.context_length, wanted.price_prompt)
        assert isinstance(json.loads(found.raw), dict)
        assert len(listing.endpoints) >= 2


class TestAsking:
    def test_an_answer(self, dialect: Dialect):
        """One ask reaches the endpoint asked and no other, and its answer is observed as it was given."""
        met = meet(dialect, Situation.ANSWER)
        assert met.reached == {met.ask.provider: 1}
        assert (met.seen.outcome, met.seen.error_kind, met.seen.http_status) == (Outcome.ANSWERED, None, 200)
        assert met.seen.text == dialect.text_of(met.ask)
        assert met.seen.answer == FAMILIES[met.ask.kind].normalise(dialect.text_of(met.ask))
        assert met.seen.correct is (met.seen.answer == met.ask.prompt.expected)
        assert met.seen.served_provider == met.ask.provider
        assert stop(met.reply) is None

    @pytest.mark.parametrize(
        ("situation", "outcome", "kind"),
        [
            (Situation.UNKNOWN_FIELDS, "answered", None),
            (Situation.TRUNCATED, "truncated", "token_limit"),
            (Situation.EMPTY, "empty", None),
            (Situation.NULL_CONTENT, "error", "null_content"),
            (Situation.PROVIDERS_5XX, "error", "server_error"),
            (Situation.ROUTERS_5XX, "unsent", "router_error"),
            (Situation.PROVIDERS_429, "error", "provider_rate_limit"),
            (Situation.ROUTERS_429, "unsent", "router_rate_limit"),
            (Situation.KEY_REFUSED, "unsent", "key_refused"),
            (Situation.NO_CREDIT, "unsent", "no_credit"),
            (Situation.NO_ENDPOINT, "error", "no_endpoint"),
            (Situation.OTHER_PROVIDER, "misrouted", "other_provider"),
            (Situation.OTHER_MODEL, "misrouted", "other_model"),
            (Situation.REDIRECT, "unsent", "wrong_address"),
        ],
    )
    def test_a_situation(self, dialect: Dialect, situation: Situation, outcome: str, kind: str | None):
        """Each situation comes to the same outcome, whoever's dialect it is said in."""
        met = meet(dialect, situation)
        assert (met.seen.outcome, met.seen.error_kind) == (outcome, kind)
        assert met.seen.correct in {None, outcome == "answered"}

    def test_an_error_inside_200(self, dialect: Dialect):
        """An error in HTTP 200 is the endpoint's, in whatever shape it comes."""
        met = meet(dialect, Situation.ERROR_OBJECT)
        assert (met.seen.http_status, met.seen.outcome) == (200, "error")

    @pytest.mark.parametrize("situation", [Situation.KEY_REFUSED, Situation.NO_CREDIT])
    def test_what_stops_the_night(self, dialect: Dialect, situation: Situation):
        """A refused key or no credit stops a router's night; of a server that is asked directly, that server alone."""
        met = meet(dialect, situation)
        assert stop(met.reply) == (None if dialect.name == "direct" else situation)

    def test_the_time_that_it_took(self, dialect: Dialect):
        """Latency is measured to the last byte, or is the recording's where answers are played back."""
        met = meet(dialect, Situation.ANSWER)
        assert met.seen.latency_ms is not None
        if dialect.name == "demo":
            assert met.seen.latency_ms == int(met.reply.headers["x-replayed-latency-ms"])
        else:
            assert DELAY_S * 1000 <= met.seen.latency_ms < 4000
        assert met.reply.requested_at == NOW

    def test_a_router_without_a_key(self, demo_address: str):
        """The demo router refuses a client that sends no key, as OpenRouter does."""
        dialect = DemoDialect(demo_address)

        async def refused() -> Reply:
            async with dialect.open() as router:
                ask = await dialect.ask_for(router, Situation.ANSWER)
            clock = asyncio.get_running_loop().time
            async with Demo(demo_address, None, SETTINGS, lambda: NOW, clock) as keyless:
                return await keyless.ask(ask)

        reply = run(refused())
        assert (reply.status, stop(reply)) == (401, "key_refused")


HOSTILE: list[Script] = [
    raw(b""),
    raw(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
    raw(b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 5_000),
    endless(),
    silence(),
    answer(b""),
    answer(b"\xff\xfe{}"),
    answer(b"null"),
    answer(b"[]"),
    answer(b"[" * 15_000 + b"]" * 3_000),
    answer(b'{"choices":[{"message":{"content":NaN}}]}'),
    answer(b'{"choices":[],"choices":[{"message":{"content":"Paris"},"finish_reason":"stop"}]}'),
    answer({"choices": [{"message": {"content": {"a": 1}}, "finish_reason": "stop"}]}),
    answer({"choices": {"0": 1}, "provider": ["Elm"], "model": 7, "usage": "much"}),
    answer({"error": ["x"], "choices": [{"message": {"content": "Paris"}, "finish_reason": "stop"}]}),
    answer(b"<html>Welcome</html>", content_type="text/html"),
    answer(b"No", 418, x_inference_provider="elm\xa0"),
    answer(b"{}", 999),
]


class TestHostileAnswers:
    @pytest.mark.parametrize("script", HOSTILE)
    def test_nothing_raises_and_nothing_is_an_answer(self, loopback: Loopback, script: Script):
        """Whatever comes back is a reply with an outcome, and none of this is an answer."""
        met = send(loopback, script)
        assert met.seen.outcome in {Outcome.ERROR, Outcome.UNSENT}
        assert len(met.reply.body) <= SETTINGS.max_body_bytes

    @pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"data":7}', b"[" * 20_000])
    def test_a_checkup_never_raises(self, loopback: Loopback, body: bytes):
        """A body that says nothing costs its facts."""

        async def checked() -> tuple[Checkup, ...]:
            async with loopback.open() as router:
                loopback.server.paths = dict.fromkeys(("/key", "/credits", "/models", "/whoami-v2"), answer(body))
                return await router.checkup()

        for found in run(checked()):
            assert (found.credit_left_usd, found.key_limit_left_usd) == (None, None)


class TestWhatIsSent:
    def test_every_request(self, loopback: Loopback):
        """No encoding is asked for, we say who we are, and the key stands in its header and nowhere else."""
        requests = self._sent(loopback)
        assert {request.path.rpartition("/")[2] for request in requests} >= {"models", "completions"}
        for request in requests:
            assert request.headers["accept-encoding"] == "identity"
            assert request.headers["user-agent"].startswith("bitdepth/")
            assert request.headers["authorization"] == f"Bearer {KEY}"
            others = {name: value for name, value in request.headers.items() if name != "authorization"}
            assert KEY not in f"{request.path} {others} {request.body!r}"

    def test_the_chat_request(self, loopback: Loopback):
        """One message with the prompt's words, at the night's temperature and limit, not streamed."""
        chat = json.loads(self._sent(loopback)[-1].body)
        assert chat["messages"] == [{"role": "user", "content": "Name the capital of France."}]
        assert (chat["temperature"], chat["max_tokens"], chat["stream"]) == (0, 24, False)

    def test_a_redirect_is_not_followed(self, loopback: Loopback):
        """One request is sent, and the key goes nowhere else."""
        met = meet(loopback, Situation.REDIRECT)
        assert met.reply.status == 302
        assert [request.path for request in loopback.server.requests if "elsewhere" in request.path] == []

    def _sent(self, dialect: Loopback) -> list[Request]:
        meet(dialect, Situation.ANSWER)
        return dialect.server.requests


class TestCheckup:
    def test_its_facts(self, dialect: Dialect):
        """A router tells that it is there, its clock, and that it accepts the key; no endpoint is asked."""

        async def checked() -> tuple[tuple[Checkup, ...], dict[str, int]]:
            async with dialect.open() as router:
                return await router.checkup(), await dialect.reached()

        found, reached = run(checked())
        assert reached == {}
        assert [each.problem for each in found] == [None] * len(found)
        # This direct server's list is open to anybody: it proves nothing of the key.
        assert any(each.key_accepted for each in found) == (dialect.name != "direct")
        assert {each.asked_at for each in found} == {NOW}
        clock = found[0].date
        assert clock is not None
        assert clock.tzinfo is UTC
        if dialect.name != "demo":
            assert clock == datetime(2026, 11, 29, 3, 0, tzinfo=UTC)

    def test_nobody_there(self, loopback: Loopback):
        """A far end that hangs up is a problem in words."""

        async def checked() -> tuple[Checkup, ...]:
            async with loopback.open() as router:
                loopback.server.paths = dict.fromkeys(("/key", "/models", "/whoami-v2"), raw(b""))
                return await router.checkup()

        found = run(checked())
        assert found[0].problem is not None
        assert "broke" in found[0].problem
        assert found[0].key_accepted is None


class TestAClosedServer:
    def test_an_ask_that_never_arrived(self, loopback: Loopback):
        """Where nobody listens, nothing was sent and nothing is raised."""

        async def asked() -> tuple[Ask, Reply]:
            async with loopback.open() as router:
                ask = await loopback.ask_for(router, Situation.ANSWER)
            async with loopback.client() as router:
                return ask, await router.ask(ask)

        ask, reply = run(asked())
        assert (reply.end, reply.status) == (End.NOT_CONNECTED, None)
        assert observe(ask, reply, FAMILIES[ask.kind]).error_kind == "network"
