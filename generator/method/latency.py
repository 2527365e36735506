"""The latency class, shown and not graded: from the median time to a complete answer in the window."""

from __future__ import annotations

from collections.abc import Sequence

from generator.method.disagreement import median
from generator.records.definition import Definition
from generator.records.night import REPLAYED


def median_latency_ms(latencies_ms: Sequence[int]) -> int | None:
    """Return the median latency, rounded down to a whole millisecond; None without an answer."""
    return int(median(latencies_ms)) if latencies_ms else None


def latency_class(latencies_ms: Sequence[int], *, replayed: bool, definition: Definition) -> str | None:
    """Return the name of the class that the median falls into; None without an answer."""
    if replayed:
        return REPLAYED
    if not latencies_ms:
        return None
    found = median(latencies_ms)
    classes = definition.latency.classes
    return next(of.name for of in classes if of.below_ms is None or found < of.below_ms)
