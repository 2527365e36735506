"""The list that lies in a target and says what was published to it: its views, and which permanent files are certain.

It is written before anything else is, with every path that is about to be put, so that a killed run leaves no view
behind that the next one does not know; and again when all is done. It holds no time and no name: the same site leaves
the same list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from generator.errors import TargetError
from generator.publishing.interface import OWN, SiteFile
from generator.records.canonical import canonical_json, sha256

PATH = f"{OWN}published.json"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class View(msgspec.Struct, frozen=True, kw_only=True):
    """One view as it was put."""

    size: int
    """Bytes."""
    sha256: str | None
    """None from before it is put until all is done."""
    headers: str | None = None
    """The digest of the content type and cache header that it was put with; None where an older list does not say."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """What was published to a target."""

    format: Literal[1] = 1
    views: Mapping[str, View] = {}
    """By path: what may be replaced and removed."""
    permanent: Mapping[str, str] = {}
    """By date or folder: the digest of its permanent files, all of which were put, or found with these bytes."""


def read_published(data: bytes | None) -> Published:
    """Return the list of a target; an empty one where there is none.

    Raises:
        TargetError: where it is no such list.
    """
    if data is None:
        return Published()
    try:
        return msgspec.json.decode(data, type=Published)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise TargetError(
            "expected the list of what was published, found something else",
            where=PATH,
            do="Remove that object and publish again: permanent objects are then compared anew, and views that are no "
            "longer part of the site stay",
        ) from None


def published_bytes(published: Published) -> bytes:
    """Return a list as it lies in a target."""
    return canonical_json(published)


def as_file(published: Published) -> tuple[SiteFile, bytes]:
    """Return a list as an object to put, and its bytes."""
    data = published_bytes(published)
    file = SiteFile(
        path=PATH,
        size=len(data),
        sha256=sha256(data),
        md5="",
        permanent=False,
        content_type="application/json",
        cache_control="no-cache",
    )
    return file, data


def headers_digest(file: SiteFile) -> str:
    """Return the digest of what a target tells readers beside a file's bytes."""
    return sha256(f"{file.content_type}\n{file.cache_control}".encode())


def group(path: str) -> str:
    """Return what a permanent file is vouched for with: the first date in its path, or else its folder."""
    found = _DATE.search(path)
    return found[0] if found else path.rpartition("/")[0]


def digests(files: Iterable[SiteFile]) -> dict[str, str]:
    """Return, for each date or folder, the digest of its permanent files: of their paths and their digests."""
    lines: dict[str, list[str]] = {}
    for file in files:
        if file.permanent:
            lines.setdefault(group(file.path), []).append(f"{file.sha256}  {file.path}\n")
    return {name: sha256("".join(sorted(of)).encode()) for name, of in sorted(lines.items())}
