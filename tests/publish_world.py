"""Publishing seen from outside: a real S3 server on loopback, what lies in a target, and where its links lead.

Run as a program it publishes one root to one target, without verifying first: what is killed here is the sending.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import httpx
import lxml.html
from kept_site import FIRST, Silent, add_night, make_root
from obstore.store import S3Store

from generator.errors import BitdepthError
from generator.publishing.interface import LEASE, OWN
from generator.publishing.targets import open_target
from generator.site.build import is_permanent
from generator.site.links import INDEX
from generator.stores.lease import Times
from generator.stores.owner import owner_of
from generator.workflows.grading import grade
from generator.workflows.publishing import Publication, publish
from generator.workflows.rendering import render
from generator.workflows.world import Root

if TYPE_CHECKING:
    from obstore import ObjectMeta

ADDRESS = "https://kept.example/"
SECRET = "canary-7d21f0"  # noqa: S105 - no test may find it anywhere
ENTRANCES = {"index.html", "sitemap.xml", "robots.txt", "404.html", "log/checkpoint"}
"""Addresses that are known to who never was here; of a feed one hears from the first page."""
KEPT = "data/pages/"
"""Copies of kept pages for downloading: their links lead somewhere only where the page itself lies."""
QUICK = Times(renew_s=0.05, certain_s=0.3, put_s=0.3, look_s=0.02, dead_s=0.7)
"""The lease of publishers that must not wait a minute for a dead one."""
_LINKS = re.compile(r"<(?:loc|link|id)[^>]*>([^<]+)<|<link[^>]* href=\"([^\"]+)\"")


def older_and_newer(folder: Path) -> tuple[Root, Root]:
    """Return a root with three nights, and the same one two nights later."""
    older = make_root(folder / "older", 3)
    shutil.copytree(folder / "older", folder / "newer")
    newer = Root(folder / "newer")
    for more in (3, 4):
        add_night(newer, FIRST + timedelta(days=more))
    grade(newer, today=FIRST + timedelta(days=5), progress=Silent())
    render(newer, progress=Silent())
    return older, newer


def sent(root: Root, address: str, *, times: Times | None = None, dry_run: bool = False) -> Publication:
    """Publish in this process, without verifying first."""
    target = open_target(address, lambda name: bool(os.environ.get(name)), times)
    owner = owner_of(root.path, os.urandom)
    return asyncio.run(publish(root, target, progress=Silent(), owner=owner, dry_run=dry_run))


class Bucket:
    """A bucket of a running server, as a reader and as an intruder have it."""

    def __init__(self, endpoint: str, name: str) -> None:
        """Make it."""
        self.endpoint = endpoint
        self.name = name
        self._stores: dict[str, S3Store] = {}
        self._read: dict[tuple[str, str], bytes] = {}
        httpx.put(f"{endpoint}/{name}", trust_env=False).raise_for_status()

    def environment(self, **changes: str) -> dict[str, str]:
        """Return the environment of a publisher."""
        return {
            **os.environ,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "NO_PROXY": "127.0.0.1",
            "NO_COLOR": "1",
            **changes,
        }

    def store(self, prefix: str) -> S3Store:
        """Return what reads and writes below a prefix."""
        if prefix not in self._stores:
            self._stores[prefix] = self._store(prefix)
        return self._stores[prefix]

    def _store(self, prefix: str) -> S3Store:
        return S3Store(
            self.name,
            prefix=prefix,
            endpoint=self.endpoint,
            access_key_id="other",
            secret_access_key="other",  # noqa: S106 - moto takes any
            region="us-east-1",
            client_options={"allow_http": True},
        )

    def objects(self, prefix: str) -> dict[str, tuple[bytes, str, str]]:
        """Return path, bytes, content type and cache header of every object."""
        store, found = self.store(prefix), {}
        for chunk in store.list(chunk_size=1000):
            for each in chunk:
                try:
                    got = store.get(each["path"])
                except FileNotFoundError:  # Removed in between.
                    continue
                kind = got.attributes
                found[each["path"]] = (bytes(got.bytes()), kind.get("Content-Type", ""), kind.get("Cache-Control", ""))
        return found

    def snapshot(self, prefix: str) -> dict[str, bytes]:
        """Return the bytes of every object, read once for each ETag, and without theirs those put meanwhile.

        A reader follows a link after it has the page: what a page refers to has to be there by then.
        """
        store, found = self.store(prefix), {}
        for each in self._listed(prefix):
            key = (each["path"], str(each["e_tag"]))
            if key not in self._read:
                with suppress(FileNotFoundError):  # Removed in between.
                    got = store.get(each["path"])
                    key = (each["path"], str(got.meta["e_tag"]))  # It may have been replaced since it was listed.
                    self._read[key] = bytes(got.bytes())
            if key in self._read and each["path"] != LEASE:
                found[each["path"]] = self._read[key]
        return {**{each["path"]: b"" for each in self._listed(prefix) if each["path"] != LEASE}, **found}

    def _listed(self, prefix: str) -> list[ObjectMeta]:
        return [each for chunk in self.store(prefix).list(chunk_size=1000) for each in chunk]

    def fill(self, prefix: str, objects: Mapping[str, tuple[bytes, str, str]]) -> None:
        """Put objects as another publication left them."""
        store = self.store(prefix)
        for path, (data, kind, cache) in objects.items():
            store.put(path, data, attributes={"Content-Type": kind, "Cache-Control": cache})

    def is_held(self, prefix: str) -> bool:
        """True while a publisher's object lies there."""
        try:
            self.store(prefix).head(LEASE)
        except FileNotFoundError:
            return False
        return True


@contextmanager
def running_s3() -> Iterator[str]:
    """Run moto's server as a process of its own; yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert process.poll() is None, "the S3 server did not start"
                assert time.monotonic() < deadline, "the S3 server does not listen"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait(timeout=10)


def command(root: Root, address: str, *arguments: str) -> list[str]:
    """Return the command line of a real publication."""
    return [sys.executable, "-m", "generator", "publish", address, "--root", str(root.path), *arguments]


def sending(root: Root, address: str) -> list[str]:
    """Return the command line of one that verifies nothing first."""
    return [sys.executable, str(Path(__file__)), str(root.path), address]


def bodies(objects: Mapping[str, tuple[bytes, str, str]]) -> dict[str, bytes]:
    """Return each object's bytes; the lease is none of a site."""
    return {path: data for path, (data, *_) in objects.items() if path != LEASE}


def site(root: Root) -> dict[str, bytes]:
    """Return every file of a laid-out site."""
    return {
        path.relative_to(root.site).as_posix(): path.read_bytes() for path in root.site.rglob("*") if path.is_file()
    }


def dead_links(objects: Mapping[str, bytes], before: Mapping[str, bytes]) -> list[str]:
    """Return every link that leads nowhere, of whatever a reader can get to.

    Readers come in by an entrance or by what was there before, and follow links. What was permanent then has to be
    there, with the same bytes.
    """
    dead = [f"{path} changed" for path in before if is_permanent(path) and objects.get(path) != before[path]]
    waiting = [path for path in objects if path in ENTRANCES or path in before]
    seen = set(waiting)
    while waiting:
        page = waiting.pop()
        for path in links(page, objects[page]):
            if path not in objects:
                dead.append(f"{page} -> {path}")
            elif path not in seen:
                seen.add(path)
                waiting.append(path)
    return dead


@lru_cache(4096)
def links(page: str, body: bytes) -> tuple[str, ...]:
    """Return the paths within the site that a file refers to."""
    if page.startswith((OWN, KEPT)) or not body:
        return ()
    if page.endswith(".html"):
        tree = lxml.html.document_fromstring(body)
        addresses = [str(each) for each in tree.xpath("//@href|//@src")]
    elif page.endswith(".xml"):
        addresses = [first or second for first, second in _LINKS.findall(body.decode())]
    elif page == "robots.txt":
        addresses = re.findall(r"Sitemap: (\S+)", body.decode())
    else:
        return ()
    return tuple(sorted({path for each in addresses if (path := _path(page, each)) is not None}))


def _path(page: str, address: str) -> str | None:
    """Return the path that an address on a page leads to; None outside the site."""
    parts = urlsplit(address)
    if address.startswith(ADDRESS):
        path = unquote(parts.path).lstrip("/")
    elif parts.scheme or parts.netloc or not parts.path:
        return None
    else:
        path = posixpath.normpath(posixpath.join("/", posixpath.dirname(page), unquote(parts.path))).lstrip("/")
        path += "/" if path and parts.path.endswith("/") else ""
    return path + INDEX if not path or path.endswith("/") else path


def night_path(days: int) -> str:
    """Return the path of one night's page."""
    night: date = FIRST + timedelta(days=days)
    return f"nights/{night.isoformat()}/{INDEX}"


def main() -> int:
    """Publish, and end as the command does."""
    try:
        sent(Root(Path(sys.argv[1])), sys.argv[2])
    except BitdepthError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
