"""A publication that is killed at any instant leaves no reader before a dead link, and the next ends as undisturbed.

A real process sends to a real S3 server and is ended by SIGKILL at seeded random instants, several times a
publication, before one run gets to its end: into an empty bucket, or over an older site of which some views are of no
more use. After each kill everything that a reader can get to is looked through; at the end all objects, their types
and their cache headers are those of a publication that nobody disturbed.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from publish_world import LEASE, Bucket, bodies, dead_links, older_and_newer, running_s3, sending

from generator.publishing.published import PATH as LIST
from generator.publishing.published import read_published
from generator.records.draws import Draws
from generator.workflows.world import Root

Objects = Mapping[str, tuple[bytes, str, str]]

KILLS = (
    pytest.param(2, id="2"),
    pytest.param(50, id="50", marks=[pytest.mark.ci, pytest.mark.timeout(900)]),
)
"""How many instants, in each tier."""
KILLS_A_PUBLICATION = 3
"""Before a run is left to get to its end."""
STALE = {"old/index.html": b'<p><a href="deep/index.html">on</a>', "old/deep/index.html": b'<p><a href="../..">up</a>'}
"""Views that an older publication put and the site has no more."""


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    """Return a bucket of a running server."""
    with running_s3() as endpoint:
        yield Bucket(endpoint, "kills")


class Undisturbed:
    """What publications that nobody disturbs leave, and how long they take."""

    def __init__(self, bucket: Bucket, folder: Path) -> None:
        """Publish an older site, and a newer one over it."""
        self.older, self.newer = older_and_newer(folder)
        run(bucket, self.older, "undisturbed")
        self.before = with_stale(bucket.objects("undisturbed"))
        took_s = run(bucket, self.newer, "undisturbed")
        assert took_s is not None, "the bucket was seen held"
        self.took_s = took_s
        self.after = bucket.objects("undisturbed")


@pytest.fixture(scope="module")
def undisturbed(bucket: Bucket, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Return them, made once."""
    return Undisturbed(bucket, tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.parametrize("kills", KILLS)
def test_killed_at_any_instant(bucket: Bucket, undisturbed: Undisturbed, kills: int):
    """No kill is seen by a reader, and none by whoever looks at the end."""
    draws, done, midway, publications = Draws("publish"), 0, 0, 0
    while done < kills:
        prefix, before = f"{kills}-{publications}", undisturbed.before if publications % 2 else {}
        publications += 1
        bucket.fill(prefix, before)
        for _ in range(min(KILLS_A_PUBLICATION, kills - done)):
            share = draws.below(1_000_000) / 1_000_000
            if not killed(bucket, undisturbed.newer, prefix, share * undisturbed.took_s):
                break
            done += 1
            found = bucket.snapshot(prefix)
            assert dead_links(found, bodies(before)) == []
            midway += any(found.get(path) != body for path, body in bodies(undisturbed.after).items())
        run(bucket, undisturbed.newer, prefix)
        assert bucket.objects(prefix) == undisturbed.after
    assert midway > kills // 4, "the instants fall where something is still to be sent"


def killed(bucket: Bucket, root: Root, prefix: str, after_s: float) -> bool:
    """Begin a publication, and kill it so long after it has taken the bucket. Return False where it ended before."""
    store = bucket.store(prefix)
    tag = store.head(LEASE)["e_tag"] if bucket.is_held(prefix) else None
    process = subprocess.Popen(sending(root, f"s3://kills/{prefix}"), env=bucket.environment(), stderr=subprocess.PIPE)
    while process.poll() is None:
        try:
            if store.head(LEASE)["e_tag"] != tag:
                break
        except FileNotFoundError:
            pass
        time.sleep(0.005)
    deadline = time.monotonic() + after_s
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    was_killed = process.poll() is None
    process.kill()
    _, said = process.communicate(timeout=60)
    assert was_killed or process.returncode == 0, said.decode()
    return was_killed


def run(bucket: Bucket, root: Root, prefix: str) -> float | None:
    """Publish to the end; return how long the bucket was held, in seconds, or None where it was not seen held."""
    process = subprocess.Popen(sending(root, f"s3://kills/{prefix}"), env=bucket.environment(), stderr=subprocess.PIPE)
    began = ended = None
    while process.poll() is None:
        held = bucket.is_held(prefix)
        began = began or (time.monotonic() if held else None)
        ended = ended or (time.monotonic() if began and not held else None)
        time.sleep(0.01)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()
    return (ended or time.monotonic()) - began if began else None


def with_stale(objects: Objects) -> Objects:
    """Return a publication with two views more, of which its list knows."""
    data, kind, cache = objects[LIST]
    listed = read_published(data)
    view = listed.views["index.html"]
    more = msgspec.structs.replace(listed, views={**listed.views, **dict.fromkeys(STALE, view)})
    stale = {path: (body, "text/html; charset=utf-8", "no-cache") for path, body in STALE.items()}
    return {**objects, **stale, LIST: (msgspec.json.encode(more), kind, cache)}
