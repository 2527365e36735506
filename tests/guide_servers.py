"""What the guide's commands talk to when they are run: three servers of the OpenAI protocol, and a router with prices.

The servers answer every prompt with a word made from it, and one of them some prompts otherwise. The router lists four
models at the prices that OpenRouter's listing had on 2025-05-23 (tests/data/router-bodies), nine endpoints of each,
and answers nothing but the same word.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

LISTING = Path(__file__).parent / "data/router-bodies/roo_nock_openrouter-models_2025-05-23.json"
MODELS = (
    "deepseek/deepseek-chat-v3-0324",
    "meta-llama/llama-3.3-70b-instruct",
    "mistralai/mistral-nemo",
    "qwen/qwen-2.5-72b-instruct",
)
ENDPOINTS = 9
"""Of each model: assumed, and said so where the guide works out what a night costs."""
SERVED = "qwen/qwen2.5-7b-instruct"
PORTS = (8080, 8081, 8082)
"""As the guide has them; the servers take any that are free."""

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@contextmanager
def serving(*apps: Callable[[], web.Application]) -> Iterator[list[int]]:
    """Yield the port of each application, served on loopback while inside."""
    loop = asyncio.new_event_loop()
    ports: list[int] = []
    started, done = threading.Event(), asyncio.Event()

    async def serve() -> None:
        runners = []
        for make in apps:
            runner = web.AppRunner(make(), shutdown_timeout=0.1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            runners.append(runner)
            ports.append(runner.addresses[0][1])
        started.set()
        await done.wait()
        for runner in runners:
            await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert started.wait(20)
    try:
        yield ports
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(20)
        loop.close()


def server(*, restless: bool) -> web.Application:
    """Return a server of one model, as llama.cpp and vLLM speak."""

    async def models(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": SERVED, "object": "model"}]})

    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        return web.json_response(_answer(body, SERVED, _word(body["messages"][0]["content"], restless=restless)))

    return _app({"/v1/models": models}, {"/v1/chat/completions": complete})


def router() -> web.Application:
    """Return a router that speaks as OpenRouter does."""
    listed = {each["id"]: each for each in json.loads(LISTING.read_text())["data"]}

    async def models(_request: web.Request) -> web.Response:
        return web.json_response({"data": [{**listed[name], "canonical_slug": name} for name in MODELS]})

    async def endpoints(request: web.Request) -> web.Response:
        name = f"{request.match_info['author']}/{request.match_info['slug']}"
        entries = [_entry(listed[name], number) for number in range(1, ENDPOINTS + 1)]
        return web.json_response({"data": {"id": name, "endpoints": entries}})

    async def key(_request: web.Request) -> web.Response:
        return web.json_response({"data": {"label": "guide", "limit": 30, "limit_remaining": 25, "usage": 5}})

    async def account(_request: web.Request) -> web.Response:
        return web.json_response({"data": {"total_credits": 30, "total_usage": 5}})

    return _app(
        {
            "/api/v1/models": models,
            "/api/v1/models/{author}/{slug}/endpoints": endpoints,
            "/api/v1/key": key,
            "/api/v1/credits": account,
        },
        {},
    )


def _app(gets: dict[str, _Handler], posts: dict[str, _Handler]) -> web.Application:
    app = web.Application(client_max_size=10_000_000)
    for path, handler in gets.items():
        app.router.add_get(path, handler)
    for path, handler in posts.items():
        app.router.add_post(path, handler)
    return app


def _entry(model: dict[str, Any], number: int) -> dict[str, Any]:
    """Return one endpoint of a model as the router lists it: at the model's price, cut and context."""
    return {
        "name": f"Provider {number} | {model['id']}",
        "provider_name": f"Provider {number}",
        "tag": f"provider-{number}/fp8",
        "quantization": "fp8",
        "context_length": model["context_length"],
        "max_completion_tokens": None,
        "max_prompt_tokens": None,
        "pricing": {"prompt": model["pricing"]["prompt"], "completion": model["pricing"]["completion"]},
        "supported_parameters": ["max_tokens", "temperature", "seed"],
        "status": 0,
    }


def _word(prompt: str, *, restless: bool) -> str:
    """Return a word for a prompt, always the same; another one on one prompt in sixteen where asked for."""
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    return f"other{digest[:6]}" if restless and digest[0] == "0" else f"word{digest[:6]}"


def _answer(body: dict[str, Any], model: str, word: str) -> dict[str, Any]:
    usage = {"prompt_tokens": len(body["messages"][0]["content"].split()), "completion_tokens": 2}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": word}}
    return {"id": "1", "object": "chat.completion", "model": model, "choices": [choice], "usage": usage}
