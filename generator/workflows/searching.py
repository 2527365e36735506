"""The search index: Pagefind's program, told all entries in one conversation.

Its own Python client waits a tenth of a second for each answer, which is minutes for some thousand entries; this is
the same conversation, written ahead. Where the program is missing, cannot start or answers otherwise than expected,
there is no index: a night's pages do not wait for it.
"""

from __future__ import annotations

import base64
import gzip
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

import msgspec
from pagefind.service import get_executable

from generator.site.search import Indexer, SearchEntry, SearchIndex

LANGUAGE = "en"
"""Of the index; Pagefind takes the one of the page's own language."""
DEADLINE_S = 120
"""After so long the program is ended."""
_FRAGMENTS = "fragment/"
_SIGNATURE = b"pagefind_dcd"
"""What every decompressed file of Pagefind begins with."""
_NEEDED = ("pagefind.js", "pagefind-entry.json", f"wasm.{LANGUAGE}.pagefind")
_CHUNKS = (".pf_index", ".pf_meta")


class _File(msgspec.Struct, frozen=True):
    path: str
    content: bytes


class _Payload(msgspec.Struct, frozen=True):
    type: str
    message: str = ""
    files: tuple[_File, ...] = ()


class _Answer(msgspec.Struct, frozen=True):
    payload: _Payload


class _Fragment(msgspec.Struct, frozen=True):
    url: str


class _BrokenError(Exception):
    """The program answers otherwise than its protocol says."""


def indexer(say: Callable[[str], None], program: Path | None = None) -> Indexer:
    """Return what makes the search index of some entries: the same bytes for the same entries, or None.

    Args:
        say: is told why there is no index.
        program: Pagefind's; None for the installed one.
    """

    def index(entries: tuple[SearchEntry, ...]) -> SearchIndex | None:
        if not entries:  # Nothing to find: Pagefind makes no index of nothing.
            return None
        found = program or get_executable()
        if found is None or not found.is_file():
            say("the site has no search index: there is no pagefind program for this machine")
            return None
        try:
            return _made(entries, _converse(found, _requests(entries)))
        except (OSError, ValueError, _BrokenError) as error:  # Wrong base64, gzip and JSON among them.
            say(f"the site has no search index: {error}")
            return None

    return index


def _made(entries: tuple[SearchEntry, ...], files: tuple[_File, ...]) -> SearchIndex:
    """Return what a browser needs to search.

    A fragment, which holds an entry's own words, is read for what the index calls that entry and not kept: the search
    page has a row for each.
    """
    ids = {}
    for file in files:
        if file.path.startswith(_FRAGMENTS):
            text = gzip.decompress(file.content).removeprefix(_SIGNATURE)
            ids[msgspec.json.decode(text, type=_Fragment).url] = PurePosixPath(file.path).stem
    # An entry in whose words Pagefind finds none is left out: no search finds it, and the list has it all the same.
    if not ids or ids.keys() - {entry.path for entry in entries}:
        raise _BrokenError(f"expected {len(entries)} entries in it, found {len(ids)}")
    kept = {file.path: file.content for file in files if file.path in _NEEDED or file.path.endswith(_CHUNKS)}
    if not kept.keys() >= set(_NEEDED):
        raise _BrokenError(f"expected {', '.join(_NEEDED)}, found {', '.join(sorted(kept)) or 'nothing'}")
    return SearchIndex(files=kept, ids=ids)


def _requests(entries: tuple[SearchEntry, ...]) -> list[bytes]:
    """Return the whole conversation from our side."""
    payloads: list[dict[str, Any]] = [{"type": "NewIndex", "config": {"force_language": LANGUAGE}}]
    payloads += [
        {
            "type": "AddRecord",
            "index_id": 0,
            "url": entry.path,
            "content": entry.words,
            "language": LANGUAGE,
            "meta": None,
            "filters": None,
            "sort": None,
        }
        for entry in entries
    ]
    payloads.append({"type": "GetFiles", "index_id": 0})
    return [
        base64.b64encode(msgspec.json.encode({"message_id": number, "payload": payload})) + b","
        for number, payload in enumerate(payloads, start=1)
    ]


def _converse(program: Path, requests: list[bytes]) -> tuple[_File, ...]:
    """Return the files of the index, which the last answer holds."""
    with subprocess.Popen([program, "--service"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:  # noqa: S603
        # It answers while it is still being asked, and ends where its input does.
        asking = threading.Thread(target=_ask, args=(cast("IO[bytes]", running.stdin), requests), daemon=True)
        deadline = threading.Timer(DEADLINE_S, running.kill)
        asking.start()
        deadline.start()
        try:
            return _answers(cast("IO[bytes]", running.stdout), len(requests))
        finally:
            deadline.cancel()
            running.kill()
            asking.join()


def _ask(sink: IO[bytes], requests: list[bytes]) -> None:
    try:
        sink.write(b"".join(requests))
        sink.flush()
    except OSError:  # It ended early: what it said until then is judged.
        return


def _answers(source: IO[bytes], count: int) -> tuple[_File, ...]:
    """Read one answer to each request, in their order; each ends with a comma."""
    rest = b""
    answered = 0
    decoder = msgspec.json.Decoder(_Answer)
    while chunk := source.read1(1 << 20):  # type: ignore[attr-defined]
        *whole, rest = (rest + chunk).split(b",")
        for each in whole:
            payload = decoder.decode(base64.b64decode(each)).payload
            if payload.type == "Error":
                raise _BrokenError(f"expected an index, found the error: {payload.message}")
            answered += 1
            if answered == count:
                return payload.files
    raise _BrokenError(f"expected {count} answers, found {answered}")
