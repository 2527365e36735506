"""A small root whose log is signed twice, its site as it is published, and a server that shows it on loopback."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import kept_site

from generator.log.note import SigningKey
from generator.records.finding import VerificationReport
from generator.workflows.appending import append
from generator.workflows.grading import grade
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.proving import prove
from generator.workflows.rendering import render
from generator.workflows.signing import sign
from generator.workflows.verifying import verify
from generator.workflows.world import Root

SILENT = kept_site.Silent()
KEY = SigningKey("kept.example/log", bytes(range(32)))
OTHER_KEY = SigningKey("kept.example/log", bytes(range(1, 33)))
PAGE = "grades/aster/sphinx-8b/mill/2026-03-08/v0.1/"


def make_logged(path: Path, nights: int = 8, *, signed: bool = True) -> Root:
    """Return a root of so many nights and, after a missed date, one more; its log was appended to after each step."""
    root = kept_site.make_root(path, nights=nights, rendered=False)
    keep(root, signed=signed)
    add_last(root, nights + 1)
    keep(root, signed=signed)
    render(root, progress=SILENT)
    return root


def add_last(root: Root, day: int) -> None:
    """Seal and grade one more night, so many days after the first."""
    kept_site.add_night(root, kept_site.FIRST + timedelta(days=day))
    grade(root, today=kept_site.FIRST + timedelta(days=day + 1), progress=SILENT)


def keep(root: Root, *, signed: bool = True, key: SigningKey = KEY) -> None:
    """Append what is new, and sign and prove it where asked for."""
    append(root, progress=SILENT, key=key.verifier if signed else None)
    if signed:
        sign(root, key, progress=SILENT)
        prove(root, progress=SILENT)


def check(path: Path, trust: Trust = NO_TRUST) -> VerificationReport:
    """Return what verification says of a root."""
    return verify(Root(path), progress=SILENT, trust=trust)


def log(path: Path) -> Path:
    """Return where a root's log lies."""
    return path / "archive/log"


def wheres(report: VerificationReport) -> str:
    """Return where everything was found, a line each."""
    return "\n".join(f"{each.kind} {each.where}: {each.expected}; {each.found}" for each in report.findings)


def published(root: Root, out: Path) -> Path:
    """Return a copy of a laid-out site, as a host has it."""
    shutil.copytree(root.site, out)
    return out


class Quiet(SimpleHTTPRequestHandler):
    """A host of files that logs nothing, and keeps a connection open for the next request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextmanager
def serving(handler: object) -> Iterator[str]:
    """Yield the address of a server that answers with a handler class."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:  # type: ignore[arg-type]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def hosting(folder: Path) -> Iterator[str]:
    """Yield the address of a plain host of a folder."""
    with serving(partial(Quiet, directory=str(folder))) as address:
        yield address
