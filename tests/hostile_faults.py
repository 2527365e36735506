"""What hostile and broken servers do, each with how it must be judged."""

from __future__ import annotations

import gzip
import json
import zlib
from functools import cache

import msgspec

from tests.fault_server import (
    Script,
    answer,
    drip,
    endless,
    head,
    held_open,
    raw,
    reset_after,
    silence,
    streamed,
)
from tests.probing_makers import completion

GOOD = json.dumps(completion()).encode()
HALF = len(GOOD) // 2
TEN_GB = 10_000_000_000


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a server does, and what must come of it."""

    name: str
    script: Script
    outcome: str
    kind: str | None
    greedy: bool = False
    """It tries to fill the memory."""


def _encoded(data: bytes, label: str) -> Script:
    return answer(data, content_encoding=label)


def _said(text: str) -> bytes:
    """Return a good answer with something else written where its tokens are counted."""
    return json.dumps(completion(usage={"prompt_tokens": "HERE"})).replace('"HERE"', text).encode()


@cache
def _big_bomb(wbits: int = 31) -> bytes:
    """Return 200 MB in 200 kB, in the format that zlib means by these bits: gzip, or deflate."""
    packer = zlib.compressobj(wbits=wbits)
    return b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(200)), packer.flush()])


@cache
def _double_bomb() -> bytes:
    """Return that packed once more."""
    return gzip.compress(_big_bomb())


def _chunked(*parts: bytes) -> bytes:
    return head(200, transfer_encoding="chunked") + b"".join(parts)


def _one_chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _http10(data: bytes, *lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.0 200 OK", *lines, b"", data])


def _answered(name: str, script: Script) -> Fault:
    return Fault(name=name, script=script, outcome="answered", kind=None)


def _error(name: str, kind: str, script: Script, *, greedy: bool = False) -> Fault:
    return Fault(name=name, script=script, outcome="error", kind=kind, greedy=greedy)


def _unsent(name: str, kind: str, script: Script) -> Fault:
    return Fault(name=name, script=script, outcome="unsent", kind=kind)


def faults(elsewhere: str) -> tuple[Fault, ...]:
    """Return every fault.

    Args:
        elsewhere: the address of another server, where redirects lead.
    """
    continues = b"HTTP/1.1 100 Continue\r\n\r\n"
    return (
        # Bodies without end, or far too long.
        _error("endless body", "too_large", endless(b"x" * 65_536), greedy=True),
        _error("endless white space", "too_large", endless(), greedy=True),
        _error("an answer, then endless white space", "too_large",
               streamed(_chunked(_one_chunk(GOOD)), _one_chunk(b" " * 60_000)), greedy=True),
        _error("10 GB, announced", "too_large", streamed(head(200, content_length=TEN_GB), b"x" * 65_536), greedy=True),
        _error("10 GB, not announced", "too_large", streamed(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536), greedy=True),
        _error("10 GB in small chunks", "too_large", streamed(_chunked(), _one_chunk(b"x" * 99) * 50), greedy=True),
        _error("10 GB announced and none sent", "timeout", held_open(head(200, content_length=TEN_GB))),
        _error("one byte at a time", "timeout", drip(b" ", 0.05)),
        _error("one byte, then silence", "timeout", drip(b" ", 5)),
        _error("silence", "timeout", silence()),
        # Encodings that nobody asked for.
        _error("gzip bomb", "too_large", _encoded(_big_bomb(), "gzip"), greedy=True),
        _error("gzip bomb in one chunk of many", "too_large",
               streamed(head(200, transfer_encoding="chunked", content_encoding="gzip"), _one_chunk(_big_bomb())),
               greedy=True),
        _error("gzip bomb twice packed", "undecodable",
               _encoded(_double_bomb(), "gzip, gzip"), greedy=True),
        _error("gzip bomb twice packed, labelled once", "undecodable",
               _encoded(_double_bomb(), "gzip"), greedy=True),
        _error("deflate bomb", "too_large", _encoded(_big_bomb(15), "deflate"), greedy=True),
        _answered("deflate", _encoded(zlib.compress(GOOD), "deflate")),
        _answered("gzip", _encoded(gzip.compress(GOOD), "gzip")),
        _error("raw deflate", "broken", _encoded(zlib.compress(GOOD)[2:-4], "deflate")),
        _error("br", "undecodable", _encoded(b"\x0b\x02\x80\x00\x01\x02\x03", "br")),
        _error("zstd", "undecodable", _encoded(b"\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00", "zstd")),
        _answered("br in name only", _encoded(GOOD, "br")),
        _error("gzip in name only", "broken", _encoded(GOOD, "gzip")),
        _error("gzip without its end", "broken", _encoded(gzip.compress(GOOD)[:-40], "gzip")),
        # Bodies that are no JSON, or not in one way only.
        _error("invalid UTF-8", "undecodable", answer(GOOD.replace(b"Paris", b"P\xff\xfe\xc0ris"))),
        _error("UTF-16", "undecodable", answer(GOOD.decode().encode("utf-16"))),
        _error("NaN", "undecodable", answer(_said("NaN"))),
        _error("Infinity", "undecodable", answer(_said("-Infinity"))),
        _error("100,000 deep", "undecodable", answer(b"[" * 100_000), greedy=True),
        _error("100,000 deep, and closed", "undecodable",
               answer(_said('{"a":' * 50_000 + "1" + "}" * 50_000)), greedy=True),
        _error("300,000 empty objects", "error_object",
               answer(b'{"error":[' + b",".join([b"{}"] * 300_000) + b"]}"), greedy=True),
        _error("a name twice", "undecodable", answer(GOOD[:-1] + b', "choices": []}')),
        _error("nothing", "undecodable", answer(b"")),
        _error("HTML with 200", "undecodable", answer(b"<!doctype html><title>Welcome</title>")),
        _error("a text", "undecodable", answer(b'"Paris"')),
        _answered("a number of 100,000 digits", answer(_said("9" * 100_000))),
        _answered("a huge exponent", answer(_said("1e999999999"))),
        _answered("wrong content type", answer(GOOD, content_type="text/html; charset=utf-7")),
        # Connections and lengths that lie.
        _error("hang-up before a byte", "broken", raw(b"")),
        _error("hang-up in the status line", "broken", raw(b"HTTP/1.1 2")),
        _error("hang-up in the headers", "broken", raw(b"HTTP/1.1 200 OK\r\nContent-Le")),
        _error("hang-up in the body", "broken", raw(head(200, content_length=len(GOOD)) + GOOD[:HALF])),
        _error("reset before a byte", "broken", reset_after(b"")),
        _error("reset in the body", "broken", reset_after(head(200, content_length=len(GOOD)) + GOOD[:HALF])),
        _error("reset in a chunk", "broken", reset_after(_chunked(b"ffff\r\n", GOOD[:HALF]))),
        _error("length too long, and hung up", "broken", raw(head(200, content_length=len(GOOD) + 9) + GOOD[:HALF])),
        _error("length too long, and silent", "timeout", held_open(head(200, content_length=len(GOOD) + 9) + GOOD)),
        _error("length too short", "broken", held_open(head(200, content_length=HALF) + GOOD)),
        _error("two lengths", "broken", raw(head(200, content_length=len(GOOD), Content_Length=9) + GOOD)),
        _error("negative length", "broken", raw(head(200, content_length=-1) + GOOD)),
        _error("no number as length", "broken", raw(head(200, content_length="0x20") + GOOD)),
        _error("length and chunks", "broken", raw(head(200, content_length=9, transfer_encoding="chunked") + GOOD)),
        _error("chunk longer than said", "broken", raw(_chunked(b"9\r\n", GOOD, b"\r\n0\r\n\r\n"))),
        _error("chunk shorter than said", "broken", raw(_chunked(b"ffff\r\n", GOOD, b"\r\n0\r\n\r\n"))),
        _error("chunk of 16 digits", "broken", raw(_chunked(b"ffffffffffffffff\r\n", GOOD[:HALF]))),
        Fault(name="hang-up after the text, before the end", outcome="truncated", kind="broke_off",
              script=raw(head(200, content_length=len(GOOD) + 9) + GOOD)),
        _error("chunk of no number", "broken", raw(_chunked(b"zz\r\n", GOOD))),
        _error("chunks without an end", "timeout", held_open(_chunked(_one_chunk(GOOD)))),
        _error("endless chunk extension", "timeout",
               streamed(_chunked(b"9;"), b"x" * 65_536), greedy=True),
        _error("endless trailers", "broken",
               streamed(_chunked(_one_chunk(GOOD[:HALF]), b"0\r\n"), b"X-T: y\r\n" * 4096), greedy=True),
        _answered("HTTP/1.0 with a length", raw(_http10(GOOD, b"Content-Length: %d" % len(GOOD)))),
        _answered("HTTP/1.0 without a length", raw(_http10(GOOD))),
        _error("HTTP/1.0 cut off", "undecodable", raw(_http10(GOOD[:HALF]))),
        _error("HTTP/9.9", "broken", raw(b"HTTP/9.9 200 OK\r\n\r\n" + GOOD)),
        _error("no HTTP", "broken", raw(b"220 mail.example ESMTP\r\n")),
        # Heads.
        _error("header of 5 MB", "broken",
               raw(b"HTTP/1.1 200 OK\r\nX-Huge: " + b"x" * 5_000_000 + b"\r\n\r\n"), greedy=True),
        _error("headers of 5 MB", "broken", raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 800_000 + b"\r\n"), greedy=True),
        _error("endless header", "broken", streamed(b"HTTP/1.1 200 OK\r\nX-Huge: ", b"x" * 65_536), greedy=True),
        _error("endless headers", "broken", streamed(b"HTTP/1.1 200 OK\r\n", b"X-Many: y\r\n" * 4096), greedy=True),
        _error("endless status line", "broken", streamed(b"HTTP/1.1 200 ", b"x" * 65_536), greedy=True),
        _error("slow headers", "timeout", held_open(b"HTTP/1.1 200 OK\r\nX-Slow: ")),
        _answered("dates of another century",
                  answer(GOOD, date="Thu, 01 Jan 1970 00:00:00 GMT", age=-1, expires="0", last_modified="tomorrow")),
        _answered("100, then the answer", raw(continues + head(200, content_length=len(GOOD)) + GOOD)),
        _answered("103, then the answer",
                  raw(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + head(200, content_length=len(GOOD)) + GOOD)),
        _error("100 without end", "timeout", streamed(b"", continues * 1000), greedy=True),
        _error("100 and silence", "timeout", held_open(continues)),
        _error("101", "unexpected_status",
               raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")),
        _error("status 999", "unexpected_status", answer(GOOD, 999)),
        _error("204", "unexpected_status", raw(head(204))),
        # Elsewhere.
        *(
            _unsent(f"redirect {status}", "wrong_address", answer(b"", status, location=f"{elsewhere}/chat"))
            for status in (301, 302, 303, 307, 308)
        ),
        _unsent("redirect to no address", "wrong_address", answer(b"", 302, location="http://[::bad")),
        _answered("headers that lead elsewhere",
                  answer(GOOD, refresh=f"0; url={elsewhere}", alt_svc='h2="127.0.0.1:1"; ma=9', link=f"<{elsewhere}>")),
    )  # fmt: skip


FAULTS = faults("http://127.0.0.1:1")
"""Of these the names can be told before any server runs."""
