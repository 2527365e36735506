"""The log's files: where they lie, what they hold, what an append reads and creates, and what a changed one does."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_makers import SIZES_AT_EDGES, Definition, KeptLog, flipped, leaves_of

from generator.errors import IntegrityError, MissingFileError
from generator.log.addresses import TileAddress
from generator.log.bundles import decode_entries, encode_entries
from generator.log.merkle import EMPTY_ROOT, consistency_proof, inclusion_proof, leaf_hash
from generator.log.tiles import TileReader, appended

LEAVES = leaves_of(1_300)
DEFINED = Definition(LEAVES)

PATHS = {
    "tile/0/x001/x234/067": TileAddress(level=0, index=1_234_067),
    "tile/0/000": TileAddress(level=0, index=0),
    "tile/1/000.p/17": TileAddress(level=1, index=0, width=17),
    "tile/63/999.p/255": TileAddress(level=63, index=999, width=255),
    "tile/entries/x001/000": TileAddress(level=None, index=1_000),
    "tile/entries/273.p/112": TileAddress(level=None, index=273, width=112),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_the_one_that_the_format_gives(path: str):
    """C2SP's own example among them, and each is read back."""
    assert PATHS[path].path() == path
    assert TileAddress.parse(path) == PATHS[path]


@given(st.none() | st.integers(0, 63), st.integers(0, 10**12), st.integers(1, 256))
def test_every_address_is_read_back_from_its_path(level: int | None, index: int, width: int):
    """Whatever its level, index and width."""
    address = TileAddress(level=level, index=index, width=width)
    assert TileAddress.parse(address.path()) == address


@pytest.mark.parametrize(
    "path",
    [
        "",
        "tile/64/000",
        "tile/00/000",
        "tile/0/0",
        "tile/0/0000",
        "tile/0/x000/001",
        "tile/0/001/001",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000.p/007",
        "tile/0/000\n",
        "tile/0/\N{ARABIC-INDIC DIGIT ZERO}00",
        "tile/0/../000",
        "tile/bundles/000",
        "checkpoint",
    ],
)
def test_no_other_spelling_is_an_address(path: str):
    """One message, with the path in it."""
    with pytest.raises(IntegrityError, match="expected the path of a tile or a bundle"):
        TileAddress.parse(path)


@given(st.lists(st.binary(max_size=400), max_size=20))
def test_a_bundle_gives_its_leaves_back(entries: list[bytes]):
    """Of any bytes, none among them."""
    assert decode_entries(encode_entries(entries), where="a bundle") == tuple(entries)


def test_a_bundle_is_lengths_and_leaves():
    """Two bytes of length before each leaf, the higher one first; the longest leaf has 65,535 bytes."""
    longest = b"x" * 65_535
    assert encode_entries([b"", b"ab", longest]) == b"\x00\x00\x00\x02ab\xff\xff" + longest
    with pytest.raises(IntegrityError, match="at most 65535 bytes, found 65536"):
        encode_entries([longest + b"x"])


@pytest.mark.parametrize("data", [b"\x00", b"\x00\x01", b"\x00\x00\x00\x02a"])
def test_a_bundle_that_ends_too_early_is_refused(data: bytes):
    """In a length or in a leaf."""
    with pytest.raises(IntegrityError, match=rf"found {len(data)} bytes in tile/entries/000"):
        decode_entries(data, where="tile/entries/000")


def test_a_log_of_70000_leaves_has_the_files_that_the_format_counts():
    """C2SP's own example: 273 full tiles and one of 112 at level 0, one full and one of 17 above, one of 1 on top."""
    log = KeptLog(leaves_of(70_000))
    found = Counter((address.level, address.width) for address in map(TileAddress.parse, log.files))
    tiles = {(0, 256): 273, (0, 112): 1, (1, 256): 1, (1, 17): 1, (2, 1): 1}
    assert found == tiles | {(None, 256): 273, (None, 112): 1}


def test_a_log_of_256_leaves_has_a_full_tile_and_one_of_a_single_hash_above():
    """C2SP's own example."""
    assert set(KeptLog(LEAVES[:256]).files) == {"tile/0/000", "tile/1/000.p/1", "tile/entries/000"}


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (10, {"tile/0/000.p/10", "tile/entries/000.p/10"}),
        (1_000, {"tile/0/003.p/232", "tile/1/000.p/3", "tile/entries/003.p/232"}),
        (70_000, {"tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1", "tile/entries/273.p/112"}),
    ],
)
def test_an_append_reads_one_tile_a_level_and_one_bundle(size: int, expected: set[str]):
    """Two files of a log of 10 leaves, three of one of 1,000 and four of one of 70,000, each once."""
    log = KeptLog(leaves_of(size))
    log.reads.clear()
    log.append([b"a night", b"and a grade"])
    assert sorted(log.reads) == sorted(expected)


@pytest.mark.parametrize(("size", "most"), [(10, 1), (1_000, 3), (70_000, 5)])
def test_a_proof_reads_two_tiles_a_level_at_most(size: int, most: int):
    """Its own tile and that at the right edge."""
    log = KeptLog(leaves_of(size))
    for index in (0, size // 3, size - 1):
        log.reads.clear()
        inclusion_proof(index, size, log.reader().node)
        assert 1 <= len(log.reads) <= most


def test_an_append_creates_files_in_proportion_to_what_it_appends():
    """500 leaves more in a log of 70,000: three bundles, three tiles, and the two above."""
    log = KeptLog(leaves_of(70_000))
    done = log.append(leaves_of(500))
    assert sorted(done.files) == [
        "tile/0/273",
        "tile/0/274",
        "tile/0/275.p/100",
        "tile/1/001.p/19",
        "tile/entries/273",
        "tile/entries/274",
        "tile/entries/275.p/100",
    ]


@given(st.lists(st.integers(0, 300), max_size=8))
def test_a_log_is_the_same_however_it_was_appended(parts: list[int]):
    """Root by root as the definition gives it, and its last files as if all had come at once."""
    log = KeptLog()
    for part in parts:
        size = min(log.size + part, len(LEAVES))
        before = log.size
        done = log.append(LEAVES[before:size])
        assert (done.size, done.root_before, done.root) == (size, DEFINED.root(0, before), DEFINED.root(0, size))
        assert log.reader().root() == done.root
    at_once = KeptLog(LEAVES[: log.size])
    assert at_once.files.items() <= log.files.items()
    for path in log.files.keys() - at_once.files.keys():
        address = TileAddress.parse(path)
        assert address.width < 256, "only what was not full yet stays behind"


def test_every_tree_of_up_to_300_leaves_grows_leaf_by_leaf():
    """Its root and every complete subtree are the definition's, read from the files."""
    log = KeptLog()
    for size in range(1, 301):
        assert log.append(LEAVES[size - 1 : size]).root == DEFINED.root(0, size)
        reader = log.reader()
        assert reader.root() == DEFINED.root(0, size)
        level = size.bit_length() - 1
        assert reader.node(level, 0) == DEFINED.node(level, 0)
        assert reader.entry(size - 1) == LEAVES[size - 1]


@pytest.mark.parametrize("size", SIZES_AT_EDGES)
def test_a_reader_gives_every_subtree_and_leaf(size: int):
    """All levels, all indexes; the bundles hold the same leaves."""
    reader = KeptLog(LEAVES[:size]).reader()
    for level in range(size.bit_length()):
        for index in range(size >> level):
            assert reader.node(level, index) == DEFINED.node(level, index)
    assert [reader.entry(index) for index in range(size)] == LEAVES[:size]
    assert [leaf for index in range(-(-size // 256)) for leaf in reader.bundle(index)] == LEAVES[:size]


def test_a_log_that_has_grown_is_still_read_at_every_size_it_had():
    """The files of the smaller tree stay, so that a proof against an earlier checkpoint can be made."""
    log, sizes = KeptLog(), (10, 255, 256, 600, 1_300)
    for size in sizes:
        log.append(LEAVES[log.size : size])
    for size in sizes:
        reader = log.reader(size)
        assert reader.root() == DEFINED.root(0, size)
        assert inclusion_proof(size // 2, size, reader.node) == DEFINED.path(size // 2, 0, size)
        assert consistency_proof(size, 1_300, log.reader().node) == DEFINED.proof(size, 1_300)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 600])
def test_a_reader_gives_the_root_of_each_tree_that_its_own_has_grown_from(size: int):
    """Its own among them; of a larger tree it has none."""
    reader = KeptLog(LEAVES[:600]).reader()
    assert reader.root(size) == DEFINED.root(0, size)
    with pytest.raises(IntegrityError, match="expected one of"):
        reader.root(601)


def test_an_empty_log_reads_and_creates_nothing():
    """Its root is that of no leaves, before and after an append of none."""
    log = KeptLog()
    done = log.append([])
    assert (done.files, done.size, done.root, done.root_before) == ({}, 0, EMPTY_ROOT, EMPTY_ROOT)
    assert log.reader().root() == EMPTY_ROOT
    assert log.reads == []


@pytest.mark.parametrize(("level", "index"), [(0, 300), (0, -1), (8, 1), (9, 0)])
def test_a_subtree_that_the_tree_has_not_is_refused(level: int, index: int):
    """Of 300 leaves, whatever the files of a larger tree may hold."""
    with pytest.raises(IntegrityError, match=f"subtrees of level {level}, found index {index}"):
        KeptLog(LEAVES).reader(300).node(level, index)


def test_a_leaf_that_the_tree_has_not_is_refused():
    """By its index."""
    with pytest.raises(IntegrityError, match="found index 300"):
        KeptLog(LEAVES[:300]).reader().entry(300)


@pytest.mark.parametrize("index", [-1, 2])
def test_a_bundle_that_the_tree_has_not_is_refused(index: int):
    """300 leaves make two, whatever the files of a larger tree may hold."""
    with pytest.raises(IntegrityError, match=f"one of 2 bundles, found index {index}"):
        KeptLog(LEAVES).reader(300).bundle(index)


def _read_all(log: KeptLog, size: int) -> bytes:
    """Read every leaf and every subtree of one leaf, and return the root."""
    reader = log.reader(size)
    for index in range(size):
        reader.entry(index)
    return reader.root()


def _found(log: KeptLog, size: int) -> str | None:
    """Return which file an error names, or none where the log was read without one."""
    try:
        _read_all(log, size)
    except IntegrityError as error:
        return str(error.where)
    return None


def test_a_flipped_bit_in_any_file_is_found():
    """Twenty bits in every file of 600 leaves: an error that names a file, or another root."""
    size = 600
    log = KeptLog(LEAVES[:size])
    true_root = _read_all(log, size)
    draw = random.Random(4)  # noqa: S311 - a sample
    for path, data in list(log.files.items()):
        for bit in draw.sample(range(len(data) * 8), 20):
            log.files[path] = flipped(data, bit)
            where = _found(log, size)
            assert (where is not None and "tile/" in where) or log.reader().root() != true_root, (path, bit)
        log.files[path] = data
    assert _read_all(log, size) == true_root


@pytest.mark.parametrize("path", ["tile/0/000", "tile/0/002.p/88", "tile/1/000.p/2", "tile/entries/000"])
@pytest.mark.parametrize("cut", [1, 32])
def test_a_file_that_was_cut_or_made_longer_is_refused(path: str, cut: int):
    """By its length, or by the number of leaves in it."""
    log = KeptLog(LEAVES[:600])
    data = log.files[path]
    for changed in (data[:-cut], data + bytes(cut)):
        log.files[path] = changed
        with pytest.raises(IntegrityError, match=path):
            _read_all(log, 600)


def test_a_missing_file_is_named():
    """By the error of whoever reads the files."""
    log = KeptLog(LEAVES[:600])
    del log.files["tile/0/001"]
    with pytest.raises(MissingFileError, match="tile/0/001"):
        log.reader().node(0, 300)


def test_two_tiles_that_were_swapped_are_found():
    """Each is whole, and stands under the hash of the other."""
    log = KeptLog(LEAVES[:600])
    files = log.files
    files["tile/0/000"], files["tile/0/001"] = files["tile/0/001"], files["tile/0/000"]
    with pytest.raises(IntegrityError, match=r"expected hashes under .* in tile/0/000"):
        log.reader().node(0, 0)


def test_an_append_to_a_changed_leaf_is_refused():
    """Copied on into the next bundle it would stand there for good."""
    log = KeptLog(LEAVES[:10])
    log.files["tile/entries/000.p/10"] = encode_entries([*LEAVES[:9], b"another"])
    with pytest.raises(IntegrityError, match=r"leaf 9 in tile/entries/000\.p/10"):
        log.append([b"new"])


def test_an_append_to_a_changed_tile_gives_another_root_before():
    """So that the head tells whoever appends."""
    log = KeptLog(LEAVES[:600])
    data = log.files["tile/1/000.p/2"]
    log.files["tile/1/000.p/2"] = flipped(data, 5)
    assert appended(600, log.read, []).root_before != DEFINED.root(0, 600)


@pytest.mark.ci
def test_a_log_of_5000_leaves_grows_leaf_by_leaf_and_night_by_night():
    """Each root as the definition gives it, at every size and from every kind of right edge."""
    leaves = leaves_of(5_000)
    defined, log = Definition(leaves), KeptLog()
    for size in range(1, 5_001):
        assert log.append(leaves[size - 1 : size]).root == defined.root(0, size)
    for night in (7, 100, 256, 999):
        nightly = KeptLog()
        while nightly.size < 5_000:
            done = nightly.append(leaves[nightly.size : nightly.size + night])
            assert done.root == defined.root(0, done.size)
        assert _read_all(nightly, 5_000) == defined.root(0, 5_000)


@pytest.mark.ci
def test_a_log_of_70000_leaves_gives_every_leaf_and_its_proofs():
    """All 70,000 leaves against their hashes, and the paths of 1,000 against the definition."""
    leaves = leaves_of(70_000)
    defined, log = Definition(leaves), KeptLog(leaves)
    assert _read_all(log, 70_000) == defined.root(0, 70_000)
    reader = TileReader(log.read, 70_000)
    draw = random.Random(5)  # noqa: S311 - a sample
    for index in (0, 65_535, 65_536, 69_999, *(draw.randrange(70_000) for _ in range(996))):
        assert inclusion_proof(index, 70_000, reader.node) == defined.path(index, 0, 70_000)
        assert reader.node(0, index) == leaf_hash(leaves[index])
