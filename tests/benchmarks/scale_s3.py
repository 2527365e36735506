"""The same archive in a bucket of an S3 server on loopback: a process of its own, whose time is not counted."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from obstore.store import S3Store

BUCKET = "scale"
_PATIENCE_S = 60.0


def missing() -> str | None:
    """Return why there is no S3 server here; None where there is one."""
    return None if find_spec("moto") and find_spec("flask") else "no S3 server here: moto[server] is not installed"


@contextmanager
def serving() -> Iterator[None]:
    """Run the server with an empty bucket, its address and a credential in the environment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = dict(os.environ)
    try:
        _await(port)
        request = urllib.request.Request(f"{address}/{BUCKET}", method="PUT")  # noqa: S310 - our own server
        urllib.request.urlopen(request).close()  # noqa: S310 - same
        os.environ.update(
            AWS_ACCESS_KEY_ID="any",
            AWS_SECRET_ACCESS_KEY="any",  # noqa: S106 - moto takes any
            AWS_ENDPOINT_URL=address,
            AWS_ALLOW_HTTP="true",
            AWS_REGION="us-east-1",
            NO_PROXY="127.0.0.1",
        )
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        process.kill()
        process.wait()


def upload(path: Path, prefix: str) -> None:
    """Move a root's archive into the bucket, and name it in the root's settings."""
    store = S3Store(BUCKET, prefix=prefix)
    for file in sorted((path / "archive").rglob("*")):
        if file.is_file() and file.name != ".lock":
            store.put(file.relative_to(path / "archive").as_posix(), file.read_bytes())
            file.unlink()
    settings = path / "content" / "site.toml"
    text = settings.read_text()
    settings.write_text(text.replace("\n[router]", f'\narchive = "s3://{BUCKET}/{prefix}"\n\n[router]', 1))


def _await(port: int) -> None:
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return
