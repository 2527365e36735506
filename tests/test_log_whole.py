"""A whole log in memory agrees, at every size, with the tree and with what an append writes."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from generator.errors import IntegrityError
from generator.log.merkle import EMPTY_ROOT, leaf_hash, root
from generator.log.tiles import TileAddress, appended
from generator.log.whole import WholeLog, bundle_paths
from generator.records.leaf import GradeLeaf, KeyLeaf, MethodLeaf, MissedLeaf, NightLeaf, VoidedLeaf, WithheldLeaf
from generator.records.night import NightState
from generator.workflows.named_files import named_files

LEAVES = [f"leaf {number}".encode() for number in range(520)]
NIGHT = date(2026, 3, 4)
A, B, C = "a" * 64, "b" * 64, "c" * 64


def nothing(path: str) -> bytes:
    """Refuse to read: an append to an empty log reads nothing."""
    raise AssertionError(path)


class TestWholeLog:
    def test_its_root_at_every_size_is_the_trees(self):
        """Of one log, from no leaf to all of them."""
        log = WholeLog(LEAVES)
        hashes = [leaf_hash(leaf) for leaf in LEAVES]
        assert log.root(0) == EMPTY_ROOT
        assert all(log.root(size) == root(hashes[:size]) for size in range(1, len(LEAVES) + 1))

    @pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257, 511, 512, 520])
    def test_its_files_are_those_that_one_append_writes(self, size: int):
        """By path and by byte, bundles among them."""
        log, made = WholeLog(LEAVES[:size]), appended(0, nothing, LEAVES[:size])
        assert {path: log.file(TileAddress.parse(path)) for path in log.files(size)} == made.files
        assert set(bundle_paths(size)) == {path for path in made.files if "entries" in path}

    def test_it_gives_each_leaf_back(self):
        """By its index."""
        log = WholeLog(LEAVES)
        assert [log.entry(index) for index in range(log.size)] == LEAVES

    def test_files_of_a_larger_log_are_none_of_its(self):
        """Wider ones, later ones and higher ones."""
        log = WholeLog(LEAVES[:20])
        for path in ("tile/0/000.p/21", "tile/0/001", "tile/1/000.p/1", "tile/entries/000.p/21", "tile/7/000.p/1"):
            assert log.file(TileAddress.parse(path)) is None
        assert log.file(TileAddress.parse("tile/0/000.p/7")) == b"".join(leaf_hash(leaf) for leaf in LEAVES[:7])

    @pytest.mark.parametrize(("level", "index"), [(0, 20), (0, -1), (5, 0), (2, 5)])
    def test_a_subtree_that_is_not_there_is_refused(self, level: int, index: int):
        """With how many there are."""
        with pytest.raises(IntegrityError, match="expected one of"):
            WholeLog(LEAVES[:20]).node(level, index)


class TestNamedFiles:
    def test_a_nights_leaf_names_its_record_and_tables(self):
        """Under the downloads."""
        leaf = NightLeaf(
            night=NIGHT,
            state=NightState.RECORDED,
            record_sha256=A,
            files={"observations.parquet": B, "prompts.parquet": C},
        )
        folder = "data/nights/2026-03-04/"
        all_of_them = {f"{folder}night.json": A, f"{folder}observations.parquet": B, f"{folder}prompts.parquet": C}
        assert dict(named_files(leaf)) == all_of_them
        del all_of_them[f"{folder}observations.parquet"]
        assert dict(named_files(leaf, withheld(2))) == all_of_them

    def test_of_several_withholdings_the_last_ones_table_is_kept(self):
        """Every declaration stays."""
        folder = "data/nights/2026-03-04/"
        assert dict(named_files(withheld(1), withheld(2))) == {f"{folder}withheld-1.json": A}
        assert dict(named_files(withheld(2), withheld(2))) == {
            f"{folder}withheld-2.json": A,
            f"{folder}observations.withheld-2.parquet": C,
        }

    def test_what_the_other_leaves_name(self):
        """Pages, records, definitions and declarations; a key and a missed date name no file."""
        grade = GradeLeaf(path="grades/a/b/c/2026-03-04/v0.1/", record_sha256=A, page_sha256=B)
        assert dict(named_files(grade)) == {f"{grade.path}index.html": B, f"{grade.path}grade.json": A}
        method = MethodLeaf(version="0.1", definition_sha256=A, text_sha256=B, digest=C, page_sha256=C)
        assert dict(named_files(method)) == {
            "method/0.1/index.html": C,
            "data/methods/0.1.toml": A,
            "data/methods/0.1.md": B,
        }
        void = VoidedLeaf(night=NIGHT, record_sha256=A)
        assert dict(named_files(void)) == {"data/nights/2026-03-04/void.json": A}
        assert not dict(named_files(KeyLeaf(vkey="x")))
        assert not dict(named_files(MissedLeaf(night=NIGHT)))


def withheld(number: int) -> WithheldLeaf:
    """Return the leaf of a night's n-th withholding."""
    return WithheldLeaf(
        night=NIGHT,
        record_sha256=A,
        before_sha256=B,
        after_sha256=C,
        file=f"observations.withheld-{number}.parquet",
        declared_at=datetime(2026, 3, 9, tzinfo=UTC),
    )
