"""The lists of what can be downloaded, as a site publishes them: against what must be there, and each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from generator.errors import IntegrityError
from generator.records.data_file import DataFile
from generator.records.finding import FindingKind
from generator.verification.findings import Findings

_SHOWN = 160


class DataList(msgspec.Struct, frozen=True, kw_only=True):
    """What files.json says."""

    format: Literal[1]
    files: tuple[DataFile, ...]


class _Described(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that croissant.json distributes; a set of files has no digest."""

    name: str
    sha256: str | None = None
    content_size: str | None = msgspec.field(default=None, name="contentSize")


class _Croissant(msgspec.Struct, frozen=True, kw_only=True):
    """What croissant.json says of files."""

    distribution: tuple[_Described, ...]


def read_list(data: bytes) -> DataList:
    """Return what files.json says.

    Raises:
        IntegrityError: where it is no such list.
    """
    try:
        return msgspec.json.decode(data, type=DataList)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise IntegrityError(f"expected a list of files, found: {str(error)[:_SHOWN]}") from None


def check_list(where: str, files: Sequence[DataFile], wanted: Mapping[str, str | None], findings: Findings) -> None:
    """Add a finding for each file that a list leaves out, names too much, or with another digest.

    Args:
        where: the list lies.
        files: that it names.
        wanted: by path, the SHA-256 of each file that must be there; None where nothing but the list says it.
        findings: where mismatches are added.
    """
    findings.checked("listed downloads", len(files))
    for before, after in pairwise(files):
        if not before.path < after.path:
            findings.add(FindingKind.CHANGED, where, expected="each path once, sorted", found=after.path[:_SHOWN])
    listed = {file.path: file for file in files}
    for path in sorted(wanted.keys() - listed.keys()):
        findings.add(FindingKind.MISSING, f"{where}, {path}", expected="a file of what the log holds", found="none")
    for path in sorted(listed.keys() - wanted.keys()):
        expected = "files of what the log holds, and no other"
        findings.add(FindingKind.UNEXPECTED, f"{where}, {path[:_SHOWN]}", expected=expected, found="one")
    for path in sorted(listed.keys() & wanted.keys()):
        digest = wanted[path]
        if digest is not None:
            findings.require(f"{where}, {path}", expected=digest, found=listed[path].sha256, what="SHA-256")


def check_sizes(where: str, files: Sequence[DataFile], sizes: Mapping[str, int], findings: Findings) -> None:
    """Add a finding for each listed file whose size, where it was looked at, is not the listed one.

    Args:
        where: the list lies.
        files: that it names.
        sizes: in bytes, by listed path.
        findings: where mismatches are added.
    """
    for file in files:
        if file.path in sizes:
            findings.require(f"{where}, {file.path}", expected=sizes[file.path], found=file.bytes, what="bytes")


def check_sums(where: str, data: bytes, digests: Mapping[str, str], findings: Findings) -> None:
    """Require that SHA256SUMS says of each file what the other lists say, and names no other."""
    expected = "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))
    if data == expected.encode():
        return
    lines, wanted = data.decode("utf-8", "replace").split("\n"), expected.split("\n")
    number = next((at for at, pair in enumerate(zip(lines, wanted, strict=False)) if pair[0] != pair[1]), None)
    if number is None:
        findings.add(FindingKind.CHANGED, where, expected=f"{len(wanted) - 1} lines", found=str(len(lines) - 1))
    else:
        findings.add(
            FindingKind.CHANGED,
            f"{where}, line {number + 1}",
            expected=wanted[number] or "no such line",
            found=lines[number][:_SHOWN] or "none",
        )


def check_croissant(where: str, data: bytes, known: Mapping[str, tuple[str, int]], findings: Findings) -> None:
    """Require that croissant.json says of each file what the other lists say, and names no other.

    Args:
        where: it lies.
        data: its bytes.
        known: by name, the SHA-256 and the size in bytes.
        findings: where mismatches are added.
    """
    try:
        found = msgspec.json.decode(data, type=_Croissant)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        findings.add(FindingKind.UNREADABLE, where, expected="a description of files", found=str(error)[:_SHOWN])
        return
    for each in found.distribution:
        if each.sha256 is None:
            continue
        place = f"{where}, {each.name[:_SHOWN]}"
        if each.name not in known:
            findings.add(FindingKind.UNEXPECTED, place, expected="files that are listed, and no other", found="one")
            continue
        digest, size = known[each.name]
        findings.require(place, expected=digest, found=each.sha256[:_SHOWN], what="SHA-256")
        findings.require(place, expected=f"{size} B", found=str(each.content_size)[:_SHOWN], what="size")
