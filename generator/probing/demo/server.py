"""The demo router over HTTP on loopback: a process of its own that ends when its standard input does.

    GET  /api/v1/models
    GET  /api/v1/models/{author}/{slug}/endpoints
    GET  /api/v1/key
    POST /api/v1/chat/completions
    PUT  /demo/night     {"night_index": 1, "seed": "..."}: which night is played; a real router has no such thing
    GET  /demo/served    what was served so far

Until a night is set, every other request gets 503 without a provider's name: the router's own fault, not an endpoint's.
Its first line on standard output is {"port": ...}.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections import Counter
from typing import Annotated

import msgspec
from aiohttp import web

from generator.probing.demo.bodies import encode, error_body
from generator.probing.demo.faults import Fault, load_faults
from generator.probing.demo.recording import Recording, load_recording
from generator.probing.demo.replies import Response, Stage, stage
from generator.probing.interface import LATENCY_HEADER

HOST = "127.0.0.1"

_MAX_REQUEST_BYTES = 1 << 20
_SHUTDOWN_S = 1.0


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The line by which a started server hands its port to its parent."""

    port: int


class NightOrder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What PUT /demo/night takes."""

    night_index: Annotated[int, msgspec.Meta(ge=1)]
    """Counted from 1."""
    seed: Annotated[str, msgspec.Meta(min_length=1)]


class ServedCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often an endpoint was reached since the server started."""

    model: str
    provider: str
    requests: int
    """All requests that reached it, those with a fault too."""
    faults: dict[str, int]
    """Of these, how many met each fault, by its name."""


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What GET /demo/served gives."""

    requests: int
    """Chat requests of any kind, refused ones too."""
    endpoints: tuple[ServedCount, ...]
    """Sorted by model and provider; an endpoint that was never reached is left out."""


class DemoRouter:
    """The night that is played now, and what was served."""

    def __init__(self, recording: Recording, faults: tuple[Fault, ...]) -> None:
        """Hold what is played; no night yet."""
        self._recording = recording
        self._faults = faults
        self._stage: Stage | None = None
        self._requests = 0
        self._reached: Counter[tuple[str, str]] = Counter()
        self._hit: Counter[tuple[str, str, str]] = Counter()

    def application(self) -> web.Application:
        """Return the HTTP application."""
        application = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        application.router.add_get("/api/v1/models", self.models)
        application.router.add_get("/api/v1/models/{author}/{slug}/endpoints", self.endpoints)
        application.router.add_get("/api/v1/key", self.key)
        application.router.add_post("/api/v1/chat/completions", self.chat)
        application.router.add_put("/demo/night", self.night)
        application.router.add_get("/demo/served", self.served)
        application.router.add_route("*", "/{path:.*}", _nothing_here)
        return application

    async def models(self, _: web.Request) -> web.Response:
        """Answer with the list of models."""
        return _no_night() if self._stage is None else _http(self._stage.models())

    async def endpoints(self, request: web.Request) -> web.Response:
        """Answer with the endpoints of one model."""
        if self._stage is None:
            return _no_night()
        return _http(self._stage.endpoints(f"{request.match_info['author']}/{request.match_info['slug']}"))

    async def key(self, request: web.Request) -> web.Response:
        """Answer with what is known of the key."""
        if self._stage is None:
            return _no_night()
        return _http(self._stage.key(request.headers.get("Authorization", "")))

    async def chat(self, request: web.Request) -> web.Response:
        """Answer a chat request and count it."""
        self._requests += 1
        body = await request.read()
        if self._stage is None:
            return _no_night()
        response = self._stage.chat(body, request.headers.get("Authorization", ""))
        if response.served is not None:
            served = (response.served.model, response.served.provider_name)
            self._reached[served] += 1
            if response.fault is not None:
                self._hit[*served, response.fault] += 1
        return _http(response)

    async def night(self, request: web.Request) -> web.Response:
        """Play another night from now on."""
        try:
            order = msgspec.json.decode(await request.read(), type=NightOrder)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return _json(400, error_body(400, str(error)))
        self._stage = stage(self._recording, self._faults, order.night_index, order.seed)
        return _json(200, encode(order))

    async def served(self, _: web.Request) -> web.Response:
        """Answer with what was served so far."""
        counts = tuple(
            ServedCount(
                model=model,
                provider=provider,
                requests=requests,
                faults={fault: n for (m, p, fault), n in sorted(self._hit.items()) if (m, p) == (model, provider)},
            )
            for (model, provider), requests in sorted(self._reached.items())
        )
        return _json(200, encode(Served(requests=self._requests, endpoints=counts)))


async def serve() -> None:
    """Serve on a free port of loopback until standard input ends."""
    router = DemoRouter(load_recording(), load_faults())
    runner = web.AppRunner(router.application(), access_log=None, shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    site = web.TCPSite(runner, HOST, 0)
    await site.start()
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    # A thread, because not every platform lets an event loop wait for a pipe.
    threading.Thread(target=_await_end, args=(loop, ended), daemon=True).start()
    port: int = runner.addresses[0][1]
    sys.stdout.buffer.write(encode(Ready(port=port)) + b"\n")
    sys.stdout.buffer.flush()
    await ended.wait()
    await runner.cleanup()


def _await_end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    while sys.stdin.buffer.read(1 << 10):
        pass
    loop.call_soon_threadsafe(ended.set)


async def _nothing_here(_: web.Request) -> web.Response:
    return _json(404, error_body(404, "Nothing is at this address"))


def _no_night() -> web.Response:
    return _json(503, error_body(503, "No night is set: PUT /demo/night first"))


def _http(response: Response) -> web.Response:
    made = _json(response.status, response.body)
    if response.latency_ms is not None:
        made.headers[LATENCY_HEADER] = str(response.latency_ms)
    return made


def _json(status: int, body: bytes) -> web.Response:
    return web.Response(status=status, body=body, content_type="application/json")


if __name__ == "__main__":
    # Ctrl-C in a terminal reaches parent and child alike: the parent decides, and ends this process by the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(serve())
