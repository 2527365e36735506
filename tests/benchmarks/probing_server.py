"""A router on loopback in a process of its own: every request is answered after the same time with the same answer."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

LATENCY_MS = 200
"""From the last byte of a request to its answer."""

ANSWER = {
    "id": "gen-1764460800-Zq3tYw8Nn2VbK5mX7rLc",
    "provider": "Elm",
    "model": "author/model",
    "object": "chat.completion",
    "created": 1764460800,
    "choices": [
        {
            "logprobs": None,
            "finish_reason": "stop",
            "native_finish_reason": "stop",
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "The capital of France is\n\nParis",
                "refusal": None,
                "reasoning": None,
            },
        }
    ],
    "system_fingerprint": None,
    "usage": {
        "prompt_tokens": 41,
        "completion_tokens": 8,
        "total_tokens": 49,
        "cost": 0.0000123,
        "is_byok": False,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "cost_details": {"upstream_inference_cost": None, "upstream_inference_prompt_cost": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "image_tokens": 0},
    },
    "openrouter_metadata": {"attempts": [{"provider": "Elm", "model": "author/model", "status": 200}]},
}
"""In the shape of OpenRouter's, members that nobody reads included."""

_BODY = json.dumps(ANSWER).encode()
_RESPONSE = (
    b"HTTP/1.1 200 OK\r\nDate: Sun, 29 Nov 2026 03:00:00 GMT\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nConnection: keep-alive\r\nCF-RAY: 8f1c2d3e4f5a6b7c-FRA\r\nX-Request-Id: 7d0f\r\n"
    b"Access-Control-Allow-Origin: *\r\nVary: Accept-Encoding\r\nServer: cloudflare\r\n\r\n%b" % (len(_BODY), _BODY)
)
_LENGTH = b"content-length:"


class _Served(asyncio.Protocol):
    """One connection: requests in turn, each whole before it is answered."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer what is whole."""
        self._data += data
        head = self._data.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._data.lower().find(_LENGTH, 0, head + 2)
        length = int(self._data[at + len(_LENGTH) : self._data.find(b"\r\n", at)]) if at >= 0 else 0
        if len(self._data) >= head + 4 + length:
            del self._data[: head + 4 + length]
            asyncio.get_running_loop().call_later(LATENCY_MS / 1000, self._transport.write, _RESPONSE)


async def _serve(pipe: Connection) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Served, "127.0.0.1", 0, backlog=1024)
    pipe.send(server.sockets[0].getsockname()[1])
    async with server:
        # Nothing is ever received: the pipe closes when the benchmark is done.
        closed = asyncio.Event()
        loop.add_reader(pipe.fileno(), closed.set)
        await closed.wait()


def _process(pipe: Connection) -> None:
    asyncio.run(_serve(pipe))


@contextmanager
def serving() -> Iterator[int]:
    """Serve while inside; yield the port."""
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=_process, args=(its,), daemon=True)
    process.start()
    its.close()
    try:
        yield mine.recv()
    finally:
        mine.close()
        process.join(10)
