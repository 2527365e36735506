"""An archive in a bucket of a real S3 server on loopback, beside the same archive in a folder.

A module takes the fixtures by name, and names what is put into the bucket: `made = sound_worlds.logged_small`.
"""

from __future__ import annotations

import http.server
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import Result
from logged_site import serving
from publish_world import Bucket, running_s3
from typer.testing import CliRunner

from generator import cli
from generator.archive.bucket_folder import LEASE, BucketFolder
from generator.archive.store import Store
from generator.stores.lease import Times
from generator.workflows.world import Root

BUCKET = "archives"


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    """Return a bucket of a running server."""
    with running_s3() as endpoint:
        yield Bucket(endpoint, BUCKET)


@pytest.fixture
def prefix(bucket: Bucket, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a place of the test's own; the environment is that of a run."""
    for name, value in bucket.environment().items():
        monkeypatch.setenv(name, value)
    return prefix_of(request)


@pytest.fixture
def root(bucket: Bucket, made: Path, prefix: str, tmp_path: Path) -> Root:
    """Return the archive that a module calls `made` in the bucket, and a root that names it."""
    shutil.copytree(made, tmp_path / "root")
    return Root(moved(bucket, tmp_path / "root", prefix))


def at(prefix: str) -> str:
    """Return the address of an archive."""
    return f"s3://{BUCKET}/{prefix}"


def name_archive(root: Path, address: str) -> None:
    """Have a root's settings say where its archive lies."""
    path = root / "content" / "site.toml"
    text = path.read_text()
    assert "format = 1\n" in text
    path.write_text(text.replace("format = 1\n", f'format = 1\narchive = "{address}"\n', 1))


def moved(bucket: Bucket, root: Path, prefix: str) -> Path:
    """Put a root's archive into a bucket, as anybody would by copying its files, and name it; return the root."""
    for name, data in kept(root).items():
        bucket.store(prefix).put(name, data)
    shutil.rmtree(root / "archive")
    name_archive(root, at(prefix))
    return root


def kept(root: Path) -> dict[str, bytes]:
    """Return every file of an archive that lies in its root."""
    folder = Root(root).store.folder
    return {name: folder.read(name) for name in folder.names()}


def objects(bucket: Bucket, prefix: str) -> dict[str, bytes]:
    """Return every object of an archive; the lease is none of it."""
    return {path: data for path, (data, *_) in bucket.objects(prefix).items() if path != LEASE}


def is_held(bucket: Bucket, prefix: str) -> bool:
    """True while a run's object lies there."""
    return LEASE in bucket.objects(prefix)


def timed(root: Path, times: Times) -> Root:
    """Return a root whose lease has other times than usual."""
    made = Root(root)
    made.store = Store(root, made.content.archive(), lambda name: bool(os.environ.get(name)), times)
    return made


def bucket_of(root: Root) -> BucketFolder:
    """Return the bucket that a root's archive lies in."""
    assert root.store.bucket is not None
    return root.store.bucket


@contextmanager
def between(endpoint: str, refused: Callable[[str, str], int | None]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Stand between a run and its server; yield an address, and a list of the method and path of what passed.

    Args:
        endpoint: the server's address.
        refused: by method and path, the status that a request is refused with; None lets it pass.
    """
    passed: list[tuple[str, str]] = []
    client = httpx.Client(trust_env=False, timeout=30)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status = refused(self.command, self.path)
            if status is None:
                passed.append((self.command, self.path.partition("?")[0]))
                kept = {key: value for key, value in self.headers.items() if key.lower() != "accept-encoding"}
                answer = client.request(self.command, endpoint + self.path, headers=kept, content=body)
                status, headers, body = answer.status_code, answer.headers, answer.content
            else:
                headers, body = httpx.Headers(), b""
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in {"content-length", "connection", "transfer-encoding", "server", "date"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_DELETE = do_POST = handle_any  # noqa: N815 - as the library asks

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with client, serving(Handler) as address:
        yield address, passed


def run(root: Path, *arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(cli.app, [*arguments, "--root", str(root)])


def prefix_of(request: pytest.FixtureRequest) -> str:
    """Return a place of a test's own."""
    return "".join(letter if letter.isalnum() else "-" for letter in request.node.name)[:60]


def different(found: Mapping[str, bytes], expected: Mapping[str, bytes]) -> list[str]:
    """Return the names that only one of two archives has, or that have other bytes."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
