"""A share: a part of a whole, both counted, so that whoever prints it chooses how."""

from __future__ import annotations

import msgspec


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a whole, both counted, or an exact ratio."""

    part: int
    whole: int
    """At least 1."""
