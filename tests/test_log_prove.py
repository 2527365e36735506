"""Proofs of graded pages: made once, when a signed checkpoint covers them, and checkable with nothing else."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import log_makers
import pytest
from kept_site import FIRST, Silent
from log_makers import KEY, OTHER_KEY, add_graded, appended, archive_bytes, leaves, log_bytes, logged_root

from generator.errors import IntegrityError
from generator.log.note import open_note
from generator.log.proof import decode_proof, verify_proof
from generator.records.canonical import canonical_json, read_sealed, sealed, sha256
from generator.records.leaf import GradeLeaf, leaf_bytes
from generator.records.log_index import LogIndex
from generator.workflows.log_keeping import keep_log
from generator.workflows.proving import LogProved, prove
from generator.workflows.signing import sign
from generator.workflows.world import Root

SECOND, THIRD = FIRST + timedelta(days=1), FIRST + timedelta(days=2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a log of three nights, each signed and proved on its own."""
    return logged_root(tmp_path_factory.mktemp("made"), 3, key=KEY)


@pytest.fixture
def root(made: Root, tmp_path: Path) -> Root:
    """Return a copy of it."""
    shutil.copytree(made.path, tmp_path / "root")
    return Root(tmp_path / "root")


def proving(root: Root) -> LogProved:
    """Prove what can be proved."""
    return prove(root, progress=Silent())


class TestEachGradeHasAProofThatNeedsNothingElse:
    def test_it_leads_from_the_page_to_a_signed_checkpoint(self, made: Root):
        """Whoever has page, record, proof and public key makes the leaf and needs no other file."""
        store = made.store
        for end in (FIRST, SECOND, THIRD):
            pages, proofs = dict(store.pages.get("0.1", end)), dict(store.log.proofs("0.1", end))
            folders = {path.rpartition("/")[0] for path in pages}
            assert set(proofs) == {f"{folder}/grade.tlog-proof" for folder in folders}
            for folder in folders:
                leaf = GradeLeaf(
                    path=f"{folder}/",
                    record_sha256=sha256(pages[f"{folder}/grade.json"]),
                    page_sha256=sha256(pages[f"{folder}/index.html"]),
                )
                proof = decode_proof(proofs[f"{folder}/grade.tlog-proof"])
                verify_proof(proof, leaf_bytes(leaf), [KEY.verifier], "kept.example/log")
                assert leaves(made)[proof.index] == leaf

    def test_it_stands_against_the_first_checkpoint_that_covers_it(self, made: Root):
        """Later ones leave it as it is."""
        for size, end in zip((6, 10, 14), (FIRST, SECOND, THIRD), strict=True):
            for _, data in made.store.log.proofs("0.1", end):
                assert decode_proof(data).note == made.store.log.signed_note(size)

    def test_proofs_lie_in_the_same_form_as_pages(self, made: Root):
        """A manifest beside them holds their digest, their number and the method's digest."""
        manifest = made.store.log.proofs_manifest("0.1", SECOND)
        data = made.store.folder.read(manifest.file)
        assert (manifest.file, manifest.rows) == (f"log/proofs/0.1/{SECOND}.parquet", 3)
        assert manifest.sha256 == sha256(data)
        assert manifest.method_digest == made.content.method("0.1").digest


class TestAProofIsMadeOnce:
    def test_proving_twice_changes_nothing(self, root: Root):
        """No byte is written."""
        before = archive_bytes(root)
        assert proving(root) == LogProved(windows=0, proofs=0)
        assert archive_bytes(root) == before

    def test_it_has_the_same_bytes_whenever_it_is_made(self, root: Root):
        """All proofs taken away and made again from the log as it is now are those that were made night by night."""
        before = archive_bytes(root)
        shutil.rmtree(root.store.folder.path / "log/proofs")
        assert proving(root) == LogProved(windows=3, proofs=9)
        assert archive_bytes(root) == before

    def test_a_window_that_no_checkpoint_covers_has_none_yet(self, root: Root):
        """It gets them with the next signature."""
        add_graded(root, THIRD + timedelta(days=1))
        appended(root)
        assert proving(root) == LogProved(windows=0, proofs=0)
        sign(root, KEY, progress=Silent())
        assert proving(root) == LogProved(windows=1, proofs=3)

    def test_a_checkpoint_that_is_not_the_newest_yet_is_not_proved_against(self, root: Root):
        """An interrupted signing has kept one that is not published."""
        add_graded(root, THIRD + timedelta(days=1))
        appended(root)
        root.store.folder.create("log/signed/18", KEY.sign(root.store.log.head()))
        assert proving(root) == LogProved(windows=0, proofs=0)

    def test_windows_that_were_signed_together_are_proved_together(self, tmp_path: Path):
        """Both stand against the one checkpoint."""
        root = logged_root(tmp_path, 0)
        for night in (FIRST, SECOND):
            add_graded(root, night)
        keep_log(root, KEY, progress=Silent())
        notes = {decode_proof(data).note for end in (FIRST, SECOND) for _, data in root.store.log.proofs("0.1", end)}
        assert notes == {root.store.log.checkpoint()}

    def test_an_unsigned_log_has_none(self, tmp_path: Path):
        """There is nothing to prove against."""
        root = logged_root(tmp_path, 1)
        assert proving(root) == LogProved(windows=0, proofs=0)
        assert not [name for name in log_bytes(root) if "proofs" in name]

    def test_a_later_key_proves_later_windows_alone(self, root: Root):
        """Each proof bears the signature of its time."""
        add_graded(root, THIRD + timedelta(days=1))
        keep_log(root, OTHER_KEY, progress=Silent())
        (_, first), *_ = root.store.log.proofs("0.1", FIRST)
        (_, last), *_ = root.store.log.proofs("0.1", THIRD + timedelta(days=1))
        assert open_note(decode_proof(first).note, [KEY.verifier])
        assert open_note(decode_proof(last).note, [OTHER_KEY.verifier])


class TestAProofThatWouldNotHoldIsNotKept:
    @pytest.mark.parametrize("name", ["tile/0/000.p/14", "tile/entries/000.p/14", "signed/14", "checkpoint"])
    def test_a_changed_file_of_the_log_is_found(self, root: Root, name: str):
        """Exit 6, and no file of proofs."""
        self._without_third(root)
        path = root.store.folder.path / "log" / name
        data = bytearray(path.read_bytes())
        data[-20] ^= 4
        path.write_bytes(data)
        with pytest.raises(IntegrityError):
            proving(root)
        assert root.store.log.proved("0.1") == (FIRST, SECOND)

    def test_an_index_that_names_other_leaves_is_found(self, root: Root):
        """A proof of another window's leaf is no proof of this one's."""
        self._without_third(root)
        path = root.store.folder.path / f"log/index/grades/0.1/{THIRD}.json"
        index = read_sealed(path.read_bytes(), LogIndex, where="x")
        for first in (index.first - 1, index.first - 4):
            changed = LogIndex(format=1, first=first, count=3, sha256=index.sha256, seal="")
            path.write_bytes(canonical_json(sealed(changed)))
            with pytest.raises(IntegrityError, match=f"expected a leaf of grades/0.1/{THIRD}"):
                proving(root)

    def test_a_checkpoint_under_another_size_is_found(self, root: Root):
        """A note lies under the size that it signs."""
        self._without_third(root)
        folder = root.store.folder.path / "log/signed"
        (folder / "14").write_bytes((folder / "10").read_bytes())
        with pytest.raises(IntegrityError, match="expected 14 leaves, found 10"):
            proving(root)

    @staticmethod
    def _without_third(root: Root) -> None:
        for path in (root.store.folder.path / "log/proofs/0.1").glob(f"{THIRD}.*"):
            path.unlink()


class TestTheCommand:
    def test_it_needs_no_key_and_says_what_is_new(self, root: Root):
        """Only signing needs one."""
        shutil.rmtree(root.store.folder.path / "log/proofs")
        done = log_makers.command(root, "log", "prove")
        assert (done.returncode, done.stdout) == (0, "9 proofs of 3 windows are new\n")
        done = log_makers.command(root, "log", "prove", "--json")
        assert (done.returncode, done.stdout) == (0, '{"windows":0,"proofs":0}\n')
