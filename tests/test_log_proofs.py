"""The proofs beside pages: as C2SP writes them, from a log's files, changed in every bit, read by another reader."""

from __future__ import annotations

import base64
import random

import metamorphic_log
import pytest
from tree_makers import KEY, ORIGIN, SIZES_AT_EDGES, KeptLog, flipped, leaves_of

from generator.errors import IntegrityError
from generator.log.checkpoint import Checkpoint
from generator.log.keys import SigningKey
from generator.log.merkle import consistency_proof, inclusion_proof, leaf_hash
from generator.log.proof import TlogProof, decode_proof, encode_proof, verify_proof

KEYS = [KEY.verifier]
LEAVES = leaves_of(1_000)
LOG = KeptLog(LEAVES)


def _note(log: KeptLog, key: SigningKey = KEY) -> bytes:
    """Return a log's signed checkpoint."""
    return key.sign(Checkpoint(key.name, log.size, log.reader().root()).text())


def _proof(log: KeptLog, index: int) -> bytes:
    """Return a leaf's proof as it is published."""
    return encode_proof(index, inclusion_proof(index, log.size, log.reader().node), _note(log))


def test_a_proof_is_the_lines_that_the_format_says():
    """The format's name, the index, a hash a line, an empty line, and the signed checkpoint as it was published."""
    log = KeptLog(LEAVES[:3])
    hashes = [base64.b64encode(leaf_hash(leaf)).decode() for leaf in LEAVES[:3]]
    note = _note(log)
    assert _proof(log, 1) == (
        b"c2sp.org/tlog-proof@v1\nindex 1\n" + f"{hashes[0]}\n{hashes[2]}\n".encode() + b"\n" + note
    )
    alone = KeptLog(LEAVES[:1])
    assert _proof(alone, 0) == b"c2sp.org/tlog-proof@v1\nindex 0\n\n" + _note(alone)


@pytest.mark.parametrize("size", SIZES_AT_EDGES)
def test_every_proof_of_a_log_is_read_back_and_verifies(size: int):
    """Leaf by leaf, to the signed checkpoint."""
    log = KeptLog(LEAVES[:size])
    node, note = log.reader().node, _note(log)
    head = Checkpoint(ORIGIN, size, log.reader().root())
    for index in range(0, size, 1 + size // 50):
        hashes = inclusion_proof(index, size, node)
        proof = decode_proof(encode_proof(index, hashes, note))
        assert proof == TlogProof(index, hashes, note)
        assert verify_proof(proof, LEAVES[index], KEYS, ORIGIN) == head


def test_every_flipped_bit_of_a_proof_is_refused():
    """In its lines, its index, its hashes, its checkpoint's size and root, and its signature: all of them."""
    data = _proof(LOG, 700)
    for bit in range(len(data) * 8):
        with pytest.raises(IntegrityError):
            verify_proof(decode_proof(flipped(data, bit)), LEAVES[700], KEYS, ORIGIN)


def test_every_flipped_bit_of_a_leaf_is_refused():
    """The message names the leaf's hash and the root."""
    proof = decode_proof(_proof(LOG, 700))
    for bit in range(len(LEAVES[700]) * 8):
        with pytest.raises(IntegrityError, match="expected hashes from leaf 700 with the hash"):
            verify_proof(proof, flipped(LEAVES[700], bit), KEYS, ORIGIN)


def test_the_proof_of_one_leaf_proves_no_other():
    """Neither the leaf beside it nor the same leaf at another index or by a hash more or fewer."""
    proof = decode_proof(_proof(LOG, 700))
    for changed, leaf in (
        (proof, LEAVES[701]),
        (TlogProof(701, proof.hashes, proof.note), LEAVES[700]),
        (TlogProof(1_000, proof.hashes, proof.note), LEAVES[700]),
        (TlogProof(700, proof.hashes[1:], proof.note), LEAVES[700]),
        (TlogProof(700, (*proof.hashes, proof.hashes[0]), proof.note), LEAVES[700]),
        (TlogProof(700, proof.hashes[::-1], proof.note), LEAVES[700]),
    ):
        with pytest.raises(IntegrityError, match="expected hashes from leaf"):
            verify_proof(changed, leaf, KEYS, ORIGIN, where="grade.tlog-proof")


def test_a_proof_under_another_tree_of_the_log_is_refused():
    """The checkpoint of a fork, signed by the same key, has another root."""
    fork = KeptLog([*LEAVES[:10], b"another", *LEAVES[11:]])
    proof = decode_proof(_proof(LOG, 700))
    with pytest.raises(IntegrityError, match="expected hashes from leaf 700"):
        verify_proof(TlogProof(700, proof.hashes, _note(fork)), LEAVES[700], KEYS, ORIGIN)


def test_a_proof_that_another_key_signed_is_refused():
    """Whatever it proves."""
    other = SigningKey(ORIGIN, bytes(32))
    proof = TlogProof(700, decode_proof(_proof(LOG, 700)).hashes, _note(LOG, other))
    assert verify_proof(proof, LEAVES[700], [other.verifier], ORIGIN).size == 1_000
    with pytest.raises(IntegrityError, match="expected a signature by"):
        verify_proof(proof, LEAVES[700], KEYS, ORIGIN)


def test_a_proof_of_another_log_is_refused():
    """Even one whose key is known."""
    other = SigningKey("other.example/log", bytes(32))
    proof = TlogProof(700, decode_proof(_proof(LOG, 700)).hashes, _note(LOG, other))
    with pytest.raises(IntegrityError, match=r"expected the log bitdepth\.example/log, found 'other\.example/log'"):
        verify_proof(proof, LEAVES[700], [*KEYS, other.verifier], ORIGIN)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (b"tlog-proof@v1", b"tlog-proof@v2", "expected 'c2sp.org/tlog-proof@v1'"),
        (b"@v1\n", b"@v1\nextra AAAA\n", "and a line 'index'"),
        (b"index 700\n", b"", "and a line 'index'"),
        (b"index 700", b"index 0700", "without leading zeroes"),
        (b"index 700", b"index 700 ", "without leading zeroes"),
        (b"index 700\n", b"index 700\n\n", "found a note without|expected lines of origin|expected a signature"),
        (b"index 700\n", b"index 700\nAAAA\n", "a hash of 32 bytes, found 3 bytes"),
        (b"index 700\n", b"index 700\n?\n", "expected base64"),
        (b"\n\n", b"\n", "found a note without|expected base64|and a line 'index'"),
        (b"c2sp", b"\xff2sp", "expected 'c2sp.org/tlog-proof@v1'"),
        (b"c2sp", b"\xef\xbb\xbfc2sp", "expected 'c2sp.org/tlog-proof@v1'"),
    ],
)
def test_what_is_no_proof_is_refused(before: bytes, after: bytes, message: str):
    """With what was expected, what was found, and where."""
    data = _proof(LOG, 700)
    changed = data.replace(before, after)
    assert changed != data
    with pytest.raises(IntegrityError, match=rf"({message}).* in grade\.tlog-proof"):
        verify_proof(
            decode_proof(changed, where="grade.tlog-proof"), LEAVES[700], KEYS, ORIGIN, where="grade.tlog-proof"
        )


@pytest.mark.parametrize("data", [b"", b"\n\n", b"c2sp.org/tlog-proof@v1\n\n", b"c2sp.org/tlog-proof@v1\nindex 1\n"])
def test_a_proof_that_ends_too_early_is_refused(data: bytes):
    """Before its index, or before its checkpoint."""
    with pytest.raises(IntegrityError, match=r"and a line 'index'"):
        decode_proof(data)


def test_a_proof_in_a_log_of_70000_leaves_is_about_a_kilobyte():
    """17 hashes and the checkpoint."""
    log = KeptLog(leaves_of(70_000))
    data = _proof(log, 12_345)
    assert len(decode_proof(data).hashes) == 17
    assert 900 < len(data) < 1_100


def _read_by_the_other(data: bytes, leaf: bytes) -> None:
    """Hold a published proof against the reader in Rust: the lines parted here, all else there."""
    head, note = data.decode().split("\n\n", 1)
    _, index, *hashes = head.split("\n")
    metamorphic_log.checkpoint_verify_inclusion(
        note, [KEY.vkey], int(index.split()[1]), leaf_hash(leaf), [base64.b64decode(one) for one in hashes]
    )


@pytest.mark.parametrize("size", SIZES_AT_EDGES)
def test_another_reader_accepts_published_proofs(size: int):
    """The first leaf, one between and the last; and it refuses them for another leaf."""
    log = KeptLog(LEAVES[:size])
    for index in {0, size // 3, size - 1}:
        _read_by_the_other(_proof(log, index), LEAVES[index])
        with pytest.raises(metamorphic_log.VerifyError):
            _read_by_the_other(_proof(log, index), b"another leaf")


def test_another_reader_accepts_a_growing_log():
    """Each signed checkpoint begins with each earlier one; a fork begins with none."""
    log, notes = KeptLog(), {}
    for size in (1, 10, 256, 300, 777, 1_000):
        log.append(LEAVES[log.size : size])
        notes[size] = _note(log).decode()
    fork = KeptLog([b"another", *LEAVES[1:]])
    for after, newer in notes.items():
        for before, older in notes.items():
            if before < after:
                proof = list(consistency_proof(before, after, log.reader(after).node))
                metamorphic_log.checkpoint_verify_consistency(older, newer, [KEY.vkey], proof)
                with pytest.raises(metamorphic_log.VerifyError):
                    metamorphic_log.checkpoint_verify_consistency(
                        older,
                        KEY.sign(Checkpoint(ORIGIN, after, fork.reader().root()).text()).decode(),
                        [KEY.vkey],
                        proof,
                    )


@pytest.mark.ci
def test_another_reader_accepts_published_proofs_from_70000_leaves():
    """1,000 of them."""
    leaves = leaves_of(70_000)
    log = KeptLog(leaves)
    reader, note = log.reader(), _note(log)
    draw = random.Random(6)  # noqa: S311 - a sample
    for index in (0, 65_535, 65_536, 69_999, *(draw.randrange(70_000) for _ in range(996))):
        data = encode_proof(index, inclusion_proof(index, 70_000, reader.node), note)
        _read_by_the_other(data, leaves[index])
        assert verify_proof(decode_proof(data), leaves[index], KEYS, ORIGIN).size == 70_000
