"""How two static hosts read `_headers` and `_redirects`, from what they document and publish of their readers.

Netlify: a pattern is matched without regard to a closing slash; a part that is `*` alone takes the slash before it
away too; `:name` counts only at the beginning of a part, and is all of it (netlify/build, packages/headers-parser).
Cloudflare Pages: a pattern is matched exactly, with one `*` and any number of `:name` (cloudflare/workers-sdk,
packages/pages-shared). A name that two matching rules give is joined with a comma.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

HOSTS = ("netlify", "cloudflare")
KNOWN = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
"""What a host knows by itself; of anything else it says that it is bytes."""

Rules = Sequence[tuple[str, Sequence[tuple[str, str]]]]


def read_headers(text: str) -> Rules:
    """Return each pattern with its names and values, in order."""
    rules: list[tuple[str, list[tuple[str, str]]]] = []
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            rules.append((line, []))
            continue
        name, colon, value = line.strip().partition(": ")
        assert colon, line
        rules[-1][1].append((name, value))
    return rules


def read_redirects(text: str) -> list[tuple[str, str, int]]:
    """Return source, target and status of each line, in order."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return [(source, target, int(status)) for source, target, status in lines]


def pattern(host: str, rule: str) -> re.Pattern[str]:
    """Return what an address must look like for a rule to match, with a group for each part that is not fixed."""
    return _netlify(rule) if host == "netlify" else _cloudflare(rule)


def _netlify(rule: str) -> re.Pattern[str]:
    parts = []
    for part in rule.split("/"):
        if part.startswith(":"):
            parts.append(f"(?P<{part[1:]}>[^/]+)")
        elif part == "*":
            parts.append("?(?P<splat>.*)")
        elif part:
            parts.append("(?P<splat>.*)".join(map(re.escape, part.split("*"))))
    return re.compile(f"/{'/'.join(parts)}/?", re.IGNORECASE)


def _cloudflare(rule: str) -> re.Pattern[str]:
    assert rule.count("*") <= 1, rule
    escaped = "(?P<splat>.*)".join(map(re.escape, rule.split("*")))
    return re.compile(re.sub(r":([A-Za-z]\w*)", r"(?P<\1>[^/]+)", escaped))


def headers_for(host: str, rules: Rules, address: str) -> dict[str, list[str]]:
    """Return every value that the matching rules give a name, in lower case."""
    found: dict[str, list[str]] = defaultdict(list)
    for rule, said in rules:
        if pattern(host, rule).fullmatch(address):
            for name, value in said:
                found[name.lower()].append(value)
    return found


def redirected(host: str, lines: Sequence[tuple[str, str, int]], address: str) -> tuple[str, int] | None:
    """Return target and status of the first line that matches."""
    for source, target, status in lines:
        if found := pattern(host, source).fullmatch(address):
            for name, value in found.groupdict().items():
                target = target.replace(f":{name}", value)  # noqa: PLW2901 - what is sought
            return target, status
    return None


@contextmanager
def serving(host: str, site: Path) -> Iterator[int]:
    """Yield the port at which a host serves a site by the site's own rules."""
    rules = read_headers((site / "_headers").read_text())
    lines = read_redirects((site / "_redirects").read_text())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = unquote(self.path)
            file = site / (address[1:] + "index.html" if address.endswith("/") else address[1:])
            if file.is_file():
                self._send(200, headers_for(host, rules, address), file)
            elif (found := redirected(host, lines, address)) is not None:
                self.send_response(found[1])
                self.send_header("Location", found[0])
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self._send(404, {}, site / "404.html")

        def _send(self, status: int, said: Mapping[str, list[str]], file: Path) -> None:
            body = file.read_bytes()
            self.send_response(status)
            kind = said.get("content-type", [KNOWN.get(file.suffix, "application/octet-stream")])
            for name, values in {**said, "content-type": kind}.items():
                for value in values:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
