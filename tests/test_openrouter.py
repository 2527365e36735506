"""The client against a real server on loopback that does whatever routers and networks do."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import tracemalloc
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.errors import RouterError
from generator.probing.demo_client import Demo
from generator.probing.interface import Ask, Checkup, End, Reply, Watch
from generator.probing.openrouter import LISTING_CONCURRENCY, OpenRouter
from generator.probing.wire import observe, retryable
from generator.records.listing import ModelListing
from generator.records.observation import Outcome
from generator.settings import Key, ProbingSettings
from tests.fault_server import (
    FaultServer,
    Script,
    answer,
    bomb,
    drip,
    endless,
    head,
    raw,
    reset_after,
    run,
    silence,
)
from tests.probing_makers import LINE, SETTINGS, ask, completion, error, with_settings

NOW = datetime(2026, 11, 29, 3, 0, 0, 123_456, tzinfo=UTC)
KEY = "sk-or-very-secret"
GOOD = json.dumps(completion()).encode()


def client(
    address: str, cls: type[OpenRouter] = OpenRouter, of: ProbingSettings = SETTINGS, **options: Any
) -> OpenRouter:
    """Return a client whose clock stands still and that does not wait between attempts."""
    clock = asyncio.get_running_loop().time

    async def no_wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    return cls(address, Key(KEY), of, lambda: NOW, clock, **({"sleep": no_wait} | options))


async def _asked(server: FaultServer, asked: Ask, **options: Any) -> Reply:
    async with server.open(), client(server.address, **options) as router:
        return await router.ask(asked)


def replied(script: Script, **options: Any) -> Reply:
    """Return what one ask of a server that plays a script gives."""
    return run(_asked(FaultServer(script), ask(), **options))


class TestAnAnswer:
    def test_a_whole_reply(self):
        """Status, headers, body and times of a complete reply are there."""
        reply = replied(answer(completion(), x_note="Hi"))
        assert (reply.end, reply.status, reply.headers["x-note"]) == (End.COMPLETE, 200, "Hi")
        assert json.loads(reply.body) == completion()
        assert reply.requested_at == NOW
        assert reply.latency_ms is not None
        assert observe(ask(), reply, LINE).outcome is Outcome.ANSWERED

    def test_what_is_sent(self):
        """A request carries the key, asks for no encoding and no cache, and pins its endpoint."""
        server = FaultServer(answer(completion()))
        run(_asked(server, ask()))
        (request,) = server.requests
        assert (request.method, request.path) == ("POST", "/api/v1/chat/completions")
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["accept-encoding"] == "identity"
        assert request.headers["x-openrouter-cache"] == "false"
        assert request.headers["user-agent"].startswith("bitdepth/")
        assert json.loads(request.body)["provider"]["only"] == ["elm/fp8"]

    def test_latency_ends_with_the_last_byte(self):
        """The time of an answer is from the request sent to the last byte, not to the first."""
        times = iter([10.0, 17.5])

        async def asked() -> Reply:
            server = FaultServer(answer(completion()))
            async with (
                server.open(),
                OpenRouter(server.address, None, SETTINGS, lambda: NOW, lambda: next(times)) as router,
            ):
                return await router.ask(ask())

        assert run(asked()).latency_ms == 7500

    def test_keep_alive_white_space(self):
        """White space before the body keeps the connection and belongs to no answer."""

        async def script(writer: asyncio.StreamWriter) -> None:
            writer.write(head(200, content_length=3 + len(GOOD)) + b" \n ")
            await asyncio.sleep(0.02)
            writer.write(GOOD)

        assert observe(ask(), replied(script), LINE).outcome is Outcome.ANSWERED

    def test_one_connection_serves_one_ask_after_another(self):
        """Connections are kept; the second request on one is timed and dated like the first."""

        async def twice() -> tuple[int, Reply]:
            server = FaultServer(answer(completion()))
            async with server.open(), client(server.address) as router:
                await router.ask(ask())
                return server.connections, await router.ask(ask())

        connections, second = run(twice())
        assert connections == 1
        assert (second.end, second.requested_at) == (End.COMPLETE, NOW)
        assert second.latency_ms is not None

    def test_more_than_a_hundred_at_once(self):
        """No pool holds requests back: as many are in flight as were asked for."""

        async def many() -> int:
            arrived = asyncio.Event()
            server = FaultServer()

            async def together(writer: asyncio.StreamWriter) -> None:
                if server.in_flight == 150:
                    arrived.set()
                await arrived.wait()
                await answer(completion())(writer)

            server._scripts.append(together)
            patient = with_settings(total_deadline_s=10, idle_deadline_s=10)
            async with server.open(), client(server.address, of=patient) as router:
                replies = await asyncio.gather(*(router.ask(ask()) for _ in range(150)))
            assert {reply.end for reply in replies} == {End.COMPLETE}
            return server.most_in_flight

        assert run(many()) == 150


class TestFailures:
    """Whatever the far end or the network does comes back as a Reply."""

    @pytest.mark.parametrize(
        ("script", "end", "outcome", "kind"),
        [
            (answer(error(502, provider="Elm"), 502), End.COMPLETE, "error", "server_error"),
            (answer(b"<html>Bad gateway</html>", 502), End.COMPLETE, "unsent", "router_error"),
            (answer(error(429, provider="Elm"), 429), End.COMPLETE, "error", "provider_rate_limit"),
            (answer(error(429, limit_source="account"), 429), End.COMPLETE, "unsent", "router_rate_limit"),
            (answer(error(500)), End.COMPLETE, "error", "error_object"),
            (answer(b"<html>Welcome</html>"), End.COMPLETE, "error", "undecodable"),
            (answer(b"", 302, location="http://127.0.0.1:1/"), End.COMPLETE, "unsent", "wrong_address"),
            (answer(b"", 302, location="http://[::bad"), End.COMPLETE, "unsent", "wrong_address"),
            (silence(), End.TIMED_OUT, "error", "timeout"),
            (drip(b" ", 0.02), End.TIMED_OUT, "error", "timeout"),
            (drip(b" ", 5), End.TIMED_OUT, "error", "timeout"),
            (endless(), End.TOO_LARGE, "error", "too_large"),
            (answer(b" " * 20_000 + GOOD), End.TOO_LARGE, "error", "too_large"),
            (bomb(40), End.TOO_LARGE, "error", "too_large"),
            (answer(gzip.compress(gzip.compress(bytes(10_000_000))), content_encoding="gzip, gzip"), End.COMPLETE,
             "error", "undecodable"),
            (answer(gzip.compress(GOOD)[:-40], content_encoding="gzip"), End.BROKEN, "error", "broken"),
            (answer(b"no gzip", content_encoding="gzip"), End.BROKEN, "error", "broken"),
            (raw(b""), End.BROKEN, "error", "broken"),
            (raw(b"220 mail.example ESMTP\r\n"), End.BROKEN, "error", "broken"),
            (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + GOOD[:40]), End.BROKEN, "error", "broken"),
            (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), End.BROKEN, "error", "broken"),
            (raw(b"HTTP/1.1 200 OK\r\nX-Huge: " + b"x" * 200_000 + b"\r\n\r\n"), End.BROKEN, "error", "broken"),
            (raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n"), End.BROKEN, "error", "broken"),
            (raw(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), End.BROKEN, "error", "broken"),
            (reset_after(b""), End.BROKEN, "error", "broken"),
            (reset_after(head(200, content_length=9_999) + GOOD[:60]), End.BROKEN, "error", "broken"),
            (reset_after(head(200, content_length=9_999) + GOOD), End.BROKEN, "truncated", "broke_off"),
        ],
    )  # fmt: skip
    def test_what_comes_back(self, script: Script, end: End, outcome: str, kind: str):
        """Each fault has its end, and its outcome once observed."""
        reply = replied(script)
        observation = observe(ask(), reply, LINE)
        assert (reply.end, observation.outcome, observation.error_kind) == (end, outcome, kind)
        assert len(reply.body) <= SETTINGS.max_body_bytes
        assert reply.requested_at == NOW
        assert (reply.latency_ms is None) == (end is not End.COMPLETE)

    def test_gzip_that_was_not_asked_for_is_read(self):
        """A body encoded all the same is decoded, under the same cap."""
        reply = replied(answer(gzip.compress(GOOD), content_encoding="GZip"))
        assert reply.body == GOOD

    def test_a_bomb_is_never_unpacked(self):
        """A body that decodes to a thousand times its size is decoded up to the cap and no further."""
        script = bomb(40)
        tracemalloc.start()
        try:
            assert replied(script).end is End.TOO_LARGE
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 8_000_000

    def test_redirects_are_not_followed(self):
        """A redirect is a reply of its own: nothing else is asked."""
        server = FaultServer(answer(b"", 302, location="/api/v1/elsewhere"), answer(completion()))
        assert run(_asked(server, ask())).status == 302
        assert len(server.requests) == 1

    def test_no_cookie_is_sent_back(self):
        """A router cannot tell one request from the next by a cookie."""

        async def twice(server: FaultServer) -> None:
            async with server.open(), client(server.address) as router:
                await router.ask(ask())
                await router.ask(ask())

        server = FaultServer(answer(completion(), set_cookie="id=1"))
        run(twice(server))
        assert "cookie" not in server.requests[1].headers

    @pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
    def test_refused_connection(self, host: str):
        """A connection that was never opened leaves an ask unsent, to be sent again."""
        with socket.socket() as taken:
            # Bound and not listening: refused, and nobody else can take the port meanwhile.
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]

            async def asked() -> Reply:
                async with client(f"http://{host}:{port}/api/v1") as router:
                    return await router.ask(ask())

            reply = run(asked())
        assert (reply.end, reply.status, reply.requested_at) == (End.NOT_CONNECTED, None, None)
        assert retryable(observe(ask(), reply, LINE))

    def test_a_connection_that_nobody_accepts(self):
        """A deadline that passes before the connection is open leaves an ask unsent."""
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            waiting = [socket.socket() for _ in range(3)]
            try:
                for one in waiting:
                    one.settimeout(0)
                    one.connect_ex(("127.0.0.1", port))

                async def asked() -> Reply:
                    async with client(f"http://127.0.0.1:{port}/api/v1") as router:
                        return await router.ask(ask())

                assert run(asked()).end is End.NOT_CONNECTED
            finally:
                for one in waiting:
                    one.close()

    def test_a_cancelled_ask_is_cancelled(self):
        """Cancelling from outside is no fault of the network's."""

        async def cancelled() -> None:
            server = FaultServer(silence())
            async with server.open(), client(server.address) as router:
                task = asyncio.create_task(router.ask(ask()))
                await asyncio.sleep(0.05)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task

        run(cancelled())

    def test_a_closed_client_asks_nothing(self):
        """Outside `async with` there are no connections."""

        async def outside() -> None:
            await client("http://127.0.0.1:1").ask(ask())

        with pytest.raises(RouterError):
            run(outside())

    @given(st.binary(max_size=80), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-"]))
    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_bytes_at_all(self, data: bytes, before: bytes):
        """Bytes that are no HTTP come back as a reply that is no answer."""
        reply = replied(raw(before + data), of=with_settings(idle_deadline_s=0.1))
        assert observe(ask(), reply, LINE).outcome in {Outcome.ERROR, Outcome.UNSENT}


class TestTheKey:
    def test_it_is_in_no_log_and_no_repr(self, caplog: pytest.LogCaptureFixture):
        """Whatever is logged, the key is not."""
        caplog.set_level(logging.DEBUG)
        reply = replied(answer(error(401), 401))
        assert KEY not in caplog.text
        assert KEY not in repr(reply)

    @pytest.mark.parametrize("key", ["", " ", "sk-\nX: y", "schlüssel"])
    def test_one_that_is_no_header_is_refused_without_being_shown(self, key: str):
        """A key that would break the request is refused before anything is sent."""
        with pytest.raises(RouterError) as caught:
            OpenRouter("http://127.0.0.1:1", Key(key), SETTINGS, lambda: NOW, lambda: 0.0)
        assert key.strip() == "" or key not in str(caught.value)

    def test_none_is_sent_where_there_is_none(self):
        """A router that asks for no key is sent none."""

        async def asked(server: FaultServer) -> None:
            async with server.open(), OpenRouter(server.address, None, SETTINGS, lambda: NOW, lambda: 0.0) as router:
                await router.ask(ask())

        server = FaultServer(answer(completion()))
        run(asked(server))
        assert "authorization" not in server.requests[0].headers


MODELS = {
    "data": [
        {"id": "author/model:free", "canonical_slug": "author/model-20260101"},
        {"id": "author/model", "canonical_slug": "author/model-20260101", "reasoning": {"mandatory": False}},
        {"id": "author/plain"},
    ]
}
ENDPOINTS = {"data": {"endpoints": [{"provider_name": "Elm", "tag": "elm/fp8", "quantization": "fp8"}]}}


def listings(server: FaultServer, *models: str, **rule: Any) -> tuple[ModelListing, ...]:
    """Return the listing of some models, and of those that a rule finds, as a server gives it."""

    async def listed() -> tuple[ModelListing, ...]:
        async with server.open(), client(server.address) as router:
            return await router.listing(Watch(models=models, **rule))

    return run(listed())


class TestListing:
    def test_the_watched_models(self):
        """Each watched model is listed once, under its slug or its id, without variants, in the order watched."""
        server = FaultServer(answer(ENDPOINTS))
        server.paths["/models"] = answer(MODELS)
        found = listings(server, "author/plain", "author/model", "author/model-20260101")
        assert [(listing.model, listing.model_id) for listing in found] == [
            ("author/plain", "author/plain"),
            ("author/model-20260101", "author/model"),
        ]
        assert found[1].reasoning_supported
        assert found[1].endpoints[0].tag == "elm/fp8"
        assert sorted(request.path for request in server.requests[1:]) == [
            "/api/v1/models/author/model/endpoints",
            "/api/v1/models/author/plain/endpoints",
        ]

    def test_a_watched_model_that_is_not_listed(self):
        """It is left out, and the others have their night."""
        server = FaultServer(answer(MODELS), answer(ENDPOINTS))
        assert [each.model_id for each in listings(server, "author/gone", "author/model")] == ["author/model"]

    def test_a_model_whose_endpoints_are_gone(self):
        """A 404 on one model's endpoints leaves that model out alone."""
        server = FaultServer(answer(MODELS), answer(error(404), 404), answer(ENDPOINTS))
        assert len(listings(server, "author/plain", "author/model")) == 1

    def test_two_names_of_one_model_are_one_model(self):
        """A slug and an id of the same model are asked once."""
        server = FaultServer(answer(MODELS), answer(ENDPOINTS), answer(ENDPOINTS))
        assert len(listings(server, "author/model", "author/model:free", "author/model-20260101")) == 1

    @pytest.mark.parametrize("script", [answer(b"", 503), answer(b"", 429), raw(b""), silence()])
    def test_what_passes_is_tried_again(self, script: Script):
        """A listing that fails at first is read all the same."""
        server = FaultServer(script, answer(MODELS), answer(ENDPOINTS))
        assert len(listings(server, "author/model")) == 1
        assert len(server.requests) == 3

    def test_what_stays_is_an_error(self):
        """After as many attempts as an ask has, there is no listing."""
        server = FaultServer(answer(b"", 503))
        with pytest.raises(RouterError, match="status 503"):
            listings(server, "author/model")
        assert len(server.requests) == SETTINGS.attempts

    @pytest.mark.parametrize("status", [401, 403, 404])
    def test_a_mistake_is_not_repeated(self, status: int):
        """A refused key or a wrong address is said at once."""
        server = FaultServer(answer(error(status), status))
        with pytest.raises(RouterError, match=str(status)):
            listings(server, "author/model")
        assert len(server.requests) == 1

    def test_a_listing_may_be_longer_than_an_answer(self):
        """The cap of answers is not the listing's."""
        server = FaultServer(answer(ENDPOINTS))
        server.paths["/models"] = answer(MODELS | {"note": "x" * 50_000})
        assert len(listings(server, "author/model")) == 1

    def test_nobody_there(self):
        """Without a connection there is no listing, and the message says what to look at."""

        async def listed() -> None:
            async with client("http://127.0.0.1:1/api/v1") as router:
                await router.listing(Watch(models=("author/model",)))

        with pytest.raises(RouterError, match="not connected"):
            run(listed())


def served_by(*providers: str) -> Script:
    """Play the listing of a model that these providers serve."""
    return answer({"data": {"endpoints": [{"provider_name": name, "tag": name.lower()} for name in providers]}})


def catalogue(**models: Script) -> FaultServer:
    """Return a server that lists author/a, author/b, ... each with its own endpoints."""
    entries = [{"id": f"author/{name}", "pricing": {"prompt": "0.1"}} for name in models]
    server = FaultServer()
    server.paths = {f"/models/author/{name}/endpoints": script for name, script in models.items()}
    server.paths["/models"] = answer({"data": entries})
    return server


class TestTheRule:
    """Every model that so many different providers serve is watched beside those that are named."""

    def test_enough_providers(self):
        """Providers are counted once each; a model with fewer is left out; those named come first."""
        server = catalogue(
            a=served_by("Elm", "Fir"), b=served_by("Elm", "Elm", "elm"), d=served_by("Elm"), c=served_by("Elm", "Yew")
        )
        found = listings(server, "author/d", min_providers=2)
        assert [listing.model for listing in found] == ["author/d", "author/a", "author/c"]

    def test_a_model_of_last_night_stays_while_two_serve_it(self):
        """At the edge of the rule a model keeps its nights, but not with one provider alone."""
        server = catalogue(a=served_by("Elm", "Fir"), b=served_by("Elm"), c=served_by("Elm", "Fir"))
        found = listings(server, min_providers=3, stay=frozenset({"author/a", "author/b"}))
        assert [listing.model for listing in found] == ["author/a"]

    def test_no_rule_reads_no_other_model(self):
        """Without a rule only what is named is read, whatever was watched last night."""
        server = catalogue(a=served_by("Elm", "Fir"), b=served_by("Elm", "Fir"))
        assert len(listings(server, "author/a", stay=frozenset({"author/b"}))) == 1
        assert len(server.requests) == 2

    def test_few_listings_are_read_at_once(self):
        """A service that others use too is not asked for hundreds of listings at a time."""
        server = catalogue(**{f"m{number}": slow(served_by("Elm", "Fir")) for number in range(40)})
        assert len(listings(server, min_providers=2)) == 40
        assert 2 <= server.most_in_flight <= LISTING_CONCURRENCY

    def test_one_that_cannot_be_read_costs_no_other(self):
        """A model that the rule alone could find is left out where its listing fails."""
        server = catalogue(a=answer(b"", 500), b=served_by("Elm", "Fir"), c=answer(b"<html>"))
        assert [listing.model for listing in listings(server, min_providers=2)] == ["author/b"]

    @pytest.mark.parametrize("rule", [{"stay": frozenset({"author/a"})}, {"models": ("author/a",)}])
    def test_one_that_is_watched_must_be_read(self, rule: dict[str, Any]):
        """A model of last night, or a named one, would else miss a night in silence."""
        server = catalogue(a=answer(b"", 500), b=served_by("Elm", "Fir"))
        with pytest.raises(RouterError, match="author/a/endpoints"):
            listings(server, *rule.pop("models", ()), min_providers=2, **rule)


def slow(script: Script) -> Script:
    """Play a script a moment later."""

    async def later(writer: asyncio.StreamWriter) -> bool | None:
        await asyncio.sleep(0.01)
        return await script(writer)

    return later


def checkups(server: FaultServer, *, key: str | None = KEY) -> Checkup:
    """Return what a server's checkup says."""

    async def checked() -> tuple[Checkup, ...]:
        loop = asyncio.get_running_loop()
        held = None if key is None else Key(key)
        async with server.open(), OpenRouter(server.address, held, SETTINGS, lambda: NOW, loop.time) as router:
            return await router.checkup()

    (found,) = run(checked())
    return found


def account(key: Script, credit: Script | None = None) -> FaultServer:
    """Return a server that says something of the key and of the account's credit."""
    server = FaultServer()
    server.paths = {"/key": key, "/credits": credit or answer(error(403), 403)}
    return server


class TestCheckup:
    """GET /key tells whether the key is good and what its limit leaves; GET /credits what the account has."""

    def test_all_that_is_told(self):
        """Limit, credit and the far clock are read; no endpoint is asked."""
        server = account(
            answer(
                {"data": {"limit": 100, "limit_remaining": 74.5, "usage": 25.5}}, date="Sun, 29 Nov 2026 03:00:07 GMT"
            ),
            answer({"data": {"total_credits": 100.5, "total_usage": "25.75"}}),
        )
        found = checkups(server)
        assert found == Checkup(
            address=server.address,
            key_accepted=True,
            key_limit_left_usd=Decimal("74.5"),
            credit_left_usd=Decimal("74.75"),
            date=datetime(2026, 11, 29, 3, 0, 7, tzinfo=UTC),
            asked_at=NOW,
        )
        assert [request.path for request in server.requests] == ["/api/v1/key", "/api/v1/credits"]

    def test_a_key_without_a_limit_that_may_not_see_the_credit(self):
        """An ordinary key is refused the account's credit: it stays unknown, and is no problem."""
        found = checkups(account(answer({"data": {"limit": None, "limit_remaining": None}})))
        assert (found.problem, found.key_accepted) == (None, True)
        assert (found.key_limit_left_usd, found.credit_left_usd) == (None, None)

    def test_what_is_overdrawn(self):
        """A limit that is passed leaves nothing; an account in debt says how far."""
        found = checkups(
            account(
                answer({"data": {"limit_remaining": -0.25}}),
                answer({"data": {"total_credits": 5, "total_usage": 6.5}}),
            )
        )
        assert (found.key_limit_left_usd, found.credit_left_usd) == (0, Decimal("-1.5"))

    def test_a_refused_key(self):
        """401 is a refused key, not a router that is out of reach."""
        found = checkups(account(answer(error(401), 401)))
        assert (found.key_accepted, found.problem) == (False, None)

    def test_without_a_key(self):
        """Where no key was sent, none was accepted."""
        assert checkups(account(answer({"data": {}})), key=None).key_accepted is None

    @pytest.mark.parametrize(
        ("script", "problem"),
        [(answer(b"", 503), "status 503"), (raw(b""), "broken"), (silence(), "timed out")],
    )
    def test_a_router_that_does_not_answer(self, script: Script, problem: str):
        """What went wrong is said in words, and nothing else is."""
        found = checkups(account(script))
        assert (found.problem, found.key_accepted, found.credit_left_usd) == (problem, None, None)

    @pytest.mark.parametrize(
        "body",
        [b"", b"\xff", b"[]", b'{"data":[]}', b'{"data":{"limit_remaining":true,"total_credits":1}}',
         b'{"data":{"limit_remaining":"NaN","total_credits":-1,"total_usage":1e999}}', b"[" * 50_000],
    )  # fmt: skip
    def test_a_hostile_body_costs_its_fields(self, body: bytes):
        """Whatever a body holds, what cannot be read of it is unknown."""
        found = checkups(account(answer(body), answer(body)))
        assert (found.problem, found.key_limit_left_usd, found.credit_left_usd) == (None, None, None)

    @pytest.mark.parametrize(
        "value", ["", "now", "Sun, 99 Nov 2026 03:00:07 GMT", "9" * 5000, "31 Dec 9999 23:59:59 -0100"]
    )
    def test_a_hostile_date(self, value: str):
        """A date that is none is unknown."""
        assert checkups(account(answer({"data": {}}, date=value))).date is None

    def test_a_date_without_a_zone_is_utc(self):
        """-0000 says that the zone is unknown: HTTP has none but UTC."""
        found = checkups(account(answer({"data": {}}, date="Sun, 29 Nov 2026 03:00:07 -0000")))
        assert found.date == datetime(2026, 11, 29, 3, 0, 7, tzinfo=UTC)


class TestAddress:
    @pytest.mark.parametrize("address", ["ftp://host", "http://", "http://u:p@host", "http://host?x=1", "http://[::"])
    def test_what_is_no_address_is_refused(self, address: str):
        """An address that cannot be asked, or that holds more than an address, is refused at once."""
        with pytest.raises(RouterError, match="address"):
            OpenRouter(address, None, SETTINGS, lambda: NOW, lambda: 0.0)


class TestDemo:
    @pytest.mark.parametrize(
        ("value", "latency"), [("412", 412), ("", None), ("-1", None), ("1" * 30, None), ("٤", None)]
    )
    def test_the_time_is_the_recordings(self, value: str, latency: int | None):
        """The demo's latency is what its header says, and nothing where it says nothing."""
        encoded = value.encode().decode("latin-1")
        reply = replied(answer(completion(), x_replayed_latency_ms=encoded), cls=Demo)
        assert (reply.end, reply.latency_ms) == (End.COMPLETE, latency)

    def test_it_says_so(self):
        """The demo's kind and latency are recorded as what they are."""

        async def made() -> tuple[OpenRouter, OpenRouter]:
            return client("http://127.0.0.1:1", Demo), client("http://127.0.0.1:1")

        demo, real = run(made())
        assert (demo.kind, demo.latency) == ("demo", "replayed")
        assert (real.kind, real.latency) == ("openrouter", "measured")


def test_times_are_whole_milliseconds():
    """What is observed of a reply is dated to the millisecond."""
    reply = replied(answer(completion()))
    requested_at = observe(ask(), reply, LINE).requested_at
    assert requested_at is not None
    assert NOW - requested_at == timedelta(microseconds=456)
