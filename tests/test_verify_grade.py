"""`verify --grade`: one page, its record and its proof, over HTTP or from three saved files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import sound_worlds
from logged_site import KEY, OTHER_KEY, PAGE, wheres
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import UsageError
from generator.log.checkpoint import Checkpoint
from generator.log.proof import decode_proof, encode_proof
from generator.records.finding import VerificationReport
from generator.workflows.fetching import WebSite
from generator.workflows.fetching_once import Limits
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.verifying_grade import grade_place, verify_grade, verify_saved_grade

OURS = Trust(key=KEY.verifier)
OTHER = PAGE.replace("mill", "kiln")
PROOF = f"{PAGE}grade.tlog-proof"

sound, site, address = sound_worlds.published, sound_worlds.site, sound_worlds.address


@pytest.fixture
def saved(site: Path, tmp_path: Path) -> Path:
    """Return a folder with the three files of a grade, and nothing else."""
    out = tmp_path / "saved"
    shutil.copytree(site / PAGE, out)
    return out


def verified(address: str, trust: Trust = NO_TRUST) -> VerificationReport:
    """Return what verification says of the grade's page at a site."""
    with WebSite(address, Limits(silence_s=5, whole_s=5)) as web:
        return verify_grade(web, PAGE, trust)


class TestASoundGrade:
    @pytest.mark.parametrize("end", ["", "index.html", "grade.json", "grade.tlog-proof"])
    def test_its_address_is_that_of_its_page_folder_or_any_file_of_it(self, address: str, end: str):
        """The command takes what a browser shows."""
        result = CliRunner().invoke(app, ["verify", "--grade", address + PAGE + end, "--key", KEY.vkey])
        assert result.exit_code == 0, result.output
        assert "in a signed tree of 34 leaves" in result.output

    def test_the_log_has_grown_from_its_tree(self, address: str):
        """Page, proof, two signatures and one earlier tree are looked at, in a handful of requests."""
        report = verified(address, OURS)
        assert wheres(report) == ""
        assert report.checked == {"checkpoints": 1, "permanent pages": 1, "proofs": 1, "signatures": 2}

    def test_without_a_key_the_report_says_whose_word_it_is(self, address: str):
        """The site's own key is as good as the site."""
        report = verified(address)
        assert wheres(report) == ""
        assert any(KEY.vkey in note for note in report.notes)

    def test_checkpoints_that_were_kept_are_held_against_the_log(self, sound: Path, address: str):
        """By a consistency proof made from its tiles."""
        seen = tuple((path.name, path.read_bytes()) for path in sorted((sound / "log/signed").iterdir()))
        report = verified(address, Trust(key=KEY.verifier, checkpoints=seen))
        assert wheres(report) == ""
        assert report.checked["checkpoints"] == 3

    def test_three_saved_files_need_no_network(self, saved: Path, tmp_path: Path):
        """The key may stand in a file."""
        assert wheres(verify_saved_grade(saved, OURS)) == ""
        (tmp_path / "key.vkey").write_text(KEY.vkey + "\n")
        arguments = ["verify", "--grade", str(saved), "--key", str(tmp_path / "key.vkey")]
        assert CliRunner().invoke(app, arguments).exit_code == 0

    def test_saved_files_cannot_vouch_for_themselves(self, saved: Path):
        """Without a key there is nothing to hold them against."""
        with pytest.raises(UsageError, match="expected a key"):
            verify_saved_grade(saved, NO_TRUST)
        assert CliRunner().invoke(app, ["verify", "--grade", str(saved)]).exit_code == 2


def flip(path: Path) -> None:
    """Flip one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x04
    path.write_bytes(bytes(data))


class TestDamage:
    @pytest.mark.parametrize("name", ["index.html", "grade.json", "grade.tlog-proof"])
    @pytest.mark.parametrize("damage", [flip, Path.unlink])
    def test_a_file_that_is_changed_or_gone(self, saved: Path, name: str, damage: Callable[[Path], None]):
        """Page and record make the leaf together: a proof of either alone there is not."""
        damage(saved / name)
        report = verify_saved_grade(saved, OURS)
        assert report.findings
        arguments = ["verify", "--grade", str(saved), "--key", KEY.vkey, "--json"]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 6
        assert json.loads(result.stdout)["findings"]

    @pytest.mark.parametrize("name", ["index.html", "grade.json", "grade.tlog-proof"])
    def test_a_file_of_another_grade(self, site: Path, address: str, name: str):
        """As well signed as this one, and not this one's."""
        shutil.copyfile(site / OTHER / name, site / PAGE / name)
        assert verified(address, OURS).findings

    def test_a_whole_grade_of_another_endpoint(self, site: Path, address: str):
        """All three fit each other; the address does not."""
        shutil.rmtree(site / PAGE)
        shutil.copytree(site / OTHER, site / PAGE)
        assert f"the record of {PAGE}" in wheres(verified(address, OURS))

    def test_a_proof_signed_by_another_key(self, site: Path, address: str):
        """Even where the site names that key too."""
        proof = decode_proof((site / PROOF).read_bytes())
        text = proof.note.decode().rpartition("\n\n")[0] + "\n"
        (site / PROOF).write_bytes(encode_proof(proof.index, proof.hashes, OTHER_KEY.sign(text)))
        (site / f"log/keys/{OTHER_KEY.verifier.key_id}.vkey").write_text(OTHER_KEY.vkey + "\n")
        for trust in (OURS, NO_TRUST):
            found = wheres(verified(address, trust))
            assert "grade.tlog-proof: a proof that is signed with a key of the log" in found
            assert f"{OTHER_KEY.vkey}, which is no leaf of the log" in found

    def test_a_proof_at_another_index(self, site: Path, address: str):
        """The hashes lead to the root from one place alone."""
        proof = decode_proof((site / PROOF).read_bytes())
        (site / PROOF).write_bytes(encode_proof(proof.index - 1, proof.hashes, proof.note))
        assert "hashes from leaf" in wheres(verified(address, OURS))

    def test_a_log_that_forked_after_the_proof(self, site: Path, address: str):
        """Another root of more leaves, signed by the same key: the tiles do not lead there."""
        (site / "log/checkpoint").write_bytes(KEY.sign(Checkpoint("kept.example/log", 39, bytes(32)).text()))
        assert "two logs have grown from one" in wheres(verified(address, OURS))

    def test_a_log_that_went_back_behind_the_proof(self, site: Path, address: str):
        """It cannot hold the leaf."""
        (site / "log/checkpoint").write_bytes(KEY.sign(Checkpoint("kept.example/log", 5, bytes(32)).text()))
        assert "of at least 34 leaves" in wheres(verified(address, OURS))

    @pytest.mark.parametrize("name", ["log/checkpoint", "log/keys", "log/tile"])
    def test_a_log_that_is_gone(self, site: Path, address: str, name: str):
        """A proof tells of it."""
        target = site / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        assert verified(address).findings

    def test_a_grade_that_has_no_proof_yet_is_told_why(self, site: Path, address: str):
        """It cannot be checked, and the report says what to wait for."""
        (site / PROOF).unlink()
        report = verified(address, OURS)
        assert PROOF in wheres(report)
        assert any("once a signed checkpoint covers it" in note for note in report.notes)

    @pytest.mark.parametrize("record", [b"", b"{}", b"[]", b'{"model":1}', b"\xff\xfe", b"null"])
    def test_any_bytes_for_a_record_are_a_finding(self, saved: Path, record: bytes):
        """And no traceback."""
        (saved / "grade.json").write_bytes(record)
        assert verify_saved_grade(saved, OURS).findings

    @pytest.mark.parametrize("proof", [b"", b"c2sp.org/tlog-proof@v1\nindex 1\n\n", b"\xff" * 200])
    def test_any_bytes_for_a_proof_are_a_finding(self, saved: Path, proof: bytes):
        """And no traceback."""
        (saved / "grade.tlog-proof").write_bytes(proof)
        assert verify_saved_grade(saved, OURS).findings


class TestAddresses:
    @pytest.mark.parametrize(
        "text", ["https://a.example/", "https://a.example/grades/a/b/c/2026-03-08/", "https://a.example/models/a/b/"]
    )
    def test_what_is_no_permanent_page_is_refused(self, text: str):
        """With what to give instead."""
        with pytest.raises(UsageError, match="permanent page"):
            grade_place(text)

    def test_a_site_may_lie_below_its_host(self):
        """The path of the leaf begins at the site's folder."""
        assert grade_place(f"https://a.example/b/{PAGE}") == ("https://a.example/b/", PAGE)
        assert grade_place(f"https://a.example/b/{PAGE.removesuffix('/')}") == ("https://a.example/b/", PAGE)

    @pytest.mark.parametrize("key", ["nothing", "a+b+c", KEY.vkey[:-2], KEY.text])
    def test_what_is_no_key_is_refused(self, saved: Path, key: str):
        """As usage, and a private key is not quoted."""
        result = CliRunner().invoke(app, ["verify", "--grade", str(saved), "--key", key])
        assert result.exit_code == 2
        assert KEY.text not in result.output

    def test_a_sample_and_a_missing_checkpoint_are_usage(self, saved: Path, tmp_path: Path):
        """Each with its own message."""
        arguments = ["verify", "--grade", str(saved), "--key", KEY.vkey]
        assert CliRunner().invoke(app, [*arguments, "--sample", "3"]).exit_code == 2
        assert CliRunner().invoke(app, [*arguments, "--checkpoint", str(tmp_path / "none")]).exit_code == 2
