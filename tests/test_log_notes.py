"""Signed notes, their keys, and the checkpoints in them: Go's and C2SP's examples, changed ones, a reader in Rust."""

from __future__ import annotations

import base64
import hashlib

import metamorphic_log
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tree_makers import KEY, ORIGIN, flipped

from generator.errors import ExitCode, IntegrityError, UsageError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.keys import SigningKey, VerifierKey
from generator.log.note import open_note, read_note
from generator.log.text import read_base64, read_decimal, read_hash, shown

# The example of golang.org/x/mod/sumdb/note, whose private key its tests publish.
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
GO_NOTE = f"{GO_TEXT}\n{GO_LINE}".encode()

# C2SP's examples: a note with an empty line in its text, and a checkpoint.
C2SP_NOTE = (
    "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n"
    "— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3Ze"
    "kRwNtIc=\n"
)
C2SP_CHECKPOINT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"

OTHER = SigningKey("witness.example/one", bytes(32))
HEAD = Checkpoint(ORIGIN, 70_000, hashlib.sha256(b"a root").digest())
NOTE = KEY.sign(HEAD.text())


def _line(note: bytes) -> bytes:
    """Return a note's last line."""
    return note[note.rindex(b"\n", 0, -1) + 1 :]


def test_gos_note_is_opened_and_signed_byte_for_byte():
    """With its verifier key, and with its signing key."""
    key = SigningKey.parse(GO_KEY)
    assert key.sign(GO_TEXT) == GO_NOTE
    assert (key.vkey, key.text, key.verifier) == (GO_VKEY, GO_KEY, VerifierKey.parse(GO_VKEY))
    assert open_note(GO_NOTE, [key.verifier]) == GO_TEXT


def test_the_key_of_gos_checksum_database_is_read():
    """Its key id follows from its name and its key."""
    vkey = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
    key = VerifierKey.parse(vkey)
    assert (key.name, key.key_id, key.vkey) == ("sum.golang.org", "033de0ae", vkey)


def test_a_key_id_is_the_digest_that_c2sp_says():
    """The first 4 bytes of the SHA-256 of name, newline, byte 1 and key."""
    verifier = KEY.verifier
    digest = hashlib.sha256(ORIGIN.encode() + b"\n\x01" + verifier.public).hexdigest()
    assert verifier.key_id == digest[:8]
    assert verifier.vkey.split("+", 2)[:2] == [ORIGIN, digest[:8]]


def test_c2sps_note_ends_its_text_at_the_last_empty_line():
    """What stands before is text, empty lines too."""
    note = read_note(C2SP_NOTE.encode())
    assert note.text.endswith("sole:\n\ned è subito sera.\n")
    assert [(one.name, one.key_id, len(one.signature)) for one in note.signatures] == [
        ("quasimodo.example/salvatore", "367ba04b", 64)
    ]


def test_no_part_of_a_verifier_key_passes_for_it():
    """As Go's tests try it: every other stretch of its text, and every character one higher."""
    stretches = {GO_VKEY[start:end] for start in range(len(GO_VKEY)) for end in range(start, len(GO_VKEY) + 1)}
    higher = {f"{GO_VKEY[:i]}{chr(ord(GO_VKEY[i]) + 1)}{GO_VKEY[i + 1 :]}" for i in range(len(GO_VKEY))}
    for text in (stretches | higher) - {GO_VKEY}:
        with pytest.raises(IntegrityError):
            VerifierKey.parse(text)


@pytest.mark.parametrize(
    ("vkey", "message"),
    [
        ("PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==", "expected base64"),
        ("PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "an Ed25519 verifier key"),
        ("PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "expected key id c74f20a3"),
        ("Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "an Ed25519 verifier key"),
        ("+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "an Ed25519 verifier key"),
        ("", "an Ed25519 verifier key"),
    ],
)
def test_another_verifier_key_is_refused(vkey: str, message: str):
    """Another length, algorithm, spelling or name; the message says where it was found."""
    with pytest.raises(IntegrityError, match=rf"{message}.* in keys/x\.vkey"):
        VerifierKey.parse(vkey, where="keys/x.vkey")


def test_a_new_key_signs_what_it_verifies():
    """No two are alike, and the text gives the key back, with white space around it or without."""
    key, other = SigningKey.generate(ORIGIN), SigningKey.generate(ORIGIN)
    assert key.text != other.text
    assert SigningKey.parse(f" {key.text}\n") == key
    assert open_note(key.sign("a text\n"), [key.verifier]) == "a text\n"


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u00a0b", "a\nb"])
def test_a_key_has_no_name_with_space_or_plus(name: str):
    """Nor an empty one."""
    with pytest.raises(UsageError, match="expected a key name"):
        SigningKey.generate(name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PRIVATE+KEY+",
        GO_VKEY,
        GO_KEY.removeprefix("PRIVATE+KEY+"),
        GO_KEY.replace("c74f20a3", "c74f20a4"),
        GO_KEY.replace("PeterNeumann", "PaulNeumann"),
        GO_KEY.replace("+AY", "+BY"),
        GO_KEY[:-1],
        GO_KEY[:-4],
        GO_KEY + "=",
        GO_KEY + " x",
    ],
)
def test_a_text_that_is_no_signing_key_is_refused_unquoted(text: str):
    """It may be almost one: the message and what it was raised from hold nothing of it."""
    with pytest.raises(UsageError) as raised:
        SigningKey.parse(text, where="BITDEPTH_SIGNING_KEY")
    assert raised.value.exit_code is ExitCode.USAGE
    assert str(raised.value) == (
        "expected an Ed25519 signing key PRIVATE+KEY+name+id+key, found another text in BITDEPTH_SIGNING_KEY. "
        "Give the text that bitdepth keygen printed"
    )
    assert raised.value.__context__ is None


def test_a_signing_key_is_not_shown():
    """Neither its text nor its bytes stand in its repr."""
    key = SigningKey.parse(GO_KEY)
    assert repr(key) == "SigningKey(name='PeterNeumann')"


@pytest.mark.parametrize("text", ["", "no newline", "a\ttab\n", "a return\r\n", "\x00\n"])
def test_a_text_that_no_note_can_have_is_not_signed(text: str):
    """It must end in a newline and hold no other control character."""
    with pytest.raises(ValueError, match="expected a text of whole lines"):
        KEY.sign(text)


def test_signatures_of_others_are_let_pass():
    """Before ours and after it, as witnesses add theirs."""
    text = HEAD.text()
    note = f"{text}\n".encode() + _line(OTHER.sign(text)) + _line(NOTE) + _line(SigningKey("x", bytes(32)).sign(text))
    assert open_note(note, [KEY.verifier]) == text
    assert open_note(note, [OTHER.verifier, KEY.verifier]) == text
    assert [one.name for one in read_note(note).signatures] == [OTHER.name, ORIGIN, "x"]


def test_a_known_keys_signature_of_another_text_spoils_the_note():
    """Even beside one that fits."""
    wrong = _line(OTHER.sign("another text\n"))
    with pytest.raises(IntegrityError, match=rf"signature of this text by {OTHER.name}\+\w+, found one that does not"):
        open_note(NOTE + wrong, [KEY.verifier, OTHER.verifier])
    assert open_note(NOTE + wrong, [KEY.verifier]) == HEAD.text()


def test_a_note_without_a_known_signature_is_refused():
    """The message names the keys that were expected and those that were found."""
    with pytest.raises(IntegrityError) as raised:
        open_note(NOTE, [OTHER.verifier], where="log/checkpoint")
    expected = f"{OTHER.name}+{OTHER.verifier.key_id}"
    assert str(raised.value) == (
        f"expected a signature by {expected}, found '{ORIGIN}+{KEY.verifier.key_id}' in log/checkpoint"
    )
    with pytest.raises(IntegrityError, match="expected a signature by a known key"):
        open_note(NOTE, [])


def test_a_key_of_the_same_name_is_another_key():
    """After a change of keys both are known, and each note needs its own."""
    newer = SigningKey(ORIGIN, bytes(32))
    assert open_note(newer.sign("new\n"), [KEY.verifier, newer.verifier]) == "new\n"
    with pytest.raises(IntegrityError, match="expected a signature by"):
        open_note(newer.sign("new\n"), [KEY.verifier])


def test_every_flipped_bit_of_a_signed_checkpoint_is_refused():
    """In the text, the empty line, the name, the key id and the signature: all of them."""
    keys = [KEY.verifier]
    assert parse_checkpoint(open_note(NOTE, keys)) == HEAD
    for bit in range(len(NOTE) * 8):
        with pytest.raises(IntegrityError):
            open_note(flipped(NOTE, bit), keys)


@given(st.integers(0, len(NOTE)), st.integers(0, len(NOTE)), st.binary(max_size=3))
def test_a_note_that_was_cut_or_added_to_is_refused(start: int, taken: int, put: bytes):
    """Any stretch taken out, any few bytes put in."""
    changed = NOTE[:start] + put + NOTE[start + taken :]
    assume(changed != NOTE)
    with pytest.raises(IntegrityError):
        open_note(changed, [KEY.verifier])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "found a note without"),
        (b"\xff\n\n", "expected UTF-8, found other bytes at 0"),
        (b"text\n\n", "found a note without"),
        (b"text\n" + GO_LINE.encode(), "found a note without"),
        (GO_NOTE[:-1], "found a note without"),
        (GO_NOTE.replace(b"\n", b"\r\n"), "without control characters"),
        (GO_NOTE + b"\n", "found a note without"),
        (GO_NOTE.replace("— ".encode(), b"- "), "expected a signature line"),
        (GO_NOTE.replace("— ".encode(), "—  ".encode()), "expected a signature line"),
        (GO_NOTE.replace(b"PeterNeumann x", b"Peter+Neumann x"), "expected a signature line"),
        (GO_NOTE.replace(b"PeterNeumann x", b"PeterNeumann  x"), "expected base64"),
        (GO_NOTE.replace(b"nAM=", b"nAM"), "expected base64"),
        (GO_NOTE.replace(b"nAM=", b"nAN="), "expected base64"),
        (GO_TEXT.encode() + "\n— PeterNeumann x08gow==\n".encode(), "a key id and a signature, found 4 bytes"),
        (GO_NOTE + GO_LINE.encode() * 100, "at most 100 signatures, found 101"),
    ],
)
def test_what_is_no_note_is_refused(data: bytes, message: str):
    """With what was expected and what was found."""
    with pytest.raises(IntegrityError, match=message):
        open_note(data, [VerifierKey.parse(GO_VKEY)])


def test_a_note_of_100_signatures_is_read():
    """The format asks readers for 16 at least."""
    assert open_note(GO_NOTE + GO_LINE.encode() * 99, [VerifierKey.parse(GO_VKEY)]) == GO_TEXT


def test_c2sps_checkpoint_is_read_and_written():
    """Origin, size and root, byte for byte."""
    checkpoint = parse_checkpoint(C2SP_CHECKPOINT)
    assert (checkpoint.origin, checkpoint.size, len(checkpoint.root)) == ("example.com/behind-the-sofa", 20_852_163, 32)
    assert checkpoint.text() == C2SP_CHECKPOINT


@given(st.text(min_size=1).filter(str.isprintable), st.integers(0, 10**18 - 1), st.binary(min_size=32, max_size=32))
def test_every_checkpoint_is_read_back(origin: str, size: int, root: bytes):
    """Whatever its origin, size and root."""
    checkpoint = Checkpoint(origin, size, root)
    assert parse_checkpoint(checkpoint.text()) == checkpoint


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("", "lines of origin, size and root"),
        (C2SP_CHECKPOINT[:-1], "lines of origin, size and root"),
        (C2SP_CHECKPOINT + "an extension\n", "lines of origin, size and root"),
        (C2SP_CHECKPOINT + "\n", "lines of origin, size and root"),
        (C2SP_CHECKPOINT.replace("example.com/behind-the-sofa", ""), "lines of origin, size and root"),
        (C2SP_CHECKPOINT.replace("\n", "\r\n"), "lines of origin, size and root"),
        (C2SP_CHECKPOINT.replace("2085", "02085"), "without leading zeroes, found '020852163'"),
        (C2SP_CHECKPOINT.replace("20852163", "-1"), "found '-1'"),
        (C2SP_CHECKPOINT.replace("q2I=", "q2J="), "expected base64"),
        (C2SP_CHECKPOINT.replace("CsUY", ""), "a hash of 32 bytes, found 29 bytes"),
    ],
)
def test_what_is_no_checkpoint_is_refused(changed: str, message: str):
    """With what was expected, what was found, and where."""
    with pytest.raises(IntegrityError, match=rf"{message}.* in log/head"):
        parse_checkpoint(changed, where="log/head")


@pytest.mark.parametrize(
    "text", ["", "00", "01", "+1", "-0", "1_0", " 1", "1\n", "\N{ARABIC-INDIC DIGIT ONE}", "9" * 19]
)
def test_a_number_has_one_spelling(text: str):
    """Digits of ASCII without leading zeroes, 18 at most."""
    with pytest.raises(IntegrityError, match="expected a decimal number"):
        read_decimal(text, where="a line")
    assert [read_decimal(number, where="a line") for number in ("0", "10", "9" * 18)] == [0, 10, 10**18 - 1]


@given(st.binary(max_size=40))
def test_base64_has_one_spelling(data: bytes):
    """What Python writes; nothing else decodes to the same bytes."""
    text = base64.b64encode(data).decode()
    assert read_base64(text, where="a line") == data
    for other in (f"{text}\n", f" {text}", f"{text}=", f"{text}é", text.rstrip("=") + "-"):
        with pytest.raises(IntegrityError, match="expected base64"):
            read_base64(other, where="a line")


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_hash_has_32_bytes(length: int):
    """No more and no fewer."""
    with pytest.raises(IntegrityError, match=f"found {length} bytes in a line"):
        read_hash(base64.b64encode(bytes(length)).decode(), where="a line")


def test_a_message_quotes_little_of_a_text_that_may_be_anything():
    """On one line, in ASCII, 100 characters of it."""
    assert shown("é\n\x1b\u202e") == r"'\xe9\n\x1b\u202e'"
    assert shown("x" * 101) == f"'{'x' * 100}...'"


def test_another_reader_opens_a_signed_checkpoint():
    """It finds the same origin, size and root, and refuses the note once a letter differs."""
    read = metamorphic_log.checkpoint_verify(NOTE.decode(), [KEY.vkey])
    assert (read.origin, read.size, read.root, read.extensions) == (HEAD.origin, HEAD.size, HEAD.root, [])
    assert metamorphic_log.verify_signed_note(NOTE.decode(), [KEY.vkey]) == 1
    with pytest.raises(metamorphic_log.VerifyError):
        metamorphic_log.checkpoint_verify(NOTE.decode().replace("70000", "70001"), [KEY.vkey])
    with pytest.raises(metamorphic_log.VerifyError):
        metamorphic_log.checkpoint_verify(NOTE.decode(), [OTHER.vkey])
