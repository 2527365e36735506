"""The requirement that a new site root names this program by, for pip."""

from __future__ import annotations

import msgspec


class _Vcs(msgspec.Struct, frozen=True, kw_only=True):
    vcs: str
    commit_id: str


class _Origin(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    vcs_info: _Vcs | None = None


def requirement(version: str, origin: str | None) -> str:
    """Return the requirement that installs this program again, anywhere.

    What was installed from a public git address is named by it and its commit; everything else by its version: a
    folder or a file is nowhere but here.

    Args:
        version: this program's.
        origin: the direct_url.json that an installer keeps (packaging.python.org, "Recording the Direct URL Origin of
            installed distributions"); null where there is none.
    """
    by_version = f"bitdepth=={version}"
    try:
        found = None if origin is None else msgspec.json.decode(origin, type=_Origin)
    except msgspec.DecodeError:
        return by_version
    if found is None or found.vcs_info is None or found.vcs_info.vcs != "git":
        return by_version
    public = found.url.startswith("https://") and "@" not in found.url and not set(found.url) & set(" \t\r\n#;")
    commit = found.vcs_info.commit_id
    if not public or not commit.isascii() or not commit.isalnum():
        return by_version
    return f"bitdepth @ git+{found.url}@{commit}"
