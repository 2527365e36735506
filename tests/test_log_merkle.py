"""The Merkle tree against RFC 6962's definitions, Certificate Transparency's vectors, and a reader written in Rust."""

from __future__ import annotations

import random

import metamorphic_log
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_makers import Definition, flipped, leaves_of

from generator.errors import IntegrityError
from generator.log.merkle import (
    EMPTY_ROOT,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root,
    verify_consistency,
    verify_inclusion,
)

LEAVES = leaves_of(5_000)
HASHES = [leaf_hash(leaf) for leaf in LEAVES]
DEFINED = Definition(LEAVES)

# What the reference implementation of Certificate Transparency tests itself with.
CT_LEAVES = [
    bytes.fromhex(digits)
    for digits in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
CT_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
CT_PATHS = {
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CT_CONSISTENCY = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


def _ct_root(size: int) -> bytes:
    return bytes.fromhex(CT_ROOTS[size])


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_certificate_transparency(size: int):
    """The roots over its first 0 to 8 leaves."""
    assert root([leaf_hash(leaf) for leaf in CT_LEAVES[:size]]) == _ct_root(size)


@pytest.mark.parametrize(("index", "size"), CT_PATHS)
def test_inclusion_proofs_are_those_of_certificate_transparency(index: int, size: int):
    """Hash by hash, and they verify."""
    proof = inclusion_proof(index, size, Definition(CT_LEAVES).node)
    assert [one.hex() for one in proof] == CT_PATHS[index, size]
    assert verify_inclusion(leaf_hash(CT_LEAVES[index]), index, size, proof, _ct_root(size))


@pytest.mark.parametrize(("before", "after"), CT_CONSISTENCY)
def test_consistency_proofs_are_those_of_certificate_transparency(before: int, after: int):
    """Hash by hash, and they verify."""
    proof = consistency_proof(before, after, Definition(CT_LEAVES).node)
    assert [one.hex() for one in proof] == CT_CONSISTENCY[before, after]
    assert verify_consistency(before, after, _ct_root(before), _ct_root(after), proof)


def test_the_rfcs_tree_of_seven_leaves_has_the_proofs_that_it_draws():
    """RFC 6962, section 2.1.3: the paths of d0, d3, d4 and d6, and the proofs from 3, 4 and 6 leaves to 7."""
    a, b, c, d, e, f, j = HASHES[:7]
    g, h, i = node_hash(a, b), node_hash(c, d), node_hash(e, f)
    k, l_ = node_hash(g, h), node_hash(i, j)
    assert [inclusion_proof(index, 7, DEFINED.node) for index in (0, 3, 4, 6)] == [
        (b, h, l_),
        (c, g, l_),
        (f, j, k),
        (i, k),
    ]
    assert [consistency_proof(before, 7, DEFINED.node) for before in (3, 4, 6)] == [(c, d, g, l_), (l_,), (i, j, k)]


def test_every_tree_of_up_to_300_leaves_has_the_root_and_the_paths_of_the_definition():
    """Each leaf of each tree has the definition's path, which verifies."""
    for size in range(1, 301):
        tree_root = DEFINED.root(0, size)
        assert root(HASHES[:size]) == tree_root
        for index in range(size):
            proof = inclusion_proof(index, size, DEFINED.node)
            assert proof == DEFINED.path(index, 0, size), (index, size)
            assert verify_inclusion(HASHES[index], index, size, proof, tree_root), (index, size)


def test_every_two_trees_of_up_to_300_leaves_have_the_consistency_proof_of_the_definition():
    """Each pair has the definition's proof, which verifies."""
    for after in range(1, 301):
        for before in range(1, after + 1):
            proof = consistency_proof(before, after, DEFINED.node)
            assert proof == DEFINED.proof(before, after), (before, after)
            roots = DEFINED.root(0, before), DEFINED.root(0, after)
            assert verify_consistency(before, after, *roots, proof), (before, after)


def _assert_read_by_the_other(size: int, index: int, before: int, defined: Definition, leaf: bytes) -> None:
    """Hold one inclusion proof and one consistency proof against the reader in Rust, which raises an error."""
    tree_root = defined.root(0, size)
    proof = inclusion_proof(index, size, defined.node)
    metamorphic_log.verify_inclusion(index, size, leaf, list(proof), tree_root)
    assert verify_inclusion(leaf, index, size, proof, tree_root)
    earlier = consistency_proof(before, size, defined.node)
    metamorphic_log.verify_consistency(before, size, list(earlier), defined.root(0, before), tree_root)
    assert verify_consistency(before, size, defined.root(0, before), tree_root, earlier)


def test_another_reader_accepts_proofs_of_every_size_up_to_300():
    """The first leaf, the last, and one between, of each tree; and a consistency proof from a tree before."""
    draw = random.Random(1)  # noqa: S311 - a sample
    for size in range(1, 301):
        for index in {0, draw.randrange(size), size - 1}:
            _assert_read_by_the_other(size, index, draw.randint(1, size), DEFINED, HASHES[index])


@pytest.mark.ci
def test_another_reader_accepts_proofs_of_every_size_up_to_5000():
    """The first leaf, the last, and three between, of each tree; and consistency proofs from five trees before."""
    draw = random.Random(2)  # noqa: S311 - a sample
    for size in range(1, 5_001):
        assert size > 300 or root(HASHES[:size]) == DEFINED.root(0, size)
        for index in {0, *(draw.randrange(size) for _ in range(3)), size - 1}:
            _assert_read_by_the_other(size, index, draw.randint(1, size), DEFINED, HASHES[index])
    assert root(HASHES) == DEFINED.root(0, 5_000)


@pytest.mark.ci
def test_another_reader_accepts_proofs_in_a_tree_of_70000_leaves():
    """2,000 leaves of it, and consistency proofs from 2,000 trees before."""
    leaves = leaves_of(70_000)
    defined = Definition(leaves)
    assert root([leaf_hash(leaf) for leaf in leaves]) == defined.root(0, 70_000)
    draw = random.Random(3)  # noqa: S311 - a sample
    for index in (0, 65_535, 65_536, 69_999, *(draw.randrange(70_000) for _ in range(1_996))):
        before = draw.choice((draw.randint(1, 70_000), 65_536, 69_999))
        _assert_read_by_the_other(70_000, index, before, defined, leaf_hash(leaves[index]))


def test_every_tree_begins_with_the_empty_one():
    """The proof is empty, and only the empty tree's root passes for it."""
    assert consistency_proof(0, 5, DEFINED.node) == ()
    assert verify_consistency(0, 5, EMPTY_ROOT, DEFINED.root(0, 5), ())
    assert not verify_consistency(0, 5, DEFINED.root(0, 1), DEFINED.root(0, 5), ())
    assert not verify_consistency(0, 5, EMPTY_ROOT, DEFINED.root(0, 5), (EMPTY_ROOT,))


def test_a_tree_is_consistent_with_itself_alone():
    """Two roots of one size are a fork, whatever the proof."""
    one, other = DEFINED.root(0, 5), DEFINED.root(0, 6)
    assert verify_consistency(5, 5, one, one, ())
    assert not verify_consistency(5, 5, one, other, ())
    assert not verify_consistency(5, 5, one, one, (other,))


@pytest.mark.parametrize(("index", "size"), [(0, 0), (5, 5), (-1, 5)])
def test_a_leaf_that_the_tree_has_not_has_no_proof(index: int, size: int):
    """Neither is one made nor would one pass."""
    with pytest.raises(IntegrityError, match=f"one of {size} leaves, found {index}"):
        inclusion_proof(index, size, DEFINED.node)
    assert not verify_inclusion(HASHES[0], index, size, (), HASHES[0])


@pytest.mark.parametrize("before", [-1, 6])
def test_no_tree_begins_with_a_larger_one(before: int):
    """Neither is a proof made nor would one pass."""
    with pytest.raises(IntegrityError, match=f"at most 5 leaves, found {before}"):
        consistency_proof(before, 5, DEFINED.node)
    assert not verify_consistency(before, 5, HASHES[0], HASHES[0], ())


@given(st.data())
def test_an_inclusion_proof_with_anything_changed_is_refused(data: st.DataObject):
    """A flipped bit of leaf, root or hash; another index; a hash more, less, longer, or in another place."""
    size = data.draw(st.integers(1, 600))
    index = data.draw(st.integers(0, size - 1))
    leaf, tree_root, proof = HASHES[index], DEFINED.root(0, size), list(inclusion_proof(index, size, DEFINED.node))
    assert verify_inclusion(leaf, index, size, proof, tree_root)
    bit = data.draw(st.integers(0, 255))
    assert not verify_inclusion(flipped(leaf, bit), index, size, proof, tree_root)
    assert not verify_inclusion(leaf, index, size, proof, flipped(tree_root, bit))
    assert not verify_inclusion(leaf, index ^ 1 << data.draw(st.integers(0, 40)), size, proof, tree_root)
    for changed in _changed(data, proof, bit):
        assert not verify_inclusion(leaf, index, size, changed, tree_root)


@given(st.data())
def test_a_consistency_proof_with_anything_changed_is_refused(data: st.DataObject):
    """A flipped bit of a root or a hash; a hash more, less, longer, or in another place."""
    after = data.draw(st.integers(2, 600))
    before = data.draw(st.integers(1, after - 1))
    roots, proof = (
        (DEFINED.root(0, before), DEFINED.root(0, after)),
        list(consistency_proof(before, after, DEFINED.node)),
    )
    assert verify_consistency(before, after, *roots, proof)
    bit = data.draw(st.integers(0, 255))
    assert not verify_consistency(before, after, flipped(roots[0], bit), roots[1], proof)
    assert not verify_consistency(before, after, roots[0], flipped(roots[1], bit), proof)
    for changed in _changed(data, proof, bit):
        assert not verify_consistency(before, after, *roots, changed)


def _changed(data: st.DataObject, proof: list[bytes], bit: int) -> list[list[bytes]]:
    """Return proofs that each differ in one thing from a proof."""
    changed = [[*proof, HASHES[0]]]
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        rest = proof[:place], proof[place + 1 :]
        changed += [
            [*rest[0], flipped(proof[place], bit), *rest[1]],
            [*rest[0], proof[place] + b"\x00", *rest[1]],
            [*rest[0], proof[place][:-1], *rest[1]],
            [*rest[0], *rest[1]],
        ]
        if len(proof) > 1:
            changed.append([*proof[1:], proof[0]])
    return changed


def test_a_node_never_passes_for_a_leaf():
    """Leaves and nodes are hashed apart: the two children's hashes as a leaf's bytes give another hash."""
    left, right = HASHES[:2]
    assert leaf_hash(left + right) != node_hash(left, right)
