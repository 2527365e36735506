"""What `verify` refuses to take, and what it does not print: private keys, contradictions, addresses of no host."""

from __future__ import annotations

from pathlib import Path

import kept_site
import log_makers
import pytest
from log_makers import KEY, logged_root, secret
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import ExitCode, IntegrityError
from generator.log.checkpoint import Checkpoint
from generator.log.note import VerifierKey
from generator.workflows.gate import refuse_lost
from generator.workflows.rendering import render


def said(*arguments: str) -> tuple[int, str]:
    """Return how a command ended, and all that it printed."""
    done = CliRunner().invoke(app, ["verify", *arguments], env={"NO_COLOR": "1", "COLUMNS": "200"})
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.output


@pytest.mark.parametrize("option", ["--key", "--grade", None])
def test_a_private_key_given_by_mistake_is_refused_and_not_printed(option: str | None) -> None:
    """Whatever it was given as: what is printed lands in logs."""
    code, output = said(*([] if option is None else [option]), KEY.text)
    assert code == ExitCode.USAGE
    assert "found a private key" in output
    assert secret(KEY.text) not in output


def test_a_file_with_a_private_key_is_refused_and_not_printed(tmp_path: Path) -> None:
    """As `keygen --out` writes it."""
    (tmp_path / "key").write_text(f"{KEY.text}\n")
    code, output = said("--key", str(tmp_path / "key"))
    assert code == ExitCode.USAGE
    assert secret(KEY.text) not in output


def test_a_text_that_is_no_key_is_not_quoted() -> None:
    """It may be a secret of another kind."""
    code, output = said("--key", "some+thing+c2VjcmV0")
    assert code == ExitCode.USAGE
    assert "expected a public key" in output
    assert "c2VjcmV0" not in output


def test_a_private_key_where_a_public_one_is_read_is_not_quoted() -> None:
    """By whoever reads one."""
    with pytest.raises(IntegrityError, match="found a private key") as error:
        VerifierKey.parse(KEY.text)
    assert secret(KEY.text) not in str(error.value)


def test_a_checkpoint_beside_saved_files_is_refused(tmp_path: Path) -> None:
    """Three files hold no tree to compare it with: to say nothing would read as compared."""
    (tmp_path / "checkpoint").write_bytes(KEY.sign(Checkpoint(log_makers.ORIGIN, 1, bytes(32)).text()))
    code, output = said("--grade", str(tmp_path), "--key", KEY.vkey, "--checkpoint", str(tmp_path / "checkpoint"))
    assert code == ExitCode.USAGE
    assert "they hold no tree" in output


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root of one night whose log is signed, laid out."""
    root = logged_root(tmp_path_factory.mktemp("signed"), 1, key=KEY)
    render(root, progress=log_makers.Silent())
    return root.path


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (b"\xff\x00PAR1", "UTF-8"),
        (b"<!doctype html><title>a page</title>", "signature lines"),
        (f"{log_makers.ORIGIN}\n3\nAAAA\n".encode(), "signature lines"),
        (KEY.sign("another\ntext\n"), "lines of origin, size and root"),
        (None, "directory"),
    ],
)
def test_what_is_no_checkpoint_is_refused_by_its_name(
    signed: Path, tmp_path: Path, data: bytes | None, found: str
) -> None:
    """Of a root as of a site: it is the file's fault, and the archive is not looked at."""
    file = tmp_path / "mine"
    file.mkdir() if data is None else file.write_bytes(data)
    for target in (signed, signed / "site"):
        code, output = said(str(target), "--checkpoint", str(file))
        assert code == ExitCode.USAGE
        assert "--checkpoint" in output
        assert str(file) in output
        assert found in output.lower() or found in output
        assert "archive/" not in output


def test_a_checkpoint_of_another_log_is_a_finding_at_the_file(signed: Path, tmp_path: Path) -> None:
    """It is whole, and this log has not grown from it, whoever is to blame: exit 6, and nothing else is named."""
    file = tmp_path / "mine"
    file.write_bytes(log_makers.STRANGE_KEY.sign(Checkpoint(log_makers.STRANGE_KEY.name, 3, bytes(32)).text()))
    for target in (signed, signed / "site"):
        code, output = said(str(target), "--checkpoint", str(file))
        assert code == ExitCode.INTEGRITY
        assert f"changed: {file}: expected a checkpoint of kept.example/log; found one of other.example/log" in output
        assert "1 finding" in output


def test_a_fork_is_a_finding_at_the_file(signed: Path, tmp_path: Path) -> None:
    """Two roots of one size, signed with one key: exit 6."""
    file = tmp_path / "mine"
    file.write_bytes(KEY.sign(Checkpoint(log_makers.ORIGIN, 3, bytes(32)).text()))
    for target in (signed, signed / "site"):
        code, output = said(str(target), "--checkpoint", str(file))
        assert code == ExitCode.INTEGRITY
        assert f"different: {file}: " in output
        assert "two logs have grown from one" in output


def test_a_checkpoint_beside_an_archive_without_a_log(tmp_path: Path) -> None:
    """One of this log tells that it is gone; one of another log tells nothing of it."""
    root = kept_site.make_root(tmp_path / "root", 1, graded=False, rendered=False)
    for key, missing in ((KEY, True), (log_makers.STRANGE_KEY, False)):
        file = tmp_path / key.verifier.key_id
        file.write_bytes(key.sign(Checkpoint(key.name, 3, bytes(32)).text()))
        code, output = said(str(root.path), "--checkpoint", str(file))
        assert code == ExitCode.INTEGRITY
        assert ("missing: archive/log/head" in output) is missing
        assert (f"changed: {file}" in output) is not missing


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999/", "http://xn--/", "https://:1/"])
def test_an_address_that_no_host_can_have_is_a_usage_error(address: str) -> None:
    """Without a traceback."""
    code, output = said(address)
    assert code == ExitCode.USAGE
    assert "expected an address" in output


def test_a_rolled_back_head_stops_render_and_append(tmp_path: Path) -> None:
    """The newest tree must hold what was signed; with the signature gone, its own tiles still say how large it was."""
    root = logged_root(tmp_path, 2, key=KEY)
    head = root.store.log.head()
    log_makers.add_graded(root, log_makers.FIRST.replace(day=log_makers.FIRST.day + 2))
    log_makers.keep_log(root, KEY, progress=log_makers.Silent())
    folder = root.store.folder.path / "log"
    (folder / "head").write_text(head or "")
    with pytest.raises(IntegrityError, match="that are signed"):
        refuse_lost(root)
    for file in (folder / "checkpoint", max((folder / "signed").iterdir(), key=lambda file: int(file.name))):
        file.unlink()
    with pytest.raises(IntegrityError, match="a larger tree was there"):
        log_makers.appended(root)


def test_a_head_of_another_name_stops_render_and_append(tmp_path: Path) -> None:
    """The message names the head, and asks for no other key."""
    root = logged_root(tmp_path, 2, key=KEY)
    head = root.store.folder.path / "log" / "head"
    head.write_text(head.read_text().replace(log_makers.ORIGIN, "other.example/log"))
    for refused in (lambda: refuse_lost(root), lambda: log_makers.appended(root, KEY)):
        with pytest.raises(IntegrityError, match=r"other\.example/log in log/head"):
            refused()
