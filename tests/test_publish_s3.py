"""A site published to a real S3 server on loopback: what it holds, what it refuses, and two publishers at once."""

from __future__ import annotations

import asyncio
import hashlib
import http.server
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from logged_site import serving
from obstore.exceptions import AlreadyExistsError
from publish_world import (
    LEASE,
    QUICK,
    SECRET,
    Bucket,
    bodies,
    command,
    dead_links,
    older_and_newer,
    running_s3,
    sending,
    sent,
    site,
)

from generator.errors import CredentialError, ExitCode, IntegrityError, LockedError, TargetError, UnreachableError
from generator.publishing.interface import SiteFile
from generator.publishing.object_store import ObjectStore
from generator.publishing.published import PATH as LIST
from generator.publishing.targets import open_target
from generator.stores.lease import Times, leased
from generator.workflows.world import Root

RECORD = "grades/aster/sphinx-8b/kiln/2026-03-03/v0.1/grade.json"
PAGE = RECORD.replace("grade.json", "index.html")
FOR_EVER = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    """Return a bucket of a running server."""
    with running_s3() as endpoint:
        yield Bucket(endpoint, "grades")


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Root, Root]:
    """Return a root and the same one two nights later; nobody may write into them."""
    return older_and_newer(tmp_path_factory.mktemp("roots"))


@pytest.fixture
def prefix(bucket: Bucket, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a place of the test's own; the environment is a publisher's."""
    for name, value in bucket.environment().items():
        monkeypatch.setenv(name, value)
    return hashlib.sha256(request.node.name.encode()).hexdigest()[:12]


def at(prefix: str) -> str:
    """Return the address of a target."""
    return f"s3://grades/{prefix}"


class TestPublished:
    def test_the_bucket_holds_the_site_with_types_and_cache_headers(
        self, bucket: Bucket, roots: tuple[Root, Root], prefix: str
    ):
        """Permanent objects may be kept for ever, all others are asked for again."""
        older, newer = roots
        done = sent(older, at(prefix))
        objects = bucket.objects(prefix)
        del objects[LIST]
        assert bodies(objects) == site(older)
        assert (done.created + done.replaced, done.kept, done.removed) == (len(objects), 0, 0)
        assert objects[RECORD][1:] == ("application/json", FOR_EVER)
        assert objects[PAGE][1:] == ("text/html; charset=utf-8", FOR_EVER)
        assert objects["data/nights/2026-03-01/observations.parquet"][1:] == (
            "application/vnd.apache.parquet",
            FOR_EVER,
        )
        assert objects["method/0.1/index.html"][2] == FOR_EVER
        assert objects["index.html"][1:] == ("text/html; charset=utf-8", "no-cache")
        assert objects["feed.xml"][1:] == ("application/atom+xml", "no-cache")
        assert dead_links(bodies(objects), {}) == []
        again = sent(older, at(prefix))
        assert (again.created, again.replaced, again.removed, again.kept) == (0, 0, 0, len(objects))
        then = sent(newer, at(prefix))
        changed = [path for path, body in site(older).items() if site(newer)[path] != body]
        assert then.created + then.replaced == len(site(newer)) - len(objects) + len(changed)
        assert {path: body for path, body in bodies(bucket.objects(prefix)).items() if path != LIST} == site(newer)

    def test_the_command(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """It verifies, publishes, exits 0, and prints nothing that is secret."""
        done = subprocess.run(
            command(roots[0], at(prefix), "--json"),
            env=bucket.environment(),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert '"removed":0' in done.stdout
        assert SECRET not in done.stdout + done.stderr
        everything = bucket.objects(prefix).items()
        assert not [path for path, (data, *_) in everything if SECRET.encode() in data]
        assert not bucket.is_held(prefix)

    def test_a_missing_or_damaged_view_is_put_again(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """What is there is known from the listing, not from what an earlier run said."""
        sent(roots[0], at(prefix))
        store = bucket.store(prefix)
        store.delete("about/index.html")
        store.put("index.html", b"x" * len(site(roots[0])["index.html"]))
        store.delete(RECORD)
        done = sent(roots[0], at(prefix))
        assert (done.created, done.replaced) == (1, 2)
        assert {path: body for path, body in bodies(bucket.objects(prefix)).items() if path != LIST} == site(roots[0])

    @pytest.mark.ci
    def test_of_a_store_whose_etags_are_no_digests(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """The list vouches for what was put; without it permanent objects are read, and still nothing is put twice."""
        older, newer = roots
        sent(older, at(prefix))
        store = bucket.store(prefix)
        store.put(LIST, store.get(LIST).bytes(), use_multipart=True, chunk_size=5 * 1024 * 1024)
        assert "-" in str(store.head(LIST)["e_tag"]), "the ETag of an object put in parts is no digest"
        again = sent(older, at(prefix))
        assert (again.created, again.replaced, again.kept) == (0, 0, len(site(older)))
        store.put(RECORD, store.get(RECORD).bytes(), use_multipart=True)
        store.delete(LIST)
        then = sent(newer, at(prefix))
        assert then.created == len([path for path in site(newer) if path not in site(older) and "v0.1" in path]) + len(
            [path for path in site(newer) if path not in site(older) and path.startswith("data/")]
        )
        assert {path: body for path, body in bodies(bucket.objects(prefix)).items() if path != LIST} == site(newer)


class TestWriteOnce:
    def test_the_store_itself_refuses_an_overwrite(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """A create-only put of what is there fails at the store, whoever sends it."""
        sent(roots[0], at(prefix))
        with pytest.raises(AlreadyExistsError):
            bucket.store(prefix).put(RECORD, b"other", mode="create")
        target = open_target(at(prefix), lambda name: bool(os.environ.get(name)))
        file = SiteFile(
            path=RECORD, size=5, sha256="", md5="", permanent=True, content_type="text/plain", cache_control="no-cache"
        )
        assert asyncio.run(target.create(file, b"other")) is False
        assert asyncio.run(target.read(RECORD)) == site(roots[0])[RECORD]

    @pytest.mark.parametrize("wrong", [b"short", None], ids=["size", "bytes"])
    def test_other_bytes_end_the_run_before_anything_is_sent(
        self, bucket: Bucket, roots: tuple[Root, Root], prefix: str, wrong: bytes | None
    ):
        """Exit 6, naming the object; the bucket stays as it is."""
        older, newer = roots
        sent(older, at(prefix))
        store = bucket.store(prefix)
        store.put(RECORD, wrong or site(older)[RECORD].replace(b"kiln", b"kilt"))
        before = bodies(bucket.objects(prefix))
        with pytest.raises(IntegrityError, match="other bytes") as refused:
            sent(newer, at(prefix))
        assert refused.value.where == RECORD
        assert bodies(bucket.objects(prefix)) == before

    def test_a_store_that_does_not_honour_create_only_puts_is_refused(self, roots: tuple[Root, Root], prefix: str):
        """Nothing of the site is put where nothing would be permanent."""
        with answering(lambda method: 200 if method != "GET" else 404) as (endpoint, requests):
            os.environ["AWS_ENDPOINT_URL"] = endpoint
            with pytest.raises(TargetError, match="refuses to replace"):
                sent(roots[0], at(prefix))
        assert {path for method, path in requests if method == "PUT"} == {f"/grades/{prefix}/{LEASE}"}


class TestRefused:
    """Each is one message, with an exit code of its own, and can be carried on."""

    def test_a_missing_bucket(self, roots: tuple[Root, Root], prefix: str):
        """Exit 7."""
        for dry_run in (False, True):
            with pytest.raises(TargetError, match="NoSuchBucket") as refused:
                sent(roots[0], f"s3://nobody-made-it/{prefix}", dry_run=dry_run)
            assert refused.value.exit_code == ExitCode.TARGET

    @pytest.mark.parametrize(
        ("status", "error", "code"),
        [
            (403, CredentialError, ExitCode.CREDENTIAL),
            (401, CredentialError, ExitCode.CREDENTIAL),
            (400, TargetError, ExitCode.TARGET),
            (501, TargetError, ExitCode.TARGET),
            (429, UnreachableError, ExitCode.PARTIAL),
        ],
    )
    def test_what_a_store_answers(
        self, roots: tuple[Root, Root], prefix: str, status: int, error: type[Exception], code: ExitCode
    ):
        """The status is told; the store's own words, which may be anybody's, are not."""
        with answering(lambda _: status) as (endpoint, _):
            os.environ["AWS_ENDPOINT_URL"] = endpoint
            with pytest.raises(error, match=f"HTTP {status}") as refused:
                sent(roots[0], at(prefix))
        assert refused.value.exit_code == code  # type: ignore[attr-defined]
        assert "hostile" not in str(refused.value)
        assert SECRET not in str(refused.value)

    @pytest.mark.ci
    def test_a_network_that_goes_down_midway(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """Exit 3; whoever reads meanwhile arrives, and the same command carries on with what is missing."""
        older, newer = roots
        sent(older, at(prefix))
        before = bodies(bucket.objects(prefix))
        with forwarding(bucket.endpoint, puts=30) as endpoint:
            os.environ["AWS_ENDPOINT_URL"] = endpoint
            with pytest.raises(UnreachableError, match="carry on") as cut:
                sent(newer, at(prefix))
        assert cut.value.exit_code == ExitCode.PARTIAL
        midway = bodies(bucket.objects(prefix))
        assert 10 < len([path for path, body in midway.items() if before.get(path) != body]) <= 30
        assert dead_links(midway, before) == []
        os.environ["AWS_ENDPOINT_URL"] = bucket.endpoint
        done = sent(newer, at(prefix))
        assert 0 < done.created + done.replaced < len(site(newer)) - 30
        assert {path: body for path, body in bodies(bucket.objects(prefix)).items() if path != LIST} == site(newer)


class TestTwoPublishers:
    def test_the_second_ends_cleanly(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """While another renews its hold, a run ends with exit 5 and sends nothing."""
        target = open_target(at(prefix), lambda _: True, QUICK)

        async def held() -> None:
            async with target.held("another") as certain:
                with pytest.raises(LockedError) as refused:
                    await asyncio.to_thread(sent, roots[0], at(prefix), times=QUICK)
                assert refused.value.exit_code == ExitCode.LOCKED
                assert bucket.objects(prefix).keys() == {LEASE}
                certain()

        asyncio.run(held())
        assert not bucket.is_held(prefix)
        sent(roots[0], at(prefix), times=QUICK)

    def test_one_that_died_elsewhere_is_followed_once_it_is_silent(
        self, bucket: Bucket, roots: tuple[Root, Root], prefix: str
    ):
        """Its hold ends when nobody has renewed it for so long."""
        bucket.store(prefix).put(LEASE, b'{"owner":"dead","renewals":3}')
        began = time.monotonic()
        sent(roots[0], at(prefix), times=QUICK)
        assert time.monotonic() - began > QUICK.dead_s
        assert not bucket.is_held(prefix)

    def test_one_that_was_cut_off_puts_nothing_any_more(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str):
        """Once its hold is not certain it ends, and leaves the other's object alone."""
        target = open_target(at(prefix), lambda _: True, QUICK)

        async def cut_off() -> None:
            async with target.held("first") as certain:
                certain()
                bucket.store(prefix).put(LEASE, b'{"owner":"second","renewals":1}')
                await asyncio.sleep(QUICK.certain_s + 3 * QUICK.renew_s)
                with pytest.raises(LockedError):
                    certain()

        asyncio.run(cut_off())
        assert bucket.objects(prefix)[LEASE][0] == b'{"owner":"second","renewals":1}'
        assert roots[0].path

    def test_one_that_was_suspended_is_not_certain_when_it_wakes(self, prefix: str):
        """A process that was stopped for longer than its hold lasts begins no put."""
        target = open_target(at(prefix), lambda _: True, QUICK)
        assert isinstance(target, ObjectStore)
        skew = [0.0]

        async def suspended() -> None:
            register = target.held("me")  # Made by the target, with the real clock: its parts are used below.
            async with register:
                pass
            async with leased(Register(), "me", lambda: time.monotonic() + skew[0], QUICK) as certain:
                certain()
                skew[0] = QUICK.dead_s
                with pytest.raises(LockedError):
                    certain()

        asyncio.run(suspended())

    def test_times_that_would_let_two_write_at_once_are_refused(self):
        """What a cut-off one does late is over before another one begins."""
        assert Times().certain_s + Times().put_s < Times().dead_s
        with pytest.raises(ValueError, match="dead_s"):
            Times(dead_s=50)

    @pytest.mark.ci
    @pytest.mark.parametrize("same", [True, False], ids=["same site", "older and newer"])
    def test_at_once(self, bucket: Bucket, roots: tuple[Root, Root], prefix: str, same: bool):  # noqa: FBT001
        """Whoever reads meanwhile arrives; one site lies there whole at the end, and the other run ended cleanly."""
        older, newer = roots
        first, second = (newer, newer) if same else (older, newer)
        sent(older, at(prefix))
        before = bodies(bucket.objects(prefix))
        if same:  # Of a root of its own: otherwise the first would be taken for dead.
            second = copy_of(newer, newer.path.with_name("copy"))
        looks = 0
        with ExitStack() as ended:  # A test that fails leaves none of them running.
            both = [
                ended.enter_context(started(sending(root, at(prefix)), bucket.environment()))
                for root in (first, second)
            ]
            while any(each.poll() is None for each in both):
                assert dead_links(bucket.snapshot(prefix), before) == []
                looks += 1
            codes = [(each.wait(timeout=60), each.communicate()[1].decode()) for each in both]
        ends = {code for code, _ in codes}
        assert looks > 1
        assert 0 in ends, codes
        assert ends <= {0, ExitCode.LOCKED, ExitCode.INTEGRITY}, codes
        assert all("behind" in said for code, said in codes if code == ExitCode.INTEGRITY)
        left = {path: body for path, body in bodies(bucket.objects(prefix)).items() if path != LIST}
        assert left == site(newer if codes[1][0] == 0 or same else older)
        assert not bucket.is_held(prefix)


class Register:
    """An object in memory that takes conditional puts."""

    name = "memory"

    def __init__(self) -> None:
        """Begin with none."""
        self.data: bytes | None = None

    async def create(self, data: bytes) -> bytes | None:
        """Put it where it is not."""
        if self.data is not None:
            return None
        self.data = data
        return data

    async def update(self, data: bytes, mark: bytes) -> bytes | None:
        """Put it in the place of that very state."""
        if self.data != mark:
            return None
        self.data = data
        return data

    async def read(self) -> tuple[bytes, bytes] | None:
        """Return it."""
        return None if self.data is None else (self.data, self.data)

    async def remove(self) -> None:
        """Take it away."""
        self.data = None


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program; at the end it runs no more."""
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def copy_of(root: Root, place: Path) -> Root:
    """Return a copy of a root."""
    shutil.copytree(root.path, place)
    return Root(place)


@contextmanager
def answering(status: Callable[[str], int]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Run a server that answers each method with a status; yield its address and what it is asked."""
    requests: list[tuple[str, str]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            requests.append((self.command, self.path.partition("?")[0]))
            body = b"<Error><Message>hostile \x1b[31m</Message></Error>"
            self.send_response(status(self.command))
            self.send_header("ETag", '"etag"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_DELETE = do_POST = handle_any  # noqa: N815 - as the library asks

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as address:
        yield address, requests


@contextmanager
def forwarding(endpoint: str, *, puts: int) -> Iterator[str]:
    """Run a way to the server that goes down for good after so many puts; yield its address."""
    left = [puts]
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                left[0] -= self.command == "PUT"
            if left[0] < 0:  # The connection ends without an answer.
                self.close_connection = True
                return
            headers = {name: value for name, value in self.headers.items() if name.lower() != "accept-encoding"}
            answer = httpx.request(
                self.command, endpoint + self.path, headers=headers, content=body, trust_env=False, timeout=30
            )
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name.lower() not in {"content-length", "connection", "transfer-encoding", "server", "date"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_PUT = do_DELETE = do_POST = do_HEAD = handle_any  # noqa: N815 - as the library asks

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
