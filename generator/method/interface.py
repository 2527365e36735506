"""What the method takes and gives, on one page.

    tally_night(night, definition)                 -> NightTally     each night once, tables to counts
    window_nights(recorded, end, definition)       -> the nights of the window that ends with `end`
    grade_window(window, definition, digest, ...)  -> tuple[Grade, ...], sorted by model and endpoint

Nothing here reads a file or a clock. Nothing here fails on a well-formed night: what cannot be measured is a figure
that is null and a reason that is recorded. Every threshold comparison is on integers or fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import msgspec
import pyarrow as pa

from generator.records.grade import Superseded


class NightTables(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded night as the archive keeps it; the tables have the columns of archive/FORMAT.md."""

    night: date
    observations: pa.Table
    prompts: pa.Table
    listings: pa.Table
    context: pa.Table
    latency_replayed: bool
    """True where the router played back recorded answers, so that no latency was measured."""


class Issue(msgspec.Struct, frozen=True, kw_only=True):
    """What a grade carries that does not follow from observations."""

    issued: date
    """The date of the night's finish; for a re-grade, the day it was made."""
    supersedes: Mapping[tuple[str, str], tuple[Superseded, ...]]
    """By (model, endpoint), the earlier letters of the same window."""
