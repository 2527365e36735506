"""keygen: a key called as the site's log is, whose private half is shown once and kept by nobody."""

from __future__ import annotations

import stat
from pathlib import Path

import kept_site
import log_makers
import msgspec
import pytest
from kept_site import Silent

from generator.log.note import SigningKey, VerifierKey
from generator.workflows.log_keeping import keep_log
from generator.workflows.world import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """Return a root with a graded night and no log."""
    return kept_site.make_root(tmp_path / "root", 1, rendered=False)


class TestThePrivateKeyIsPrintedOnce:
    def test_alone_on_standard_output(self, root: Root):
        """So that it can be handed on without being shown; the public one is on standard error."""
        done = log_makers.command(root, "keygen")
        assert done.returncode == 0, done.stderr
        key = SigningKey.parse(done.stdout)
        assert done.stdout == f"{key.text}\n"
        assert key.name == "kept.example/log"
        assert key.vkey in done.stderr
        assert key.text not in done.stderr

    @pytest.mark.ci
    def test_as_json(self, root: Root):
        """Both halves, and the key's id."""
        done = log_makers.command(root, "keygen", "--json")
        told = msgspec.json.decode(done.stdout)
        key = SigningKey.parse(told["key"])
        assert told == {"vkey": key.vkey, "key_id": key.verifier.key_id, "key": key.text}

    def test_or_into_a_new_file_that_its_owner_alone_can_read(self, root: Root, tmp_path: Path):
        """Then neither output holds it."""
        out = tmp_path / "key"
        done = log_makers.command(root, "keygen", "--out", str(out), "--json")
        assert done.returncode == 0, done.stderr
        key = SigningKey.parse(out.read_text())
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
        assert msgspec.json.decode(done.stdout) == {"vkey": key.vkey, "key_id": key.verifier.key_id}
        assert log_makers.secret(key.text) not in done.stdout + done.stderr

    @pytest.mark.ci
    def test_a_file_that_is_there_is_left_alone(self, root: Root, tmp_path: Path):
        """An earlier key is never lost; a folder that is none is named too."""
        out = tmp_path / "key"
        out.write_text("an earlier one")
        for path in (out, tmp_path / "none/key"):
            done = log_makers.command(root, "keygen", "--out", str(path))
            assert done.returncode == 2
            assert "expected a new file for the private key" in done.stderr
            assert done.stdout == ""
        assert out.read_text() == "an earlier one"

    @pytest.mark.ci
    def test_each_key_is_another(self, root: Root):
        """Nothing of a site goes into it but its name."""
        assert log_makers.command(root, "keygen").stdout != log_makers.command(root, "keygen").stdout


class TestTheKeyFitsTheLog:
    def test_it_appends_signs_and_proves(self, root: Root):
        """From keygen to a signed log, with nothing but the printed text."""
        key = log_makers.command(root, "keygen").stdout
        for command in ("append", "sign", "prove"):
            done = log_makers.command(root, "log", command, key=key)
            assert done.returncode == 0, done.stderr
        (key_id,) = root.store.log.key_ids()
        assert VerifierKey.parse(root.store.log.key(key_id)) == SigningKey.parse(key).verifier
        assert root.store.log.signed() == (6,)

    def test_it_is_called_as_the_log_began(self, root: Root):
        """A site that has moved keeps its log's name, and so do its keys."""
        keep_log(root, None, progress=Silent())
        settings = root.path / "content/site.toml"
        settings.write_text(settings.read_text().replace("kept.example", "moved.example"))
        assert SigningKey.parse(log_makers.command(root, "keygen").stdout).name == "kept.example/log"

    @pytest.mark.ci
    def test_nothing_is_written_into_the_site_root(self, root: Root):
        """A key that nobody uses leaves no trace."""
        before = log_makers.archive_bytes(root)
        assert log_makers.command(root, "keygen").returncode == 0
        assert log_makers.archive_bytes(root) == before
