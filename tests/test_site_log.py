"""The log on the site: its page says how far it is signed, its files lie where readers of tile logs look for them."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path

import log_makers
import pytest
import site_material as made
from kept_site import FIRST, Silent

from generator.log.checkpoint import parse_checkpoint
from generator.log.note import open_note
from generator.log.proof import decode_proof, verify_proof
from generator.log.tiles import TileReader
from generator.records.leaf import GradeLeaf, leaf_bytes
from generator.records.permalink import PROOF
from generator.site.build import is_permanent
from generator.site.preview import ASK_AGAIN, FOR_EVER, headers_of
from generator.workflows.log_keeping import keep_log
from generator.workflows.rendering import render
from generator.workflows.world import Root


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root of four nights, logged and signed one by one, and laid out."""
    root = log_makers.logged_root(tmp_path_factory.mktemp("signed"), 4, key=log_makers.KEY)
    render(root, progress=Silent())
    return root


def _log(root: Root, path: str) -> bytes:
    return (root.site / "log" / path).read_bytes()


def test_a_reader_of_tile_logs_finds_every_leaf_under_the_published_checkpoint(signed: Root) -> None:
    """Checkpoint, tiles and entries of the site alone give the leaves of the archive."""
    text = open_note(_log(signed, "checkpoint"), [log_makers.KEY.verifier], where="the site")
    checkpoint = parse_checkpoint(text, where="the site")
    tree = TileReader(partial(_log, signed), checkpoint.size)
    assert tree.root() == checkpoint.root
    found = [tree.entry(index) for index in range(checkpoint.size)]
    assert found == [leaf_bytes(leaf) for leaf in log_makers.leaves(signed)]
    assert len(found) > 4


def test_each_permanent_page_has_its_proof_beside_it(signed: Root) -> None:
    """The file beside a page proves the page's own leaf against a checkpoint that the site's key signed."""
    grades = [leaf for leaf in log_makers.leaves(signed) if isinstance(leaf, GradeLeaf)]
    assert grades
    for leaf in grades:
        data = (signed.site / leaf.path / PROOF).read_bytes()
        verify_proof(
            decode_proof(data), leaf_bytes(leaf), [log_makers.KEY.verifier], log_makers.ORIGIN, where=leaf.path
        )
        assert is_permanent(f"{leaf.path}{PROOF}")


def test_the_page_of_all_versions_leads_to_the_proof(signed: Root) -> None:
    """It is the page that may change: the permanent page cannot know of a later signature."""
    leaf = next(leaf for leaf in log_makers.leaves(signed) if isinstance(leaf, GradeLeaf))
    folder, version = leaf.path.removesuffix("/").rsplit("/", 1)
    assert f'href="{version}/{PROOF}"' in (signed.site / folder / "index.html").read_text()


def test_the_page_prints_tree_and_key(signed: Root) -> None:
    """Whoever reads it can hold it against a copy."""
    page = made.page_text(_log(signed, "index.html"))
    checkpoint = parse_checkpoint(_log(signed, "head").decode(), where="head")
    assert checkpoint.root.hex() in page
    assert log_makers.KEY.vkey in page
    assert "unsigned" not in page


def test_a_log_without_a_key_says_unsigned(tmp_path: Path) -> None:
    """No checkpoint and no proof is laid out, and the page says why."""
    root = log_makers.logged_root(tmp_path, 3)
    render(root, progress=Silent())
    assert "This log is unsigned" in made.page_text(_log(root, "index.html"))
    assert not (root.site / "log" / "checkpoint").exists()
    assert not list(root.site.rglob(PROOF))
    assert _log(root, "head") == root.store.folder.read("log/head")


def test_one_more_night_leaves_every_permanent_file_of_the_log_as_it_was(tmp_path: Path) -> None:
    """Tiles that were not full stay beside those that they grew into; only head, checkpoint and page change."""
    root = log_makers.logged_root(tmp_path, 3, key=log_makers.KEY)
    render(root, progress=Silent())
    before = {path: path.read_bytes() for path in sorted(root.site.rglob("log/**/*")) if path.is_file()}
    log_makers.add_graded(root, FIRST + timedelta(days=3))
    keep_log(root, log_makers.KEY, progress=Silent())
    render(root, progress=Silent())
    changed = {path.name for path, data in before.items() if path.read_bytes() != data}
    assert changed == {"head", "checkpoint", "index.html"}


@pytest.mark.parametrize(
    ("path", "cached"),
    [
        ("log/checkpoint", ASK_AGAIN),
        ("log/head", ASK_AGAIN),
        ("log/tile/0/000", FOR_EVER),
        ("log/tile/entries/000.p/12", FOR_EVER),
        ("log/keys/0a1b2c3d.vkey", FOR_EVER),
        ("log/signed/12", FOR_EVER),
        (f"grades/a/b/c/2026-11-19/v0.1/{PROOF}", FOR_EVER),
    ],
)
def test_a_host_is_told_what_changes(path: str, cached: str) -> None:
    """The newest tree is asked for again; tiles, keys, signed checkpoints and proofs are kept for ever."""
    assert headers_of(path)["Cache-Control"] == cached
