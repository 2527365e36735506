"""A log that changed its key: who holds the old one, or the new one, is told so, and believes no other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import kept_site
import logged_site
import pytest
from logged_site import KEY, OTHER_KEY, SILENT, check, hosting, wheres

from generator.log.note import SigningKey, VerifierKey
from generator.records.finding import VerificationReport
from generator.workflows import verifying_growth
from generator.workflows.appending import append
from generator.workflows.fetching import WebSite
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.published import SavedSite
from generator.workflows.rendering import render
from generator.workflows.signing import sign
from generator.workflows.verifying_grade import verify_grade, verify_saved_grade
from generator.workflows.verifying_site import verify_site

OLD_PAGE = "grades/aster/sphinx-8b/mill/2026-03-02/v0.1/"
NEW_PAGE = OLD_PAGE.replace("-02", "-04")
STRANGER = SigningKey("kept.example/log", bytes(range(2, 34)))
PLACE = 10
"""The new key's leaf: behind a key, two nights, a method and six grades."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root of two nights under one key, and of another one under the next."""
    path = tmp_path_factory.mktemp("rotated") / "root"
    made = kept_site.make_root(path, 2, rendered=False)
    logged_site.keep(made)
    logged_site.add_last(made, 3)
    logged_site.keep(made, key=OTHER_KEY)
    render(made, progress=SILENT)
    return path


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    """Yield where its site is served."""
    with hosting(root / "site") as found:
        yield found


def outside(root: Path, trust: Trust) -> VerificationReport:
    """Return what verification says of the site alone."""
    return verify_site(SavedSite(root / "site"), trust, progress=SILENT)


def graded(address: str, page: str, trust: Trust) -> VerificationReport:
    """Return what verification says of one grade."""
    with WebSite(address) as web:
        return verify_grade(web, page, trust)


def believing(key: SigningKey, *checkpoints: Path) -> Trust:
    """Return the trust of somebody who has a key and checkpoints."""
    return Trust(key=key.verifier, checkpoints=tuple((path.name, path.read_bytes()) for path in checkpoints))


class TestTheWholeLog:
    @pytest.mark.parametrize("trust", [NO_TRUST, Trust(key=OTHER_KEY.verifier)])
    def test_the_new_key_is_believed(self, root: Path, trust: Trust):
        """It has its leaf, and signed the newest checkpoint."""
        assert wheres(check(root, trust)) == ""
        assert wheres(outside(root, trust)) == ""

    def test_the_old_key_is_told_of_the_new_one(self, root: Path):
        """With both leaves, and what to do: only somebody else knows whether the owner changed it."""
        for report in (check(root, believing(KEY)), outside(root, believing(KEY))):
            (found,) = report.findings
            assert found.where.endswith("log/checkpoint")
            assert found.expected.endswith(f"{KEY.verifier.key_id}, leaf 0 of the log")
            assert f"a newer key of the log, leaf {PLACE}: {OTHER_KEY.vkey}" in found.found
            assert "give this one as --key" in found.found

    def test_a_key_of_nobodys_is_not_explained(self, root: Path):
        """It is no leaf: the log says nothing of it."""
        for report in (check(root, believing(STRANGER)), outside(root, believing(STRANGER))):
            (found,) = report.findings
            assert found.expected == f"a signature by kept.example/log+{STRANGER.verifier.key_id}"

    def test_a_checkpoint_from_before_the_change_is_held_against_the_log(self, root: Path):
        """Its signature is the old key's, which is a leaf; the new key is the one that is believed."""
        before = min((root / "archive/log/signed").iterdir(), key=lambda path: int(path.name))
        assert wheres(check(root, believing(OTHER_KEY, before))) == ""
        assert wheres(outside(root, believing(OTHER_KEY, before))) == ""

    def test_a_key_that_has_not_signed_yet_is_told_of_the_older_one(self, tmp_path: Path):
        """It is a leaf already, and the older one goes on signing."""
        made = kept_site.make_root(tmp_path / "root", 1, graded=False, rendered=False)
        logged_site.keep(made)
        append(made, progress=SILENT, key=OTHER_KEY.verifier)
        sign(made, KEY, progress=SILENT)
        (found,) = check(tmp_path / "root", believing(OTHER_KEY)).findings
        assert f"one with an older key of the log, leaf 0: {KEY.vkey}" in found.found


class TestOneGrade:
    @pytest.mark.parametrize("trust", [NO_TRUST, Trust(key=OTHER_KEY.verifier)])
    def test_an_old_proof_and_the_new_key(self, address: str, trust: Trust):
        """The newest checkpoint, which the new key signed, holds the leaf: its tiles prove it."""
        report = graded(address, OLD_PAGE, trust)
        assert wheres(report) == ""
        assert any(f"signed with {KEY.vkey}, leaf 0 of the log; the newest" in note for note in report.notes)

    def test_an_old_proof_and_the_old_key(self, address: str):
        """The grade is proved; the newest checkpoint is told to be another key's, and which leaf that is."""
        (found,) = graded(address, OLD_PAGE, believing(KEY)).findings
        assert found.where.endswith("log/checkpoint")
        assert f"{OTHER_KEY.vkey}, leaf {PLACE} of the log" in found.found

    @pytest.mark.parametrize(("key", "page"), [(KEY, NEW_PAGE), (STRANGER, NEW_PAGE), (STRANGER, OLD_PAGE)])
    def test_a_key_that_signed_neither_is_a_mismatch(self, address: str, key: SigningKey, page: str):
        """Whatever key the site itself names."""
        (found,) = graded(address, page, believing(key)).findings
        assert found.expected == f"a signature with the key that was given, kept.example/log+{key.verifier.key_id}"

    def test_a_new_proof_and_the_new_key(self, address: str):
        """Nothing is said of the other one."""
        report = graded(address, NEW_PAGE, believing(OTHER_KEY))
        assert wheres(report) == ""
        assert not any("signed with" in note for note in report.notes)

    def test_checkpoints_of_both_keys(self, root: Path, address: str):
        """The log has grown from both."""
        kept = tuple((root / "archive/log/signed").iterdir())
        report = graded(address, NEW_PAGE, believing(OTHER_KEY, *kept))
        assert wheres(report) == ""
        assert report.checked["checkpoints"] == 1 + len(kept)

    def test_a_key_far_back_in_a_long_log_is_not_looked_for_for_ever(
        self, address: str, monkeypatch: pytest.MonkeyPatch
    ):
        """Then it is not known, and the whole log has to be read: exit 1."""
        monkeypatch.setattr(verifying_growth, "_MOST_BUNDLES", 0)
        report = graded(address, OLD_PAGE, believing(OTHER_KEY))
        assert wheres(report) == ""
        assert not report.complete
        assert any("verify the whole site" in note for note in report.notes)

    def test_a_leaf_that_the_tree_does_not_hold_is_no_key(self, root: Path, tmp_path: Path):
        """Whoever serves a bundle may write any leaf into it."""
        shutil.copytree(root / "site", tmp_path / "site")
        bundle = max((tmp_path / "site/log/tile/entries/000.p").iterdir(), key=lambda path: int(path.name))
        forged = VerifierKey("kept.example/log", bytes(32)).vkey.encode()
        data = bundle.read_bytes()
        bundle.write_bytes(data.replace(KEY.vkey.encode(), forged))
        with hosting(tmp_path / "site") as address:
            found = wheres(graded(address, OLD_PAGE, believing(OTHER_KEY)))
        assert f"{KEY.vkey}, which is no leaf of the log" in found

    def test_three_saved_files_and_the_new_key(self, root: Path):
        """Nothing there leads from one key to the other, and the report says what does."""
        report = verify_saved_grade(root / "site" / OLD_PAGE, believing(OTHER_KEY))
        assert "grade.tlog-proof: a signature by" in wheres(report)
        assert any("a log may change its key" in note for note in report.notes)
