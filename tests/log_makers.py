"""Small logs for tests: a kept site root whose nights are appended and signed one by one, with a key of its own."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import kept_site
from kept_site import FIRST, Silent

from generator.log.note import SigningKey
from generator.records.leaf import Leaf, read_leaf
from generator.workflows.appending import append
from generator.workflows.grading import grade
from generator.workflows.log_keeping import keep_log
from generator.workflows.logged import log_head, log_tree
from generator.workflows.world import Root

ORIGIN = "kept.example/log"


def key_of(name: str, word: str) -> SigningKey:
    """Return a key that is the same in every process, so that what is made with it is too."""
    return SigningKey(name, hashlib.sha256(word.encode()).digest())


KEY, OTHER_KEY = key_of(ORIGIN, "one"), key_of(ORIGIN, "other")
STRANGE_KEY = key_of("other.example/log", "one")
"""Another log's."""
VARIABLE = "BITDEPTH_SIGNING_KEY"


def logged_root(path: Path, nights: int = 3, *, key: SigningKey | None = None) -> Root:
    """Return a root with so many nights, each graded and appended on its own, and signed and proved with a key."""
    root = kept_site.make_root(path, 0, graded=False, rendered=False)
    for index in range(nights):
        add_graded(root, FIRST + timedelta(days=index))
        keep_log(root, key, progress=Silent())
    return root


def add_graded(root: Root, night: date) -> None:
    """Seal one more night and grade its window."""
    kept_site.add_night(root, night)
    grade(root, today=night, progress=Silent())


def appended(root: Root, key: SigningKey | None = None) -> int:
    """Append what is new, and return how many leaves that was."""
    return append(root, progress=Silent(), key=None if key is None else key.verifier).leaves


def leaves(root: Root) -> list[Leaf]:
    """Return every leaf that counts."""
    head = log_head(root)
    if head is None:
        return []
    tree = log_tree(root, head.size)
    return [read_leaf(tree.entry(index)) for index in range(head.size)]


def archive_bytes(root: Root) -> dict[str, bytes]:
    """Return every file of the archive, unfinished ones too, but for the lock."""
    folder = root.store.folder.path
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def log_bytes(root: Root) -> dict[str, bytes]:
    """Return every file of the log."""
    return {name: data for name, data in archive_bytes(root).items() if name.startswith("log/")}


def secret(key: str) -> str:
    """Return the part of a private key's text, or of a malformed one, that nobody may see."""
    return key.split("+", 4)[-1]


def command(root: Root, *arguments: str, key: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a bitdepth command on a root, with the text of a key in the environment or without."""
    return subprocess.run(
        [sys.executable, "-m", "generator", *arguments, "--root", str(root.path)],
        env=environment(key),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def environment(key: str | None) -> Mapping[str, str]:
    """Return a command's environment."""
    found = {"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "COLUMNS": "200"}
    return found if key is None else {**found, VARIABLE: key}


class Killed(BaseException):
    """A run that ended at a change of the disk, as a kill does: nothing of the program's own handles it."""


@contextmanager
def killed_at(root: Root, change: int) -> Iterator[list[str]]:
    """Let the archive's files be put and taken away until so many changes are done, and then end the run.

    Yields the names that were changed.
    """
    folder, done = root.store.folder, list[str]()
    patched = ("create", "replace", "remove")

    def counting(method: str) -> None:
        real = getattr(folder, method)

        def changed(name: str, *data: bytes) -> None:
            if len(done) == change:
                raise Killed
            real(name, *data)
            done.append(name)

        setattr(folder, method, changed)

    for method in patched:
        counting(method)
    try:
        yield done
    except Killed:
        pass
    finally:
        for method in patched:
            delattr(folder, method)
