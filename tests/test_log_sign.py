"""Signing the log: all that the new leaves say is read again, and what differs is named and not signed."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import log_makers
import msgspec
import pytest
from kept_site import FIRST, Silent
from log_makers import KEY, OTHER_KEY, STRANGE_KEY, add_graded, appended, archive_bytes, killed_at, leaves, logged_root
from tiers import few

from generator.archive.grades import GradesOrigin
from generator.errors import ArchiveError, ExitCode, IntegrityError, UsageError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.note import SigningKey, open_note
from generator.log.tiles import appended as tiles_appended
from generator.records.canonical import canonical_json, read_sealed, sealed, sha256
from generator.records.grade import Grade
from generator.records.leaf import GradeLeaf, KeyLeaf, Leaf, MethodLeaf, MissedLeaf, NightLeaf, WithheldLeaf, leaf_bytes
from generator.records.log_index import LogIndex
from generator.records.night import NightState, VoidRecord
from generator.workflows.signing import LogSigned, sign
from generator.workflows.world import Root

SECOND = FIRST + timedelta(days=1)
HASH = "ab" * 32


def signing(root: Root, key: SigningKey = KEY) -> LogSigned:
    """Sign a root's log."""
    return sign(root, key, progress=Silent())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a log of which one night is signed, and the next one, declared void later, is appended and not signed."""
    root = logged_root(tmp_path_factory.mktemp("made"), 1, key=KEY)
    add_graded(root, SECOND)
    declared = datetime(2026, 4, 1, tzinfo=UTC)
    root.store.nights.declare_void(
        VoidRecord(format=1, night=SECOND, reason="our network", declared_at=declared, seal="")
    )
    appended(root)
    return root


@pytest.fixture
def root(made: Root, tmp_path: Path) -> Root:
    """Return a copy of it."""
    shutil.copytree(made.path, tmp_path / "root")
    return Root(tmp_path / "root")


def file(root: Root, name: str) -> Path:
    """Return a file of the archive."""
    return root.store.folder.path / name


class TestASignedCheckpointSaysWhatTheHeadSays:
    def test_it_opens_with_the_public_key_that_the_log_keeps(self, root: Root):
        """Its text is the head's; it is kept under its size, and as the newest."""
        done = signing(root)
        head = root.store.log.head()
        assert open_note(root.store.log.checkpoint(), [KEY.verifier]) == head
        assert root.store.log.signed_note(11) == root.store.log.checkpoint()
        assert done == LogSigned(
            leaves=5, size=11, root_sha256=parse_checkpoint(head).root.hex(), key_id=KEY.verifier.key_id
        )

    def test_earlier_ones_stay(self, root: Root):
        """Each size that was signed can be held against later ones."""
        before = root.store.log.checkpoint()
        signing(root)
        assert root.store.log.signed() == (6, 11)
        assert root.store.log.signed_note(6) == before

    def test_signing_twice_changes_nothing(self, root: Root):
        """The newest tree is signed once."""
        signing(root)
        before = archive_bytes(root)
        assert signing(root).leaves == 0
        assert archive_bytes(root) == before

    def test_interrupted_between_its_two_files_it_is_carried_on_by_whichever_key(self, root: Root):
        """What was signed once is not signed again."""
        appended(root, OTHER_KEY)
        with killed_at(root, 1) as done:
            signing(root)
        assert done == ["log/signed/12"]
        assert parse_checkpoint(open_note(root.store.log.checkpoint(), [KEY.verifier])).size == 6
        signing(root, OTHER_KEY)
        assert root.store.log.checkpoint() == root.store.log.signed_note(12)
        assert open_note(root.store.log.checkpoint(), [KEY.verifier]) == root.store.log.head()

    def test_an_interrupted_append_is_ended_first(self, root: Root):
        """What it left does not count, and is gone."""
        add_graded(root, FIRST + timedelta(days=2))
        with killed_at(root, 2):
            appended(root)
        assert signing(root).size == 11
        assert not file(root, "log/appending").exists()

    def test_a_new_key_signs_once_it_is_a_leaf(self, root: Root):
        """Both keys' notes are believed: each has its leaf."""
        with pytest.raises(UsageError, match=r"is a leaf of the log.* Run 'bitdepth log append'"):
            signing(root, OTHER_KEY)
        appended(root, OTHER_KEY)
        signing(root, OTHER_KEY)
        assert leaves(root)[-1] == KeyLeaf(vkey=OTHER_KEY.vkey)
        assert open_note(root.store.log.checkpoint(), [OTHER_KEY.verifier]) == root.store.log.head()

    def test_another_logs_key_signs_nothing(self, root: Root):
        """A key is called as its log is."""
        with pytest.raises(UsageError, match=r"called kept\.example/log"):
            signing(root, STRANGE_KEY)

    def test_without_a_log_there_is_nothing_to_sign(self, tmp_path: Path):
        """The message says what makes one."""
        root = logged_root(tmp_path, 0)
        with pytest.raises(ArchiveError, match="log append"):
            signing(root)


def flip(root: Root, name: str) -> None:
    """Change one bit of a file."""
    data = bytearray(file(root, name).read_bytes())
    data[len(data) // 2] ^= 1
    file(root, name).write_bytes(data)


NAMES = {
    f"nights/{SECOND}/night.json": "night.json",
    f"nights/{SECOND}/observations.parquet": "observations.parquet",
    f"nights/{SECOND}/context.parquet": "context.parquet",
    f"nights/{SECOND}/void.json": "void.json",
    f"grades/0.1/{SECOND}.parquet": rf"grades/0.1/{SECOND}.parquet",
    f"grades/0.1/{SECOND}.json": rf"grades/0.1/{SECOND}",
    f"pages/0.1/{SECOND}.parquet": rf"pages/0.1/{SECOND}.parquet",
    f"pages/0.1/{SECOND}.json": rf"pages/0.1/{SECOND}.json",
    "log/tile/0/000.p/11": "expected the hash|log/tile/0/000.p/11",
    "log/tile/0/000.p/6": "expected the hash|log/checkpoint",
    "log/tile/entries/000.p/11": "log|tile/entries",
    "log/head": "log/head|origin|root|expected",
    "log/checkpoint": "log/checkpoint",
    f"log/keys/{KEY.verifier.key_id}.vkey": "log/keys",
    f"log/index/nights/{SECOND}.json": "log/index/nights",
    f"log/index/grades/0.1/{SECOND}.json": "log/index/grades",
    f"log/index/voided/{SECOND}.json": "log/index/voided",
}


class TestWhatIsNotTrueOfTheArchiveIsNotSigned:
    @pytest.mark.parametrize("name", NAMES)
    def test_a_changed_bit_is_named(self, root: Root, name: str):
        """Of every file that an unsigned leaf speaks of, and of the log itself: exit 6, and nothing is written."""
        flip(root, name)
        refused(root, NAMES[name])

    @pytest.mark.parametrize("name", [name for name in NAMES if name != "log/checkpoint"])
    def test_a_missing_file_is_named(self, root: Root, name: str):
        """A file that is gone is no reason to sign without it."""
        file(root, name).unlink()
        before = archive_bytes(root)
        with pytest.raises((IntegrityError, UsageError)) as error:
            signing(root)
        assert error.value.exit_code == (ExitCode.USAGE if "keys/" in name else ExitCode.INTEGRITY) or "keys" in name
        assert archive_bytes(root) == before

    def test_a_page_that_was_changed_together_with_its_manifest_is_named(self, root: Root):
        """Seals and digests that fit one another do not make the leaf true."""
        pages = dict(root.store.pages.get("0.1", SECOND))
        path = next(path for path in pages if path.endswith("loom/2026-03-02/v0.1/index.html"))
        pages[path] += b"<!-- changed -->"
        rewrite_pages(root, pages)
        refused(root, rf"leaf 8 of grades/0\.1/{SECOND}, page_sha256: expected [0-9a-f]{{64}}, found [0-9a-f]{{64}} in")

    def test_a_grade_that_was_changed_together_with_its_page_is_named(self, root: Root):
        """So it is where record, page and both manifests were written anew."""
        grades, store = root.store.grades.get("0.1", SECOND), root.store
        better = [with_letter(each) for each in grades]
        pages = dict(store.pages.get("0.1", SECOND))
        for path, before, after in zip(sorted(pages)[::2], grades, better, strict=True):
            folder = path.rpartition("/")[0]
            old, new = (canonical_json(each) for each in (before, after))
            pages[f"{folder}/grade.json"] = new
            pages[f"{folder}/index.html"] = pages[f"{folder}/index.html"].replace(digest(old), digest(new))
        manifest = store.grades.manifest("0.1", SECOND)
        origin = GradesOrigin(
            nights={SECOND - timedelta(days=1): manifest.nights[str(FIRST)], SECOND: manifest.nights[str(SECOND)]},
            voided={},
            role=manifest.role,
            regrade=manifest.regrade,
        )
        for name in (f"grades/0.1/{SECOND}.json", f"grades/0.1/{SECOND}.parquet"):
            file(root, name).unlink()
        store.grades.add(better, root.content.method("0.1"), SECOND, origin)
        rewrite_pages(root, pages)
        refused(root, "leaf 8 of grades/0.1/2026-03-02, record_sha256.*and 2 more")

    def test_a_method_that_is_not_the_one_graded_under_is_named(self, tmp_path: Path):
        """The definition in content/ is read too."""
        root = logged_root(tmp_path, 1)
        appended(root, KEY)
        definition, text = root.content.method_files("0.1")
        (tmp_path / "content/methods").mkdir()
        (tmp_path / "content/methods/0.1.toml").write_bytes(definition + b"\n# another\n")
        (tmp_path / "content/methods/0.1.md").write_bytes(text)
        refused(root, "methods/0.1")

    @pytest.mark.parametrize(
        ("leaf", "words"),
        [
            (MissedLeaf(night=FIRST), "missed/2026-03-01"),
            (MissedLeaf(night=SECOND + timedelta(days=9)), "missed/2026-03-11"),
            (KeyLeaf(vkey=OTHER_KEY.vkey), "keys/"),
            (KeyLeaf(vkey="../../x"), "found KeyLeaf|keys/"),
            (KeyLeaf(vkey="a+b/c"), "found KeyLeaf"),
            (
                NightLeaf(night=SECOND, state=NightState.VOID, record_sha256=HASH, files={}),
                f"leaf 11 of nights/{SECOND}",
            ),
            (NightLeaf(night=FIRST, state=NightState.VOID, record_sha256=HASH, files={}), f"log/index/nights/{FIRST}"),
            (
                WithheldLeaf(
                    night=FIRST,
                    record_sha256=HASH,
                    before_sha256=HASH,
                    after_sha256=HASH,
                    file="observations.withheld-1.parquet",
                    declared_at=datetime(2026, 4, 1, tzinfo=UTC),
                ),
                "withheld/2026-03-01/1: expected the declaration",
            ),
            (
                WithheldLeaf(
                    night=FIRST,
                    record_sha256=HASH,
                    before_sha256=HASH,
                    after_sha256=HASH,
                    file="x-1.parquet",
                    declared_at=datetime(2026, 4, 1, tzinfo=UTC),
                ),
                "found WithheldLeaf",
            ),
            (
                MethodLeaf(version="9/9", definition_sha256=HASH, text_sha256=HASH, digest=HASH, page_sha256=HASH),
                "found MethodLeaf",
            ),
            (GradeLeaf(path="grades/x/", record_sha256=HASH, page_sha256=HASH), "found GradeLeaf"),
            (
                GradeLeaf(path="grades/a/b/c/2026-03-01/v0.1/", record_sha256=HASH, page_sha256=HASH),
                "leaf 11 of grades",
            ),
        ],
    )
    def test_a_leaf_that_the_archive_does_not_bear_out_is_named(self, root: Root, leaf: Leaf, words: str):
        """Whatever a tree with a right root holds besides."""
        push(root, leaf_bytes(leaf))
        refused(root, words)

    @pytest.mark.parametrize("data", [b"{}", b"\xff", b'{"kind":"missed", "night":"2026-03-01"}', b""])
    def test_bytes_that_are_no_leaf_are_named(self, root: Root, data: bytes):
        """Nor may a leaf be written in another way."""
        push(root, data)
        refused(root, "leaf 11: ")

    def test_a_night_that_was_left_out_of_its_place_is_named(self, root: Root):
        """Leaves of one window stand together, and all of them."""
        bodies = [leaf_bytes(leaf) for leaf in leaves(root)]
        rebuild(root, [*bodies[:8], *bodies[9:]])
        refused(root, r"grades/0\.1/2026-03-02: expected 3 leaves|expected 3 leaves|path: expected")

    def test_leaves_in_another_order_are_named(self, root: Root):
        """The order is part of what the archive gives."""
        bodies = [leaf_bytes(leaf) for leaf in leaves(root)]
        bodies[8], bodies[9] = bodies[9], bodies[8]
        rebuild(root, bodies)
        refused(root, "leaf 8 of grades/0.1/2026-03-02, path: expected")

    def test_a_tree_that_grew_from_another_first_leaf_is_named(self, root: Root):
        """What was signed before is the beginning of what is signed now."""
        bodies = [leaf_bytes(leaf) for leaf in leaves(root)]
        bodies[1] = leaf_bytes(MissedLeaf(night=FIRST))
        rebuild(root, bodies)
        refused(root, r"log/checkpoint: expected the root|log/head|under")

    def test_a_head_of_fewer_leaves_than_are_signed_is_named(self, root: Root):
        """A log never shrinks."""
        signing(root)
        tree = tiles_appended(0, root.store.log.read, [leaf_bytes(leaf) for leaf in leaves(root)[:2]])
        for name, data in tree.files.items():
            file(root, f"log/{name}").write_bytes(data)
        file(root, "log/head").write_text(Checkpoint("kept.example/log", tree.size, tree.root).text())
        refused(root, "of 2 leaves; kept.example/log of 11 is signed")

    def test_a_checkpoint_of_the_same_size_and_another_tree_stays_alone(self, root: Root):
        """Two trees of one size are never both signed."""
        head = parse_checkpoint(root.store.log.head())
        note = KEY.sign(Checkpoint(head.origin, head.size, b"\x01" * 32).text())
        file(root, "log/signed/11").write_bytes(note)
        refused(root, "log/signed/11: expected the tree of log/head")


def refused(root: Root, words: str) -> None:
    """Require that signing ends with exit 6 and these words, and writes nothing."""
    before = archive_bytes(root)
    with pytest.raises(IntegrityError, match=words) as error:
        signing(root)
    assert error.value.exit_code == ExitCode.INTEGRITY
    assert archive_bytes(root) == before


def push(root: Root, data: bytes) -> None:
    """Append a leaf of any bytes to a log, as somebody does who wants it signed."""
    log, head = root.store.log, parse_checkpoint(root.store.log.head())
    grown = tiles_appended(head.size, log.read, [data])
    log.append(grown.files, {}, Checkpoint(head.origin, grown.size, grown.root).text())


def rebuild(root: Root, bodies: list[bytes]) -> None:
    """Write a whole log of other leaves in the place of a root's, the tree that was signed left as it is."""
    head = parse_checkpoint(root.store.log.head())
    for size in (6, len(bodies)):
        tree = tiles_appended(0, root.store.log.read, bodies[:size])
        for name, data in tree.files.items():
            file(root, f"log/{name}").write_bytes(data)
    file(root, "log/head").write_text(Checkpoint(head.origin, tree.size, tree.root).text())


def rewrite_pages(root: Root, pages: dict[str, bytes]) -> None:
    """Keep other pages of the second night, with a manifest that fits them."""
    method = root.store.pages.manifest("0.1", SECOND).method_digest
    for name in (f"pages/0.1/{SECOND}.json", f"pages/0.1/{SECOND}.parquet"):
        file(root, name).unlink()
    root.store.pages.add(pages.items(), version="0.1", digest=method, window_end=SECOND)


def with_letter(grade: Grade) -> Grade:
    """Return a grade that claims to be of another provider."""
    return msgspec.structs.replace(grade, provider="another")


def digest(data: bytes) -> bytes:
    """Return a digest as a page prints it."""
    return sha256(data).encode()


class TestAnIndexThatSendsReadersElsewhereIsNotSigned:
    @pytest.mark.parametrize("change", [{"first": 3}, {"count": 2}, {"sha256": HASH}])
    def test_each_of_its_members_is_held_against_the_leaves(self, root: Root, change: dict[str, object]):
        """A proof would be made for the leaves that it names."""
        name = f"log/index/grades/0.1/{SECOND}.json"
        index = read_sealed(file(root, name).read_bytes(), LogIndex, where=name)
        file(root, name).write_bytes(canonical_json(sealed(msgspec.structs.replace(index, **change))))
        refused(root, "log/index/grades/0.1/2026-03-02.json: expected 3 leaves from leaf 7 on|from leaf")


class TestTheCommand:
    @pytest.mark.parametrize("broken", [False, True])
    def test_it_signs_or_says_what_differs(self, root: Root, broken: bool):  # noqa: FBT001
        """Exit 0 or 6, one message, and never the key."""
        if broken:
            flip(root, f"nights/{SECOND}/void.json")
        done = log_makers.command(root, "log", "sign", key=KEY.text)
        assert log_makers.secret(KEY.text) not in done.stdout + done.stderr
        if broken:
            assert done.returncode == 6
            (message,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
            assert "void.json" in message
            assert "nothing was signed" in message
        else:
            assert (done.returncode, done.stdout) == (0, "signed: 11 leaves, 5 of them for the first time\n")

    @pytest.mark.parametrize(
        ("key", "words"),
        few(
            [
                (None, "expected a signing key in the environment, found none in variable BITDEPTH_SIGNING_KEY"),
                (f"{KEY.text}x", "expected an Ed25519 signing key"),
                (KEY.text.replace("kept", "kepp"), "expected an Ed25519 signing key"),
                (KEY.vkey, "expected an Ed25519 signing key"),
                ("PRIVATE+KEY+schlüssel+00000000+AAAA", "expected an Ed25519 signing key"),
                (OTHER_KEY.text, "expected a key that is a leaf of the log"),
                (STRANGE_KEY.text, "expected a key that is called kept.example/log"),
            ],
            3,
        ),
    )
    def test_a_key_that_cannot_sign_is_one_message_without_it(self, root: Root, key: str | None, words: str):
        """Exit 2; nothing of the text in the environment is printed."""
        done = log_makers.command(root, "log", "sign", key=key)
        assert done.returncode == 2
        (message,) = done.stderr.splitlines()
        assert words in message
        if key is not None:
            assert log_makers.secret(key) not in done.stdout + done.stderr
