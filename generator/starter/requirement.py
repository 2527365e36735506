"""The requirement that a new site root names this program by, for pip; none where that would be a guess."""

from __future__ import annotations

import msgspec


class _Vcs(msgspec.Struct, frozen=True, kw_only=True):
    vcs: str
    commit_id: str


class _Origin(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    vcs_info: _Vcs | None = None


def requirement(origin: str | None) -> str | None:
    """Return the requirement that installs this very program again, anywhere; None where nothing says where from.

    What was installed from a public git address is named by it and its commit. A folder or a file is nowhere but here,
    and a bare name is whoever registered it.

    Args:
        origin: the direct_url.json that an installer keeps (packaging.python.org, "Recording the Direct URL Origin of
            installed distributions"); null where there is none.
    """
    try:
        found = None if origin is None else msgspec.json.decode(origin, type=_Origin)
    except msgspec.DecodeError:
        return None
    if found is None or found.vcs_info is None or found.vcs_info.vcs != "git":
        return None
    public = found.url.startswith("https://") and "@" not in found.url and not set(found.url) & set(" \t\r\n#;")
    commit = found.vcs_info.commit_id
    if not public or not commit.isascii() or not commit.isalnum():
        return None
    return f"bitdepth @ git+{found.url}@{commit}"


def names_a_source(requirements: bytes) -> bool:
    """Return whether a file of requirements says anything but comments."""
    return any(line.strip() and not line.strip().startswith(b"#") for line in requirements.splitlines())
