"""Each router as its contract tests meet it: a server on loopback that speaks its dialect, and its real client.

A dialect can be set to any `Situation`; what it cannot express it skips by name, with the reason. The asks are those
that identity and plan make of the listing that the client reads, so that nothing is asked that no night would ask.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, NoReturn

import httpx
import msgspec
import pytest

from generator.probing.demo.faults import (
    ErrorInside200,
    Misrouting,
    RateLimit,
    ServerError,
    Truncation,
    hit,
    load_faults,
)
from generator.probing.demo.recording import drawn_sample, load_recording
from generator.probing.demo.server import Served
from generator.probing.demo_client import Demo
from generator.probing.direct import Direct
from generator.probing.huggingface import HuggingFace
from generator.probing.identity import settle
from generator.probing.interface import Ask, Router, Watch
from generator.probing.openrouter import OpenRouter
from generator.probing.plan import plan
from generator.records.listing import ModelListing
from generator.records.prompt import Prompt
from generator.settings import Key, ServerSettings
from tests.fault_server import FaultServer, Script, answer
from tests.probing_makers import prompt, with_settings

NIGHT = date(2026, 11, 29)
NOW = datetime(2026, 11, 29, 3, 0, 0, 500_000, tzinfo=UTC)
KEY = "sk-canary-71c0de"
MODEL = "author/model"
SETTINGS = with_settings(total_deadline_s=4, idle_deadline_s=1)
DELAY_S = 0.08
"""How long a server on loopback takes for an answer."""


class Situation(StrEnum):
    """What an ask meets."""

    ANSWER = "answer"
    UNKNOWN_FIELDS = "unknown_fields"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    NULL_CONTENT = "null_content"
    ERROR_OBJECT = "error_object"
    PROVIDERS_5XX = "providers_5xx"
    ROUTERS_5XX = "routers_5xx"
    PROVIDERS_429 = "providers_429"
    ROUTERS_429 = "routers_429"
    KEY_REFUSED = "key_refused"
    NO_CREDIT = "no_credit"
    NO_ENDPOINT = "no_endpoint"
    OTHER_PROVIDER = "other_provider"
    OTHER_MODEL = "other_model"
    REDIRECT = "redirect"


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """What a listing must say of the endpoint that is asked."""

    model: str
    provider: str
    tag: str
    declared_precision: str | None
    context_length: int
    price_prompt: Decimal


class Dialect:
    """One router; `open` serves it and yields its client."""

    name: ClassVar[str]
    listed: Listed

    def open(self) -> AbstractAsyncContextManager[Router]:
        """Serve, and yield the open client."""
        raise NotImplementedError

    async def ask_for(self, router: Router, situation: Situation) -> Ask:
        """Return an ask that meets a situation, as a night would plan it."""
        raise NotImplementedError

    async def reached(self) -> dict[str, int]:
        """Return how many chat requests reached each endpoint, by its provider; others are left out."""
        raise NotImplementedError

    def text_of(self, _ask: Ask) -> str:
        """Return the text that the endpoint answers with."""
        return "Paris"

    def watch(self) -> Watch:
        """Return what the night is about."""
        return Watch(models=(self.listed.model,))

    def _cannot(self, situation: Situation, why: str) -> NoReturn:
        pytest.skip(f"{self.name} cannot express {situation}: {why}")


def planned(listings: tuple[ModelListing, ...], asked: Prompt, kind: str = "line") -> dict[tuple[str, str], Ask]:
    """Return the night's asks of one prompt, by model and provider."""
    asks = plan(settle(NIGHT, listings, {}), listings, [asked], seed="00", kinds={asked.family: kind})
    return {(ask.model, ask.provider): ask for ask in asks}


class Loopback(Dialect):
    """A router whose server plays scripts and keeps what it was sent."""

    def __init__(self) -> None:
        """Serve nothing yet."""
        self.server = FaultServer()

    def client(self) -> AbstractAsyncContextManager[Router]:
        """Return the client of the server, which is open."""
        raise NotImplementedError

    def prepare(self) -> Mapping[str, Script]:
        """Return what the server plays by path, but for chat requests."""
        raise NotImplementedError

    def play(self, situation: Situation) -> Script:
        """Return what the server plays for the chat request."""
        raise NotImplementedError

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Router]:
        """Serve, and yield the open client."""
        async with self.server.open():
            self.server.paths = dict(self.prepare())
            async with self.client() as router:
                yield router

    async def ask_for(self, router: Router, situation: Situation) -> Ask:
        """Set the server to a situation and return the ask of the listed endpoint."""
        asks = planned(await router.listing(self.watch()), prompt())
        self.server.paths["/chat/completions"] = delayed(self.play(situation))
        return asks[self.listed.model, self.listed.provider]

    def chats(self) -> list[Any]:
        """Return the bodies of the chat requests so far."""
        return [json.loads(each.body) for each in self.server.requests if each.path.endswith("/chat/completions")]


def delayed(script: Script) -> Script:
    """Play a script after `DELAY_S`."""

    async def later(writer: asyncio.StreamWriter) -> bool | None:
        await asyncio.sleep(DELAY_S)
        return await script(writer)

    return later


def completed(**changes: Any) -> dict[str, Any]:
    """Return a body of OpenAI's protocol with an answer in it; a change to ... takes the member out."""
    choice = {
        "index": 0,
        "finish_reason": changes.pop("finish", "stop"),
        "message": changes.pop("message", {"role": "assistant", "content": "Paris"}),
    }
    body = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    } | changes  # fmt: skip
    return {name: value for name, value in body.items() if value is not ...}


def in_200(situation: Situation, headers: Mapping[str, str], **members: Any) -> Script | None:
    """Return what every dialect plays alike inside HTTP 200; None for another situation.

    Args:
        situation: to play.
        headers: that this dialect's answers have besides; names take _ for -.
        members: that this dialect's bodies have besides.
    """
    message = {"role": "assistant", "content": "Paris"}
    bodies = {
        Situation.ANSWER: completed(**members),
        Situation.UNKNOWN_FIELDS: completed(
            message=message | {"mood": {"a": [1]}}, novelty={"x": [None, {}]}, service_tier="z", **members
        ),
        Situation.TRUNCATED: completed(finish="length", **members),
        Situation.EMPTY: completed(message=message | {"content": ""}, **members),
        Situation.NULL_CONTENT: completed(message=message | {"content": None}, **members),
        Situation.ERROR_OBJECT: completed(
            error={"code": 500, "message": "The worker went away"}, choices=..., **members
        ),
        Situation.OTHER_MODEL: completed(**(members | {"model": "author/other"})),
    }
    if situation is Situation.REDIRECT:
        return answer(b"", 302, location="/elsewhere")
    return answer(bodies[situation], **headers) if situation in bodies else None


class OpenRouterDialect(Loopback):
    """OpenRouter: who served and whose error it is stand in the body."""

    name = "openrouter"
    listed = Listed(
        model=MODEL, provider="Elm", tag="elm/fp8", declared_precision="fp8", context_length=8192,
        price_prompt=Decimal("0.000001"),
    )  # fmt: skip

    def client(self) -> AbstractAsyncContextManager[Router]:
        """Return the client of the server."""
        return OpenRouter(self.server.address, Key(KEY), SETTINGS, lambda: NOW, asyncio.get_running_loop().time)

    def prepare(self) -> Mapping[str, Script]:
        """List one model with two endpoints, and tell a key and its limit."""
        entries = [
            {
                "provider_name": name, "tag": tag, "quantization": "fp8", "context_length": 8192, "status": 0,
                "pricing": {"prompt": "0.000001", "completion": "0.000002"},
                "supported_parameters": ["max_tokens", "temperature"],
            }
            for name, tag in (("Elm", "elm/fp8"), ("Fir", "fir/fp8"))
        ]  # fmt: skip
        return {
            "/endpoints": answer({"data": {"endpoints": entries}}),
            "/models": answer({"data": [{"id": MODEL, "canonical_slug": MODEL}]}),
            "/key": answer({"data": {"limit_remaining": 5}}, date="Sun, 29 Nov 2026 03:00:00 GMT"),
            "/credits": answer({"error": {"code": 403, "message": "No"}}, 403),
        }

    def play(self, situation: Situation) -> Script:
        """Play what OpenRouter sends."""
        named = {"provider_name": "Elm"}
        errors: dict[Situation, tuple[int, dict[str, Any]]] = {
            Situation.PROVIDERS_5XX: (502, named),
            Situation.ROUTERS_5XX: (503, {}),
            Situation.PROVIDERS_429: (429, named),
            Situation.ROUTERS_429: (429, {"limit_source": "account"}),
            Situation.KEY_REFUSED: (401, {}),
            Situation.NO_CREDIT: (402, {}),
            Situation.NO_ENDPOINT: (404, {}),
        }
        if situation in errors:
            status, metadata = errors[situation]
            return answer({"error": {"code": status, "message": "It failed", "metadata": metadata}}, status)
        if situation is Situation.OTHER_PROVIDER:
            return answer(completed(provider="Fir"))
        return in_200(situation, {}, provider="Elm") or answer(b"")

    async def reached(self) -> dict[str, int]:
        """Count what each request is pinned to."""
        pins = [tag for chat in self.chats() for tag in chat["provider"]["only"]]
        assert all(chat["provider"]["allow_fallbacks"] is False for chat in self.chats())
        return {{"elm/fp8": "Elm", "fir/fp8": "Fir"}[tag]: pins.count(tag) for tag in pins}


class HuggingFaceDialect(Loopback):
    """Hugging Face's router: who served stands in a header, the body is the provider's own."""

    name = "huggingface"
    listed = Listed(
        model=MODEL, provider="elm", tag="elm", declared_precision=None, context_length=8192,
        price_prompt=Decimal("0.000001"),
    )  # fmt: skip

    def client(self) -> AbstractAsyncContextManager[Router]:
        """Return the client of the server."""
        return HuggingFace(self.server.address, Key(KEY), SETTINGS, lambda: NOW, asyncio.get_running_loop().time)

    def prepare(self) -> Mapping[str, Script]:
        """List one model with two providers, and tell who the key belongs to."""
        providers = [
            {"provider": name, "status": "live", "context_length": 8192, "pricing": {"input": 1, "output": 2}}
            for name in ("elm", "fir")
        ]
        listing = answer({"data": [{"id": MODEL, "providers": providers}]}, date="Sun, 29 Nov 2026 03:00:00 GMT")
        return {"/v1/models": listing, "/whoami-v2": answer({"name": "someone"})}

    def play(self, situation: Situation) -> Script:
        """Play what the router sends."""
        served = {"x_inference_provider": "elm"}
        errors: dict[Situation, tuple[int, dict[str, str]]] = {
            Situation.PROVIDERS_5XX: (502, served),
            Situation.ROUTERS_5XX: (503, {}),
            Situation.PROVIDERS_429: (429, served),
            Situation.KEY_REFUSED: (401, {}),
            Situation.NO_CREDIT: (402, {}),
            Situation.NO_ENDPOINT: (404, served),
        }
        match situation:
            case Situation.OTHER_MODEL:
                self._cannot(situation, "the body names the model as the provider does, which no listing tells")
            case Situation.ROUTERS_429:
                return answer(b"<html>Too many requests</html>", 429)
            case Situation.OTHER_PROVIDER:
                return answer(completed(model="fir/m"), x_inference_provider="fir")
            case _ if situation in errors:
                status, headers = errors[situation]
                return answer({"error": {"message": "It failed", "code": None}}, status, **headers)
        return in_200(situation, served, model="accounts/elm/models/m") or answer(b"")

    async def reached(self) -> dict[str, int]:
        """Count what each request's model names after the colon."""
        pins = [chat["model"].removeprefix(f"{MODEL}:") for chat in self.chats()]
        return {provider: pins.count(provider) for provider in pins}


class DirectDialect(Loopback):
    """A server that is asked directly, beside another of the same model."""

    name = "direct"
    listed = Listed(
        model=MODEL, provider="elm", tag="elm/fp8", declared_precision="fp8", context_length=8192,
        price_prompt=Decimal("0.000001"),
    )  # fmt: skip

    def __init__(self) -> None:
        """Serve two servers."""
        super().__init__()
        self.other = FaultServer(answer(completed()))

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Router]:
        """Serve both, and yield the open client."""
        async with self.other.open():
            self.other.paths = dict(self.prepare())
            async with super().open() as router:
                yield router

    def client(self) -> AbstractAsyncContextManager[Router]:
        """Return the client of both servers."""
        said: dict[str, Any] = {
            "model": MODEL, "key_variable": "A_KEY", "declared_precision": "fp8", "context_length": 8192,
            "price_prompt": "0.000001",
        }  # fmt: skip
        servers = (
            ServerSettings(name="elm", address=self.server.address, **said),
            ServerSettings(name="fir", address=self.other.address, **said),
        )
        clock = asyncio.get_running_loop().time
        return Direct(servers, {"A_KEY": Key(KEY)}, SETTINGS, lambda: NOW, clock)

    def prepare(self) -> Mapping[str, Script]:
        """List one model."""
        return {"/models": answer({"data": [{"id": MODEL}]}, date="Sun, 29 Nov 2026 03:00:00 GMT")}

    def play(self, situation: Situation) -> Script:
        """Play what a server sends."""
        statuses = {
            Situation.PROVIDERS_5XX: 500,
            Situation.PROVIDERS_429: 429,
            Situation.KEY_REFUSED: 401,
            Situation.NO_CREDIT: 402,
            Situation.NO_ENDPOINT: 404,
        }
        if situation in {Situation.ROUTERS_5XX, Situation.ROUTERS_429}:
            self._cannot(situation, "there is no router between")
        if situation is Situation.OTHER_PROVIDER:
            self._cannot(situation, "the connection itself is to who was asked")
        if situation in statuses:
            body = {"error": {"message": "It failed", "type": "x", "param": None, "code": statuses[situation]}}
            return answer(body, statuses[situation])
        return in_200(situation, {}) or answer(b"")

    async def reached(self) -> dict[str, int]:
        """Count the chat requests at each server."""
        counts = {
            name: sum(request.method == "POST" for request in server.requests)
            for name, server in (("elm", self.server), ("fir", self.other))
        }
        return {name: count for name, count in counts.items() if count}


class DemoDialect(Dialect):
    """The demo router's real process: it plays its recording and its script of faults, and nothing else."""

    name = "demo"
    seed = "00ff"
    recording = load_recording()

    def __init__(self, address: str) -> None:
        """Use a process that runs at an address."""
        self.address = address
        alder = self.recording.endpoint("google/gemma-3-270m", "Alder")
        assert alder is not None
        self.listed = Listed(
            model=alder.model, provider="Alder", tag="alder/int4", declared_precision="int4",
            context_length=alder.context_length, price_prompt=alder.price_prompt,
        )  # fmt: skip
        self._before: Served | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Router]:
        """Set the night, and yield the open client."""
        await self._set_night()
        self._before = await self._served()
        async with Demo(self.address, Key(KEY), SETTINGS, lambda: NOW, asyncio.get_running_loop().time) as router:
            yield router

    async def _set_night(self) -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            night = {"night_index": 1, "seed": self.seed}
            reply = await client.put(f"{self.address.removesuffix('/api/v1')}/demo/night", json=night)
            assert reply.status_code == 200

    async def _served(self) -> Served:
        async with httpx.AsyncClient(trust_env=False) as client:
            reply = await client.get(f"{self.address.removesuffix('/api/v1')}/demo/served")
        return msgspec.json.decode(reply.content, type=Served)

    async def ask_for(self, router: Router, situation: Situation) -> Ask:
        """Return an ask that the recording or the script of faults lets meet a situation."""
        kinds = {
            Situation.TRUNCATED: Truncation,
            Situation.ERROR_OBJECT: ErrorInside200,
            Situation.PROVIDERS_5XX: ServerError,
            Situation.PROVIDERS_429: RateLimit,
            Situation.OTHER_PROVIDER: Misrouting,
        }
        reasons = {
            Situation.UNKNOWN_FIELDS: "its bodies hold what OpenRouter's held when it was written",
            Situation.EMPTY: "no recorded answer is empty",
            Situation.NULL_CONTENT: "it is one of the four shapes of an error inside 200, drawn by the seed",
            Situation.ROUTERS_429: "it limits nobody",
            Situation.NO_CREDIT: "it charges nothing",
            Situation.OTHER_MODEL: "it misroutes to another provider of the same model alone",
            Situation.REDIRECT: "it redirects nobody",
            Situation.ROUTERS_5XX: "it fails by itself only before its first night, when nothing is listed",
            Situation.KEY_REFUSED: "it refuses a client without a key alone, which is tested by itself",
        }
        if situation in reasons:
            self._cannot(situation, reasons[situation])
        listings = await router.listing(Watch(models=self.recording.models()))
        ask = self._asks(listings, kinds.get(situation))[0]
        return msgspec.structs.replace(ask, tag="alder/int3") if situation is Situation.NO_ENDPOINT else ask

    def _asks(self, listings: tuple[ModelListing, ...], fault: type | None) -> list[Ask]:
        """Return asks that meet a fault, or those of the listed endpoint that meet none."""
        met: list[Ask] = []
        for each in (item for item in self.recording.prompts if item.expected is not None):
            for (model, provider), ask in planned(listings, each).items():
                endpoint = self.recording.endpoint(model, provider)
                assert endpoint is not None
                found = hit(load_faults(), self.seed, endpoint, each.prompt_id)
                plain = fault is None and found is None and (model, provider) == (self.listed.model, "Alder")
                if plain or (fault is not None and isinstance(found, fault)):
                    met.append(ask)
        return met

    async def reached(self) -> dict[str, int]:
        """Return what the router counted since it was opened."""
        assert self._before is not None
        before = {(each.model, each.provider): each.requests for each in self._before.endpoints}
        return {
            each.provider: each.requests - before.get((each.model, each.provider), 0)
            for each in (await self._served()).endpoints
            if each.requests > before.get((each.model, each.provider), 0)
        }

    def text_of(self, ask: Ask) -> str:
        """Return the recorded answer."""
        endpoint = self.recording.endpoint(ask.model, ask.provider)
        assert endpoint is not None
        return drawn_sample(self.recording, self.seed, endpoint, ask.prompt).text
