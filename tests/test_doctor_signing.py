"""`bitdepth doctor` on the key that signs the log: whose it is, whether the log knows it, and nothing of itself."""

from __future__ import annotations

import json
from pathlib import Path

import log_makers
import pytest
from log_makers import KEY, OTHER_KEY, STRANGE_KEY, VARIABLE, logged_root, secret
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import UsageError
from generator.log.note import SigningKey
from generator.records.check import Check, CheckState
from generator.workflows.doctor_signing import signing_check
from generator.workflows.world import Root


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root whose log is signed."""
    return logged_root(tmp_path_factory.mktemp("signed"), 1, key=KEY)


@pytest.fixture(scope="module")
def unsigned(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root whose log no key has signed."""
    return logged_root(tmp_path_factory.mktemp("unsigned"), 1)


def checked(root: Root, key: SigningKey | UsageError | None) -> Check:
    """Return the check."""
    return signing_check(root, VARIABLE, key)


def test_the_key_that_signed_so_far_is_in_order(signed: Root):
    """It is named by its id, with its leaf."""
    check = checked(signed, KEY)
    assert check.state is CheckState.OK
    assert check.found == f"kept.example/log+{KEY.verifier.key_id}, leaf 0 of the log"


def test_a_first_key_is_in_order(unsigned: Root, tmp_path: Path):
    """The next append makes it a leaf; so it is where there is no log yet."""
    (tmp_path / "content").mkdir()
    (tmp_path / "content/site.toml").write_text((unsigned.path / "content/site.toml").read_text())
    for root in (unsigned, Root(tmp_path)):
        check = checked(root, KEY)
        assert check.state is CheckState.OK
        assert "not in the log yet" in check.found


def test_another_key_than_the_one_that_signed_is_worth_a_look(signed: Root):
    """A changed key has to be told to readers; both are named."""
    check = checked(signed, OTHER_KEY)
    assert check.state is CheckState.ATTENTION
    assert OTHER_KEY.verifier.key_id in check.found
    assert KEY.verifier.key_id in check.found


def test_a_key_of_another_site_fails(signed: Root):
    """A night would end with it: both names are told."""
    check = checked(signed, STRANGE_KEY)
    assert check.state is CheckState.FAILED
    assert "kept.example/log" in check.expected
    assert "other.example/log" in check.found


def test_no_key_is_in_order_where_all_is_signed_or_nothing(signed: Root, unsigned: Root, tmp_path: Path):
    """A log may be signed elsewhere, or by nobody; what that means is said."""
    assert checked(signed, None).state is checked(unsigned, None).state is CheckState.OK
    assert "are signed" in checked(signed, None).found
    assert "without a signature" in checked(unsigned, None).found
    root = logged_root(tmp_path, 1, key=KEY)
    log_makers.add_graded(root, log_makers.FIRST.replace(day=log_makers.FIRST.day + 1))
    log_makers.appended(root)
    check = checked(root, None)
    assert check.state is CheckState.ATTENTION
    assert "4 leaves of the log not signed yet" in check.found
    assert "bitdepth log sign" in str(check.do)


def test_a_log_that_cannot_be_read_fails(tmp_path: Path):
    """In one message."""
    root = logged_root(tmp_path, 1, key=KEY)
    (root.path / "archive/log/head").write_text("none")
    check = checked(root, KEY)
    assert check.state is CheckState.FAILED
    assert "bitdepth verify" in str(check.do)


@pytest.mark.parametrize("text", [KEY.text, KEY.text[:-3], OTHER_KEY.text, STRANGE_KEY.text, "PRIVATE+KEY+nonsense"])
def test_nothing_of_the_key_is_printed(signed: Root, monkeypatch: pytest.MonkeyPatch, text: str):
    """Neither as text nor as JSON; what is no key fails."""
    monkeypatch.setenv(VARIABLE, text)
    for options in ((), ("--json",)):
        result = CliRunner().invoke(app, ["doctor", "--root", str(signed.path), *options])
        assert secret(text) not in result.output
        assert "PRIVATE+KEY+kept" not in result.output
    (check,) = [each for each in json.loads(result.stdout)["checks"] if each["name"] == "signing key"]
    well_formed = text in {KEY.text, OTHER_KEY.text}
    assert (check["state"] == "failed") is not well_formed
