"""Hugging Face's router: its listing and answers as records, and the client against a server that speaks as it does."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.archive.schema import LISTINGS
from generator.errors import RouterError
from generator.probing.huggingface import HuggingFace, account_address
from generator.probing.interface import Ask, Checkup, Reply, Watch
from generator.probing.wire import observe, stop
from generator.probing.wire_huggingface import parse_listing, told
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.observation import Observation
from generator.settings import Key
from tests.fault_server import FaultServer, Script, answer, raw, run
from tests.probing_makers import BODIES, LINE, ask, completion, reply, with_settings

NOW = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
KEY = "hf_very-secret"
SAMPLE = json.loads((BODIES / "huggingface_router_models_doc_sample_2026-08-22.json").read_bytes())
MODEL = "author/Model"
PROVIDER = {"provider": "elm", "status": "live", "context_length": 8192, "pricing": {"input": 0.3, "output": 1.1}}

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(PROVIDER)), inner, max_size=4),
    max_leaves=12,
)


def page(*models: Any) -> bytes:
    """Return the body of the list of models."""
    return json.dumps({"object": "list", "data": models}).encode()


def entry(**changes: Any) -> ListedEndpoint:
    """Return the one endpoint of a model that one provider serves."""
    ((endpoint,),) = (
        listing.endpoints for listing in parse_listing(page({"id": MODEL, "providers": [PROVIDER | changes]}))
    )
    return endpoint


def asked(**changes: Any) -> Ask:
    """Return an ask of provider elm."""
    fields = {"model": MODEL, "model_id": MODEL, "provider": "elm", "tag": "elm", "parameters": ()}
    return ask(**(fields | changes))


def answered(model: str = "accounts/elm/models/m-1", **changes: Any) -> dict[str, Any]:
    """Return the body of a good answer, as the router passes it on: no provider, no cost, the provider's own name."""
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    return completion(provider=..., model=model, **({"usage": usage} | changes))


def seen(body: object, status: int = 200, *, of: Ask | None = None, **headers: str) -> Observation:
    """Return what is observed of a reply of the router's."""
    return observe(of or asked(), told(reply(body, status, **headers)), LINE)


class TestTheListing:
    def test_the_documented_sample(self):
        """Five providers are live; each price per million tokens is one per token, and none stays none."""
        (model,) = parse_listing(page(SAMPLE))
        assert (model.model, model.model_id) == ("deepseek-ai/DeepSeek-V4-Pro",) * 2
        assert [endpoint.tag for endpoint in model.endpoints] == [
            "novita", "together", "fireworks-ai", "featherless-ai", "deepinfra"
        ]  # fmt: skip
        assert {endpoint.declared_precision for endpoint in model.endpoints} == {None}
        novita, _, fireworks, featherless, _ = model.endpoints
        assert (novita.price_prompt, novita.price_completion) == (Decimal("0.00000169"), Decimal("0.00000338"))
        assert (fireworks.price_prompt, fireworks.context_length) == (None, 1_048_576)
        assert (featherless.price_completion, featherless.context_length) == (None, None)
        assert json.loads(novita.raw) == SAMPLE["providers"][0]
        assert " " not in novita.raw

    @pytest.mark.parametrize("status", ["error", "staging", "", None, 1])
    def test_only_who_is_live(self, status: object):
        """A provider whom the router does not pass requests on to tonight is not listed tonight."""
        (model,) = parse_listing(page({"id": MODEL, "providers": [PROVIDER | {"status": status}]}))
        assert model.endpoints == ()

    @pytest.mark.parametrize("name", [None, 7, "", " ", "a:b", "a/b", "a b", "-a", "ä", "x" * 300 + ":"])
    def test_a_provider_that_no_request_could_name(self, name: object):
        """It is left out, and costs no other."""
        (model,) = parse_listing(page({"id": MODEL, "providers": [PROVIDER | {"provider": name}, PROVIDER]}))
        assert [endpoint.provider for endpoint in model.endpoints] == ["elm"]

    @pytest.mark.parametrize("providers", [None, {}, "elm", 7, [7], [[]]])
    def test_a_model_that_nobody_serves(self, providers: object):
        """It is listed, with no endpoint."""
        (model,) = parse_listing(page({"id": MODEL, "providers": providers}))
        assert model.endpoints == ()
        assert parse_listing(page({"id": MODEL}))[0].endpoints == ()

    def test_providers_nested_too_deep(self):
        """They cost their model, not the listing."""
        deep = b'{"id":"a/b","providers":' + b"[" * 600 + b"]" * 600 + b"}"
        body = b'{"data":[%b,%b]}' % (deep, json.dumps({"id": MODEL, "providers": [PROVIDER]}).encode())
        assert [len(model.endpoints) for model in parse_listing(body)] == [0, 1]

    @pytest.mark.parametrize("model_id", [None, 7, "model", "a/b/c", "../a", "a/b:elm"])
    def test_an_id_that_is_none(self, model_id: object):
        """What is no author/name is left out; what follows a colon would be taken for the provider."""
        assert parse_listing(page({"id": model_id, "providers": [PROVIDER]})) == ()

    @pytest.mark.parametrize(
        "pricing", [None, [], {}, {"input": "free"}, {"input": -1}, {"input": True}, {"input": 1e9}]
    )
    def test_no_price(self, pricing: object):
        """What is no amount is no price."""
        assert entry(pricing=pricing).price_prompt is None

    def test_a_price_as_text_and_one_of_nothing(self):
        """A price may be written either way, and may be 0."""
        found = entry(pricing={"input": "0.25", "output": 0})
        assert (found.price_prompt, found.price_completion) == (Decimal("0.00000025"), 0)

    @pytest.mark.parametrize("body", [b"", b"[]", b'{"data":{}}', b'{"error":"Invalid token"}'])
    def test_what_is_no_listing(self, body: bytes):
        """It is an error of the router's, never a night without endpoints."""
        with pytest.raises(RouterError, match="list of models"):
            parse_listing(body)

    @given(JSON_VALUES, st.sampled_from([*PROVIDER, "pricing.input"]))
    def test_any_value_in_any_field_can_be_stored(self, value: object, name: str):
        """Whatever an entry holds, what is kept of it fits its columns, and its neighbour is kept."""
        changed = {"pricing": {"input": value}} if name == "pricing.input" else {name: value}
        (model,) = parse_listing(page({"id": MODEL, "providers": [PROVIDER | changed, value, PROVIDER]}))
        assert model.endpoints[-1].tag == "elm"
        names = ("provider", "tag", "context_length", "price_prompt", "price_completion", "raw")
        rows = [{column: getattr(endpoint, column) for column in names} for endpoint in model.endpoints]
        schema = pa.schema([LISTINGS.field(column) for column in names])
        assert pa.Table.from_pylist(rows, schema=schema).to_pylist() == rows


class TestWhoAnswered:
    def test_the_header_tells(self):
        """The provider stands in a header; the body's model is the provider's own name, and is kept uncompared."""
        found = seen(answered(), x_inference_provider="elm")
        assert (found.outcome, found.answer, found.served_provider) == ("answered", "paris", "elm")
        assert (found.served_model, found.cost_usd) == ("accounts/elm/models/m-1", None)

    def test_another_provider(self):
        """An answer of another provider is no answer of the one asked."""
        found = seen(answered(), x_inference_provider="fir")
        assert (found.outcome, found.error_kind, found.served_provider) == ("misrouted", "other_provider", "fir")

    def test_nobody_tells(self):
        """Without the header an answer is the asked provider's: the request named no other."""
        assert seen(answered()).outcome == "answered"

    def test_a_recorded_answer(self):
        """Thinking in front of a real answer is no part of it."""
        body = (BODIES / "huggingface_answer_200_nebius.json").read_bytes()
        found = seen(body, of=asked(provider="nebius"), x_inference_provider="nebius")
        assert found.outcome == "answered"
        assert found.answer is not None
        assert "think" not in found.answer

    def test_a_recorded_error(self):
        """A real 500 is the provider's where the header names it, and else the router's."""
        body = (BODIES / "huggingface_error_500_together.json").read_bytes()
        named = seen(body, 500, of=asked(provider="together"), x_inference_provider="together")
        assert (named.outcome, named.error_kind) == ("error", "server_error")
        assert (seen(body, 500).outcome, seen(body, 500).error_kind) == ("unsent", "router_error")

    @pytest.mark.parametrize(
        ("status", "kind", "ends"),
        [(401, "key_refused", "key_refused"), (402, "no_credit", "no_credit"), (403, "forbidden", None)],
    )
    def test_the_account_is_the_routers(self, status: int, kind: str, ends: str | None):
        """The key and the credit are the operator's at the router, whoever was asked."""
        refused = told(reply({"error": "You have exceeded your credits"}, status, x_inference_provider="elm"))
        assert observe(asked(), refused, LINE).error_kind == kind
        assert stop(refused) == ends

    def test_a_model_that_the_account_may_not_ask(self):
        """A 400 that names nobody is the operator's: providers are switched on and off per account."""
        body = {"error": {"message": "not supported by any provider you have enabled", "code": "model_not_supported"}}
        assert (seen(body, 400).outcome, seen(body, 400).error_kind) == ("unsent", "refused_request")


def client(address: str, key: str | None = KEY, **changes: Any) -> HuggingFace:
    """Return a client whose clock stands still and that does not wait between attempts."""

    async def no_wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    clock = asyncio.get_running_loop().time
    held = None if key is None else Key(key)
    return HuggingFace(address, held, with_settings(**changes), lambda: NOW, clock, sleep=no_wait)


def listings(*models: Any, watch: Watch) -> tuple[ModelListing, ...]:
    """Return the listing of a watch from a router that lists some models."""

    async def found() -> tuple[ModelListing, ...]:
        server = FaultServer(answer(page(*models)))
        async with server.open(), client(server.address) as router:
            return await router.listing(watch)

    return run(found())


class TestTheClient:
    def test_one_reading_lists_all(self):
        """Named models come first, in their order; the rule adds what enough providers serve."""
        fir = PROVIDER | {"provider": "fir"}
        models = [
            {"id": "author/one", "providers": [PROVIDER]},
            {"id": "author/two", "providers": [PROVIDER, fir]},
            {"id": "author/off", "providers": [PROVIDER, fir | {"status": "error"}]},
        ]
        found = listings(*models, watch=Watch(models=("author/one", "author/gone"), min_providers=2))
        assert [listing.model for listing in found] == ["author/one", "author/two"]

    def test_what_is_sent(self):
        """The model's id, a colon and the provider; a plain chat request, without a seed, which nobody lists."""

        async def sent() -> tuple[Reply, FaultServer]:
            server = FaultServer(answer(answered(), x_inference_provider="elm"))
            async with server.open(), client(server.address) as router:
                return await router.ask(asked()), server

        got, server = run(sent())
        (request,) = server.requests
        assert (request.method, request.path) == ("POST", "/api/v1/chat/completions")
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert json.loads(request.body) == {
            "model": "author/Model:elm",
            "messages": [{"role": "user", "content": "Name the capital of France."}],
            "stream": False,
            "temperature": 0.0,
            "max_tokens": 24,
        }
        assert got.speaker == "elm"

    def test_checkup(self):
        """The router tells its clock, and the host of accounts whether the key is accepted; no endpoint is asked."""
        router, account = checkups(answer({"name": "someone"}))
        assert (router.problem, router.date) == (None, datetime(2026, 11, 29, 3, 0, 7, tzinfo=UTC))
        assert (account.problem, account.key_accepted) == (None, True)
        assert router.address == f"{account.address}/api/v1"

    def test_a_refused_key(self):
        """401 of the host of accounts is a refused key."""
        _, account = checkups(answer({"error": "Invalid credentials"}, 401))
        assert (account.problem, account.key_accepted) == (None, False)

    def test_hosts_that_do_not_answer(self):
        """What cannot be reached says so, and tells nothing of the key."""
        _, account = checkups(raw(b""))
        assert (account.problem, account.key_accepted) == ("broken", None)

    def test_without_a_key_no_account_is_asked(self):
        """There is nobody to ask for."""
        (router,) = checkups(answer({}), key=None)
        assert router.key_accepted is None


def checkups(account: Script, *, key: str | None = KEY) -> tuple[Checkup, ...]:
    """Return what a checkup says of a router whose host of accounts plays a script."""

    async def checked() -> tuple[Checkup, ...]:
        server = FaultServer()
        server.paths = {
            "/v1/models": answer(page(SAMPLE), date="Sun, 29 Nov 2026 03:00:07 GMT"),
            "/whoami-v2": account,
        }
        async with server.open(), client(server.address, key) as router:
            found = await router.checkup()
        assert {request.method for request in server.requests} == {"GET"}
        return found

    return run(checked())


@pytest.mark.parametrize(
    ("address", "account"),
    [
        ("https://router.huggingface.co/v1", "https://huggingface.co"),
        ("http://127.0.0.1:8080/api/v1", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
    ],
)
def test_where_accounts_are_asked_for(address: str, account: str):
    """The host of accounts is the router's without 'router.', on the same port."""
    assert account_address(address) == account
