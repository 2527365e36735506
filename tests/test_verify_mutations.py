"""Mutations of archive and site, drawn from a seed: `verify` finds every one.

100 in `make test`, 300 in `.ci/run`, 1,000 in `make test-long`; one that changes nothing on disk is drawn again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import logged_site
import msgspec
import pytest
from logged_site import KEY, SILENT, check

from generator.log.checkpoint import Checkpoint
from generator.log.tiles import TileAddress, decode_entries
from generator.log.whole import WholeLog
from generator.records.canonical import canonical_json, sealed
from generator.records.leaf import leaf_bytes, read_leaf
from generator.records.night import NightRecord
from generator.workflows import verifying
from generator.workflows.rendering import view_files
from generator.workflows.world import Root

BATCH = 50
Bytes = dict[str, bytes]
Mutation = Callable[[random.Random, Bytes], str]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root of three nights whose log is signed twice; whoever damages it mends it."""
    path = tmp_path_factory.mktemp("mutated") / "root"
    logged_site.make_logged(path, nights=2)
    assert check(path).findings == ()
    return path


@pytest.fixture(scope="module")
def views(root: Path) -> tuple[tuple[str, bytes], ...]:
    """Return the views of the sound archive, which nothing that is done to the site can change."""
    return tuple(view_files(Root(root), progress=SILENT))


Views = tuple[tuple[str, bytes], ...]


def files(root: Path) -> Bytes:
    """Return every file of archive and site."""
    found = (path for part in ("archive", "site") for path in (root / part).rglob("*"))
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(found)
        if path.is_file() and path.name != ".lock"
    }


def put(root: Path, before: Bytes, after: Bytes) -> None:
    """Write what differs, and nothing else."""
    for name in before.keys() | after.keys():
        if after.get(name) != before.get(name):
            target = root / name
            if name in after:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(after[name])
            else:
                target.unlink()


def one(chance: random.Random, there: Bytes) -> str:
    """Return a file: as often of the log and of the rest of the archive as of the site, which has many more."""
    part = chance.choice(("archive/log/", "archive/", "site/"))
    return chance.choice([name for name in there if name.startswith(part)])


def flip(chance: random.Random, there: Bytes) -> str:
    """Flip one bit."""
    name = one(chance, there)
    data = bytearray(there[name])
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    there[name] = bytes(data)
    return name


def edit(chance: random.Random, there: Bytes) -> str:
    """Put some bytes in the place of others."""
    name = one(chance, there)
    data, width = there[name], chance.randrange(1, 9)
    at = chance.randrange(len(data) + 1)
    there[name] = data[:at] + chance.randbytes(width) + data[at + chance.randrange(width + 1) :]
    return name


def delete(chance: random.Random, there: Bytes) -> str:
    """Take a file away."""
    name = one(chance, there)
    del there[name]
    return name


def swap(chance: random.Random, there: Bytes) -> str:
    """Let two files of one kind change places."""
    name = one(chance, there)
    alike = [
        other for other in there if other.rsplit("/", 1)[-1].split(".")[-1] == name.rsplit("/", 1)[-1].split(".")[-1]
    ]
    other = chance.choice(alike)
    there[name], there[other] = there[other], there[name]
    return f"{name} and {other}"


def truncate(chance: random.Random, there: Bytes) -> str:
    """Cut a file short."""
    name = one(chance, there)
    there[name] = there[name][: chance.randrange(len(there[name]) + 1)]
    return name


def reorder(chance: random.Random, there: Bytes) -> str:
    """Let two parts of a file change places: lines where there are some."""
    name = one(chance, there)
    lines = there[name].split(b"\n")
    chance.shuffle(lines)
    at = chance.randrange(len(there[name]) + 1)
    there[name] = b"\n".join(lines) if len(lines) > 1 else there[name][at:] + there[name][:at]
    return name


def double(chance: random.Random, there: Bytes) -> str:
    """Put a copy of a file beside it, under the name of a sibling that is not there."""
    name = one(chance, there)
    folder, _, file = name.rpartition("/")
    copy = f"{folder}/{chance.randrange(10)}-{file}"
    there[copy] = there[name]
    return copy


def fork(chance: random.Random, there: Bytes) -> str:
    """Make the log anew with one leaf changed, doubled, dropped or moved, its newest tree signed by its own key."""
    size = int(there["archive/log/head"].split(b"\n")[1])
    bundle = "archive/log/" + TileAddress(level=None, index=0, width=size).path()
    leaves = list(decode_entries(there[bundle], where=bundle))
    at, to = chance.randrange(size), chance.randrange(size)
    match chance.randrange(4):
        case 0:
            leaf = msgspec.json.decode(leaves[at])
            name = chance.choice(sorted(set(leaf) - {"kind", "files"}))
            value = str(leaf[name])
            leaf[name] = value[:-1] + ("0" if value[-1] != "0" else "1")
            leaves[at] = canonical_json(leaf)
        case 1:
            leaves.insert(to, leaves[at])
        case 2:
            del leaves[at]
        case _:
            leaves.insert(to, leaves.pop(at))
    sign_tree(there, leaves)
    return f"fork at leaf {at}"


def sign_tree(there: Bytes, leaves: list[bytes]) -> None:
    """Put a log of some leaves in the place of the one there, signed at its newest size."""
    tree = WholeLog(leaves)
    for path in tree.files(tree.size):
        there[f"archive/log/{path}"] = tree.file(TileAddress.parse(path)) or b""
    text = Checkpoint("kept.example/log", tree.size, tree.root(tree.size)).text()
    there["archive/log/head"] = text.encode()
    there["archive/log/checkpoint"] = there[f"archive/log/signed/{tree.size}"] = KEY.sign(text)


def re_signed(chance: random.Random, there: Bytes) -> str:
    """Put an older checkpoint, signed again, in the place of the newest; now and then set the head back as well."""
    size = int(there["archive/log/head"].split(b"\n")[1])
    bundle = "archive/log/" + TileAddress(level=None, index=0, width=size).path()
    leaves = list(decode_entries(there[bundle], where=bundle))
    older = chance.randrange(1, size)
    if chance.random() < 0.5:
        sign_tree(there, leaves[:older])
    else:
        there["archive/log/checkpoint"] = KEY.sign(
            Checkpoint("kept.example/log", older, WholeLog(leaves[:older]).root(older)).text()
        )
    return f"checkpoint of {older}"


def re_sealed(chance: random.Random, there: Bytes) -> str:
    """Change a figure of the newest night, and seal its record again: nothing of the archive comes after it."""
    name = max(name for name in there if name.endswith("/night.json") and name.startswith("archive/"))
    record = msgspec.json.decode(there[name], type=NightRecord)
    there[name] = canonical_json(sealed(msgspec.structs.replace(record, seed=chance.randbytes(16).hex())))
    return name


MUTATIONS: tuple[Mutation, ...] = (
    flip,
    flip,
    edit,
    delete,
    swap,
    truncate,
    reorder,
    double,
    fork,
    re_signed,
    re_sealed,
)


def tried(root: Path, views: Views, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Try a batch of mutations, each on the sound root, and mend it after each."""
    sound = files(root)
    chance = random.Random(seed)  # noqa: S311 - drawn from a seed on purpose
    done = 0
    while done < BATCH:
        mutation = chance.choice(MUTATIONS)
        there = dict(sound)
        what = mutation(chance, there)
        if there == sound:
            continue
        done += 1
        put(root, sound, there)
        archive_is_sound = all(there.get(name) == sound.get(name) for name in {*there, *sound} if name[:5] != "site/")
        rendered = (lambda *_, **__: views) if archive_is_sound else view_files
        monkeypatch.setattr(verifying, "view_files", rendered)
        try:
            report = check(root)
        finally:
            put(root, there, sound)
        assert report.findings, f"seed {seed}, mutation {done}: {mutation.__name__} of {what} was not found"
    assert files(root) == sound


@pytest.mark.parametrize("seed", range(2))
def test_each_of_a_hundred_mutations_is_found(root: Path, views: Views, monkeypatch: pytest.MonkeyPatch, seed: int):
    """None of them passes."""
    tried(root, views, monkeypatch, seed)


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(100, 106))
def test_each_of_three_hundred_mutations_is_found(root: Path, views: Views, monkeypatch: pytest.MonkeyPatch, seed: int):
    """None of them passes."""
    tried(root, views, monkeypatch, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1020))
def test_each_of_a_thousand_mutations_is_found(root: Path, views: Views, monkeypatch: pytest.MonkeyPatch, seed: int):
    """None of them passes."""
    tried(root, views, monkeypatch, seed)


def test_leaves_are_read_as_they_were_written(root: Path):
    """What a mutation of the log starts from: the canonical bytes of each leaf."""
    there = files(root)
    size = int(there["archive/log/head"].split(b"\n")[1])
    bundle = "archive/log/" + TileAddress(level=None, index=0, width=size).path()
    for data in decode_entries(there[bundle], where=bundle):
        assert leaf_bytes(read_leaf(data)) == data
