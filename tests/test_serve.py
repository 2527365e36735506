"""The local preview: types, folders, headers, wrong addresses, path tricks, and how it begins and ends."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from generator.errors import ExitCode
from generator.site.preview import ASK_AGAIN, FOR_EVER, find, headers_of

SITE_TOML = """
format = 1
title = "served"
address = "https://served.example{path}"
publisher = "served"
contact = "mailto:corrections@served.example"
method = "0.1"
prompt_set = "p1"
models = ["aster/sphinx-8b"]

[router]
kind = "demo"
address = "http://127.0.0.1:9/api/v1"
"""
PERMANENT = "grades/aster/sphinx-8b/kiln/2026-03-08/v0.1"
FILES = {
    "index.html": b"<!doctype html>first",
    "404.html": b"<!doctype html>nothing here",
    "models/aster/sphinx-8b/index.html": b"<!doctype html>model",
    f"{PERMANENT}/index.html": b"<!doctype html>page",
    f"{PERMANENT}/grade.json": b"{}",
    "data/night one.parquet": b"PAR1 bytes PAR1",
    "badge.svg": b"<svg/>",
    "search/search.js": b"'use strict'",
    "search/pagefind/wasm.en.pagefind": b"\x1f\x8b",
    "feed.xml": b"<feed/>",
    "bare/file.txt": b"text",
    "_redirects": b"# words\n/method/latest/ /method/0.1/ 302\n",
    "data/SHA256SUMS": b"00  file",
    ".hidden/secret.txt": b"secret",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root with a small site, a secret beside it, and a link that leads to it."""
    return make_root(tmp_path_factory.mktemp("root"))


def make_root(root: Path, path: str = "/") -> Path:
    """Make a root whose site begins at a path of its host."""
    for name, body in FILES.items():
        target = root / "site" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    (root / "content").mkdir()
    (root / "content" / "site.toml").write_text(SITE_TOML.format(path=path))
    (root / "secret.txt").write_bytes(b"secret")
    (root / "site" / "way-out.txt").symlink_to(root / "secret.txt")
    return root


def start(root: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the command."""
    command = [sys.executable, "-m", "generator", "serve", "--root", str(root), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def serving(root: Path) -> Iterator[int]:
    """Serve a root on a port of its own."""
    running = start(root, "--port", "0")
    assert running.stdout is not None
    said = running.stdout.readline()
    found = re.fullmatch(r"serving http://127\.0\.0\.1:(\d+)/\S* \(Ctrl-C ends\)\n", said)
    assert found, said + running.communicate()[1]
    yield int(found[1])
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (ExitCode.DONE, "", "")


@pytest.fixture(scope="module")
def port(root: Path) -> Iterator[int]:
    """Return the port that the root is served on; that it ends quietly at an interrupt is held at the end."""
    with serving(root) as found:
        yield found


class Answer:
    """What came back."""

    def __init__(self, port: int, path: str, method: str = "GET", **headers: str) -> None:
        """Ask for a path exactly as it is written."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.putrequest(method, path, skip_host=False)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        response = connection.getresponse()
        self.status, self.body = response.status, response.read()
        self.headers = dict(response.getheaders())
        connection.close()


class TestTypes:
    """'correct types'; 'the headers that a host should send'."""

    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/", "text/html; charset=utf-8"),
            (f"/{PERMANENT}/grade.json", "application/json"),
            ("/data/night%20one.parquet", "application/vnd.apache.parquet"),
            ("/badge.svg", "image/svg+xml"),
            ("/search/search.js", "text/javascript; charset=utf-8"),
            ("/search/pagefind/wasm.en.pagefind", "application/octet-stream"),
            ("/feed.xml", "application/atom+xml"),
            ("/bare/file.txt", "text/plain; charset=utf-8"),
            ("/data/SHA256SUMS", "text/plain; charset=utf-8"),
        ],
    )
    def test_each_file_has_its_own(self, port: int, path: str, kind: str):
        """A file comes back whole with its type, is never sniffed, and is given to any site that asks."""
        answer = Answer(port, path)
        name = path.strip("/").replace("%20", " ") or "index.html"
        assert (answer.status, answer.body) == (200, FILES[name])
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert ("script-src" in answer.headers["Content-Security-Policy"]) == path.startswith("/search/")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Content-Encoding" not in answer.headers

    def test_permanent_files_are_kept_for_ever(self, port: int):
        """A permanent page and its record may be kept for ever; every view is asked for again."""
        for path in (f"/{PERMANENT}/", f"/{PERMANENT}/index.html", f"/{PERMANENT}/grade.json"):
            assert Answer(port, path).headers["Cache-Control"] == FOR_EVER
        for path in ("/", "/models/aster/sphinx-8b/", "/feed.xml"):
            assert Answer(port, path).headers["Cache-Control"] == ASK_AGAIN
        assert headers_of("method/0.1/index.html")["Cache-Control"] == FOR_EVER
        assert headers_of("method/index.html")["Cache-Control"] == ASK_AGAIN

    def test_head_has_no_body(self, port: int):
        """HEAD gives the headers of GET."""
        answer = Answer(port, "/", "HEAD")
        assert (answer.status, answer.body, answer.headers["Content-Length"]) == (
            200,
            b"",
            str(len(FILES["index.html"])),
        )

    def test_an_unchanged_file_is_not_sent_again(self, port: int):
        """A reader that has the file is told that it is the same."""
        tag = Answer(port, "/").headers["Etag"]
        assert Answer(port, "/", If_None_Match=tag).status == 304

    def test_nothing_can_be_written(self, port: int):
        """Other methods are refused, with those that are not."""
        answer = Answer(port, "/index.html", "PUT")
        assert (answer.status, answer.headers["Allow"]) == (405, "GET,HEAD")


class TestFolders:
    """'index.html for folders, no listing'."""

    def test_a_folder_is_its_page(self, port: int):
        """A folder's address gives its page, and without the closing slash leads there, query and all."""
        assert Answer(port, "/models/aster/sphinx-8b/").body == b"<!doctype html>model"
        moved = Answer(port, "/models/aster/sphinx-8b?q=1")
        assert (moved.status, moved.headers["Location"]) == (301, "/models/aster/sphinx-8b/?q=1")

    @pytest.mark.parametrize("path", ["/models/", "/models", "/bare/", "/bare"])
    def test_a_folder_without_a_page_is_not_listed(self, port: int, path: str):
        """A folder that has no page is no address."""
        answer = Answer(port, path)
        assert (answer.status, answer.body) == (404, FILES["404.html"])


class TestLatestVersions:
    """'latest-version addresses' lead where the site's own redirects say."""

    @pytest.mark.parametrize("path", ["/method/latest/", "/method/latest"])
    def test_lead_there_for_a_while(self, port: int, path: str):
        """The answer is temporary, keeps the query, and is asked for again."""
        answer = Answer(port, f"{path}?q=1")
        assert (answer.status, answer.headers["Location"]) == (302, "/method/0.1/?q=1")
        assert answer.headers["Cache-Control"] == ASK_AGAIN

    def test_the_list_of_them_is_no_page(self, port: int):
        """As on a host, what lists them is not shown."""
        assert Answer(port, "/_redirects").status == 404


class TestWrongAddresses:
    """'404.html with status 404'; 'path tricks refused'."""

    @pytest.mark.parametrize(
        "path",
        [
            "/nothing",
            "/nothing/at/all/",
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/models/%2e%2e/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/models/..%5c..%5csecret.txt",
            "//etc/passwd",
            "/models//aster/sphinx-8b/",
            "/./index.html",
            "/.hidden/secret.txt",
            "/%00",
            "/index.html%00.txt",
            "/index.html/",
            "/C:/secret.txt",
            "/way-out.txt",
            "/%ff%fe",
            "/" + "x" * 5000,
            "/" + "%25" * 300,
        ],
    )
    def test_lead_to_the_page_for_them(self, port: int, path: str):
        """Every address without a file, and every trick to leave the folder, gets that page and that status."""
        answer = Answer(port, path)
        assert (answer.status, answer.body) == (404, FILES["404.html"])
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["Cache-Control"] == ASK_AGAIN

    def test_a_folder_that_cannot_be_looked_into_has_nothing(self, tmp_path: Path):
        """Where the file system refuses, there is no such address."""
        loop = tmp_path / "loop"
        loop.symlink_to(loop)
        assert find(tmp_path, "/", "/loop").path is None

    def test_a_site_without_that_page(self, tmp_path: Path):
        """Where 404.html is missing the status is the same."""
        make_root(tmp_path)
        (tmp_path / "site" / "404.html").unlink()
        with serving(tmp_path) as port:
            answer = Answer(port, "/nothing")
        assert answer.status == 404
        assert b"No page here" in answer.body


class TestASiteUnderAPath:
    """A site whose address has a path is served below it, as its host would."""

    def test_begins_there(self, tmp_path: Path):
        """The host's root leads to the site's first page; outside the site there is nothing."""
        make_root(tmp_path, "/grades-of/")
        with serving(tmp_path) as port:
            assert Answer(port, "/grades-of/").body == FILES["index.html"]
            for path in ("/", "/grades-of"):
                moved = Answer(port, path)
                assert (moved.status, moved.headers["Location"]) == (301, "/grades-of/")
            moved = Answer(port, "/grades-of/models/aster/sphinx-8b")
            assert moved.headers["Location"] == "/grades-of/models/aster/sphinx-8b/"
            assert Answer(port, "/index.html").status == 404


class TestBeginningAndEnding:
    """'Ctrl-C ends quietly, port in use = one clear message with exit code'."""

    @pytest.mark.skipif(os.name != "posix", reason="signals of a service")
    @pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
    def test_ends_quietly_while_it_is_being_asked(self, root: Path, name: str):
        """An interrupt ends it with nothing on standard error, though a connection is open."""
        running = start(root, "--port", "0")
        assert running.stdout is not None
        port = int(re.findall(r":(\d+)/", running.stdout.readline())[0])
        with socket.create_connection(("127.0.0.1", port)):
            began = time.monotonic()
            running.send_signal(getattr(signal, name))
            out, err = running.communicate(timeout=20)
        assert (running.returncode, out, err) == (ExitCode.DONE, "", "")
        assert time.monotonic() - began < 10

    @pytest.mark.parametrize(
        ("wanted", "message"),
        [
            (lambda port: ("--port", str(port)), r"error: expected to listen at 127\.0\.0\.1, port \d+: .*in use"),
            (lambda _: ("--host", "192.0.2.1"), r"error: expected to listen at 192\.0\.2\.1, port 8000: "),
        ],
    )
    def test_an_address_that_cannot_be_had(self, port: int, root: Path, wanted: Callable[..., tuple], message: str):
        """A port in use, or an address of another machine: one message, and the exit code of a usage error."""
        running = start(root, *wanted(port))
        out, err = running.communicate(timeout=60)
        assert (running.returncode, out) == (ExitCode.USAGE, "")
        assert re.match(message, err), err
        assert err.count("\n") == 1

    def test_a_root_without_a_site(self, tmp_path: Path):
        """Before anything is laid out it says what to run."""
        (tmp_path / "content").mkdir()
        (tmp_path / "content" / "site.toml").write_text(SITE_TOML.format(path="/"))
        running = start(tmp_path, "--port", "0")
        out, err = running.communicate(timeout=60)
        assert (running.returncode, out) == (ExitCode.USAGE, "")
        assert "expected a laid-out site, found none" in err
        assert "Run 'bitdepth render' first" in err
