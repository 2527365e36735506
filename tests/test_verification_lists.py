"""The lists of what can be downloaded, against what must be there and against each other."""

from __future__ import annotations

import msgspec
import pytest

from generator.errors import IntegrityError
from generator.records.data_file import DataFile
from generator.verification.data_lists import check_croissant, check_list, check_sizes, check_sums, read_list
from generator.verification.findings import Findings

A, B = "a" * 64, "b" * 64
FILES = (
    DataFile(path="grades/0.1/2026-03-08.json", kind="manifest", bytes=3, sha256=A),
    DataFile(path="nights/2026-03-08/night.json", kind="night", bytes=4, sha256=B),
)
WANTED = {"grades/0.1/2026-03-08.json": None, "nights/2026-03-08/night.json": B}


def wheres(findings: Findings) -> list[str]:
    """Return where something was found."""
    return [each.where for each in findings.report().findings]


def test_a_list_of_all_that_must_be_there_is_sound():
    """Of what nothing else names, the list's own digest stands."""
    findings = Findings()
    check_list("files.json", FILES, WANTED, findings)
    check_sizes("files.json", FILES, {FILES[0].path: 3}, findings)
    assert wheres(findings) == []
    assert findings.report().checked == {"listed downloads": 2}


def test_what_is_left_out_too_much_or_other_is_named():
    """By its path in the list."""
    findings = Findings()
    check_list("files.json", FILES[:1], WANTED, findings)
    check_list("files.json", FILES, {FILES[0].path: None}, findings)
    check_list("files.json", FILES, {**WANTED, FILES[1].path: A}, findings)
    check_sizes("files.json", FILES, {FILES[0].path: 5}, findings)
    night = f"files.json, {FILES[1].path}"
    assert wheres(findings) == [f"files.json, {FILES[0].path}", night, night, night]


def test_a_list_in_another_order_or_with_a_path_twice_is_named():
    """It is sorted, each path once."""
    for files in (FILES[::-1], (FILES[0], *FILES)):
        findings = Findings()
        check_list("files.json", files, WANTED, findings)
        assert wheres(findings) == ["files.json"]


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"\xff", b'{"format":2,"files":[]}', b'{"format":1,"files":[{"path":1}]}']
)
def test_what_is_no_list_is_refused(data: bytes):
    """In one message."""
    with pytest.raises(IntegrityError, match="a list of files"):
        read_list(data)


def test_a_list_is_read():
    """As the site writes it."""
    assert read_list(msgspec.json.encode({"format": 1, "address": "x", "files": FILES})).files == FILES


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (f"{A}  x\n{B}  y\n", None),
        (f"{A}  x\n{A}  y\n", "SUMS, line 2"),
        (f"{A}  x\n", "SUMS, line 2"),
        (f"{A}  x\n{B}  y\n{B}  z\n", "SUMS, line 3"),
        (f"{A}  x\n{B}  y", "SUMS"),
        ("", "SUMS, line 1"),
    ],
)
def test_sums_say_what_the_list_says(data: str, where: str | None):
    """Line by line; the first that differs is named."""
    findings = Findings()
    check_sums("SUMS", data.encode(), {"x": A, "y": B}, findings)
    assert wheres(findings) == ([] if where is None else [where])


def described(**changes: object) -> bytes:
    """Return a description of one file and of a set of files."""
    file = {"name": "x", "sha256": A, "contentSize": "3 B", **changes}
    return msgspec.json.encode({"distribution": [file, {"name": "nights-files"}]})


@pytest.mark.parametrize(
    ("data", "number"),
    [
        (described(), 0),
        (described(sha256=B), 1),
        (described(contentSize="4 B"), 1),
        (described(name="y"), 1),
        (b"{", 1),
        (b"\xff", 1),
    ],
)
def test_a_description_says_what_the_list_says(data: bytes, number: int):
    """Digest and size of each file; a set of files has neither."""
    findings = Findings()
    check_croissant("croissant.json", data, {"x": (A, 3)}, findings)
    assert len(wheres(findings)) == number
