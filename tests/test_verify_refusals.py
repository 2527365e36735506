"""What `verify` refuses to take, and what it does not print: private keys, contradictions, addresses of no host."""

from __future__ import annotations

from pathlib import Path

import log_makers
import pytest
from log_makers import KEY, logged_root, secret
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import ExitCode, IntegrityError
from generator.log.note import VerifierKey
from generator.workflows.gate import refuse_lost


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
    (tmp_path / "checkpoint").write_text("x")
    code, output = said("--grade", str(tmp_path), "--key", KEY.vkey, "--checkpoint", str(tmp_path / "checkpoint"))
    assert code == ExitCode.USAGE
    assert "they hold no tree" in output


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
