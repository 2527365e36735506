"""The kinds of prompt that a prompt set can name, one module each; `FAMILIES` holds every one by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from generator.probing.families import (
    arithmetic,
    calendar,
    continuation,
    copy,
    facts,
    line,
    line_open,
    lookup,
    sorting,
    units,
)
from generator.probing.families.interface import Family, Generated

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        module.FAMILY.kind: module.FAMILY
        for module in (arithmetic, calendar, continuation, copy, facts, line, line_open, lookup, sorting, units)
    }
)
"""Read-only: a kind, once an archive names it, keeps its meaning."""

__all__ = ["FAMILIES", "Family", "Generated"]
