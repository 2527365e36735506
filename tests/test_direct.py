"""Servers asked directly: what settings and a server say of it, and the client against servers of four kinds."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from generator.errors import ContentError, RouterError
from generator.probing.direct import Direct
from generator.probing.identity import settle
from generator.probing.interface import Ask, Checkup, End, Reply, Watch
from generator.probing.plan import plan
from generator.probing.wire import observe, own_key_refused, stop
from generator.probing.wire_server import MAX_RAW, endpoint_of, parse_served, served_by, tag_of
from generator.probing.wire_server_list import remark, server_list
from generator.records.listing import ModelListing
from generator.settings import Key, ServerSettings
from tests.fault_server import FaultServer, Script, answer, raw, run
from tests.probing_makers import LINE, SETTINGS, ask, completion, error, prompt

NOW = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
MODEL = "meta-llama/Llama-3.1-8B-Instruct"
WATCH = Watch(models=(MODEL,))
KEYS = {"ONE_KEY": Key("sk-one"), "TWO_KEY": Key("sk-two")}

VLLM = {"id": "llama", "object": "model", "owned_by": "vllm", "root": MODEL, "max_model_len": 8192}
SGLANG = {"id": MODEL, "object": "model", "owned_by": "sglang", "root": MODEL, "max_model_len": 8192}
LLAMA_CPP = {"id": "models/llama-q4.gguf", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}
OLLAMA = {"id": "llama3.1:latest", "object": "model", "owned_by": "library"}


def server(name: str = "rack one", address: str = "http://127.0.0.1:1/v1", **changes: Any) -> ServerSettings:
    """Return the settings of a server."""
    return ServerSettings(name=name, address=address, model=changes.pop("model", MODEL), **changes)


def page(*models: object) -> bytes:
    """Return the body of a server's list of models."""
    return json.dumps({"object": "list", "data": models}).encode()


def asked_as(models: tuple[object, ...], **changes: Any) -> str | None:
    """Return what a server that lists some models is asked for; None for the slug."""
    settings = server(**changes)
    return endpoint_of(settings, served_by(settings, parse_served(page(*models)))).model_id


class TestWhatIsAskedFor:
    """A server is asked for the id that it lists, so that it has one name to give in an answer."""

    @pytest.mark.parametrize("model", [VLLM, SGLANG, LLAMA_CPP, OLLAMA])
    def test_the_only_model(self, model: dict[str, Any]):
        """Without an id in the settings, the one model that a server lists is meant whatever its name."""
        assert asked_as((model,)) == model["id"]

    def test_among_others(self):
        """Among several it is the slug's, by id or by root."""
        assert asked_as((OLLAMA, SGLANG)) == MODEL
        assert asked_as((OLLAMA, VLLM)) == "llama"
        assert asked_as((OLLAMA, SGLANG | {"id": MODEL.lower(), "root": None})) == MODEL.lower()

    def test_an_id_of_the_settings(self):
        """An id is found as it is, but for case and for the tag that Ollama adds."""
        other = OLLAMA | {"id": "mistral:7b"}
        assert asked_as((other, OLLAMA), model_id="llama3.1") == "llama3.1:latest"
        assert asked_as((other, OLLAMA), model_id="Mistral:7B") == "mistral:7b"
        assert asked_as((OLLAMA | {"id": "LLAMA"}, VLLM), model_id="llama") == "llama"

    def test_an_id_that_is_not_listed(self):
        """It is asked for all the same, not another; so is the slug among several that are not it."""
        assert asked_as((OLLAMA,), model_id="llama3.2") == "llama3.2"
        assert asked_as((OLLAMA, LLAMA_CPP)) is None
        assert asked_as(()) is None

    @pytest.mark.parametrize("bad", [None, 7, [], {}, {"id": None}, {"id": ""}, {"id": "x" * 300}])
    def test_an_entry_without_an_id(self, bad: object):
        """It is left out, and costs no other."""
        assert [model.model_id for model in parse_served(page(bad, OLLAMA))] == ["llama3.1:latest"]

    @pytest.mark.parametrize("body", [b"", b"[]", b'{"models":[]}', b'{"data":{}}', b"<html>"])
    def test_what_is_no_list(self, body: bytes):
        """A body that is no list of models says nothing of a server."""
        with pytest.raises(RouterError, match="list of models"):
            parse_served(body)


class TestTheEndpoint:
    def test_what_settings_say(self):
        """Name, declared precision, context and prices are what whoever runs it says."""
        settings = server(
            declared_precision="fp8", context_length=8192, price_prompt="0.000001", price_completion="0.000002"
        )
        found = endpoint_of(settings, None)
        assert (found.provider, found.tag, found.declared_precision) == ("rack one", "rack-one/fp8", "fp8")
        assert (found.price_prompt, found.price_completion) == (Decimal("0.000001"), Decimal("0.000002"))
        assert (found.context_length, found.status, found.max_completion_tokens) == (8192, None, None)
        assert found.supported_parameters == ("max_tokens", "seed", "temperature")

    @pytest.mark.parametrize("said", [None, "unknown", "Unknown"])
    def test_nothing_declared(self, said: str | None):
        """'unknown' declares nothing, and stands in no tag."""
        found = endpoint_of(server(declared_precision=said), None)
        assert (found.tag, found.declared_precision) == ("rack-one", None)

    def test_its_slug_outlives_its_precision(self):
        """A server that is run at another precision is the same endpoint, succeeded."""
        settings = server(declared_precision="Q4_K_M")
        listing = ModelListing(
            model=MODEL, model_id=MODEL, reasoning_mandatory=False, reasoning_supported=False,
            endpoints=(endpoint_of(settings, parse_served(page(OLLAMA))[0]),),
        )  # fmt: skip
        (found,) = settle(date(2026, 11, 29), [listing], {})
        assert (found.endpoint, found.tag, found.model_id) == ("rack-one", "rack-one/Q4_K_M", "llama3.1:latest")

    def test_what_is_kept(self):
        """The settings but for the key's variable, and what the server lists of itself, as one compact text."""
        settings = server(key_variable="ONE_KEY", parameters={"top_k": 1})
        kept = endpoint_of(settings, parse_served(page(VLLM))[0]).raw
        assert "ONE_KEY" not in kept
        assert settings.address not in kept
        assert json.loads(kept)["listed"] == VLLM
        assert json.loads(kept)["server"]["parameters"] == {"top_k": 1}
        assert kept == json.dumps(json.loads(kept), separators=(",", ":"))

    def test_what_is_too_long_is_not_kept(self):
        """A server cannot fill the archive with what it lists of itself."""
        huge = parse_served(page(OLLAMA | {"note": "x" * MAX_RAW}))[0]
        assert json.loads(endpoint_of(server(), huge).raw)["listed"] is None


class TestRefusedSettings:
    @pytest.mark.parametrize(
        "name", ["model", "messages", "stream", "max_tokens", "max_completion_tokens", "temperature", "seed", "n"]
    )
    def test_parameters_that_the_night_sets(self, name: str):
        """What every request holds by the night's settings no server's parameters may change."""
        with pytest.raises(
            ContentError, match=rf"found '{name}' in content/site.toml, field 'servers\[0\].parameters'"
        ):
            made(server(parameters={name: 1}))

    @pytest.mark.parametrize("value", [date(2026, 1, 1), float("nan"), float("inf"), "x" * MAX_RAW])
    def test_parameters_that_cannot_be_sent_or_kept(self, value: object):
        """A date and an infinite number are no JSON; what is endless would fill the archive."""
        with pytest.raises(ContentError, match=r"servers\[1\].parameters"):
            made(server("a"), server("b", parameters={"guess": value}))

    def test_names_that_give_one_tag(self):
        """Two servers of a model that could not be told apart by their tags are refused; of two models they may be."""
        made(server("rack one"), server("rack-one", model="a/b"), server("rack-one", declared_precision="fp8"))
        with pytest.raises(ContentError, match="found 'rack-one' beside one like it"):
            made(server("rack one"), server("rack-one"))

    def test_an_address_that_is_none(self):
        """The message says which server's."""
        with pytest.raises(RouterError, match=r"servers\[0\].address"):
            made(server(address="http://u:p@host/v1"))


def made(*servers: ServerSettings) -> Direct:
    """Return a client of some servers that is never opened."""
    return Direct(servers, KEYS, SETTINGS, lambda: NOW, lambda: 0.0)


class Rack:
    """Two servers of one model on loopback, the second with a key."""

    def __init__(self, one: Script, two: Script) -> None:
        """Let each play its script for chat requests; both list one model."""
        self.one, self.two = FaultServer(one), FaultServer(two)
        for each, model in ((self.one, VLLM), (self.two, OLLAMA)):
            each.paths["/models"] = answer(page(model))

    async def run(self, work: Any) -> Any:  # noqa: ANN401 - what the work returns
        """Return what some work with an open client returns."""
        loop = asyncio.get_running_loop()

        async def no_wait(_seconds: float) -> None:
            await asyncio.sleep(0)

        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.one.open())
            await stack.enter_async_context(self.two.open())
            servers = (
                server("one", self.one.address, parameters={"chat_template_kwargs": {"enable_thinking": False}}),
                server("two", self.two.address, key_variable="TWO_KEY", declared_precision="fp8"),
            )
            router = await stack.enter_async_context(Direct(servers, KEYS, SETTINGS, lambda: NOW, loop.time, no_wait))
            return await work(router)

    def listing(self) -> tuple[ModelListing, ...]:
        """Return tonight's listing."""
        return run(self.run(lambda router: router.listing(WATCH)))

    def ask(self, asked: Ask) -> Reply:
        """Return what came back for one ask."""
        return run(self.run(lambda router: router.ask(asked)))

    def checkup(self) -> tuple[Checkup, ...]:
        """Return what a checkup says."""
        return run(self.run(lambda router: router.checkup()))


def guarded(far: FaultServer, *models: object) -> Script:
    """Play a list of models for whoever shows a key, and a refusal for others."""

    async def script(writer: asyncio.StreamWriter) -> bool | None:
        known = "authorization" in far.requests[-1].headers
        return await (answer(page(*models)) if known else answer(error(401), 401))(writer)

    return script


def of_one(**changes: Any) -> Ask:
    """Return an ask of server one."""
    fields = {"model": MODEL, "model_id": "llama", "provider": "one", "tag": "one"}
    return ask(**(fields | changes))


def of_two(**changes: Any) -> Ask:
    """Return an ask of server two."""
    return of_one(model_id="llama3.1:latest", provider="two", tag="two/fp8", **changes)


GOOD = completion(provider=..., model="llama")


class TestListing:
    def test_both(self):
        """One model, its servers in the settings' order, each asked for by its own id."""
        (listing,) = Rack(answer(GOOD), answer(GOOD)).listing()
        assert (listing.model, listing.model_id) == (MODEL, MODEL)
        assert [(each.tag, each.model_id) for each in listing.endpoints] == [
            ("one", "llama"), ("two/fp8", "llama3.1:latest")
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("script", "why"),
        [
            (raw(b""), "the connection broke, or spoke no HTTP. Check that it runs"),
            (answer(b"", 503), "HTTP status 503. Check that it runs"),
            (answer(error(401), 401), "HTTP status 401. Set TWO_KEY to a key that it takes"),
            (answer(b"<html>CANARY"), "its answer is no list of models. Check its address"),
            (answer({"data": [{"id": "/home/CANARY.gguf"}]}), "by the path of a file, which would be published. Start"),
        ],
    )
    def test_a_server_that_does_not_answer(self, script: Script, why: str):
        """It is left out tonight, and one line of our own words says why and what to do; the others are listed."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.two.paths["/models"] = script

        async def listed(router: Direct) -> tuple[list[str], tuple[str, ...]]:
            listings = await router.listing(WATCH)
            return [each.tag for listing in listings for each in listing.endpoints], router.remarks

        tags, (remark,) = run(rack.run(listed))
        assert tags == ["one"]
        assert remark.startswith(f"server two of {MODEL} is left out tonight: ")
        assert why in remark
        assert "CANARY" not in remark

    def test_nobody_at_the_address(self):
        """A server that is not there is not connected; one without a named key is told to name it."""
        away = Reply(end=End.NOT_CONNECTED)
        assert "not connected" in (remark(server(), server_list(server(), away)) or "")
        refused = Reply(end=End.COMPLETE, status=403)
        assert "key_variable" in (remark(server(), server_list(server(), refused)) or "")

    @pytest.mark.parametrize("status", [404, 405])
    def test_a_server_that_cannot_list_itself(self, status: int):
        """It is listed all the same and asked by the settings' name, which is said; it is asked for a list but once."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.two.paths["/models"] = answer(b"", status)

        async def listed(router: Direct) -> tuple[list[str | None], tuple[str, ...]]:
            listings = await router.listing(WATCH)
            return [each.model_id for listing in listings for each in listing.endpoints], router.remarks

        ids, (said,) = run(rack.run(listed))
        assert ids == ["llama", None]
        assert said == (
            f"server two of {MODEL} cannot list its models (HTTP status {status}) and is asked for '{MODEL}' all the "
            "same. If it should list them, check its address"
        )
        assert len(rack.two.requests) == 1

    @pytest.mark.parametrize("path", ["/srv/models/llama.gguf", "C:\\models\\llama.gguf", "~/llama.gguf"])
    def test_a_server_that_names_a_path(self, path: str):
        """The path of a file on its machine would be published: it is left out, and a checkup says what to do."""
        racks = [Rack(answer(GOOD), answer(GOOD)) for _ in range(2)]
        for rack in racks:
            rack.one.paths["/models"] = answer({"data": [LLAMA_CPP | {"id": path}]})
        assert [each.tag for listing in racks[0].listing() for each in listing.endpoints] == ["two/fp8"]
        problem = racks[1].checkup()[0].problem
        assert problem is not None
        assert "alias" in problem
        assert path not in problem

    def test_none_that_answers(self):
        """A model whose servers are all away is not listed."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.one.paths["/models"] = rack.two.paths["/models"] = raw(b"")
        assert rack.listing() == ()

    def test_a_planned_ask_reaches_its_server_by_its_own_name(self):
        """From the listing through identity and plan, each server is asked for what it lists."""
        (listing,) = Rack(answer(GOOD), answer(GOOD)).listing()
        endpoints = settle(date(2026, 11, 29), [listing], {})
        asks = plan(endpoints, [listing], [prompt()], seed="00", kinds={"capital": "line"})
        assert {(each.tag, each.model_id, each.quantization) for each in asks} == {
            ("one", "llama", None), ("two/fp8", "llama3.1:latest", None)
        }  # fmt: skip


class TestAsking:
    def test_what_is_sent(self):
        """A plain chat request with the server's own parameters, to that server alone."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.ask(of_one())
        (request,) = rack.one.requests
        assert (request.method, request.path) == ("POST", "/api/v1/chat/completions")
        assert json.loads(request.body) == {
            "chat_template_kwargs": {"enable_thinking": False},
            "model": "llama",
            "messages": [{"role": "user", "content": "Name the capital of France."}],
            "stream": False,
            "temperature": 0.0,
            "max_tokens": 24,
            "seed": 20_260,
        }
        assert rack.two.requests == []

    def test_each_has_its_own_key(self):
        """A server without a key is sent none, and no server another's."""
        rack = Rack(answer(GOOD), answer(GOOD))

        async def both(router: Direct) -> None:
            await router.ask(of_one())
            await router.ask(of_two())

        run(rack.run(both))
        assert "authorization" not in rack.one.requests[0].headers
        assert rack.two.requests[0].headers["authorization"] == "Bearer sk-two"

    @pytest.mark.parametrize("echo", ["llama", MODEL])
    def test_the_model_that_an_answer_names(self, echo: str):
        """The id asked for and the model's slug are the same model; another name is another model."""
        reply = Rack(answer(completion(provider=..., model=echo)), raw(b"")).ask(of_one())
        assert observe(of_one(), reply, LINE).outcome == "answered"
        other = Rack(answer(completion(provider=..., model="qwen")), raw(b"")).ask(of_one())
        assert observe(of_one(), other, LINE).error_kind == "other_model"

    @pytest.mark.parametrize(
        ("status", "outcome", "kind"),
        [
            (500, "error", "server_error"),
            (503, "error", "server_error"),
            (429, "error", "provider_rate_limit"),
            (400, "error", "rejected"),
            (401, "unsent", "key_refused"),
            (402, "unsent", "no_credit"),
            (403, "unsent", "forbidden"),
        ],
    )
    def test_a_failure_is_the_servers_own(self, status: int, outcome: str, kind: str):
        """Nobody stands between: who fails is who was asked, and nothing that it says ends the night for others."""
        reply = Rack(answer({"error": {"message": "no", "code": status}}, status), answer(GOOD)).ask(of_one())
        observation = observe(of_one(), reply, LINE)
        assert (observation.outcome, observation.error_kind, observation.served_provider) == (outcome, kind, "one")
        assert stop(reply) is None
        refused = kind if status in {401, 403} else None
        assert own_key_refused(reply) == refused
        inside = Rack(answer({"error": {"message": "no", "code": status}}), answer(GOOD)).ask(of_one())
        assert own_key_refused(inside) == refused
        assert own_key_refused(msgspec.structs.replace(reply, alone=False)) is None

    def test_a_server_that_the_settings_no_longer_hold(self):
        """A night goes on with the servers that it was begun with: without one of them the message says which."""
        with pytest.raises(ContentError, match=r"server 'gone' of meta-llama/\S+ with tag 'gone/fp8'.*Put it back"):
            Rack(answer(GOOD), answer(GOOD)).ask(of_one(provider="gone", tag="gone/fp8"))


class TestCheckup:
    def test_all_is_well(self):
        """Each server tells that it is there, and where nobody is let in without a key that it was accepted."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.two.paths["/models"] = guarded(rack.two, OLLAMA)
        one, two = rack.checkup()
        assert (one.problem, one.key_accepted, two.problem, two.key_accepted) == (None, None, None, True)
        assert one.asked_at == NOW

    def test_a_list_that_is_open_to_anybody_proves_no_key(self):
        """A server that answers without the key too, as llama.cpp does, says nothing of it; no other gets the key."""
        rack = Rack(answer(GOOD), answer(GOOD))
        assert [each.key_accepted for each in rack.checkup()] == [None, None]
        assert ["authorization" in request.headers for request in rack.two.requests] == [True, False]

    @pytest.mark.parametrize("status", [404, 405])
    def test_no_list_at_all(self, status: int):
        """A server that cannot list its models is no failure, and says so."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.two.paths["/models"] = answer(b"", status)
        _, two = rack.checkup()
        assert (two.problem, two.lists_nothing, two.key_accepted) == (None, status, None)

    @pytest.mark.parametrize(
        ("script", "problem", "accepted"),
        [
            (raw(b""), "the connection broke, or spoke no HTTP", None),
            (answer(b"", 500), "HTTP status 500", None),
            (answer(error(401), 401), None, False),
            (answer(error(403), 403), None, False),
            (
                answer(page(OLLAMA, VLLM | {"root": None})),
                f"expected '{MODEL}' among its models, found 'llama3.1:latest', 'llama'",
                None,
            ),
            (answer(page()), f"expected '{MODEL}' among its models, found none", None),
        ],
    )
    def test_what_is_wrong(self, script: Script, problem: str | None, accepted: bool | None):  # noqa: FBT001 - a case
        """Away, refused, or serving something else: each is said of that server alone."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.two.paths["/models"] = script
        one, two = rack.checkup()
        assert (one.problem, two.problem, two.key_accepted) == (None, problem, accepted)

    def test_a_body_that_is_no_list(self):
        """A page of something else is a problem, not an exception."""
        rack = Rack(answer(GOOD), answer(GOOD))
        rack.one.paths["/models"] = answer(b"[" * 50_000)
        one, _ = rack.checkup()
        assert one.problem is not None
        assert "list of models" in one.problem


def test_tags_are_safe_as_paths():
    """Whatever settings allow as a name gives a tag that can be pinned and shown."""
    assert tag_of(server("GPU Box 2.b", declared_precision="int4")) == "gpu-box-2.b/int4"
